import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fillRequests } from '@/lib/store/many-rows-fixture';
import { DuckDbEngine } from './engine';

/** A query that takes minutes. */
const ENDLESS = `create table endless as select count(*) as n from range(1000000) a(n), range(1000000) b(m)
  where a.n + b.m = 7`;
const NOW_US = 1_795_000_000_000_000;
let path = '';
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'close-'));
  path = join(folder, 'index.duckdb');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

it('closing rolls back a write under way', async () => {
  const engine = await DuckDbEngine.open({ path, memoryMb: 256 });
  await fillRequests(engine, 1000, NOW_US, 1000);
  let writing = Promise.resolve();
  await new Promise<void>((begun) => {
    writing = engine.write(async ({ run }) => {
      await run('delete from requests');
      begun();
      await run(ENDLESS);
    });
  });
  const ended = expect(writing).rejects.toThrow(/interrupt/i);
  expect(await msOf(() => engine.close())).toBeLessThan(4000);
  await ended;
  const again = await DuckDbEngine.open({ path, memoryMb: 256 });
  expect(await again.all('select count(*) as n from requests')).toEqual([{ n: 1000 }]);
  await again.close();
});

it('closing aborts a compaction', async () => {
  const engine = await DuckDbEngine.open({ path, memoryMb: 256 });
  await fillRequests(engine, 100_000, NOW_US, 1000);
  await engine.write(({ run }) => run(`delete from requests where created_us < ${NOW_US - 50_000_000}`));
  const before = statSync(path).ino;
  const compacting = engine.compact().catch(() => undefined);
  await vi.waitFor(() => expect(existsSync(`${path}.new.part`)).toBe(true), { timeout: 20_000, interval: 5 });
  await engine.close();
  await compacting;
  expect(statSync(path).ino).toBe(before);
  expect(readdirSync(folder)).toEqual(['index.duckdb']);
});

it('ending the process aborts a schema migration, and leaves the file unchanged', async () => {
  const schema = [['create table t (n integer)']];
  await (await DuckDbEngine.open({ path, memoryMb: 256, schema })).close();
  const ending = new AbortController();
  const opening = DuckDbEngine.open({
    path,
    memoryMb: 256,
    schema: [...schema, [ENDLESS]],
    signal: ending.signal,
  });
  const ended = expect(opening).rejects.toThrow();
  setTimeout(() => ending.abort(), 300);
  expect(await msOf(() => ended)).toBeLessThan(4000);
  const again = await DuckDbEngine.open({ path, memoryMb: 256, schema });
  expect(await again.all('select max(version) as version from schema_version')).toEqual([{ version: 1 }]);
  await again.close();
});
