import { updateAtOrAfter, updateAtOrBefore } from './cadence';
import type { SandboxFeed } from './feeds';
import { FIRST_SLOT, slotAt, slotFrom } from './slots';

/** The slot of the update that is current at a time (unix ms), or undefined when there is none yet. */
export function currentUpdate(feed: SandboxFeed, ms: number): number | undefined {
  return updateAtOrBefore(feed.cadence, slotAt(ms));
}

/**
 * The slot of the first update with a publish time at or after `seconds` (unix). Undefined when that update
 * is still to come at `nowMs`, when none will come, or when the time lies before the history.
 */
export function firstUpdateFrom(feed: SandboxFeed, seconds: number, nowMs: number): number | undefined {
  const wanted = slotFrom(seconds * 1000);
  if (wanted < FIRST_SLOT || wanted > slotAt(nowMs)) return undefined;
  const found = updateAtOrAfter(feed.cadence, wanted);
  return found !== undefined && found <= slotAt(nowMs) ? found : undefined;
}
