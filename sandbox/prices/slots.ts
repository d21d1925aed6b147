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
