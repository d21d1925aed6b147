import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { DuckDbEngine } from './duckdb/engine';
import { type Engine, IndexUnavailableError } from './engine';
import { openTestEngine } from './engine-fixture';
import { fillRequests } from './many-rows-fixture';
import { countRows, countsIn, momentOfShare } from './queries/sync';
import { BEGINNING_US } from './schema';
import { IndexStore } from './store';

const engines: Engine[] = [];
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

/** A query that takes minutes in both engines. */
const ENDLESS = `select count(*) as n from generate_series(1, 1000000) a(n)
  join generate_series(1, 1000000) b(m) on a.n + b.m = 7 or a.n * b.m = -1`;

it('a query that exceeds its time fails as unanswered, and the next one works', async () => {
  const engine = await openTestEngine({ timeoutMs: 500 });
  engines.push(engine);
  const startedMs = performance.now();
  const query = engine.all(ENDLESS);
  await expect(query).rejects.toBeInstanceOf(IndexUnavailableError);
  await expect(query).rejects.toThrow(engine.place);
  await expect(query).rejects.toThrow('did not answer within 1 s');
  await expect(engine.snapshot(({ all }) => all(ENDLESS))).rejects.toThrow('did not answer');
  expect(performance.now() - startedMs).toBeLessThan(5000);
  expect(await engine.all('select 1 as n')).toEqual([{ n: 1 }]);
});

it('the wait for a connection is limited like the wait for an answer', async () => {
  const engine = await DuckDbEngine.open({ memoryMb: 256, timeoutMs: 1000 });
  engines.push(engine);
  const startedMs = performance.now();
  const all = await Promise.allSettled(Array.from({ length: 12 }, () => engine.all(ENDLESS)));
  expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 'rejected'));
  expect(performance.now() - startedMs).toBeLessThan(4000);
  expect(await engine.all('select 1 as n')).toEqual([{ n: 1 }]);
});

/** Some seconds of work in both engines. */
const LONG = `select count(*) as n from generate_series(1, 6000) a(n)
  join generate_series(1, 6000) b(m) on a.n + b.m = 7 or a.n * b.m = -1`;

it('internal work has more time, because no page waits for it', async () => {
  const engine = await openTestEngine({ timeoutMs: 100 });
  engines.push(engine);
  await expect(engine.all(LONG)).rejects.toThrow('did not answer');
  expect(await engine.background.all(LONG)).toEqual([{ n: 6 }]);
});

it('an index on a slow disk is opened, counted, compared and compacted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'query-timeouts-'));
  const path = join(folder, 'index.duckdb');
  const first = await DuckDbEngine.open({ path, memoryMb: 256 });
  await fillRequests(first, 60_000, 1_795_000_000_000_000, 1000);
  await first.write(({ run }) => run('delete from requests where sequence64 > 1000'));
  await first.close();
  const engine = await DuckDbEngine.open({ path, memoryMb: 256, timeoutMs: 1 });
  engines.push(engine);
  await expect(engine.all(LONG)).rejects.toThrow('did not answer');
  const keepers = [{ name: 'main', baseUrl: 'http://127.0.0.1:1/logs' }];
  const store = await IndexStore.open(engine, { keepers, storage: 'file', now: () => 1_795_000_000_000 });
  expect(store.status()[0]?.rows).toBe(1001);
  const span = { fromUs: BEGINNING_US, toUs: 1_795_000_000_000_000 };
  expect((await countsIn(engine, 1, span)).completed).toBe(1001);
  expect(await momentOfShare(engine, 1, span, 0.5)).toBeGreaterThan(0);
  await expect(engine.compact()).resolves.toBeUndefined();
  expect(await countRows(engine, 1)).toMatchObject({ rows: 1001 });
  rmSync(folder, { recursive: true, force: true });
});
