import { describe, expect, it } from 'vitest';
import { eventually, fill, inStep, START_MS, syncBench } from './sync-harness';

const bench = syncBench();
const DAY_MS = 86_400_000;

describe('the audit', () => {
  it('finds what changed long after, came late, and vanished', async () => {
    const { keeper, start } = await bench(200);
    fill(keeper, 6000, 60_000);
    const failed = keeper.add(START_MS - 3 * DAY_MS, 'failed');
    const index = await start();
    await index.sync.caughtUp();
    await inStep(index, keeper);
    failed.state = 'completed';
    await eventually(() => inStep(index, keeper));
    keeper.add(START_MS - 2 * DAY_MS + 77);
    await eventually(() => inStep(index, keeper));
    keeper.rows.splice(1234, 1);
    await eventually(() => inStep(index, keeper));
    await eventually(() =>
      expect(index.store.status()[0]?.audit).toMatchObject({ agrees: true, theirs: keeper.rows.length }),
    );
    expect(index.store.status()[0]).toMatchObject({ gone: 1, rows: keeper.rows.length + 1 });
  });

  it('finds differences that cancel each other', async () => {
    const { keeper, start } = await bench(400);
    fill(keeper, 6000, 60_000);
    const index = await start();
    await index.sync.caughtUp();
    keeper.rows.splice(1234, 1);
    keeper.add(START_MS - DAY_MS + 77);
    await eventually(() => inStep(index, keeper));
  });

  it('remembers what is counted and never delivered, says so, and takes it when it is delivered', async () => {
    const { keeper, start } = await bench(200);
    fill(keeper, 2500, 60_000);
    const odd = keeper.add(START_MS - DAY_MS, 'completed', { isUndelivered: true });
    const index = await start();
    const note = () =>
      expect(index.store.status()[0]?.notes).toEqual(['the service counts 2,501, delivers 2,500']);
    await eventually(note);
    const calls = keeper.calls.length;
    await eventually(() => expect(keeper.calls.length).toBeGreaterThan(calls + 40));
    // Where time passes so fast, an answer that comes late makes a clock look wrong for a while.
    await eventually(note);
    odd.isUndelivered = false;
    await eventually(() => inStep(index, keeper));
    await eventually(() =>
      expect(index.store.status()[0]).toMatchObject({ notes: [], audit: { agrees: true } }),
    );
  });

  it('marks all rows as gone in a keeper that was emptied, and keeps them', async () => {
    const { keeper, start } = await bench(200);
    fill(keeper, 5000, 60_000);
    const index = await start();
    await index.sync.caughtUp();
    keeper.rows = [];
    keeper.add(keeper.nowMs());
    await eventually(() => inStep(index, keeper));
    await eventually(() =>
      expect(index.store.status()[0]).toMatchObject({ rows: 5001, gone: 5000, audit: { agrees: true } }),
    );
  });
});
