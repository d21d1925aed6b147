import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { decodeFailure } from '@/lib/core/failure';
import { stateWord } from '@/lib/core/request-record';
import { isoTimeInUtc } from '@/lib/core/time';
import type { ListedRecord } from '@/lib/requests/answers';
import { EXPECTED_HEADER } from '@/lib/requests/export-url';
import { defaultRequestsView, parseRequestsUrl } from '@/lib/requests/view';
import { Places } from '@/lib/server/request-body';
import { DuckDbEngine } from '@/lib/store/duckdb/engine';
import { sql } from '@/lib/store/sql';
import { holds, nanosOf, readCsv } from './counted-by-hand-fixture';
import { type ExportEdges, replyWithExport } from './export';
import { readExportEnd } from './export-end-fixture';
import { add, NETWORKS, NOW_MS, type SampleLog, SENDERS, sampleLog, sampleRows } from './sample-log-fixture';

const QUERY = `range=all&keeper=main&keeper=test&sender=${SENDERS[0]}&sender=${SENDERS[4]}&not=state:pending&gas_limit=100000..`;

let log: SampleLog;
let edges: ExportEdges;
let isIn = true;
let asked = 0;

beforeAll(async () => {
  log = await sampleLog(2500);
  await add(log, 'test', ['{"sequence":"x","odd":1.50}'], 'history');
  for (const keeper of ['main', 'test']) log.store.report(keeper, { coversAll: true, syncedAtMs: NOW_MS });
  edges = {
    store: log.store,
    now: () => NOW_MS,
    networks: async () => NETWORKS,
    networkNames: async (ids) =>
      new Map(ids.map((id) => [id, NETWORKS.find(({ networkId }) => networkId === id)?.name ?? `net ${id}`])),
    isStillAuthorized: async () => {
      asked += 1;
      return isIn;
    },
  };
});
afterAll(() => log.store.close());
afterEach(() => {
  isIn = true;
  asked = 0;
});

const places = new Places(2, 2);
const ask = (query: string, init: RequestInit = {}) =>
  replyWithExport(new Request(`http://x/api/view/requests/export?${query}`, init), edges, places);
const textOf = async (query: string) => (await ask(query)).text();

/** Newest first, those of one instant in any order. */
function wanted(query: string): ListedRecord[] {
  const { view } = parseRequestsUrl(new URLSearchParams(query));
  const rows = log.records.filter((record) => holds(view, record));
  return rows.sort((a, b) => (nanosOf(a.createdAt.text) < nanosOf(b.createdAt.text) ? 1 : -1));
}

const lineOf = ({ rawJson, keeper }: ListedRecord) => `${rawJson.slice(0, -1)},"keeper":"${keeper}"}`;

it('holds every match digit for digit, newest first, line by line and as one object', async () => {
  const response = await ask(`${QUERY}&format=ndjson`);
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

it('holds every match as a table, and what can’t be read last', async () => {
  const text = await textOf('range=all&keeper=main&keeper=test');
  const rows = wanted('range=all&keeper=main&keeper=test');
  const [header = [], ...lines] = readCsv(text).filter(([first]) => !first?.startsWith('# '));
  const table = lines.map(
    (line): Record<string, string> => Object.fromEntries(line.map((cell, at) => [header[at] ?? '', cell])),
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
  const response = await ask(`${QUERY}&format=parquet`);
  const rows = wanted(QUERY);
  expect(response.headers.get(EXPECTED_HEADER)).toBe(String(rows.length));
  writeFileSync(path, new Uint8Array(await response.arrayBuffer()));
  const reader = await DuckDbEngine.open({ memoryMb: 64 });
  const found = await reader.all(
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
  expect(found.map(keyOf).sort()).toEqual(expected.map(keyOf).sort());
  expect(found.map(({ created }) => BigInt(String(created)))).toEqual(
    found.map(({ created }) => BigInt(String(created))).sort((a, b) => (a < b ? 1 : a > b ? -1 : 0)),
  );
  const meta = await reader.all(
    sql`select decode(key) as key, decode(value) as value from parquet_kv_metadata(${path})`,
  );
  expect(meta).toContainEqual({ key: 'complete', value: 'yes' });
  await reader.close();
  rmSync(folder, { recursive: true });
});

it('leaves out what comes and what changes while it is read', async () => {
  const own = await sampleLog(3000);
  own.store.report('main', { coversAll: true, syncedAtMs: NOW_MS });
  const response = await replyWithExport(
    new Request('http://x/?range=all&state=pending&state=completed&format=ndjson'),
    { ...edges, store: own.store },
  );
  const view = { ...defaultRequestsView(), time: { kind: 'all' } as const, states: ['pending', 'completed'] };
  const rows = own.records.filter((record) => holds(view, record)).map(lineOf);
  const reader = response.body?.getReader();
  const first = await reader?.read();
  let text = new TextDecoder().decode(first?.value);
  await add(own, 'main', sampleRows(77, 50, 90_000), 'history');
  await own.store.engine.write((session) => session.run("update requests set state = 'failed'"));
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    text += new TextDecoder().decode(next.value);
  }
  expect(text.trimEnd().split('\n').slice(0, -1).sort()).toEqual(rows.sort());
  expect(readExportEnd('ndjson', text)).toMatchObject({ complete: true });
  await own.store.close();
});

it('calls nothing complete that the index does not hold', async () => {
  const endOf = async (query: string) => readExportEnd('ndjson', await textOf(`${query}&format=ndjson`));
  const since = Date.parse('2026-11-19T12:00:00Z');
  log.store.report('main', { coversAll: false, coveredFromMs: since });
  expect(await endOf('range=all')).toMatchObject({ complete: false, problem: /2026-11-19T12:00:00/ });
  expect(await endOf('from=2026-11-19T13:00:00Z')).toMatchObject({ complete: true });
  log.store.report('main', { coversAll: true, syncedAtMs: NOW_MS - 31_000 });
  expect(await endOf('range=all')).toMatchObject({ complete: false, problem: /newer rows are missing/ });
  expect(await endOf('to=2026-11-20T08:00:00Z')).toMatchObject({ complete: true });
  log.store.report('main', { coversAll: true, syncedAtMs: NOW_MS });
  // Nobody has read a keeper up to a moment to come.
  expect(await endOf('range=all&asof=2026-11-20T23:00:00Z')).toMatchObject({ complete: false });
});

it('makes nothing ahead of its reader, and ends with its mark for one who is no longer let in', async () => {
  const response = await ask('range=all&format=ndjson');
  const reader = response.body?.getReader();
  for (let piece = 0; piece < 3; piece += 1) await reader?.read();
  expect(asked).toBe(3);
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
  expect((await ask(query)).status).toBe(400);
});

it('refuses more than it makes at a time, and gives a place back at every end', async () => {
  const open = [await ask('range=all'), await ask('range=all&format=parquet')];
  const refused = await ask('range=all');
  expect([refused.status, await refused.json()]).toMatchObject([429, { kind: 'too-many', retryAfterS: 10 }]);
  await Promise.all(open.map((response) => response.body?.cancel()));
  const stop = new AbortController();
  const left = await ask('range=all', { signal: stop.signal });
  stop.abort();
  await expect(left.text()).rejects.toThrow();
  await ask('range=all', { method: 'HEAD' });
  await textOf('range=1h');
  await (await ask('range=1h&format=parquet')).arrayBuffer();
  const taken = [places.take(), places.take()];
  expect(taken.every((place) => place !== undefined)).toBe(true);
  for (const place of taken) place?.();
  await vi.waitFor(() => {
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('keeperscope-export-'))).toEqual([]);
  });
  expect(log.store.engine.isWritable).toBe(true);
});
