import { afterEach, describe, expect, it, vi } from 'vitest';
import { FakeKeeper, FastTimers, heldRows, indexOf, type RunningIndex, rowsOf } from './fake-keeper';

const START_MS = Date.UTC(2026, 10, 20, 8);
const open: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0)) await one.stop();
});

async function keeperOf(timers: FastTimers): Promise<FakeKeeper> {
  const keeper = await new FakeKeeper(() => Math.floor(START_MS + timers.elapsed())).start();
  open.unshift(keeper);
  return keeper;
}

async function indexed(keeper: FakeKeeper, timers: FastTimers, path?: string): Promise<RunningIndex> {
  const index = await indexOf(keeper, { timers, ...(path === undefined ? {} : { path }) });
  open.unshift({ stop: () => index.close() });
  return index;
}

/** Rows over the last hours, one in so many milliseconds. */
function fill(keeper: FakeKeeper, count: number, everyMs: number): void {
  for (let n = count; n > 0; n -= 1) keeper.add(START_MS - n * everyMs);
}

const WAIT = { timeout: 15_000, interval: 20 };

describe('the history', () => {
  it('is read whole, with 2,500 rows in one instant and pages that shrink', async () => {
    const timers = new FastTimers(100);
    const keeper = await keeperOf(timers);
    fill(keeper, 2200, 1000);
    for (let n = 0; n < 2500; n += 1) keeper.add(START_MS - 700_000);
    for (let n = 0; n < 1300; n += 1) keeper.add(START_MS - 5_000_000 - n, 'failed', { isUndelivered: true });
    for (let n = 0; n < 40; n += 1) keeper.add(START_MS - 9_000_000 - n);
    const index = await indexed(keeper, timers);
    await index.sync.caughtUp();
    expect(await heldRows(index)).toEqual(rowsOf(keeper));
    const [status] = index.store.status();
    expect(status).toMatchObject({
      state: 'live',
      coversAll: true,
      rows: 4740,
      history: null,
      failure: null,
    });
  });

  it('follows new rows while it is read', async () => {
    const timers = new FastTimers(100);
    const keeper = await keeperOf(timers);
    fill(keeper, 12_000, 500);
    const index = await indexed(keeper, timers);
    const ending = index.store.look();
    const adding = setInterval(() => keeper.add(keeper.nowMs()), 5);
    await index.sync.caughtUp();
    clearInterval(adding);
    await vi.waitFor(async () => expect(await heldRows(index)).toEqual(rowsOf(keeper)), WAIT);
    ending();
  });
});
