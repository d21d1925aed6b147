/** Waits between the attempts of a retry: the first one, and the longest, in ms. */
export type Backoff = { firstMs: number; maxMs: number };

/** The wait after failures in a row, in ms: it doubles from `firstMs` to `maxMs`. Jitter is the caller's. @param failures from 0 */
export function backoffMs({ firstMs, maxMs }: Backoff, failures: number): number {
  return Math.min(maxMs, firstMs * 2 ** failures);
}
