import { HOUR_MS, MINUTE_MS } from '@/lib/core/time';
import { type LoggedRow, WINDOW_MS } from './evidence';

/**
 * A sequence restarts after a reset of a test network, a new deployment, or a new registration of a provider. Rows of
 * an older life are no evidence about a present request.
 */

/** A reorganisation takes minutes; an hour allows for a keeper that was behind. */
export const TWIN_MS = HOUR_MS;
/** An hour on the fastest networks, which make four blocks a second. */
export const TWIN_BLOCKS = 15_000;

type RequestOrigin = Pick<LoggedRow, 'createdAt' | 'requestBlock'>;

/** Whether two rows may be one request before and after a reorganisation. A missing block decides nothing. */
export function isNearTwin(a: RequestOrigin, b: RequestOrigin): boolean {
  if (a.requestBlock === undefined || b.requestBlock === undefined) return false;
  const blocks = BigInt(a.requestBlock) - BigInt(b.requestBlock);
  const isNearBlock = blocks <= TWIN_BLOCKS && blocks >= -TWIN_BLOCKS;
  return isNearBlock && Math.abs(a.createdAt.ms - b.createdAt.ms) <= TWIN_MS;
}

/** Keepers log neighbouring requests in any order, so rows since this time (unix ms) may be later. */
export function laterSinceMs({ createdAt: { ms } }: RequestOrigin): number {
  return ms - WINDOW_MS;
}

/** Whether a row came later in the same life of the sequence. */
export function isLaterRequest(row: RequestOrigin, request: RequestOrigin): boolean {
  return row.createdAt.ms >= laterSinceMs(request);
}

/** Tolerance for rows logged out of order, in time and in sequences of a busy network. */
const RESTART_AFTER_MS = MINUTE_MS;
const RESTART_BY = 1000n;

/** A later row of the lane has a much lower sequence. */
export function hasRestart(rows: readonly LoggedRow[]): boolean {
  const inTime = rows.toSorted((a, b) => a.createdAt.ms - b.createdAt.ms);
  let [highest, next] = [-1n, 0];
  for (const { createdAt, sequence } of inTime) {
    for (
      ;
      (inTime[next]?.createdAt.ms ?? Number.POSITIVE_INFINITY) < createdAt.ms - RESTART_AFTER_MS;
      next++
    ) {
      const earlierSequence = BigInt(inTime[next]?.sequence ?? 0);
      if (earlierSequence > highest) highest = earlierSequence;
    }
    if (BigInt(sequence) + RESTART_BY < highest) return true;
  }
  return false;
}
