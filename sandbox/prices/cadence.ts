import { FIRST_SLOT, indexInSecond, publishTime, slotAt, slotFrom, slotTime } from './slots';

/**
 * When a feed is updated:
 * - `every`: in each slot
 * - `slow`: in each slot whose number divides by `everySlots`
 * - `market`: in each slot while the market is open
 * - `silent`: in each slot up to `lastMs`, then never again
 * - `unheld-first`: in each slot, but the service does not hold the first update of a second, so that what it
 *   holds is never unique at its second
 */
export type Cadence =
  | { kind: 'every' }
  | { kind: 'slow'; everySlots: number }
  | { kind: 'market' }
  | { kind: 'silent'; lastMs: number }
  | { kind: 'unheld-first' };

const DAY_MS = 86_400_000;
/** Monday to Friday, 14:30 to 21:00 UTC: New York's winter hours, without holidays or daylight saving time. */
const OPEN_MS = 14.5 * 3_600_000;
const CLOSE_MS = 21 * 3_600_000;

function isTradingDay(day: number): boolean {
  const weekday = (day + 4) % 7; // day 0, 1970-01-01, was a Thursday
  return weekday >= 1 && weekday <= 5;
}

/** Whether the simulated market is open at a time (unix milliseconds). */
export function isMarketOpen(ms: number): boolean {
  const day = Math.floor(ms / DAY_MS);
  const within = ms - day * DAY_MS;
  return isTradingDay(day) && within >= OPEN_MS && within < CLOSE_MS;
}

function lastOpenSlot(slot: number): number {
  const ms = slotTime(slot);
  if (isMarketOpen(ms)) return slot;
  let day = Math.floor(ms / DAY_MS);
  while (!isTradingDay(day) || day * DAY_MS + CLOSE_MS > ms) day -= 1;
  return slotAt(day * DAY_MS + CLOSE_MS - 1);
}

function nextOpenSlot(slot: number): number {
  const ms = slotTime(slot);
  if (isMarketOpen(ms)) return slot;
  let day = Math.floor(ms / DAY_MS);
  while (!isTradingDay(day) || day * DAY_MS + OPEN_MS < ms) day += 1;
  return slotFrom(day * DAY_MS + OPEN_MS);
}

function lastUnbounded(cadence: Cadence, slot: number): number {
  switch (cadence.kind) {
    case 'every':
      return slot;
    case 'slow':
      return Math.floor(slot / cadence.everySlots) * cadence.everySlots;
    case 'market':
      return lastOpenSlot(slot);
    case 'silent':
      return Math.min(slot, slotAt(cadence.lastMs));
    case 'unheld-first':
      return indexInSecond(slot) === 0 ? slot - 1 : slot;
  }
}

/** The last update at or before a slot, or undefined when the history has none. */
export function updateAtOrBefore(cadence: Cadence, slot: number): number | undefined {
  const found = lastUnbounded(cadence, slot);
  return found >= FIRST_SLOT ? found : undefined;
}

/** The first update at or after a slot, or undefined when none will ever come. */
export function updateAtOrAfter(cadence: Cadence, slot: number): number | undefined {
  switch (cadence.kind) {
    case 'every':
      return slot;
    case 'slow':
      return Math.ceil(slot / cadence.everySlots) * cadence.everySlots;
    case 'market':
      return nextOpenSlot(slot);
    case 'silent':
      return slot <= slotAt(cadence.lastMs) ? slot : undefined;
    case 'unheld-first':
      return indexInSecond(slot) === 0 ? slot + 1 : slot;
  }
}

/** Whether a feed has an update in exactly this slot. */
export function isUpdated(cadence: Cadence, slot: number): boolean {
  return updateAtOrBefore(cadence, slot) === slot;
}

/**
 * The publish time (unix seconds) of the update before the one in this slot. For `unheld-first` that is the
 * update which the service does not hold.
 */
export function previousPublishTime(cadence: Cadence, slot: number): number {
  const before = cadence.kind === 'unheld-first' ? slot - 1 : lastUnbounded(cadence, slot - 1);
  return publishTime(before);
}
