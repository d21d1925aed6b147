import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunningIndex } from './keeper-fixture';
import { eventually, expectSynced, fillKeeper, START_MS, syncBench } from './sync-harness';

const bench = syncBench();
const statusOf = ({ store }: RunningIndex) => store.status()[0];

describe('a keeper whose store was emptied', () => {
  it('is detected by the first reads, with its previous count', async () => {
    const { keeper, start } = await bench(20);
    fillKeeper(keeper, 5000, 1000);
    for (let n = 0; n < 300; n += 1) keeper.add(START_MS - 3_600_000 + n * 1000, 'pending');
    const index = await start();
    await index.sync.caughtUp();
    const revisions: number[] = [];
    index.store.onRevision((revision) => revisions.push(revision));
    const emptiedMs = keeper.nowMs();
    keeper.rows = [];
    // An audit at this very moment may report its shorter span first. The next read counts everything.
    await eventually(() => expect(statusOf(index)?.lost).toMatchObject({ theirs: 0, ours: 5300 }));
    const { lost, audit } = statusOf(index) ?? {};
    // A read every 10 s, with time 20 times as fast.
    expect((lost?.sinceMs ?? 0) - emptiedMs).toBeLessThan(25_000);
    expect(lost?.fromMs).toBeLessThanOrEqual(emptiedMs);
    expect(audit).toMatchObject({ agrees: false, theirs: 0, ours: 5300 });
    await eventually(() => expect(revisions.length).toBeGreaterThan(0));
    keeper.add(keeper.nowMs());
    await eventually(() => expectSynced(index, keeper));
    await eventually(() => expect(statusOf(index)).toMatchObject({ rows: 5301, gone: 5300 }));
    expect(statusOf(index)?.lost).toMatchObject({ theirs: 0, ours: 5300 });
  });

  it('is counted to its newest row, though an audit detects the loss of the settled ones first', async () => {
    const { keeper, start } = await bench(20);
    fillKeeper(keeper, 5000, 1000);
    const index = await start();
    await index.sync.caughtUp();
    await eventually(() => expect(statusOf(index)?.audit).toMatchObject({ agrees: true }));
    const before = keeper.rows;
    keeper.instead = (_, { url, limit }) => {
      const isAudit = limit === 1 || url.searchParams.has('max_timestamp');
      keeper.rows = isAudit || statusOf(index)?.gone ? [] : before;
      return false;
    };
    await eventually(() => expect(statusOf(index)?.lost).toMatchObject({ theirs: 0 }));
    const first = statusOf(index)?.lost;
    expect(first?.ours).toBeLessThan(5000);
    await eventually(() => expect(statusOf(index)?.lost).toEqual({ ...first, ours: 5000 }));
  });

  it('is detected after a restart of the dashboard when it has some rows again, and is remembered', async () => {
    const { keeper, start } = await bench(50);
    fillKeeper(keeper, 3000, 1000);
    const folder = await mkdtemp(join(tmpdir(), 'keeper-loss-'));
    const path = join(folder, 'index.duckdb');
    try {
      const before = await start({ path });
      await before.sync.caughtUp();
      await before.close();
      keeper.rows = [];
      for (let n = 0; n < 19; n += 1) keeper.add(keeper.nowMs());
      const index = await start({ path });
      await eventually(() => expect(statusOf(index)?.lost).toMatchObject({ theirs: 0, ours: 3000 }));
      await index.close();
      const again = await start({ path });
      await eventually(() => expect(statusOf(again)?.lost).toMatchObject({ theirs: 0, ours: 3000 }));
      await again.close();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it.each([
    ['small, with three rows again', 60, 3],
    ['replaced by one with more rows than it had', 1000, 1500],
  ])('is detected after a restart of the dashboard where it is %s', async (_, before, after) => {
    const { keeper, start } = await bench(50);
    fillKeeper(keeper, before, 1000, 600_000);
    const folder = await mkdtemp(join(tmpdir(), 'keeper-loss-'));
    const path = join(folder, 'index.duckdb');
    try {
      const old = await start({ path });
      await old.sync.caughtUp();
      await old.close();
      keeper.rows = [];
      for (let n = 0; n < after; n += 1) keeper.add(keeper.nowMs() - 100_000 + n * 60);
      const index = await start({ path });
      await eventually(() => expect(statusOf(index)?.lost).toMatchObject({ ours: before }), 15_000);
      await eventually(() => expectSynced(index, keeper));
      expect(statusOf(index)?.lost).not.toBeNull();
      await index.close();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is not assumed if a small service deletes its oldest rows', async () => {
    const { keeper, start } = await bench(100);
    fillKeeper(keeper, 60, 10_000, 600_000);
    const index = await start();
    await index.sync.caughtUp();
    keeper.rows = keeper.rows.slice(-20);
    await eventually(() => expect(statusOf(index)).toMatchObject({ gone: 40 }));
    expect(statusOf(index)?.lost).toBeNull();
  });

  it('is assumed if rows between the oldest and the newest are gone, however many new ones came', async () => {
    const { keeper, start } = await bench(100);
    fillKeeper(keeper, 3000, 10_000, 600_000);
    const index = await start();
    await index.sync.caughtUp();
    await eventually(() => expect(statusOf(index)?.audit).toMatchObject({ agrees: true }));
    keeper.rows.splice(1000, 1000);
    for (let n = 0; n < 1200; n += 1) keeper.add(keeper.nowMs() + n);
    await eventually(() => expect(statusOf(index)?.lost).toMatchObject({ theirs: 2000, ours: 3000 }));
    await eventually(() => expectSynced(index, keeper));
  });

  it('is not assumed if one or two rows are gone', async () => {
    const { keeper, start } = await bench(100);
    fillKeeper(keeper, 3000, 1000);
    const index = await start();
    await index.sync.caughtUp();
    keeper.rows.splice(-2, 2);
    await eventually(() => expectSynced(index, keeper));
    expect(statusOf(index)?.lost).toBeNull();
  });

  it('is not assumed if the service caps its totals, even when its newest row vanishes', async () => {
    const { keeper, start } = await bench(100);
    fillKeeper(keeper, 3000, 10_000, 600_000);
    keeper.maxTotal = 1000;
    const index = await start();
    await index.sync.caughtUp();
    keeper.rows.pop();
    await eventually(() => expectSynced(index, keeper));
    await eventually(() => expect(statusOf(index)).toMatchObject({ gone: 1, audit: { agrees: true } }));
    const notes = ['the service counts 1,000 requests at most; older ones are not compared'];
    expect(statusOf(index)).toMatchObject({ lost: null, notes });
  });

  it('is not assumed if the service begins to cap its totals', async () => {
    const { keeper, start } = await bench(100);
    fillKeeper(keeper, 3000, 10_000, 600_000);
    const index = await start();
    await index.sync.caughtUp();
    await eventually(() => expect(statusOf(index)?.audit).toMatchObject({ agrees: true, theirs: 3000 }));
    keeper.maxTotal = 800;
    await eventually(() => expect(statusOf(index)?.audit).toMatchObject({ agrees: true, theirs: 799 }));
    const calls = keeper.calls.length;
    await eventually(() => expect(keeper.calls.length).toBeGreaterThan(calls + 60));
    expect(statusOf(index)).toMatchObject({ lost: null, gone: 0, audit: { agrees: true } });
  });

  // Time is 200 times as fast, and a span of rows marked as gone is looked for in every fourth audit.
  it.each([0, 800])(
    'recovers under totals capped at 500 too, when %d rows came before a backup was restored',
    async (came) => {
      const { keeper, start } = await bench(200);
      fillKeeper(keeper, 2000, 60_000, 600_000);
      keeper.maxTotal = 500;
      const index = await start();
      await index.sync.caughtUp();
      const { rows } = keeper;
      keeper.rows = [];
      await eventually(() => expect(statusOf(index)).toMatchObject({ gone: 2000 }));
      const sinceMs = keeper.nowMs();
      for (let n = 0; n < came; n += 1) keeper.add(sinceMs - 400_000 + n * 100);
      const settled = {
        rows: 2000 + came,
        gone: 2000,
        audit: { agrees: true, theirs: came === 0 ? 0 : 499 },
      };
      await eventually(() => expect(statusOf(index)).toMatchObject(settled));
      keeper.rows.push(...rows);
      await eventually(() => expect(statusOf(index)).toMatchObject({ gone: 0, lost: null }));
      await expectSynced(index, keeper);
      await eventually(() => expect(statusOf(index)?.audit).toMatchObject({ agrees: true, theirs: 499 }));
      expect(statusOf(index)?.lost).toBeNull();
    },
    90_000,
  );

  it('is not assumed if the service never counts, and reports 0', async () => {
    const { keeper, start } = await bench(100);
    fillKeeper(keeper, 500, 10_000, 600_000);
    keeper.maxTotal = 0;
    const index = await start();
    await index.sync.caughtUp();
    const calls = keeper.calls.length;
    keeper.rows.pop();
    await eventually(() => expect(keeper.calls.length).toBeGreaterThan(calls + 100));
    const { lost, gone, audit } = statusOf(index) ?? {};
    expect(lost).toBeNull();
    expect(gone).toBeLessThanOrEqual(1);
    expect(audit).toBeNull();
  });

  it('is not assumed if the service deletes its oldest rows, even when its newest row vanishes', async () => {
    const { keeper, start } = await bench(100);
    fillKeeper(keeper, 3000, 10_000, 600_000);
    const index = await start();
    await index.sync.caughtUp();
    keeper.rows = keeper.rows.slice(-400, -1);
    await eventually(() => expect(statusOf(index)).toMatchObject({ gone: 2601 }));
    expect(statusOf(index)?.lost).toBeNull();
  });

  it('is assumed if the newest rows are gone, as after a restore of yesterday’s backup', async () => {
    const { keeper, start } = await bench(100);
    fillKeeper(keeper, 3000, 60_000, 600_000);
    const index = await start();
    await index.sync.caughtUp();
    keeper.rows = keeper.rows.slice(0, 2000);
    await eventually(() => expect(statusOf(index)?.lost).toMatchObject({ theirs: 2000, ours: 3000 }));
  });

  it.each([5, 300])(
    'is counted anew when a backup lacks %d rows, and ends if these are too few for a loss',
    async (lacking) => {
      const { keeper, start } = await bench(200);
      fillKeeper(keeper, 2000, 60_000, 600_000);
      const index = await start();
      await index.sync.caughtUp();
      const { rows } = keeper;
      keeper.rows = [];
      await eventually(() => expect(statusOf(index)).toMatchObject({ gone: 2000 }));
      expect(statusOf(index)?.lost).toMatchObject({ theirs: 0, ours: 2000 });
      keeper.rows = rows.slice(0, -lacking);
      await eventually(() => expect(statusOf(index)).toMatchObject({ gone: lacking }));
      await eventually(() =>
        lacking === 5
          ? expect(statusOf(index)?.lost).toBeNull()
          : expect(statusOf(index)?.lost).toMatchObject({ theirs: 1700, ours: 2000 }),
      );
    },
  );

  it('recovers when all of it is served again', async () => {
    const { keeper, start } = await bench(200);
    fillKeeper(keeper, 2000, 60_000, 600_000);
    const index = await start();
    await index.sync.caughtUp();
    const { rows } = keeper;
    keeper.rows = [];
    await eventually(() => expect(statusOf(index)).toMatchObject({ gone: 2000 }));
    keeper.rows = rows;
    await eventually(() => expectSynced(index, keeper));
    await eventually(() => expect(statusOf(index)?.lost).toBeNull());
  });
});

describe('a keeper that restarts and rewrites finished rows', () => {
  const durations = ({ store }: RunningIndex) =>
    store.engine.all<{ durationUs: number; statedUs: number }>(
      `select duration_us as "durationUs", updated_us - created_us as "statedUs" from requests
       where state = 'completed' order by created_us`,
    );

  it('is detected by the contents of rows; the first finish is kept beside the new date', async () => {
    const { keeper, start } = await bench(200);
    for (let n = 4000; n > 0; n -= 1) {
      const createdMs = START_MS - n * 60_000;
      keeper.add(createdMs, 'completed', { updatedMs: createdMs + 9800 });
    }
    const index = await start();
    await index.sync.caughtUp();
    for (const row of keeper.rows.slice(-1800)) row.updatedMs = row.createdMs + 318_000;
    await eventually(async () => {
      const rewritten = (await durations(index)).filter(({ statedUs }) => statedUs === 318_000_000);
      expect(rewritten.length).toBe(1800);
    });
    const stored = await durations(index);
    expect(stored.every(({ durationUs }) => durationUs === 9_800_000)).toBe(true);
  });

  it('gets a new duration for another outcome', async () => {
    const { keeper, start } = await bench(50);
    fillKeeper(keeper, 10, 1000);
    const row = keeper.add(START_MS - 500, 'failed', { updatedMs: START_MS - 400 });
    const index = await start();
    await index.sync.caughtUp();
    Object.assign(row, { state: 'completed', updatedMs: START_MS + 20_000 });
    await eventually(async () => expect((await durations(index)).at(-1)?.durationUs).toBe(20_500_000));
  });
});
