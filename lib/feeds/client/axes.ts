import { timeStep } from '@/components/ui/charts/time-axis';
import { formatScaled, type ScaledInteger } from '@/lib/core/numbers';
import type { TimeRange } from './history';

/** About `count` round ticks that enclose a range. @param minStep finest step */
export function niceTicks(low: number, high: number, count: number, minStep: number): number[] {
  const rough = Math.max(minStep, (high - low) / count || Math.abs(high) * 1e-6 || 1);
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * ([1, 2, 5].find((factor) => factor * unit >= rough) ?? 10);
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(high / step));
  return Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step);
}

/** Label of an axis value: the price with the necessary digits, or the index. */
export function axisText(value: number, base: ScaledInteger | undefined): string {
  if (base === undefined) return String(Number(value.toPrecision(9)));
  const price = { mantissa: base.mantissa + BigInt(Math.round(value)), expo: base.expo };
  return formatScaled(price, { decimals: 'trimmed', groupSeparator: ',' });
}

const PIXELS_PER_TIME = 90;

/** Ticks at round times, none so near to an edge that its label would be cut. */
export function timeAxisOf({ fromMs, toMs }: TimeRange, widthPx: number) {
  const spanMs = toMs - fromMs;
  const { step, unit } = timeStep(spanMs, () => Math.max(2, Math.floor(widthPx / PIXELS_PER_TIME)));
  const edgeMs = (spanMs / Math.max(1, widthPx)) * (PIXELS_PER_TIME / 4);
  const first = Math.ceil((fromMs + edgeMs) / step) * step;
  const count = Math.max(0, Math.floor((toMs - edgeMs - first) / step) + 1);
  return { ticks: Array.from({ length: count }, (_, at) => first + at * step), unit };
}
