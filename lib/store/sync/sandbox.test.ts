import { afterEach, describe, expect, it } from 'vitest';
import { openLogPage, type RequestRecord, stateWord } from '@/lib/core/request-record';
import { openTestEngine } from '@/lib/store/engine-fixture';
import { IndexStore } from '@/lib/store/store';
import { HttpService } from '@/lib/upstream/http-service';
import { createRequestLogClient } from '@/lib/upstream/request-log';
import { type RunningSandbox, SANDBOX_KEY, startSandbox } from '@/sandbox/start';
import { FastTimers } from './keeper-fixture';
import { IndexSync } from './sync';
import { eventually, START_MS } from './sync-harness';

const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of open.splice(0)) await end();
});

type Served = { sandbox: RunningSandbox; store: IndexStore; sync: IndexSync };

async function indexedSandbox(records: number, factor: number): Promise<Served> {
  const timers = new FastTimers(factor);
  const now = () => Math.floor(START_MS + timers.elapsed());
  const sandbox = await startSandbox({ port: 0, seed: 5, records, now });
  const store = await IndexStore.open(await openTestEngine(), {
    keepers: [{ name: 'main', baseUrl: 'http://main' }],
    storage: 'memory',
    now: sandbox.now,
  });
  const http = new HttpService({
    service: 'logs',
    label: 'logs:main',
    baseUrl: sandbox.addresses.logs.main,
    apiKey: () => SANDBOX_KEY,
    callsPerSecond: 10_000,
    now: sandbox.now,
  });
  const sync = new IndexSync({
    store,
    sources: [
      {
        keeper: 'main',
        client: createRequestLogClient(http),
        clockAheadMs: () => 0,
        callsPerSecond: undefined,
      },
    ],
    onError: (error) => {
      throw error;
    },
    timers,
  });
  await control({ sandbox }, 'POST', '/live', { requestsPerMin: 30 });
  sandbox.onRewrite(() => sync.resync(500_000));
  sync.start();
  open.push(async () => {
    await sync.close();
    await http.close();
    await store.close();
    await sandbox.close();
  });
  return { sandbox, store, sync };
}

async function control(
  { sandbox }: Pick<Served, 'sandbox'>,
  method: string,
  path: string,
  value?: unknown,
): Promise<void> {
  const response = await fetch(`${sandbox.addresses.control}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(value === undefined ? {} : { body: JSON.stringify(value) }),
  });
  if (response.status !== 200) throw new Error(await response.text());
}

const order = (index: Served, value: Record<string, unknown>) =>
  control(index, 'POST', '/logs', { keeper: 'main', order: value });

/** Every row that the service delivers, by identity, with its state. */
async function servedRows({ sandbox }: Served): Promise<Map<string, string>> {
  const rows = new Map<string, string>();
  for (let offset = 0; ; offset += 1000) {
    const response = await fetch(`${sandbox.addresses.logs.main}/v1/logs?limit=1000&offset=${offset}`, {
      headers: { authorization: `Bearer ${SANDBOX_KEY}` },
    });
    const page = openLogPage(await response.text());
    if (!page.ok) throw new Error(page.failure.detail);
    const { requests, row: read } = page.value;
    const records = requests
      .map((_, index) => read(index))
      .filter((row): row is RequestRecord => row.kind === 'record');
    for (const row of records) rows.set(row.key, stateWord(row.state));
    if (records.length === 0) return rows;
  }
}

async function storedRows({ store }: Served): Promise<Map<string, string>> {
  const rows = await store.engine.all<{ key: string; state: string }>(
    `select network_id || '/' || provider || '/' || cast(sequence as text) || '/' || request_tx as key, state
     from requests where gone_us is null`,
  );
  return new Map(rows.map(({ key, state }) => [key, state]));
}

async function expectSynced(index: Served): Promise<void> {
  const served = await servedRows(index);
  const stored = await storedRows(index);
  const differing = [...served].filter(([key, state]) => stored.get(key) !== state);
  expect({ differing: differing.length, tooMany: stored.size - served.size + differing.length }).toEqual({
    differing: 0,
    tooMany: 0,
  });
}

describe('the index of a sandbox', () => {
  it('equals the service when rows come late, at once, twice, out of order, change and vanish', async () => {
    const index = await indexedSandbox(4000, 30);
    await index.sync.caughtUp();
    index.store.addViewer();
    await order(index, { kind: 'starting', minutes: 11, zero: true });
    await order(index, { kind: 'repeat', every: 7 });
    await order(index, { kind: 'shuffle' });
    await order(index, { kind: 'late', lateS: 20, share: 0.3 });
    await order(index, { kind: 'rate', perS: 2, pendingS: 10 });
    await order(index, { kind: 'burst', count: 1500, pendingS: 20 });
    await order(index, { kind: 'change', count: 4, olderThanS: 86_400 });
    await order(index, { kind: 'vanish', count: 5, olderThanS: 90_000 });
    const from = index.sandbox.now();
    await eventually(() => expect(index.sandbox.now() - from).toBeGreaterThan(240_000));
    await control(index, 'POST', '/clock', { stopped: true });
    // Some minutes of audits on a busy machine. Each check reads all rows of the service.
    await eventually(() => expectSynced(index), 240_000, 1000);
    // The status counts once more after rows were marked.
    await eventually(() => expect(index.store.status()[0]).toMatchObject({ gone: 5, failure: null }));
  }, 300_000);

  it('is emptied and read again before a command that rewrites the past is answered', async () => {
    const index = await indexedSandbox(3000, 1);
    await index.sync.caughtUp();
    await control(index, 'POST', '/clock', { stopped: true });
    await control(index, 'POST', '/clock', { set: '2026-10-01T00:00:00Z' });
    await expectSynced(index);
    await control(index, 'POST', '/reset');
    await control(index, 'POST', '/clock', { stopped: true });
    await eventually(() => expectSynced(index));
    await eventually(() =>
      expect(index.store.status()[0]).toMatchObject({ coversAll: true, gone: 0, state: 'live' }),
    );
  });
});
