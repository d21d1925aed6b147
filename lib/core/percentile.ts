/**
 * Two definitions. By nearest rank, a percentile is a value that occurred; it serves latencies and thresholds. Where a
 * figure must equal the overview's, whose SQL uses `percentile_cont`, it is interpolated between two values. `sorted`
 * ascends, `percent` goes to 100, and a percentile of no values is undefined.
 */
export function percentile<T>(sorted: readonly T[], percent: number): T | undefined {
  return sorted[Math.max(0, Math.ceil((percent * sorted.length) / 100) - 1)];
}

/** See `percentile`. */
export function interpolatedPercentile(sorted: readonly number[], percent: number): number | undefined {
  const position = (percent / 100) * (sorted.length - 1);
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  return below === undefined || above === undefined ? undefined : below + (above - below) * (position % 1);
}
