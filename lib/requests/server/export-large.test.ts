import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DuckDbEngine } from '@/lib/store/duckdb/engine';
import { sql } from '@/lib/store/sql';
import { IndexStore } from '@/lib/store/store';
import { type ExportDeps, replyWithExport } from './export';
import { readExportEnd } from './export-end-fixture';

const ROWS = 60_000;
const NOW_MS = Date.parse('2026-11-20T09:00:00Z');
const folder = mkdtempSync(join(tmpdir(), 'keeperscope-test-'));
let store: IndexStore;
let deps: ExportDeps;

/** Incompressible rows of a kilobyte, not ordered by time. */
beforeAll(async () => {
  const path = join(folder, 'index.duckdb');
  const filling = await DuckDbEngine.open({ path, memoryMb: 512 });
  await filling.write(({ run }) =>
    run(
      `insert into requests by name
       select *, '{"chain_id":"base","network_id":"8453","sequence":' || sequence || ',"created_at":"'
           || strftime(make_timestamp(created_us), '%Y-%m-%dT%H:%M:%SZ') || '","state":{"state":"pending"},"more":"'
           || list_aggregate(list_transform(range(28), lambda k: md5(cast(sequence * 100 + k as text))), 'string_agg', '')
           || '"}' as wire
       from (select uuid() as id, 1 as keeper_id, '8453' as network_id, 'base' as chain_name, range as sequence,
         1763000000000000 + 1000000 * (range // 500 * 500 + (range * 7) % 500) as created_us, 'pending' as state,
         md5(cast(range as text)) as user_random, 1 as first_seen_us, 1 as last_seen_us, 1 as visible_us, 1 as rev
         from range(${ROWS}))`,
    ),
  );
  await filling.close();
  const engine = await DuckDbEngine.open({ path, memoryMb: 64 });
  const keepers = [{ name: 'main', baseUrl: 'http://127.0.0.1:1' }];
  const now = () => NOW_MS;
  store = await IndexStore.open(engine, {
    keepers,
    storage: 'file',
    now,
    temporaryFolder: join(folder, 'exports'),
  });
  store.report('main', { coversAll: true, syncedAtMs: NOW_MS });
  deps = {
    store,
    now,
    networks: async () => [{ networkId: '8453', name: 'Base' }],
    networkNames: async () => new Map([['8453', 'Base']]),
    isStillAuthorized: async () => true,
  };
}, 60_000);
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const get = (format: string) =>
  replyWithExport(new Request(`http://x/?range=all&format=${format}`), { deps });

it('60,000 rows of a kilobyte go through an engine of 64 MB, in every text, two at once, and others are answered', async () => {
  let isOver = false;
  const others = (async () => {
    let answered = 0;
    for (; !isOver; answered += 1) {
      await store.engine.all('select state, max(length(user_random)), count(*) from requests group by state');
    }
    return answered;
  })();
  for (const formats of [['csv', 'ndjson'], ['json']] as const) {
    await Promise.all(
      formats.map(async (format) => {
        const response = await get(format);
        expect([format, response.status]).toEqual([format, 200]);
        const text = await response.text();
        expect(readExportEnd(format, text)).toMatchObject({ expected: ROWS, written: ROWS, complete: true });
        const sequences = [
          ...text.matchAll(format === 'csv' ? /^main,[^,]*,[^,]*,[^,]*,(\d+),/gm : /"sequence":(\d+)/g),
        ];
        expect(new Set(sequences.map(([, sequence]) => sequence)).size).toBe(ROWS);
      }),
    );
  }
  isOver = true;
  expect(await others).toBeGreaterThan(0);
}, 120_000);

it('60,000 rows go through an engine of 64 MB into columns, in the order of the file, while changes are written', async () => {
  let isOver = false;
  const writes = (async () => {
    for (let index = 0; !isOver; index += 1) {
      await store.write(async ({ run }) => {
        await run(sql`insert into keeper_facts values (1, ${`fact ${index}`}, 'x')`);
        return { result: undefined, isChange: true };
      });
    }
  })();
  const [first, other] = await Promise.all([get('parquet'), get('parquet')]);
  const path = join(folder, 'all.parquet');
  const [bytes, others] = await Promise.all([first.arrayBuffer(), other.arrayBuffer()]);
  isOver = true;
  await writes;
  expect(others.byteLength).toBeGreaterThan(100_000);
  writeFileSync(path, new Uint8Array(bytes));
  const reader = await DuckDbEngine.open({ memoryMb: 256 });
  const [totals] = await reader.all(
    sql`select count(*) as rows, count(distinct sequence) as sequences, count(*) filter (where created_at > before) as unordered,
       count(*) filter (where user_random_number <> md5(cast(cast(sequence as bigint) as text))) as wrong
     from (select *, lag(created_at) over (order by file_row_number) as before
       from read_parquet(${path}, file_row_number = true))`,
  );
  expect(totals).toEqual({ rows: ROWS, sequences: ROWS, unordered: 0, wrong: 0 });
  const says = await reader.all<{ key: string; value: string }>(
    sql`select decode(key) as key, decode(value) as value from parquet_kv_metadata(${path})`,
  );
  const marks = Object.fromEntries(says.map(({ key, value }) => [key, value]));
  expect(marks).toMatchObject({
    expected: '60000',
    written: '60000',
    unreadable: '0',
    complete: 'yes',
    problem: 'none',
  });
  await reader.close();
}, 120_000);
