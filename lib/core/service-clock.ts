import { DAY_MS, formatAge } from './time';

/** A time from further ahead than this says more about its record than about the service's clock. */
const BELIEVABLE_MS = DAY_MS;
/** The newest records: what the service wrote down lately. */
const NEWEST = 10;
/** So many of them have to agree at least; of fewer all, and one alone proves nothing. */
const FEWEST = 3;
/** Times of one clock come close after each other: one that is so many times as far ahead as the next is odd by itself. */
const ODD_TIMES = 2;

/** Below this a difference of clocks is not worth a line. Far above what the second of a `Date` and the way of an answer make. */
export const CLOCK_TOLERANCE_MS = 60_000;

/** Whether clocks that differ by so many milliseconds, either way, differ by enough to say so. */
export function isClockOff(offByMs: number): boolean {
  return Math.abs(offByMs) >= CLOCK_TOLERANCE_MS;
}

/**
 * How far a service's clock is ahead of ours at least, milliseconds, by when it says that its newest records were made; 0
 * when it is not. Most of them have to be ahead: a single record with an odd date says nothing about the clock.
 * @param times unix milliseconds, in any order
 */
export function serviceClockAheadMs(times: readonly number[], nowMs: number): number {
  const newest = times
    .map((ms) => ms - nowMs)
    .filter((ahead) => ahead < BELIEVABLE_MS)
    .sort((a, b) => b - a)
    .slice(0, NEWEST);
  const ahead = newest.filter((ms) => ms > 0);
  const most = Math.floor(newest.length / 2) + 1;
  const needed = Math.min(newest.length, Math.max(FEWEST, most));
  if (newest.length < 2 || ahead.length < needed) return 0;
  return ahead.find((ms, at) => ms <= ODD_TIMES * (ahead[at + 1] ?? ms)) ?? 0;
}

/** A keeper whose service dates its answers far off our clock: milliseconds ahead of it, behind it where negative. */
export type ClockOff = { keeper: string; offByMs: number };

/**
 * Says of the clock that is furthest off ours, and of those that are off the same way, what that does here; undefined where
 * none is off.
 * @param effects for a clock ahead of ours and for one behind it
 * @param severalKeepers whether the reader has to be told whose clocks they are
 */
export function clockOffSentence(
  clocks: readonly ClockOff[],
  effects: { ahead: string; behind: string },
  severalKeepers: boolean,
): string | undefined {
  const [most] = clocks.toSorted((one, other) => Math.abs(other.offByMs) - Math.abs(one.offByMs));
  if (most === undefined) return undefined;
  const isAhead = most.offByMs > 0;
  const alike = clocks.filter(({ offByMs }) => offByMs > 0 === isAhead).map(({ keeper }) => keeper);
  const [where, effect] = isAhead ? ['ahead of', effects.ahead] : ['behind', effects.behind];
  const whose = !severalKeepers
    ? 'The request log service’s clock is'
    : alike.length === 1
      ? `The clock of keeper ${most.keeper}’s request log service is`
      : `The clocks of the request log services of keepers ${alike.join(', ')} are up to`;
  return `${whose} ${formatAge(Math.abs(most.offByMs))} ${where} this dashboard’s, by the dates of ${alike.length > 1 ? 'their' : 'its'} answers: ${effect}. Either clock may be off.`;
}
