import type { ClockOff } from '@/lib/contract/codec/listing';
import { formatAge } from './human-time';

/** What a difference of clocks does to what is shown, for a clock ahead of ours and for one behind it. */
export type ClockEffects = { ahead: string; behind: string };

/**
 * Says of the clock that is furthest off ours what that does here; undefined where none is off.
 * @param severalKeepers whether the reader has to be told whose clock it is
 */
export function clockOffSentence(
  clocks: readonly ClockOff[],
  effects: ClockEffects,
  severalKeepers: boolean,
): string | undefined {
  const [most] = clocks.toSorted((one, other) => Math.abs(other.offByMs) - Math.abs(one.offByMs));
  if (most === undefined) return undefined;
  const whose = severalKeepers
    ? `The clock of keeper ${most.keeper}’s request log service`
    : 'The request log service’s clock';
  const by = formatAge(Math.abs(most.offByMs));
  const where = most.offByMs > 0 ? 'ahead of' : 'behind';
  const effect = most.offByMs > 0 ? effects.ahead : effects.behind;
  return `${whose} is ${by} ${where} this dashboard’s, by the dates of its answers: ${effect}. Either clock may be off.`;
}
