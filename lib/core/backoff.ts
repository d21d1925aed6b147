/** Delays between the attempts of a retry: the first and the longest one, in ms. */
type Backoff = { firstMs: number; maxMs: number };

/**
 * The delay after a run of failures, in ms. It doubles from `firstMs` to `maxMs`; callers add jitter.
 * @param failures from 0
 */
export function backoffMs({ firstMs, maxMs }: Backoff, failures: number): number {
  return Math.min(maxMs, firstMs * 2 ** failures);
}
