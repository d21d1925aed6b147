import { groupDigits } from '@/lib/core/numbers';
import { formatDuration } from '@/lib/core/time';

export function countText(value: number): string {
  return groupDigits(Math.round(value));
}

/** `0.8 s`, `12.4 s`, `7 min 05 s`. */
export const lengthText = (us: number): string => formatDuration(us / 1000);

export const orDash = <T>(value: number | null, text: (value: number) => T) =>
  value === null ? '–' : text(value);

/** Growth from this factor on is shown as a factor. */
const FACTOR = 10;

/** Count below which there is no percentage: a few requests would make a large one. */
const MIN_BASE = 30;

export type FigureKind = 'count' | 'length' | 'share';

/** `+12%`, `−3%`, `×14`; for a share, points: `−0.4 pts`; for a small count, `+4`. Undefined without a comparison. */
export function changeText(
  value: number | null,
  before: number | null,
  kind: FigureKind,
): string | undefined {
  if (value === null || before === null) return undefined;
  const change = value - before;
  if (kind === 'share') return signed(change, (change * 100).toFixed(1), ' pts');
  if (kind === 'count' && before < MIN_BASE) return signed(change, countText(change), '');
  if (before === 0) return undefined;
  if (change / before >= FACTOR) return `×${countText(value / before)}`;
  return signed(change, ((change / before) * 100).toFixed(0), '%');
}

function signed(change: number, digits: string, unit: string): string {
  if (Number(digits) === 0) return `±0${unit}`;
  return `${change < 0 ? '−' : '+'}${digits.replace('-', '')}${unit}`;
}
