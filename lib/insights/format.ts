import { groupDigits } from '@/lib/core/numbers';
import { formatSpan } from '@/lib/core/time';

export function countText(value: number): string {
  return groupDigits(Math.round(value));
}

/** `0.8 s`, `12.4 s`, `7 min 05 s`. @param us microseconds */
export function lengthText(us: number): string {
  const seconds = us / 1_000_000;
  return seconds < 59.95 ? `${seconds.toFixed(1)} s` : formatSpan(Math.round(seconds) * 1000);
}

/** A dash stands for a missing value. */
export const orDash = <T>(value: number | null, text: (value: number) => T) =>
  value === null ? '–' : text(value);

/** Growth of this factor or more is shown as a factor. */
const FACTOR = 10;

/** `+12%`, `−3%`, `×14`; for a share in percentage points: `−0.4 pts`. Undefined without a comparison. */
export function changeText(value: number | null, before: number | null, isShare = false): string | undefined {
  if (value === null || before === null || (before === 0 && !isShare)) return undefined;
  const change = isShare ? value - before : (value - before) / before;
  if (!isShare && change >= FACTOR) return `×${countText(change + 1)}`;
  const size = Math.abs(change * 100).toFixed(isShare ? 1 : 0);
  const sign = Number(size) === 0 ? '±' : change < 0 ? '−' : '+';
  return `${sign}${Number(size) === 0 ? 0 : size}${isShare ? ' pts' : '%'}`;
}
