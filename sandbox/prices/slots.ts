/**
 * A slot is one round of updates, about every 400 ms. A slot begins at every whole second, so that the current update
 * of that moment is also the first one published in that second. The router, queried by microseconds, and the update
 * service, queried by seconds, then agree. All offsets are multiples of 200 ms, the tick of the router's default
 * channel.
 */
const OFFSETS_MS = [0, 400, 800, 1000, 1600] as const;
const CYCLE_MS = 2000;
const SLOTS_PER_CYCLE = OFFSETS_MS.length;

/** First slot: before it the services have no updates. */
const FIRST_SLOT = slotAt(Date.UTC(2020, 0, 1));

/** The current slot at a time (unix ms): the last one that began at or before it. */
export function slotAt(ms: number): number {
  const cycle = Math.floor(ms / CYCLE_MS);
  return cycle * SLOTS_PER_CYCLE + OFFSETS_MS.findLastIndex((offset) => offset <= ms - cycle * CYCLE_MS);
}

/** The first slot that begins at or after a time (unix ms). */
function slotFrom(ms: number): number {
  const slot = slotAt(ms);
  return slotTime(slot) >= ms ? slot : slot + 1;
}

export function slotTime(slot: number): number {
  const cycle = Math.floor(slot / SLOTS_PER_CYCLE);
  return cycle * CYCLE_MS + (OFFSETS_MS[slot - cycle * SLOTS_PER_CYCLE] ?? 0);
}

export function publishTime(slot: number): number {
  return Math.floor(slotTime(slot) / 1000);
}

/** Number of a slot on the wire. It is counted from the start of the history, so that it has a realistic size. */
export function wireSlot(slot: number): number {
  return slot - FIRST_SLOT;
}

function isFirstOfSecond(slot: number): boolean {
  return slot === slotFrom(publishTime(slot) * 1000);
}

const DAY_MS = 86_400_000;
/** Monday to Friday, 14:30 to 21:00 UTC: New York's winter hours, without holidays or daylight saving time. */
const OPEN_MS = 14.5 * 3_600_000;
const CLOSE_MS = 21 * 3_600_000;

function isTradingDay(day: number): boolean {
  return (day + 3) % 7 < 5; // Day 0, 1970-01-01, was a Thursday.
}

/** Whether the simulated market is open at a time (unix ms). */
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

/** When a feed is updated, regardless of whether the history has the update. */
export type Cadence = {
  kind: 'every' | 'slow' | 'market' | 'silent' | 'unheld-first';
  atOrBefore(slot: number): number;
  /** Undefined if none follows. */
  atOrAfter(slot: number): number | undefined;
};

export const EVERY_SLOT: Cadence = { kind: 'every', atOrBefore: (slot) => slot, atOrAfter: (slot) => slot };

/** An update in every `everySlots`th slot. */
export function slowCadence(everySlots: number): Cadence {
  return {
    kind: 'slow',
    atOrBefore: (slot) => Math.floor(slot / everySlots) * everySlots,
    atOrAfter: (slot) => Math.ceil(slot / everySlots) * everySlots,
  };
}

export const MARKET_HOURS: Cadence = { kind: 'market', atOrBefore: lastOpenSlot, atOrAfter: nextOpenSlot };

/** An update in each slot up to `lastMs`, then none. */
export function silentSince(lastMs: number): Cadence {
  const last = slotAt(lastMs);
  return {
    kind: 'silent',
    atOrBefore: (slot) => Math.min(slot, last),
    atOrAfter: (slot) => (slot <= last ? slot : undefined),
  };
}

/**
 * An update in each slot, of which the history lacks the first of each second. Updates in the history are therefore
 * never unique in their second.
 */
export const UNHELD_FIRST: Cadence = {
  kind: 'unheld-first',
  atOrBefore: (slot) => (isFirstOfSecond(slot) ? slot - 1 : slot),
  atOrAfter: (slot) => (isFirstOfSecond(slot) ? slot + 1 : slot),
};

/** Slot of the last update at or before a slot; undefined if the history has none. */
export function updateAtOrBefore(cadence: Cadence, slot: number): number | undefined {
  const slotBefore = cadence.atOrBefore(slot);
  return slotBefore >= FIRST_SLOT ? slotBefore : undefined;
}

/** Whether a feed has an update in exactly this slot. */
export function isUpdated(cadence: Cadence, slot: number): boolean {
  return updateAtOrBefore(cadence, slot) === slot;
}

/** Publish time (unix s) of the update that precedes the one in this slot. */
export function previousPublishTime(cadence: Cadence, slot: number): number {
  return publishTime(cadence.kind === 'unheld-first' ? slot - 1 : cadence.atOrBefore(slot - 1));
}

/** Slot of the current update at a time (unix ms); undefined before the first one. */
export function currentUpdate({ cadence }: { cadence: Cadence }, ms: number): number | undefined {
  return updateAtOrBefore(cadence, slotAt(ms));
}

/**
 * The first update published at or after `seconds` (unix); undefined if none is in the history or published by `nowMs`.
 */
export function firstUpdateFrom({ cadence }: { cadence: Cadence }, seconds: number, nowMs: number) {
  const wanted = slotFrom(seconds * 1000);
  const newest = slotAt(nowMs);
  if (wanted < FIRST_SLOT || wanted > newest) return undefined;
  const slotAfter = cadence.atOrAfter(wanted) ?? Number.POSITIVE_INFINITY;
  return slotAfter <= newest ? slotAfter : undefined;
}
