import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { storedRows } from './keeper-fixture';
import { eventually, expectSynced, fillKeeper, START_MS, syncBench } from './sync-harness';

const bench = syncBench();

describe('the history', () => {
  it('is read completely, with 2,500 rows in one instant and shrinking pages', async () => {
    const { keeper, start } = await bench(100);
    fillKeeper(keeper, 2200, 1000);
    for (let n = 0; n < 2500; n += 1) keeper.add(START_MS - 700_000);
    for (let n = 0; n < 1300; n += 1) keeper.add(START_MS - 5_000_000 - n, 'failed', { isUndelivered: true });
    for (let n = 0; n < 40; n += 1) keeper.add(START_MS - 9_000_000 - n);
    const index = await start();
    await index.sync.caughtUp();
    await expectSynced(index, keeper);
    const whole = { state: 'live', coversAll: true, rows: 4740, history: null, failure: null };
    await eventually(() => expect(index.store.status()[0]).toMatchObject(whole));
  });

  it('resumes after a stop with the service’s count and the stored rows', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'index-'));
    const path = join(folder, 'index.duckdb');
    const { keeper, start } = await bench(100);
    fillKeeper(keeper, 9000, 1000);
    // Queries for older rows are not answered.
    const stopBelowMs = START_MS - 4_000_000;
    keeper.instead = (_response, { url, limit }) =>
      limit > 1 && Date.parse(url.searchParams.get('max_timestamp') ?? '') < stopBelowMs;
    const before = await start({ path });
    await eventually(() => {
      expect(before.store.status()[0]?.history?.expected).toBe(9000);
      expect(before.store.status()[0]?.rows).toBeGreaterThan(1500);
    });
    await before.close();

    const after = await start({ path });
    // Before the first answer of the service.
    const { rows = 0, history } = after.store.status()[0] ?? {};
    expect([rows, history]).toEqual([(await storedRows(after)).size, null]);
    expect(rows).toBeGreaterThan(1500);
    await eventually(() => {
      const status = after.store.status()[0];
      expect([status?.history?.expected, (status?.rows ?? 0) >= rows]).toEqual([9000, true]);
    });
    await after.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is read while new rows arrive', async () => {
    const { keeper, start } = await bench(100);
    fillKeeper(keeper, 12_000, 500);
    const index = await start();
    index.store.addViewer();
    const adding = setInterval(() => keeper.add(keeper.nowMs()), 5);
    await index.sync.caughtUp();
    clearInterval(adding);
    await eventually(() => expectSynced(index, keeper));
  });
});
