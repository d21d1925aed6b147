import type { ClockOff } from '@/lib/contract/codec/listing';
import { formatAge } from './human-time';

/** What a difference of clocks does to what is shown, for a clock ahead of ours and for one behind it. */
export type ClockEffects = { ahead: string; behind: string };

/**
 * Says of the clock that is furthest off ours, and of those that are off the same way, what that does here; undefined where
 * none is off.
 * @param severalKeepers whether the reader has to be told whose clocks they are
 */
export function clockOffSentence(
  clocks: readonly ClockOff[],
  effects: ClockEffects,
  severalKeepers: boolean,
): string | undefined {
  const [most] = clocks.toSorted((one, other) => Math.abs(other.offByMs) - Math.abs(one.offByMs));
  if (most === undefined) return undefined;
  const isAhead = most.offByMs > 0;
  const alike = clocks.filter(({ offByMs }) => offByMs > 0 === isAhead).map(({ keeper }) => keeper);
  const by = formatAge(Math.abs(most.offByMs));
  const where = isAhead ? 'ahead of' : 'behind';
  const effect = isAhead ? effects.ahead : effects.behind;
  return `${whose(alike, severalKeepers)} ${by} ${where} this dashboard’s, by the dates of ${alike.length > 1 ? 'their' : 'its'} answers: ${effect}. Either clock may be off.`;
}

function whose(keepers: readonly string[], severalKeepers: boolean): string {
  if (!severalKeepers) return 'The request log service’s clock is';
  return keepers.length === 1
    ? `The clock of keeper ${keepers[0]}’s request log service is`
    : `The clocks of the request log services of keepers ${keepers.join(', ')} are up to`;
}
