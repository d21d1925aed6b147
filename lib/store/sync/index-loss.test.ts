import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTestEngine } from '@/lib/store/engine-fixture';
import type { RunningIndex } from './keeper-fixture';
import { eventually, expectSynced, fillKeeper, START_MS, syncBench } from './sync-harness';

const bench = syncBench();
const statusOf = ({ store }: RunningIndex) => store.status()[0];
/** Deletes rows without the sync's knowledge, but not the newest. */
const loseRows = ({ store }: RunningIndex, from: number, to: number) =>
  store.engine.write((session) =>
    session.run(`delete from requests where sequence between ${from} and ${to}`),
  );

describe('rows that vanish from the index itself', () => {
  it('are detected, no longer called complete, and read again', async () => {
    const { keeper, start } = await bench(20);
    fillKeeper(keeper, 5000, 60_000);
    const index = await start();
    await index.sync.caughtUp();
    await expectSynced(index, keeper);
    const from = Number(keeper.rows[0]?.sequence) + 1000;
    await loseRows(index, from, from + 1499);
    keeper.add(keeper.nowMs());
    await eventually(() => expect(statusOf(index)?.vanished).toMatchObject({ rows: 1500 }));
    expect(statusOf(index)).toMatchObject({ coversAll: false, history: expect.anything() });
    await eventually(() => expectSynced(index, keeper));
    await eventually(() =>
      expect(statusOf(index)).toMatchObject({ vanished: null, coversAll: true, history: null, rows: 5001 }),
    );
  });

  it('are detected at the next start, and reported as lost where the keeper no longer has them', async () => {
    const { keeper, start } = await bench(50);
    fillKeeper(keeper, 3000, 60_000);
    const folder = await mkdtemp(join(tmpdir(), 'index-loss-'));
    const path = join(folder, 'index.duckdb');
    try {
      const before = await start({ path });
      await before.sync.caughtUp();
      const fact = () =>
        before.store.engine.all<{ value: string }>(`select value from keeper_facts where name = 'rows'`);
      await eventually(async () => expect(await fact()).toEqual([{ value: '3000' }]));
      const from = Number(keeper.rows[0]?.sequence);
      await before.close();
      const engine = await openTestEngine({ path });
      await engine.write((session) => session.run(`delete from requests where sequence < ${from + 500}`));
      await engine.close();
      keeper.rows.splice(0, 200);
      const index = await start({ path });
      await eventually(() => expect(statusOf(index)?.vanished).toMatchObject({ rows: 500 }));
      await eventually(() =>
        expect(statusOf(index)).toMatchObject({
          vanished: { rows: 500, left: 200 },
          history: null,
          rows: 2800,
        }),
      );
      await index.close();
      // The state after a stop between the last rows of the history and the count that follows.
      const stopped = await openTestEngine({ path });
      const [stored] = await stopped.all<{ value: string }>(
        `select value from keeper_facts where name = 'vanished'`,
      );
      const fact500 = JSON.stringify({ ...JSON.parse(stored?.value ?? ''), left: 500 });
      await stopped.write((session) =>
        session.run(`update keeper_facts set value = '${fact500}' where name = 'vanished'`),
      );
      await stopped.close();
      // Neither another start nor rows that are deleted on purpose add to the loss.
      const again = await start({ path, historyDays: 1 });
      await eventually(() => expect(statusOf(again)?.rows).toBeLessThan(1500));
      await eventually(() => expect(statusOf(again)?.audit).toMatchObject({ agrees: true }));
      expect(statusOf(again)?.vanished).toMatchObject({ rows: 500, left: 200 });
      await again.close();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('are not suspected where old rows are forgotten', async () => {
    const { keeper, start } = await bench(100);
    fillKeeper(keeper, 3000, 60_000);
    const index = await start({ historyDays: 1 });
    await index.sync.caughtUp();
    await eventually(() => expect(statusOf(index)?.audit).toMatchObject({ agrees: true }));
    keeper.add(START_MS + 1000);
    const calls = keeper.calls.length;
    await eventually(() => expect(keeper.calls.length).toBeGreaterThan(calls + 40));
    expect(statusOf(index)?.vanished).toBeNull();
  });
});
