import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { ConcurrencyLimit } from '@/lib/access/request-body';
import { decodeFailure } from '@/lib/core/request-failure';
import { stateWord } from '@/lib/core/request-record';
import { isoTimeInUtc } from '@/lib/core/time';
import { EXPECTED_HEADER } from '@/lib/requests/export-url';
import type { ListedRecord } from '@/lib/requests/requests-response';
import { defaultRequestsView } from '@/lib/requests/view';
import { parseRequestsUrl } from '@/lib/requests/view-url';
import { DuckDbEngine } from '@/lib/store/duckdb/engine';
import { openTestEngine } from '@/lib/store/engine-fixture';
import { sql } from '@/lib/store/sql';
import { IndexStore } from '@/lib/store/store';
import { holds, nanosOf, readCsv } from './counted-by-hand-fixture';
import { type ExportDeps, replyWithExport } from './export';
import { readExportEnd } from './export-end-fixture';
import {
  addRows,
  emptyLog,
  NETWORKS,
  NOW_MS,
  type SampleLog,
  SENDERS,
  sampleLog,
  sampleRows,
} from './sample-log-fixture';

const QUERY = `range=all&keeper=main&keeper=test&sender=${SENDERS[0]}&sender=${SENDERS[4]}&not=state:pending&gas_limit=100000..`;

function reportRead(store: SampleLog['store']): void {
  for (const keeper of ['main', 'test']) store.report(keeper, { coversAll: true, syncedAtMs: NOW_MS });
}

let log: SampleLog;
let deps: ExportDeps;
let isIn = true;
let queries = 0;

beforeAll(async () => {
  log = await sampleLog(2500);
  await addRows(log, 'test', ['{"sequence":"x","odd":1.50}'], 'history');
  reportRead(log.store);
  deps = {
    store: log.store,
    now: () => NOW_MS,
    networks: async () => NETWORKS,
    networkNames: async (ids) =>
      new Map(ids.map((id) => [id, NETWORKS.find(({ networkId }) => networkId === id)?.name ?? `net ${id}`])),
    isStillAuthorized: async () => {
      queries += 1;
      return isIn;
    },
  };
});
afterAll(() => log.store.close());
afterEach(() => {
  isIn = true;
  queries = 0;
});

const places = new ConcurrencyLimit(2, 2);
const get = (query: string, init: RequestInit = {}) =>
  replyWithExport(new Request(`http://x/api/view/requests/export?${query}`, init), { deps, places });
const textOf = async (query: string) => (await get(query)).text();

/** Newest first; rows of one instant may be in any order. */
function wanted(query: string): ListedRecord[] {
  const { view } = parseRequestsUrl(new URLSearchParams(query));
  const rows = log.records.filter((record) => holds(view, record));
  return rows.sort((a, b) => (nanosOf(a.createdAt.text) < nanosOf(b.createdAt.text) ? 1 : -1));
}

const lineOf = ({ rawJson, keeper }: ListedRecord) => `${rawJson.slice(0, -1)},"keeper":"${keeper}"}`;

it('holds every match digit for digit, newest first, line by line and as one object', async () => {
  const response = await get(`${QUERY}&format=ndjson`);
  const rows = wanted(QUERY);
  expect(response.headers.get(EXPECTED_HEADER)).toBe(String(rows.length));
  expect(response.headers.get('content-disposition')).toMatch(
    /^attachment; filename="requests-[\dTZ]+\.ndjson"$/,
  );
  const text = await response.text();
  const lines = text.trimEnd().split('\n').slice(0, -1);
  expect(lines.toSorted()).toEqual(rows.map(lineOf).toSorted());
  const times = lines.map((line) => nanosOf(JSON.parse(line).created_at));
  expect(times).toEqual(times.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0)));
  expect(readExportEnd('ndjson', text)).toMatchObject({
    expected: rows.length,
    written: rows.length,
    complete: true,
    problem: null,
  });
  const json = await textOf(`${QUERY}&format=json`);
  expect(
    json
      .split('\n')
      .slice(1, -2)
      .map((line) => line.replace(/,$/, '')),
  ).toEqual(lines);
  expect(JSON.parse(json).end).toMatchObject({ written: rows.length, complete: true });
});

it('holds every match as a table, with unreadable rows last', async () => {
  const text = await textOf('range=all&keeper=main&keeper=test');
  const rows = wanted('range=all&keeper=main&keeper=test');
  const [header = [], ...lines] = readCsv(text).filter(([first]) => !first?.startsWith('# '));
  const table = lines.map(
    (line): Record<string, string> =>
      Object.fromEntries(line.map((cell, index) => [header[index] ?? '', cell])),
  );
  expect(table).toHaveLength(rows.length + 1);
  const byKey = new Map(table.map((row) => [`${row.keeper}/${row.sequence}`, row]));
  for (const record of rows) {
    const row = byKey.get(`${record.keeper}/${record.sequence}`);
    expect(row).toMatchObject({
      network_id: record.networkId,
      created_at: record.createdAt.text,
      state: stateWord(record.state),
      gas_limit: record.gasLimit ?? '',
      sender: record.sender ?? '',
    });
  }
  expect(table.at(-1)).toMatchObject({ keeper: 'test', sequence: '', raw: '{"sequence":"x","odd":1.50}' });
  expect(readExportEnd('csv', text)).toMatchObject({ written: table.length, unreadable: 1, complete: true });
});

it('holds every match in typed columns', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keeperscope-test-'));
  const path = join(folder, 'all.parquet');
  const response = await get(`${QUERY}&format=parquet`);
  const rows = wanted(QUERY);
  expect(response.headers.get(EXPECTED_HEADER)).toBe(String(rows.length));
  writeFileSync(path, new Uint8Array(await response.arrayBuffer()));
  const reader = await DuckDbEngine.open({ memoryMb: 64 });
  const exported = await reader.all(
    sql`select keeper, network, network_id, cast(sequence as text) as sequence, cast(gas_limit as text) as gas_limit,
       cast(epoch_us(created_at) as text) as created, state, sender, failure, failure_raw, typeof(gas_used) as gas
     from read_parquet(${path})`,
  );
  const expected = rows.map((record) => ({
    keeper: record.keeper,
    network: NETWORKS.find(({ networkId }) => networkId === record.networkId)?.name ?? record.networkId,
    network_id: record.networkId,
    sequence: record.sequence,
    gas_limit: record.gasLimit ?? null,
    created: String(nanosOf(isoTimeInUtc(record.createdAt.text) ?? '') / 1000n),
    state: stateWord(record.state),
    sender: record.sender?.toLowerCase() ?? null,
    failure: decodeFailure(record)?.text ?? null,
    failure_raw: decodeFailure(record)?.raw ?? null,
    gas: 'DECIMAL(38,0)',
  }));
  const keyOf = (row: object) => JSON.stringify(row, Object.keys(expected[0] ?? {}).sort());
  expect(exported.map(keyOf).sort()).toEqual(expected.map(keyOf).sort());
  expect(exported.map(({ created }) => BigInt(String(created)))).toEqual(
    exported.map(({ created }) => BigInt(String(created))).sort((a, b) => (a < b ? 1 : a > b ? -1 : 0)),
  );
  const meta = await reader.all(
    sql`select decode(key) as key, decode(value) as value from parquet_kv_metadata(${path})`,
  );
  expect(meta).toContainEqual({ key: 'complete', value: 'yes' });
  expect(meta).toContainEqual({ key: 'written', value: String(rows.length) });
  await reader.close();
  rmSync(folder, { recursive: true });
});

it('leaves out rows that arrive or change while it is read', async () => {
  const log = await sampleLog(3000);
  reportRead(log.store);
  const response = await replyWithExport(
    new Request('http://x/?range=all&state=pending&state=completed&format=ndjson'),
    { deps: { ...deps, store: log.store } },
  );
  const view = { ...defaultRequestsView(), time: { kind: 'all' } as const, states: ['pending', 'completed'] };
  const rows = log.records.filter((record) => holds(view, record)).map(lineOf);
  const reader = response.body?.getReader();
  const first = await reader?.read();
  let text = new TextDecoder().decode(first?.value);
  await addRows(log, 'main', sampleRows(77, 50, 90_000), 'history');
  await log.store.engine.write((session) => session.run("update requests set state = 'failed'"));
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    text += new TextDecoder().decode(next.value);
  }
  expect(text.trimEnd().split('\n').slice(0, -1).sort()).toEqual(rows.sort());
  expect(readExportEnd('ndjson', text)).toMatchObject({ complete: true });
  await log.store.close();
});

it('reports rows that changed after the transaction of a long export ended', async () => {
  const log = await emptyLog();
  const row = (sequence: number) =>
    `{"chain_id":"base","network_id":"1","created_at":"${new Date(NOW_MS - sequence * 1000).toISOString()}","sequence":${sequence}}`;
  const rows = Array.from({ length: 9000 }, (_, index) => row(index + 1));
  await addRows(log, 'main', rows, 'history');
  reportRead(log.store);
  const response = await replyWithExport(new Request('http://x/?range=all&format=ndjson'), {
    deps: { ...deps, store: log.store, holdMs: 0 },
  });
  await addRows(log, 'main', ['{"sequence":"new","odd":1}', row(9001)], 'history');
  // These rows are at the end of the file, which has not been read yet.
  await log.store.write(async ({ run }) => {
    await run('delete from requests where sequence between 8994 and 9000');
    return { result: undefined, isChange: true };
  });
  const text = await response.text();
  expect(readExportEnd('ndjson', text)).toMatchObject({
    expected: 9000,
    written: 8993,
    complete: false,
    problem: expect.stringMatching(/^7 of the rows changed or were deleted/),
  });
  await log.store.close();
});

async function readParquet(response: Response, select: string): Promise<Record<string, unknown>[]> {
  const folder = mkdtempSync(join(tmpdir(), 'keeperscope-test-'));
  const path = join(folder, 'all.parquet');
  writeFileSync(path, new Uint8Array(await response.arrayBuffer()));
  const reader = await DuckDbEngine.open({ memoryMb: 64 });
  try {
    return await reader.all(select.replace('$file', `'${path}'`));
  } finally {
    await reader.close();
    rmSync(folder, { recursive: true });
  }
}

it('marks a cell that can’t hold its whole value, beside the row as the service wrote it', async () => {
  const log = await emptyLog();
  const row = (sequence: string, more: string) =>
    `{"chain_id":"base","network_id":"1","created_at":"2026-11-20T08:00:00Z","sequence":${sequence}${more}}`;
  const failed = (reason: string) => `,"state":{"state":"failed","reason":"${reason}"}`;
  const used = (gas: string) => `,"gas_limit":"500000","state":{"state":"completed","gas_used":${gas}}`;
  const wide = '115792089237316195423570985008687907853269984665640564039457584007913129639935';
  const rows = [
    row('1', used(wide)),
    row('2', used(`"${wide}"`)),
    row(wide, ',"state":{"state":"pending"}'),
    row('4', failed('half \\ud83d of it')),
    row('5', failed('a\\u0000b')),
    row('6', ',"last_updated_at":"9999-01-01T00:00:00Z","state":{"state":"failed"}'),
    row('7', `,"state":{"state":"${'long'.repeat(60)}"}`),
    row('10', ',"last_updated_at":"2026-11-20T08:00:03.123456789Z","state":{"state":"failed"}'),
    row('11', ',"last_updated_at":"2026-11-20T08:00:03.123456000Z","state":{"state":"failed"}'),
    row('8', failed('whole \\ud83d\\ude00 of it, and a path C:\\\\ud83d')),
    row('9', used('99999999999999999999999999999999999999')),
  ];
  await addRows(log, 'main', rows, 'history');
  reportRead(log.store);
  const logDeps = { ...deps, store: log.store };
  const inColumns = await readParquet(
    await replyWithExport(new Request('http://x/?range=all&format=parquet'), { deps: logDeps }),
    'select cast(sequence as text) as sequence, cast(gas_used as text) as gas, problem, raw from read_parquet($file)',
  );
  const bySequence = new Map(inColumns.map((row) => [row.sequence, row]));
  const rawOf = (text: string) => log.records.find(({ rawJson }) => rawJson.includes(text))?.rawJson;
  expect(bySequence.get('1')).toMatchObject({ gas: null, problem: /more than 38 digits/, raw: rawOf(wide) });
  expect(bySequence.get('2')).toMatchObject({
    gas: null,
    problem: /more than 38 digits/,
    raw: rawOf(`"${wide}"`),
  });
  expect(bySequence.get(null)).toMatchObject({
    problem: /more than 38 digits/,
    raw: rawOf(`"sequence":${wide}`),
  });
  expect(bySequence.get('4')).toMatchObject({ problem: /characters/, raw: rawOf('half') });
  expect(bySequence.get('5')).toMatchObject({ problem: /characters/, raw: rawOf('u0000') });
  expect(bySequence.get('6')).toMatchObject({ problem: /years 1684 to 2255/, raw: rawOf('9999-') });
  expect(bySequence.get('10')).toMatchObject({ problem: /six decimals/, raw: rawOf('123456789Z') });
  expect(bySequence.get('11')).toMatchObject({ problem: null, raw: null });
  expect(bySequence.get('7')).toMatchObject({ problem: /200 characters/, raw: rawOf('longlong') });
  expect(bySequence.get('8')).toMatchObject({ problem: null, raw: null });
  expect(bySequence.get('9')).toMatchObject({ gas: '9'.repeat(38), problem: null, raw: null });
  const csv = await (await replyWithExport(new Request('http://x/?range=all'), { deps: logDeps })).text();
  const [header = [], ...lines] = readCsv(csv);
  const cell = (sequence: string, name: string) =>
    lines.find((line) => line[header.indexOf('sequence')] === sequence)?.[header.indexOf(name)];
  expect(cell('1', 'gas_used')).toBe(wide);
  expect([cell('4', 'problem'), cell('4', 'raw')]).toEqual([
    expect.stringContaining('characters'),
    rawOf('half'),
  ]);
  expect([cell('5', 'failure_raw'), cell('5', 'raw')]).toEqual(['a\u0000b', '']);
  await log.store.close();
});

it('answers with a problem if the index, or the folder for a part of the file, fails before the first row', async () => {
  const noFolder = join(mkdtempSync(join(tmpdir(), 'keeperscope-test-')), 'file');
  writeFileSync(noFolder, '');
  const store = await IndexStore.open(await openTestEngine(), {
    keepers: [{ name: 'main', baseUrl: 'http://127.0.0.1:1' }],
    storage: 'memory',
    now: () => NOW_MS,
    temporaryFolder: noFolder,
  });
  const answer = async (format: string) => {
    const request = new Request(`http://x/?range=all&format=${format}`);
    const response = await replyWithExport(request, { deps: { ...deps, store } });
    return [response.status, response.headers.get('content-type'), await response.text()];
  };
  expect(await answer('csv')).toMatchObject([
    200,
    'text/csv; charset=utf-8',
    expect.stringContaining('# complete: no'),
  ]);
  expect(await answer('parquet')).toMatchObject([
    503,
    'application/problem+json',
    expect.stringMatching(/"kind":"index-unavailable","detail":"[^"]*DATA_DIR/),
  ]);
  await store.close();
  for (const format of ['csv', 'json', 'ndjson', 'parquet']) {
    expect(await answer(format)).toMatchObject([
      503,
      'application/problem+json',
      expect.stringContaining('The index can’t be read now.'),
    ]);
  }
});

it('is incomplete if the index lacks rows', async () => {
  const endOf = async (query: string) => readExportEnd('ndjson', await textOf(`${query}&format=ndjson`));
  const since = Date.parse('2026-11-19T12:00:00Z');
  log.store.report('main', { coversAll: false, coveredFromMs: since });
  expect(await endOf('range=all')).toMatchObject({ complete: false, problem: /2026-11-19T12:00:00/ });
  expect(await endOf('from=2026-11-19T13:00:00Z')).toMatchObject({ complete: true });
  log.store.report('main', { coversAll: true, syncedAtMs: NOW_MS - 31_000 });
  expect(await endOf('range=all')).toMatchObject({ complete: false, problem: /newer rows are missing/ });
  expect(await endOf('to=2026-11-20T08:00:00Z')).toMatchObject({ complete: true });
  log.store.report('main', { coversAll: true, syncedAtMs: NOW_MS });
  // No keeper can have been read up to a future time.
  expect(await textOf('range=all&asof=2026-11-20T23:00:00Z&format=ndjson')).toContain('has not come yet');
});

it('of a pinned view is incomplete if rows from before its moment were read only later', async () => {
  const { engine } = log.store;
  const asof = new Date(NOW_MS - 3_600_000).toISOString();
  const end = async () => readExportEnd('ndjson', await textOf(`range=all&asof=${asof}&format=ndjson`));
  const before = await end();
  expect(before).toMatchObject({ complete: true });
  const [row] = await engine.all<{ id: string; visible: number }>(
    sql`select id, visible_us as visible from requests where created_us < ${(NOW_MS - 7_200_000) * 1000} limit 1`,
  );
  const setVisible = (us: number) =>
    engine.write((session) => session.run(`update requests set visible_us = ${us} where id = '${row?.id}'`));
  await setVisible(NOW_MS * 1000);
  expect(await end()).toMatchObject({
    complete: false,
    written: Number(before?.written) - 1,
    problem: expect.stringContaining('1 request created before'),
  });
  await setVisible(row?.visible ?? 0);
});

it('produces nothing ahead of its reader, and ends with its mark for an unauthorized caller', async () => {
  const response = await get('range=all&format=ndjson');
  const reader = response.body?.getReader();
  for (let piece = 0; piece < 3; piece += 1) await reader?.read();
  expect(queries).toBe(3);
  isIn = false;
  let text = '';
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    text += new TextDecoder().decode(next.value);
  }
  expect(readExportEnd('ndjson', text)).toMatchObject({
    written: 300,
    complete: false,
    problem: expect.stringContaining('signed out'),
  });
});

it.each(['format=xml', 'keeper=nobody', 'range=fortnight'])('%s is refused', async (query) => {
  expect((await get(query)).status).toBe(400);
});

it('limits concurrent exports, and frees a slot at every end', async () => {
  const open = [await get('range=all'), await get('range=all&format=parquet')];
  const refused = await get('range=all');
  expect([refused.status, await refused.json()]).toMatchObject([429, { kind: 'too-many', retryAfterS: 10 }]);
  await Promise.all(open.map((response) => response.body?.cancel()));
  const stop = new AbortController();
  const left = await get('range=all', { signal: stop.signal });
  stop.abort();
  await expect(left.text()).rejects.toThrow();
  await get('range=all', { method: 'HEAD' });
  await textOf('range=1h');
  await (await get('range=1h&format=parquet')).arrayBuffer();
  const slots = [places.acquire(), places.acquire()];
  expect(slots.every((place) => place !== undefined)).toBe(true);
  for (const place of slots) place?.();
  await vi.waitFor(() => {
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('keeperscope-export-'))).toEqual([]);
  });
  expect(log.store.engine.isWritable).toBe(true);
});
