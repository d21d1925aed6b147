import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestEngine } from '@/lib/store/engine-fixture';
import { fillRequests } from '@/lib/store/many-rows-fixture';
import { IndexStore } from '@/lib/store/store';
import { KeeperRows } from './keeper-rows';
import { eventually, START_MS, syncBench } from './sync-harness';

const DAY_MS = 86_400_000;
const bench = syncBench();
let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'index-'));
  path = join(folder, 'index.duckdb');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('deletes rows beyond the retention, and reads them again when it grows', async () => {
  const { keeper, start } = await bench(20);
  const hours = 24 * 20;
  for (let n = hours; n > 0; n -= 1) keeper.add(START_MS - n * 3_600_000);
  for (let n = 0; n < 12_000; n += 1) keeper.add(START_MS - 19 * DAY_MS - n);
  const all = await start({ path });
  await all.sync.caughtUp();
  expect(all.store.status()[0]).toMatchObject({ coversAll: true, rows: hours + 12_000 });
  await all.close();

  const ten = await start({ path, historyDays: 10 });
  const oldestMs = START_MS - 10 * DAY_MS;
  await eventually(() => {
    const [status] = ten.store.status();
    expect(status?.rows).toBeLessThanOrEqual(240);
    expect(status).toMatchObject({ coversAll: false });
    expect(status?.coveredFromMs).toBeGreaterThanOrEqual(oldestMs);
  });
  const [row] = await ten.store.engine.all<{ n: number; oldest: number }>(
    'select count(*) as n, min(created_us) as oldest from requests',
  );
  expect(row?.n).toBeGreaterThan(230);
  expect(row?.oldest).toBeGreaterThanOrEqual(oldestMs * 1000);
  await ten.close();

  const again = await start({ path });
  await eventually(() =>
    expect(again.store.status()[0]).toMatchObject({ coversAll: true, rows: hours + 12_000 }),
  );
  // Before its folder is removed.
  await again.close();
});

it('deletes 40,000 rows in several writes, with a pause before each', async () => {
  const filled = await openTestEngine({ path });
  await fillRequests(filled, 60_000, START_MS * 1000, 1_000_000);
  await filled.close();
  const options = { keepers: [{ name: 'main', baseUrl: 'http://keeper' }], now: () => START_MS };
  const store = await IndexStore.open(await openTestEngine({ path }), { ...options, storage: 'file' });
  const [keeper] = store.keepers;
  if (keeper === undefined) throw new Error('The store has its keeper.');
  const leftBefore: number[] = [];
  const pause = async () => {
    const [rows] = await store.engine.all<{ n: number }>('select count(*) as n from requests');
    leftBefore.push(rows?.n ?? 0);
  };
  await new KeeperRows(store, keeper).deleteBefore((START_MS - 10_000_000) * 1000, pause);
  expect(leftBefore[0]).toBe(60_000);
  expect(leftBefore.length).toBeGreaterThan(1);
  expect(leftBefore).toEqual([...new Set(leftBefore)].sort((a, b) => b - a));
  const [left] = await store.engine.all('select count(*) as n from requests');
  expect(left?.n).toBe(10_001);
  await store.close();
});
