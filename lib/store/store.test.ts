import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { readLogPage } from '@/lib/core/request-record';
import { openTestEngine } from './engine-fixture';
import { IndexStore } from './store';

const open: IndexStore[] = [];

async function emptyStore(): Promise<IndexStore> {
  const engine = await openTestEngine();
  const keepers = [{ name: 'main', baseUrl: 'http://127.0.0.1:1/logs' }];
  const store = await IndexStore.open(engine, { keepers, storage: 'memory', now: () => 1_763_700_000_000 });
  open.push(store);
  return store;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((store) => store.close()));
});

const HASH = `0x${'a'.repeat(64)}`;

function rowJson(members: Record<string, string> = {}): string {
  const row: Record<string, string> = {
    chain_id: '"base"',
    network_id: '8453',
    created_at: '"2025-11-21T04:00:00.123456Z"',
    last_updated_at: '"2025-11-21T04:00:02.5Z"',
    gas_limit: '"11579208923731619542357098500868790785"',
    provider: '"0xAB"',
    sender: '"0xcd"',
    request_block_number: '1',
    request_tx_hash: `"${HASH}"`,
    sequence: '18446744073709551615',
    state: '{"state":"pending"}',
    ...members,
  };
  return `{${Object.entries(row)
    .map(([name, value]) => `"${name}":${value}`)
    .join(',')}}`;
}

function rowsOf(...rows: string[]) {
  const page = readLogPage(`{"requests":[${rows.join(',')}],"total_results":${rows.length}}`);
  if (!page.ok) throw new Error(page.failure.detail);
  return page.value.rows;
}

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

  it('holds a request once, however often it comes, and takes its new state', async () => {
    const store = await emptyStore();
    const seen: number[] = [];
    store.onRevision((revision) => seen.push(revision));
    expect(await store.ingest(1, rowsOf(rowJson(), rowJson()), 'new')).toEqual({ added: 1, changed: 0 });
    expect(await store.ingest(1, rowsOf(rowJson()), 'history')).toEqual({ added: 0, changed: 0 });
    expect(seen).toHaveLength(1);
    const failed = rowJson({ state: '{"state":"failed","reason":"Reverted: 0x1c26714c"}' });
    expect(await store.ingest(1, rowsOf(failed), 'new')).toEqual({ added: 0, changed: 1 });
    const [row] = await store.engine.all('select state, failure, duration_us, wire from requests');
    expect(row).toMatchObject({ state: 'failed', failure: 'InsufficientGas', duration_us: 2_376_544 });
    expect(row?.wire).toBe(failed);
    expect(seen).toHaveLength(2);
  });

  it('takes control characters in names and reasons for nothing else', async () => {
    const store = await emptyStore();
    const odd = rowJson({ chain_id: '"a\\u001fb\\u001ec\\u001dd\\u0000e"', sender: '"0x\\u001f"' });
    const failed = rowJson({ sequence: '7', state: '{"state":"failed","reason":"no\\u001e\\u001fway"}' });
    expect(await store.ingest(1, rowsOf(odd, failed), 'new')).toEqual({ added: 2, changed: 0 });
    const rows = await store.engine.all(
      'select chain_name, failure_text, wire from requests order by sequence desc',
    );
    expect(rows).toMatchObject([
      { chain_name: 'a\ufffdb\ufffdc\ufffdd\ufffde', wire: odd },
      { wire: failed },
    ]);
  });

  it('takes any row that a service may send', async () => {
    const store = await emptyStore();
    const number = fc.stringMatching(/^-?(0|[1-9]\d{0,89})$/);
    const odd = fc.constantFrom(
      '-0',
      '1e30',
      '1.5',
      'null',
      'true',
      '[]',
      '{}',
      '""',
      '"\\u0000\\ud800"',
      '"\\u001e"',
    );
    const text = fc.string({ unit: 'binary' }).map((value) => JSON.stringify(value));
    const time = fc
      .date({ min: new Date(-8e15), max: new Date(8e15), noInvalidDate: true })
      .map((date) => JSON.stringify(date.toISOString().replace('Z', '999999Z')));
    const value = fc.oneof(
      number,
      number.map((value) => `"${value}"`),
      odd,
      text,
      time,
    );
    const state = fc.oneof(
      fc.constant('{"state":"pending"}'),
      text.map((reason) => `{"state":"failed","reason":${reason}}`),
      fc
        .tuple(value, value, text)
        .map(
          ([gas, block, hash]) =>
            `{"state":"completed","gas_used":${gas},"reveal_block_number":${block},"callback_return_value":${hash},"callback_failed":true}`,
        ),
    );
    const members = fc.record(
      {
        network_id: number,
        created_at: time,
        last_updated_at: fc.oneof(time, value),
        sequence: number,
        chain_id: text,
        gas_limit: value,
        provider: text,
        sender: value,
        request_block_number: value,
        request_tx_hash: text,
        user_random_number: value,
        state,
      },
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

  it('keeps what it cannot read apart, once', async () => {
    const store = await emptyStore();
    await store.ingest(1, rowsOf('{"sequence":"x"}', rowJson()), 'new');
    await store.ingest(1, rowsOf('{"sequence":"x"}'), 'new');
    expect(await store.engine.all('select wire from unreadable')).toEqual([{ wire: '{"sequence":"x"}' }]);
    expect(await store.engine.all('select count(*) as n from requests')).toEqual([{ n: 1 }]);
  });

  it('takes back what a failed write began', async () => {
    const store = await emptyStore();
    const failing = store.engine.write(async (session) => {
      await session.run("insert into keepers values (7, 'x', 'y')");
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await store.engine.all('select count(*) as n from keepers')).toEqual([{ n: 1 }]);
  });
});
