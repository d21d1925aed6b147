import { setImmediate as nextTurn } from 'node:timers/promises';

/** So long work may hold the event loop in one piece, in milliseconds; looked at after each `STEP` items. */
const TURN_MS = 4;
const STEP = 25;

/** Calls `work` for each item in order, and lets everybody else have a turn of the event loop every few milliseconds. */
export async function inSlices<T>(items: readonly T[], work: (item: T) => void): Promise<void> {
  let turnEnds = performance.now() + TURN_MS;
  for (let start = 0; start < items.length; start += STEP) {
    for (const item of items.slice(start, start + STEP)) work(item);
    if (performance.now() < turnEnds) continue;
    await nextTurn();
    turnEnds = performance.now() + TURN_MS;
  }
}
