import { formatAge } from './time';

/** Below this a difference of clocks is not worth a line. Far above what the second of a `Date` and the way of an answer make. */
export const CLOCK_TOLERANCE_MS = 60_000;

/** Whether clocks that differ by so many milliseconds, either way, differ by enough to say so. */
export function isClockOff(offByMs: number): boolean {
  return Math.abs(offByMs) >= CLOCK_TOLERANCE_MS;
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
