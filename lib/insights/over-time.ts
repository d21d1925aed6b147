/** States from the bottom of a bar up. */
export const BARS = [
  { key: 'completed', label: 'Completed', colour: 'var(--ks-chart-fine)' },
  { key: 'pending', label: 'Pending', colour: 'color-mix(in srgb, var(--ks-wait) 60%, var(--ks-sandbox))' },
  { key: 'callbackFailed', label: 'Callback failed', colour: 'var(--ks-warn)' },
  { key: 'failed', label: 'Failed', colour: 'var(--ks-bad)' },
] as const;

export const LINES = [
  { key: 'p50Us', label: 'p50', colour: 'var(--ks-text-faint)', dash: undefined, width: 1.3 },
  { key: 'p95Us', label: 'p95', colour: 'var(--ks-chart-line)', dash: undefined, width: 1.8 },
  { key: 'p99Us', label: 'p99', colour: 'var(--ks-chart-line)', dash: '2 3', width: 1.3 },
] as const;

const MILLION = 1_000_000;
const LENGTHS_US = [0.1, 1, 10, 60, 600, 3600, 21_600, 86_400, 864_000].map((seconds) => seconds * MILLION);

/** Round lengths about all of these, for a scale on which each step is several times the one before. Microseconds. */
export function lengthTicks(lengths: readonly number[]): number[] {
  const least = Math.min(86_400 * MILLION, ...lengths);
  const most = Math.max(0, ...lengths);
  const first = LENGTHS_US.findLastIndex((one) => one <= least);
  const last = LENGTHS_US.findIndex((one) => one >= most);
  const from = Math.max(0, first);
  const to = last === -1 ? LENGTHS_US.length - 1 : last;
  return LENGTHS_US.slice(from, Math.max(to, from + 1) + 1);
}

/** `0.1 s`, `30 s`, `10 min`, `6 h`, `10 d`. */
export function lengthTickText(us: number): string {
  const seconds = us / MILLION;
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${seconds / 60} min`;
  return seconds < 86_400 ? `${seconds / 3600} h` : `${seconds / 86_400} d`;
}
