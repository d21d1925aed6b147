import { describe, expect, it } from 'vitest';
import { eventually, fill, inStep, START_MS, syncBench } from './sync-harness';

const bench = syncBench();

describe('the history', () => {
  it('is read whole, with 2,500 rows in one instant and pages that shrink', async () => {
    const { keeper, start } = await bench(100);
    fill(keeper, 2200, 1000);
    for (let n = 0; n < 2500; n += 1) keeper.add(START_MS - 700_000);
    for (let n = 0; n < 1300; n += 1) keeper.add(START_MS - 5_000_000 - n, 'failed', { isUndelivered: true });
    for (let n = 0; n < 40; n += 1) keeper.add(START_MS - 9_000_000 - n);
    const index = await start();
    await index.sync.caughtUp();
    await inStep(index, keeper);
    const whole = { state: 'live', coversAll: true, rows: 4740, history: null, failure: null };
    await eventually(() => expect(index.store.status()[0]).toMatchObject(whole));
  });

  it('follows new rows while it is read', async () => {
    const { keeper, start } = await bench(100);
    fill(keeper, 12_000, 500);
    const index = await start();
    index.store.look();
    const adding = setInterval(() => keeper.add(keeper.nowMs()), 5);
    await index.sync.caughtUp();
    clearInterval(adding);
    await eventually(() => inStep(index, keeper));
  });
});
