import { timeStep } from '@/components/ui/charts/time-axis';
import { formatScaled, type ScaledInteger } from '@/lib/core/numbers';
import { MINUTE_MS } from '@/lib/core/time';
import type { TimeRange } from './history';

/** About `count` round ticks that enclose a range. @param minStep finest step */
export function niceTicks(low: number, high: number, count: number, minStep: number): number[] {
  const rough = Math.max(minStep, (high - low) / count || Math.abs(high) * 1e-6 || 1);
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * ([1, 2, 5].find((factor) => factor * unit >= rough) ?? 10);
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(high / step));
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
}

/** Labels with equal decimals. @param base price at 0; undefined for an index */
export function axisTexts(ticks: readonly number[], base: ScaledInteger | undefined): string[] {
  const parts = ticks.map((tick) => axisText(tick, base).split('.'));
  const decimals = Math.max(0, ...parts.map(([, fraction = '']) => fraction.length));
  return parts.map(([whole = '', fraction = '']) =>
    decimals === 0 ? whole : `${whole}.${fraction.padEnd(decimals, '0')}`,
  );
}

function axisText(value: number, base: ScaledInteger | undefined): string {
  if (base === undefined) return String(Number(value.toPrecision(9)));
  const price = { mantissa: base.mantissa + BigInt(Math.round(value)), expo: base.expo };
  return formatScaled(price, { decimals: 'trimmed', groupSeparator: ',' });
}

/** Narrow charts have labels nearer to each other. */
const NARROW_PX = 400;
const pxPerTime = (widthPx: number) => (widthPx < NARROW_PX ? 60 : 90);
/** Half the width of the longest label of a time. */
const EDGE_PX = 22;

/** Offsets of zones are multiples of this. */
const OFFSET_STEP_MS = 15 * MINUTE_MS;

/** Round ticks of a zone's clock, away from the edges. Ticks round in UTC might never fall on midnight there. */
export function timeAxisOf(
  { fromMs, toMs }: TimeRange,
  widthPx: number,
  offsetMs: (ms: number) => number = () => 0,
) {
  const spanMs = toMs - fromMs;
  const { step, unit } = timeStep(spanMs, () => Math.max(2, Math.floor(widthPx / pxPerTime(widthPx))));
  const edgeMs = (spanMs / Math.max(1, widthPx)) * EDGE_PX;
  const stride = step >= OFFSET_STEP_MS ? OFFSET_STEP_MS : Math.min(step, MINUTE_MS);
  const first = Math.ceil((fromMs + edgeMs) / stride) * stride;
  const count = Math.max(0, Math.floor((toMs - edgeMs - first) / stride) + 1);
  const moments = Array.from({ length: count }, (_, index) => first + index * stride);
  return { ticks: moments.filter((ms) => (ms + offsetMs(ms)) % step === 0), unit };
}
