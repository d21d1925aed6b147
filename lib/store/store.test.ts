import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readPage, rowText } from '@/lib/core/log-row-fixture';
import { defaultRequestsView } from '@/lib/requests/view';
import { openTestEngine, openTestStore } from './engine-fixture';
import { stateCounts } from './queries/evidence';
import { countRows, deleteOldest, idsIn, markGone } from './queries/sync';
import { pageOfView } from './queries/view-rows';
import { IndexStore } from './store';

const open: IndexStore[] = [];

async function emptyStore(): Promise<IndexStore> {
  const store = await openTestStore(() => 1_763_700_000_000, 'main');
  open.push(store);
  return store;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((store) => store.close()));
});

function rowJson(members: Record<string, string> = {}): string {
  return rowText({
    network_id: '8453',
    created_at: '"2025-11-21T04:00:00.123456Z"',
    last_updated_at: '"2025-11-21T04:00:02.5Z"',
    gas_limit: '"11579208923731619542357098500868790785"',
    provider: '"0xAB"',
    ...members,
  });
}

const rowsOf = (...rows: string[]) => readPage(rows).rows;

const KEEPERS = [{ name: 'main', baseUrl: 'http://127.0.0.1:1/main' }];

async function reopened(folder: string, nowMs: number): Promise<IndexStore> {
  const engine = await openTestEngine({ path: join(folder, 'index') });
  const store = await IndexStore.open(engine, { keepers: KEEPERS, storage: 'file', now: () => nowMs });
  open.push(store);
  return store;
}

describe('after a restart', () => {
  const readMs = 1_763_700_000_000;
  const nowMs = readMs + 5 * 3_600_000;
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'restart-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function readTwice(store: IndexStore): Promise<void> {
    for (const [index, upToMs] of [readMs - 60_000, readMs].entries()) {
      const rows = rowsOf(rowJson({ sequence: String(index) }));
      await store.ingest(1, rows, 'new', { read: { upToMs, isLast: true } });
    }
  }

  it('a keeper is judged as of its last read, by the clock that it had, and none of its rows is hidden', async () => {
    const before = await reopened(folder, readMs);
    before.report('main', { clockAheadMs: 7 * 60_000 });
    await readTwice(before);
    await open.pop()?.close();
    const store = await reopened(folder, nowMs);
    expect(store.status()).toMatchObject([
      { syncedAtMs: readMs, clockAheadMs: 7 * 60_000, state: 'syncing', isRestored: true },
    ]);
    const momentMs = store.reads.latestMs(['main'], 2000);
    const seen = await store.engine.all(`select 1 from requests where visible_us <= ${momentMs * 1000}`);
    expect(seen).toHaveLength(2);
    await store.ingest(1, [], 'new', { read: { upToMs: nowMs, isLast: true } });
    expect(store.status()[0]).toMatchObject({ syncedAtMs: nowMs, isRestored: undefined });
  });

  it('an index without a stored read counts as read when its newest rows appeared', async () => {
    const before = await reopened(folder, readMs);
    await readTwice(before);
    await before.engine.write(({ run }) => run('delete from keeper_facts'));
    await open.pop()?.close();
    const store = await reopened(folder, nowMs);
    expect(store.reads.readUpToMs('main')).toBeGreaterThanOrEqual(readMs - 60_000);
    expect(store.reads.readUpToMs('main')).toBeLessThanOrEqual(readMs);
  });

  it('an emptied index has no last read', async () => {
    const before = await reopened(folder, readMs);
    await before.ingest(1, rowsOf(rowJson()), 'new', { read: { upToMs: readMs, isLast: true } });
    await before.empty();
    await open.pop()?.close();
    expect((await reopened(folder, nowMs)).reads.readUpToMs('main')).toBeNull();
  });
});

describe('the index', () => {
  it('keeps every digit of a row, in its columns and in its JSON', async () => {
    const store = await emptyStore();
    const json = rowJson({ unknown_member: '1.10' });
    await store.ingest(1, rowsOf(json), 'new');
    const [row] = await store.engine.all('select * from requests');
    expect(row).toMatchObject({
      network_id: '8453',
      sequence: '18446744073709551615',
      gas_limit: '11579208923731619542357098500868790785',
      provider: '0xab',
      created_us: 1_763_697_600_123_456,
      state: 'pending',
      duration_us: null,
    });
    expect(row?.wire).toBe(json);
  });

  it('dates the rows of each read by a moment of their own, even while the clock stands still', async () => {
    const store = await emptyStore();
    const requestedAtMs = 1_763_700_000_000;
    for (let read = 1; read <= 3; read += 1) {
      const json = rowJson({ sequence: String(read) });
      await store.ingest(1, rowsOf(json), 'new', { read: { upToMs: requestedAtMs, isLast: true } });
      const momentMs = store.reads.latestMs(['main'], 2000);
      expect(store.reads.readUpToMs('main')).toBeGreaterThanOrEqual(momentMs);
      const seen = await store.engine.all(`select 1 from requests where visible_us <= ${momentMs * 1000}`);
      expect(seen).toHaveLength(read);
    }
  });

  it('has a request once, however often it is read, with its latest state', async () => {
    const store = await emptyStore();
    const seen: number[] = [];
    store.onRevision((revision) => seen.push(revision));
    expect(await store.ingest(1, rowsOf(rowJson(), rowJson()), 'new')).toMatchObject({
      added: 1,
      changed: 0,
    });
    expect(await store.ingest(1, rowsOf(rowJson()), 'history')).toMatchObject({ added: 0, changed: 0 });
    expect(seen).toHaveLength(1);
    const failed = rowJson({ state: '{"state":"failed","reason":"Reverted: 0x1c26714c"}' });
    expect(await store.ingest(1, rowsOf(failed), 'new')).toMatchObject({ added: 0, changed: 1 });
    const [row] = await store.engine.all('select state, failure, duration_us, wire from requests');
    expect(row).toMatchObject({ state: 'failed', failure: 'InsufficientGas', duration_us: 2_376_544 });
    expect(row?.wire).toBe(failed);
    expect(seen).toHaveLength(2);
  });

  it('stores control characters in names and reasons harmlessly', async () => {
    const store = await emptyStore();
    const odd = rowJson({ chain_id: '"a\\u001fb\\u001ec\\u001dd\\u0000e"', sender: '"0x\\u001f"' });
    const failed = rowJson({ sequence: '7', state: '{"state":"failed","reason":"no\\u001e\\u001fway"}' });
    expect(await store.ingest(1, rowsOf(odd, failed), 'new')).toMatchObject({ added: 2, changed: 0 });
    const rows = await store.engine.all(
      'select chain_name, failure_text, wire from requests order by sequence desc',
    );
    expect(rows).toMatchObject([
      { chain_name: 'a\ufffdb\ufffdc\ufffdd\ufffde', wire: odd },
      { wire: failed },
    ]);
  });

  it('accepts any row that a service may send', async () => {
    const store = await emptyStore();
    const number = fc.stringMatching(/^-?(0|[1-9]\d{0,89})$/);
    const odd = fc.constantFrom(...'-0 1e30 1.5 null true [] {} "" "\\u0000\\ud800" "\\u001e"'.split(' '));
    const text = fc.string({ unit: 'binary' }).map((value) => JSON.stringify(value));
    const time = fc
      .date({ min: new Date(-8e15), max: new Date(8e15), noInvalidDate: true })
      .map((date) => JSON.stringify(date.toISOString().replace('Z', '999999Z')));
    const quoted = number.map((digits) => `"${digits}"`);
    const value = fc.oneof(number, quoted, odd, text, time);
    const done = fc
      .tuple(value, value, text)
      .map(
        ([gas, block, hash]) =>
          `{"state":"completed","gas_used":${gas},"reveal_block_number":${block},"callback_return_value":${hash},"callback_failed":true}`,
      );
    const failed = text.map((reason) => `{"state":"failed","reason":${reason}}`);
    const state = fc.oneof(fc.constant('{"state":"pending"}'), failed, done);
    const network_id = number;
    const sequence = number;
    const created_at = time;
    const texts = { chain_id: text, provider: text, request_tx_hash: text };
    const values = {
      gas_limit: value,
      sender: value,
      request_block_number: value,
      user_random_number: value,
    };
    const members = fc.record(
      { network_id, sequence, created_at, last_updated_at: value, ...texts, ...values, state },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(members, { minLength: 1, maxLength: 40 }), async (rows) => {
        const read = rowsOf(...rows.map((row) => rowJson(row)));
        await store.ingest(1, read, 'new');
        expect(await store.ingest(1, read, 'new')).toMatchObject({ added: 0 });
      }),
      { numRuns: 25 },
    );
  });

  it('stores an unreadable row separately, once', async () => {
    const store = await emptyStore();
    await store.ingest(1, rowsOf('{"sequence":"x"}', rowJson()), 'new');
    await store.ingest(1, rowsOf('{"sequence":"x"}'), 'new');
    expect(await store.engine.all('select wire from unreadable')).toEqual([{ wire: '{"sequence":"x"}' }]);
    expect(await store.engine.all('select count(*) as n from requests')).toEqual([{ n: 1 }]);
  });

  it('counts an unreadable row of the history as one that was always there, like the rows beside it', async () => {
    const store = await emptyStore();
    const pinnedMs = 1_763_699_000_000;
    const query = {
      view: { ...defaultRequestsView(), time: { kind: 'all' as const } },
      keeperIds: [1],
      visibleUs: pinnedMs * 1000,
    };
    const names = { networks: [], keepers: store.keepers };
    const seen = async () => {
      const page = await pageOfView(store.engine, query, names, { kind: 'offset', offset: 0 }, 20);
      return [...page.unreadable, ...page.rows].map(({ wire }) => wire);
    };
    await store.ingest(1, rowsOf('{"sequence":"x"}', rowJson()), 'history');
    expect(await seen()).toEqual(['{"sequence":"x"}', rowJson()]);
    await store.ingest(1, rowsOf('{"sequence":"y"}'), 'new');
    expect(await seen()).toEqual(['{"sequence":"x"}', rowJson()]);
  });

  it('rolls back a failed write', async () => {
    const store = await emptyStore();
    const failing = store.engine.write(async (session) => {
      await session.run("insert into keepers values (7, 'x', 'y')");
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await store.engine.all('select count(*) as n from keepers')).toEqual([{ n: 1 }]);
  });
});

it('keeps counts by state and keeper equal to those of the rows', async () => {
  const store = await emptyStore();
  const { engine } = store;
  const counted = (sql: string) => engine.all(sql);
  const check = async () => {
    const counts = await stateCounts(engine, 1, moment(5) * 1000);
    const scanned = await counted(`select network_id as "networkId", state, count(*) as rows,
      count(*) - count(gone_us) as live, count(*) filter (where created_us >= ${moment(5) * 1000}) as "lastDay",
      max(created_us) as "newestUs", min(case when gone_us is null then created_us end) as "oldestLiveUs"
      from requests where keeper_id = 1 group by network_id, state order by network_id, state`);
    expect(counts.map(({ rev: _rev, ...count }) => count)).toEqual(scanned);
    const [sums] =
      await counted(`select count(*) as rows, count(gone_us) as gone, min(created_us) as "oldestUs",
      0 as unreadable from requests where keeper_id = 1`);
    expect(await countRows(engine, 1)).toEqual(sums);
    return counts.map(({ networkId, state, rows, live }) => `${networkId} ${state} ${live}/${rows}`);
  };
  const moment = (at: number) => 1_763_700_000_000 + at * 1000;
  const row = (at: number, network: string, state = '{"state":"pending"}') =>
    rowJson({
      sequence: String(at),
      network_id: network,
      state,
      created_at: `"${new Date(moment(at)).toISOString()}"`,
    });
  const failed = '{"state":"failed","reason":"no"}';
  expect(await check()).toEqual([]);
  await store.ingest(1, rowsOf(row(1, '10'), row(2, '10'), row(7, '8453'), row(8, '8453')), 'new');
  await store.ingest(2, rowsOf(row(3, '10')), 'new');
  expect(await check()).toEqual(['10 pending 2/2', '8453 pending 2/2']);
  await store.ingest(1, rowsOf(row(1, '10', failed), row(2, '10'), row(9, '10', failed)), 'new');
  expect(await check()).toEqual(['10 failed 2/2', '10 pending 1/1', '8453 pending 2/2']);
  const ids = await idsIn(engine, 1, { fromUs: moment(7) * 1000, toUs: moment(7) * 1000 });
  await engine.write((session) => markGone(session, 1, { ids }, 5, 9));
  expect(await check()).toEqual(['10 failed 2/2', '10 pending 1/1', '8453 pending 1/2']);
  await engine.write((session) => deleteOldest(session, 1, moment(8) * 1000, 100));
  expect(await check()).toEqual(['10 failed 1/1', '8453 pending 1/1']);
  await store.empty();
  expect(await check()).toEqual([]);
});
