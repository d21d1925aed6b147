import { describe, expect, it } from 'vitest';
import { eventually, expectSynced, fillKeeper, START_MS, syncBench } from './sync-harness';

const bench = syncBench();
const DAY_MS = 86_400_000;

describe('the audit', () => {
  it('finds rows that changed late, came late, or vanished', async () => {
    const { keeper, start } = await bench(200);
    fillKeeper(keeper, 6000, 60_000);
    const failed = keeper.add(START_MS - 3 * DAY_MS, 'failed');
    const index = await start();
    await index.sync.caughtUp();
    await expectSynced(index, keeper);
    failed.state = 'completed';
    await eventually(() => expectSynced(index, keeper));
    keeper.add(START_MS - 2 * DAY_MS + 77);
    await eventually(() => expectSynced(index, keeper));
    keeper.rows.splice(1234, 1);
    await eventually(() => expectSynced(index, keeper));
    await eventually(() =>
      expect(index.store.status()[0]?.audit).toMatchObject({ agrees: true, theirs: keeper.rows.length }),
    );
    expect(index.store.status()[0]).toMatchObject({ gone: 1, rows: keeper.rows.length + 1 });
  });

  it('finds differences that cancel each other out', async () => {
    const { keeper, start } = await bench(400);
    fillKeeper(keeper, 6000, 60_000);
    const index = await start();
    await index.sync.caughtUp();
    keeper.rows.splice(1234, 1);
    keeper.add(START_MS - DAY_MS + 77);
    await eventually(() => expectSynced(index, keeper));
  });

  it('stores undelivered rows as a difference, reports them, and takes them once delivered', async () => {
    const { keeper, start } = await bench(200);
    fillKeeper(keeper, 2500, 60_000);
    const odd = keeper.add(START_MS - DAY_MS, 'completed', { isUndelivered: true });
    const index = await start();
    const note = () =>
      expect(index.store.status()[0]?.notes).toEqual(['the service counts 2,501, delivers 2,500']);
    await eventually(note);
    const calls = keeper.calls.length;
    await eventually(() => expect(keeper.calls.length).toBeGreaterThan(calls + 40));
    // With accelerated time, a late answer makes a clock seem wrong for a while.
    await eventually(note);
    odd.isUndelivered = false;
    await eventually(() => expectSynced(index, keeper));
    await eventually(() =>
      expect(index.store.status()[0]).toMatchObject({ notes: [], audit: { agrees: true } }),
    );
  });

  it('marks all rows of an emptied keeper as gone, and keeps them', async () => {
    const { keeper, start } = await bench(200);
    fillKeeper(keeper, 5000, 60_000);
    const index = await start();
    await index.sync.caughtUp();
    keeper.rows = [];
    keeper.add(keeper.nowMs());
    await eventually(() => expectSynced(index, keeper));
    await eventually(() =>
      expect(index.store.status()[0]).toMatchObject({ rows: 5001, gone: 5000, audit: { agrees: true } }),
    );
  });
});
