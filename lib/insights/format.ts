import { groupDigits } from '@/lib/core/numbers';
import { formatSpan } from '@/lib/core/time';
import type { Figure } from './figures';

export function countText(value: number): string {
  return groupDigits(Math.round(value));
}

/** `99.3%`: with one decimal, and never rounded to all or to nothing. @param share of 1 */
export function shareText(share: number): string {
  const percent = share * 100;
  if (percent <= 0) return '0%';
  if (percent >= 100) return '100%';
  if (percent < 0.1) return '<0.1%';
  if (percent > 99.9) return `${(Math.floor(percent * 10) / 10).toFixed(1)}%`;
  return `${percent.toFixed(1)}%`;
}

/** `0.8 s`, `12.4 s`, `7 min 05 s`. @param us microseconds */
export function lengthText(us: number): string {
  const seconds = us / 1_000_000;
  return seconds < 59.95 ? `${seconds.toFixed(1)} s` : formatSpan(Math.round(seconds) * 1000);
}

/** The value of one of the six figures; `–` for none. */
export function figureText(id: Figure['id'], value: number | null): string {
  if (value === null) return '–';
  if (id === 'success-rate') return shareText(value);
  return id === 'p50' || id === 'p95' ? lengthText(value) : countText(value);
}

/** From here on growth is told as a factor. */
const FACTOR = 10;

/** `+12%`, `−3%`, `×14`; of a share in points of a percent: `−0.4 pts`. Undefined where nothing can be compared. */
export function changeText({ id, change }: Pick<Figure, 'id' | 'change'>): string | undefined {
  if (change === null) return undefined;
  if (id === 'success-rate') {
    const points = Math.abs(change * 100).toFixed(1);
    return points === '0.0' ? '±0 pts' : `${signOf(change)}${points} pts`;
  }
  if (change >= FACTOR) return `×${countText(change + 1)}`;
  const percent = Math.round(Math.abs(change) * 100);
  return percent === 0 ? '±0%' : `${signOf(change)}${percent}%`;
}

const signOf = (change: number) => (change < 0 ? '−' : '+');
