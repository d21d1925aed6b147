/** First and longest delay between attempts. */
type Backoff = { firstMs: number; maxMs: number };

/** Share of a delay that is random, so that many callers do not retry in step. */
const JITTER = 0.25;

/** Whole ms, doubling from `firstMs` to `maxMs`. @param failures from 0 @param random from 0 to 1 */
export function backoffMs({ firstMs, maxMs }: Backoff, failures: number, random = 0): number {
  return Math.round(Math.min(maxMs, firstMs * 2 ** failures) * (1 - random * JITTER));
}
