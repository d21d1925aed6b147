/** Fake keepers and their indexes, ended after each test. */
import { afterEach, vi } from 'vitest';
import {
  FakeKeeper,
  FastTimers,
  type IndexOptions,
  indexOf,
  type RunningIndex,
  rowsOf,
  storedRows,
} from './keeper-fixture';

export const START_MS = Date.UTC(2026, 10, 20, 8);

export type Bench = {
  timers: FastTimers;
  keeper: FakeKeeper;
  start: (options?: Partial<IndexOptions>) => Promise<RunningIndex>;
};

/** The parameter `factor` is the speed of time; 1 is real time. */
export function syncBench(): (factor: number) => Promise<Bench> {
  const open: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const sync of open.splice(0)) await sync.stop();
  });
  return async (factor) => {
    const timers = new FastTimers(factor);
    const keeper = await new FakeKeeper(() => Math.floor(START_MS + timers.elapsed())).start();
    open.unshift(keeper);
    return {
      timers,
      keeper,
      async start(options = {}) {
        const index = await indexOf(keeper, { timers, ...options });
        open.unshift({ stop: () => index.close() });
        return index;
      },
    };
  };
}

/** Adds rows before the start, `everyMs` apart. */
export function fillKeeper(keeper: FakeKeeper, count: number, everyMs: number, beforeMs = 0): void {
  for (let n = count; n > 0; n -= 1) keeper.add(START_MS - beforeMs - n * everyMs);
}

/** @param interval ms between checks; slow checks need a longer one */
export function eventually(
  check: () => Promise<void> | void,
  timeout = 40_000,
  interval = 25,
): Promise<void> {
  return vi.waitFor(check, { timeout, interval });
}

/** @throws Error while the index differs from the keeper's rows */
export async function expectSynced(index: RunningIndex, keeper: FakeKeeper): Promise<void> {
  const stored = await storedRows(index);
  const expected = rowsOf(keeper);
  const missing = [...expected].filter(([sequence, state]) => stored.get(sequence) !== state);
  const tooMany = [...stored].filter(([sequence]) => !expected.has(sequence));
  if (missing.length + tooMany.length === 0) return;
  throw new Error(`missing or other ${JSON.stringify(missing.slice(0, 5))}, too many ${tooMany.length}`);
}
