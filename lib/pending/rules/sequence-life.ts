import { MINUTE_MS } from '@/lib/core/time';
import { type LoggedRow, WINDOW_MS } from './evidence';

/**
 * A sequence can have several lives: a test network is reset, a contract deployed anew, a provider registered again, and
 * it counts from the start. What an older life tells must not be said of a request of today.
 */

/** A reorganisation brings a transaction back within minutes; an hour leaves room for a keeper that was behind. */
export const TWIN_MS = 60 * 60_000;
/** An hour at four blocks a second, as the fastest networks make them. */
export const TWIN_BLOCKS = 15_000;

type Born = Pick<LoggedRow, 'createdAt' | 'requestBlock'>;

/** Whether two requests of one sequence can be one request before and after a reorganisation. A missing block tells nothing. */
export function isNearTwin(one: Born, other: Born): boolean {
  if (one.requestBlock === undefined || other.requestBlock === undefined) return false;
  const blocks = BigInt(one.requestBlock) - BigInt(other.requestBlock);
  const isNearBlock = blocks <= TWIN_BLOCKS && blocks >= -TWIN_BLOCKS;
  return isNearBlock && Math.abs(one.createdAt.ms - other.createdAt.ms) <= TWIN_MS;
}

/** Unix ms: what was logged then or later may have come after this one. A keeper logs neighbours in any order for a while. */
export function laterSinceMs({ createdAt: { ms } }: Born): number {
  return ms - WINDOW_MS;
}

/** Whether a row with a higher sequence was requested after this one, in the same life. */
export function isLaterRequest(row: Born, request: Born): boolean {
  return row.createdAt.ms >= laterSinceMs(request);
}

/** Sequences of the same minute are logged in any order, and a busy network makes so many of them at most. */
const RESTART_AFTER_MS = MINUTE_MS;
const RESTART_BY = 1000n;

/** Whether the sequences of these rows of one lane began anew among them: a later row has a much lower one. */
export function beginsAnew(rows: readonly LoggedRow[]): boolean {
  const inTime = rows.toSorted((one, other) => one.createdAt.ms - other.createdAt.ms);
  let [highest, next] = [-1n, 0];
  for (const { createdAt, sequence } of inTime) {
    for (
      ;
      (inTime[next]?.createdAt.ms ?? Number.POSITIVE_INFINITY) < createdAt.ms - RESTART_AFTER_MS;
      next++
    ) {
      const before = BigInt(inTime[next]?.sequence ?? 0);
      if (before > highest) highest = before;
    }
    if (BigInt(sequence) + RESTART_BY < highest) return true;
  }
  return false;
}
