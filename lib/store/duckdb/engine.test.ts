import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CountedRows, Engine } from '@/lib/store/engine';
import { streamed } from '@/lib/store/engine-fixture';
import { madeRows } from '@/lib/store/rows-fixture';
import { sql } from '@/lib/store/sql';
import { IndexStore } from '@/lib/store/store';
import { Database, type DuckDbOptions } from './database';
import { DuckDbEngine } from './engine';

const engines: Engine[] = [];
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'engine-'));
});

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function openEngine(options: Partial<DuckDbOptions> = {}): Promise<Engine> {
  const engine = await DuckDbEngine.open({ memoryMb: 256, ...options });
  engines.push(engine);
  return engine;
}

async function withNumbers(options: Partial<DuckDbOptions> = {}, count = 200_000): Promise<Engine> {
  const engine = await openEngine(options);
  await engine.write((session) => session.run(`create table numbers as select n from range(${count}) r(n)`));
  return engine;
}

async function countOf(rows: AsyncIterable<unknown[]>): Promise<number> {
  let count = 0;
  for await (const piece of rows) count += piece.length;
  return count;
}

describe('rows read in pieces', () => {
  it('are complete and in order', async () => {
    const engine = await withNumbers();
    const rows: number[] = [];
    for await (const piece of streamed<{ n: number }>(
      engine,
      sql`select n from numbers where n >= ${100_000} order by n desc`,
    )) {
      for (const { n } of piece) rows.push(n);
    }
    expect(rows).toEqual(Array.from({ length: 100_000 }, (_, index) => 199_999 - index));
  });

  it('are not taken as complete if the query fails half way', async () => {
    const engine = await withNumbers({}, 2_000_000);
    const failing =
      "select case when n = 1500000 then cast(error('no') as bigint) else n end as n from numbers";
    await expect(countOf(streamed(engine, failing))).rejects.toThrow('ended before its last row');
  });

  it('belong to the snapshot at which reading began', async () => {
    const engine = await withNumbers();
    const rows = streamed(engine, 'select n from numbers');
    const first = await rows.next();
    await engine.write((session) => session.run('delete from numbers'));
    expect((first.value?.length ?? 0) + (await countOf(rows))).toBe(200_000);
    expect(await engine.all('select count(*) as n from numbers')).toEqual([{ n: 0 }]);
  });
});

it('closing waits for the current write but for no reader, and releases the file', async () => {
  const path = join(folder, 'index.duckdb');
  const engine = await withNumbers({ path }, 1_000_000);
  const left = streamed(engine, 'select a.n from numbers a, range(1000)');
  await left.next();
  const reading = engine.all('select count(*) as n from numbers a, numbers b where a.n < b.n');
  reading.catch(() => undefined);
  let written: Promise<void> | undefined;
  await new Promise<void>((resolve) => {
    written = engine.write((session) => {
      resolve();
      return session.run('insert into numbers select -n from range(1, 400001) as other(n)');
    });
  });
  // An interrupt before the statement runs would be lost.
  await pause(20);
  await engine.close();
  await written;
  await expect(reading).rejects.toThrow();
  await expect(left.next()).rejects.toThrow('closed');
  const other = `import('@duckdb/node-api').then(async ({ DuckDBInstance }) => {
    const connection = await (await DuckDBInstance.create(process.argv[1])).connect();
    const rows = await connection.runAndReadAll('select count(*), min(n) from numbers');
    console.log(String(rows.getRows()));
  })`;
  expect(execFileSync(process.execPath, ['-e', other, path], { encoding: 'utf8' })).toBe('1400000,-400000\n');
});

it('a file with little content is compacted, while rows are read and written', async () => {
  const path = join(folder, 'index.duckdb');
  const store = await IndexStore.open(await openEngine({ path }), {
    keepers: [{ name: 'main', baseUrl: 'http://127.0.0.1:1/logs' }],
    storage: 'file',
    now: Date.now,
  });
  for (let first = 0; first < 20_000; first += 4000) await store.ingest(1, madeRows(first, 4000), 'new');
  const { engine } = store;
  const count = async () => (await engine.all<{ n: number }>('select count(*) as n from requests'))[0]?.n;
  await engine.compact();
  const { size } = statSync(path);
  await engine.write((session) => session.run('delete from requests where sequence < 18000'));
  const compacting = engine.compact();
  const [written, counted] = await Promise.all([store.ingest(1, madeRows(30_000, 500), 'new'), count()]);
  await compacting;
  expect([written.added, counted]).toEqual([500, 2000]);
  expect(await count()).toBe(2500);
  expect(statSync(path).size).toBeLessThan(size / 2);
  expect(readdirSync(folder)).not.toContain('index.duckdb.new');
  // An export that began meanwhile is finished first; the compaction is skipped.
  await engine.write((session) => session.run('delete from requests where sequence >= 18000'));
  for (let first = 0; first < 20_000; first += 4000) await store.ingest(1, madeRows(first, 4000), 'new');
  await engine.write((session) => session.run('delete from requests where sequence < 12000'));
  const { copyTo } = Database.prototype;
  const exports: CountedRows<{ sequence: string }>[] = [];
  vi.spyOn(Database.prototype, 'copyTo').mockImplementationOnce(async function (this: Database, copy) {
    await copyTo.call(this, copy);
    exports.push(await engine.counted('select sequence from requests'));
  });
  await engine.compact();
  vi.restoreAllMocks();
  const [begun] = exports;
  let read = 0;
  for await (const rows of begun?.pieces ?? []) read += rows.length;
  await begun?.end();
  expect([read, begun?.total]).toEqual([8000, 8000]);
  expect(readdirSync(folder)).not.toContain('index.duckdb.new');
});

it('an error of a statement ends nothing, whatever text it quotes', async () => {
  const engine = await withNumbers();
  const words = 'IO Error: No space left on device; FATAL Error: database has been invalidated';
  await expect(engine.all(sql`select cast(${words} as integer)`)).rejects.toThrow('Conversion Error');
  await expect(engine.write((session) => session.run(sql`select error(${words})`))).rejects.toThrow();
  expect(engine.isWritable).toBe(true);
  expect(await engine.all('select count(*) as n from numbers')).toEqual([{ n: 200_000 }]);
});

it('a query that exceeds the memory fails alone, is counted, and leaves the next one working', async () => {
  const engine = await withNumbers({ memoryMb: 32 }, 10);
  const greedy = "select string_agg(repeat(n::text || 'abc', 1000), '') as text from range(2000000) r(n)";
  const failing = engine.all(greedy);
  await expect(failing).rejects.toThrow('too little memory');
  expect(engine.memoryFailures).toMatchObject({ count: 1 });
  expect(await engine.all('select count(*) as n from numbers')).toEqual([{ n: 10 }]);
  expect(engine.isWritable).toBe(true);
});
