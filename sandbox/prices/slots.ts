/**
 * The beat of the simulated price service. A slot is one round of updates, about every 400 ms: five in two
 * seconds. The offsets are chosen so that a slot falls on every whole second (then the update that is current
 * at a whole second is also the first one published at that second, and the router, asked for microseconds,
 * and the update service, asked for seconds, speak of the same update), and that all of them are multiples of
 * 200 ms, the tick of the router's usual channel.
 */
const OFFSETS_MS = [0, 400, 800, 1000, 1600] as const;
const CYCLE_MS = 2000;
const SLOTS_PER_CYCLE = OFFSETS_MS.length;

/** 2020-01-01T00:00:00Z: before this the services hold no updates. */
const HISTORY_START_MS = 1_577_836_800_000;

/** The first slot that the services hold. */
export const FIRST_SLOT = slotAt(HISTORY_START_MS);

/** The slot that is current at a time (unix milliseconds): the last one that began at or before it. */
export function slotAt(ms: number): number {
  const cycle = Math.floor(ms / CYCLE_MS);
  const within = ms - cycle * CYCLE_MS;
  let index = SLOTS_PER_CYCLE - 1;
  while (index > 0 && (OFFSETS_MS[index] ?? 0) > within) index -= 1;
  return cycle * SLOTS_PER_CYCLE + index;
}

/** The first slot that begins at or after a time (unix milliseconds). */
export function slotFrom(ms: number): number {
  const slot = slotAt(ms);
  return slotTime(slot) >= ms ? slot : slot + 1;
}

/** When a slot begins, in unix milliseconds. */
export function slotTime(slot: number): number {
  const cycle = Math.floor(slot / SLOTS_PER_CYCLE);
  return cycle * CYCLE_MS + (OFFSETS_MS[slot - cycle * SLOTS_PER_CYCLE] ?? 0);
}

/** The publish time of a slot's updates, in unix seconds. */
export function publishTime(slot: number): number {
  return Math.floor(slotTime(slot) / 1000);
}

/** The number a slot has on the wire: counted from the start of the history, so that it is of true size. */
export function wireSlot(slot: number): number {
  return slot - FIRST_SLOT;
}

/** Which slot of its second this is: 0 for the first. */
export function indexInSecond(slot: number): number {
  return slot - slotFrom(publishTime(slot) * 1000);
}

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

/** The slot of the update that is current at a time (unix ms), or undefined when there is none yet. */
export function currentUpdate(feed: { cadence: Cadence }, ms: number): number | undefined {
  return updateAtOrBefore(feed.cadence, slotAt(ms));
}

/**
 * The slot of the first update with a publish time at or after `seconds` (unix). Undefined when that update
 * is still to come at `nowMs`, when none will come, or when the time lies before the history.
 */
export function firstUpdateFrom(
  feed: { cadence: Cadence },
  seconds: number,
  nowMs: number,
): number | undefined {
  const wanted = slotFrom(seconds * 1000);
  if (wanted < FIRST_SLOT || wanted > slotAt(nowMs)) return undefined;
  const found = updateAtOrAfter(feed.cadence, wanted);
  return found !== undefined && found <= slotAt(nowMs) ? found : undefined;
}
