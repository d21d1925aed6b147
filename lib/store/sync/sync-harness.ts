/** For tests: fake keepers and their indexes, ended after each test. */
import { afterEach, vi } from 'vitest';
import {
  FakeKeeper,
  FastTimers,
  heldRows,
  type IndexOptions,
  indexOf,
  type RunningIndex,
  rowsOf,
} from './keeper-fixture';

export const START_MS = Date.UTC(2026, 10, 20, 8);

export type Bench = {
  timers: FastTimers;
  keeper: FakeKeeper;
  start: (options?: Partial<IndexOptions>) => Promise<RunningIndex>;
};

/** @param factor so many times as fast time passes for all that a test starts */
export function syncBench(): (factor: number) => Promise<Bench> {
  const open: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.stop();
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

/** Rows before the start, one in so many milliseconds. */
export function fill(keeper: FakeKeeper, count: number, everyMs: number, beforeMs = 0): void {
  for (let n = count; n > 0; n -= 1) keeper.add(START_MS - beforeMs - n * everyMs);
}

/** Waits until something holds. @param interval ms; what takes long is looked at less often, as it keeps others waiting */
export function eventually(
  check: () => Promise<void> | void,
  timeout = 40_000,
  interval = 25,
): Promise<void> {
  return vi.waitFor(check, { timeout, interval });
}

/** The index holds the rows that the keeper delivers, in their states. */
export async function inStep(index: RunningIndex, keeper: FakeKeeper): Promise<void> {
  const [held, expected] = [await heldRows(index), rowsOf(keeper)];
  const missing = [...expected].filter(([sequence, state]) => held.get(sequence) !== state);
  const tooMany = [...held].filter(([sequence]) => !expected.has(sequence));
  if (missing.length + tooMany.length === 0) return;
  throw new Error(`missing or other ${JSON.stringify(missing.slice(0, 5))}, too many ${tooMany.length}`);
}
