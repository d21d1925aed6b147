/**
 * Rounds of updates. One begins at every whole second, so that the router (by microseconds) and the update service
 * (by seconds) agree on its first update. Multiples of 200 ms, the tick of the router's default channel.
 */
const OFFSETS_MS = [0, 400, 800, 1000, 1600] as const;
const CYCLE_MS = 2000;
const SLOTS_PER_CYCLE = OFFSETS_MS.length;

/** The first slot: before it the services have no updates. */
const FIRST_SLOT = slotAt(Date.UTC(2020, 0, 1));

/** The last slot that began at or before unix ms. */
export function slotAt(ms: number): number {
  const cycle = Math.floor(ms / CYCLE_MS);
  return cycle * SLOTS_PER_CYCLE + OFFSETS_MS.findLastIndex((offset) => offset <= ms - cycle * CYCLE_MS);
}

/** First slot from unix ms on. */
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

/** Counted from the start of the history, for a realistic size. */
export function wireSlot(slot: number): number {
  return slot - FIRST_SLOT;
}

function isFirstOfSecond(slot: number): boolean {
  return slot === slotFrom(publishTime(slot) * 1000);
}

const DAY_MS = 86_400_000;
/** Market hours of New York's winter (UTC, Monday to Friday), without holidays or daylight saving time. */
const OPEN_MS = 14.5 * 3_600_000;
const CLOSE_MS = 21 * 3_600_000;

function isTradingDay(day: number): boolean {
  return (day + 3) % 7 < 5; // Day 0, 1970-01-01, was a Thursday.
}

/** Unix ms. */
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

/** Slots with an update of a feed, regardless of whether the history has it. */
export type Cadence = {
  kind: 'every' | 'slow' | 'market' | 'silent' | 'first-missing';
  atOrBefore(slot: number): number;
  atOrAfter(slot: number): number | undefined;
};

export const EVERY_SLOT: Cadence = { kind: 'every', atOrBefore: (slot) => slot, atOrAfter: (slot) => slot };

export function slowCadence(everySlots: number): Cadence {
  return {
    kind: 'slow',
    atOrBefore: (slot) => Math.floor(slot / everySlots) * everySlots,
    atOrAfter: (slot) => Math.ceil(slot / everySlots) * everySlots,
  };
}

export const MARKET_HOURS: Cadence = { kind: 'market', atOrBefore: lastOpenSlot, atOrAfter: nextOpenSlot };

export function silentSince(lastMs: number): Cadence {
  const last = slotAt(lastMs);
  return {
    kind: 'silent',
    atOrBefore: (slot) => Math.min(slot, last),
    atOrAfter: (slot) => (slot <= last ? slot : undefined),
  };
}

/** The history lacks the first update of each second, so its updates are never unique in their second. */
export const FIRST_MISSING: Cadence = {
  kind: 'first-missing',
  atOrBefore: (slot) => (isFirstOfSecond(slot) ? slot - 1 : slot),
  atOrAfter: (slot) => (isFirstOfSecond(slot) ? slot + 1 : slot),
};

/** Undefined if the history has none. */
export function updateAtOrBefore(cadence: Cadence, slot: number): number | undefined {
  const slotBefore = cadence.atOrBefore(slot);
  return slotBefore >= FIRST_SLOT ? slotBefore : undefined;
}

export function isUpdated(cadence: Cadence, slot: number): boolean {
  return updateAtOrBefore(cadence, slot) === slot;
}

/** Unix seconds. */
export function previousPublishTime(cadence: Cadence, slot: number): number {
  return publishTime(cadence.kind === 'first-missing' ? slot - 1 : cadence.atOrBefore(slot - 1));
}

/** Undefined before the first update. */
export function currentUpdate({ cadence }: { cadence: Cadence }, ms: number): number | undefined {
  return updateAtOrBefore(cadence, slotAt(ms));
}

/** Published at or after `seconds` (unix). Undefined if the history has none, or none until `nowMs`. */
export function firstUpdateFrom({ cadence }: { cadence: Cadence }, seconds: number, nowMs: number) {
  const wanted = slotFrom(seconds * 1000);
  const newest = slotAt(nowMs);
  if (wanted < FIRST_SLOT || wanted > newest) return undefined;
  const slotAfter = cadence.atOrAfter(wanted) ?? Number.POSITIVE_INFINITY;
  return slotAfter <= newest ? slotAfter : undefined;
}
