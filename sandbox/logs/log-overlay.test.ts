import { keccak_256 } from '@noble/hashes/sha3.js';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { identityOf, LogHarness, NOW, type Row } from './log-harness';
import type { Keeper } from './networks';

type Named = {
  network_id: string;
  provider: string;
  sequence: number;
  request_tx_hash: string;
  created_at: string;
};
type Made = { kind: string; at: string; rows: number; requests: Named[] };

let harness: LogHarness;
let everything: Record<Keeper, Row[]>;
beforeAll(async () => {
  harness = await LogHarness.start();
  everything = { main: await harness.all('main'), test: await harness.all('test') };
});
afterAll(() => harness.sandbox.close());
beforeEach(async () => {
  await harness.control('POST', '/reset');
  await harness.control('POST', '/clock', { stopped: true });
  await lively();
});

/** A row every 2 s. By default, such a small world has hardly any. */
const lively = () => harness.control('POST', '/live', { requestsPerMin: 30 });

async function placeOrder(order: Record<string, unknown>, keeper: Keeper = 'main'): Promise<Made> {
  return (await harness.control('POST', '/logs', { keeper, order })) as Made;
}

const isoAt = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();

const passed = (seconds: number) => harness.control('POST', '/clock', { set: isoAt(seconds) });

async function all(
  query = '',
  limit = 1000,
  keeper: Keeper = 'main',
): Promise<{ rows: Row[]; total: number }> {
  const rows: Row[] = [];
  for (let offset = 0; ; offset += limit) {
    const page = await harness.list(keeper, `limit=${limit}&offset=${offset}&${query}`);
    rows.push(...page.requests);
    if (offset + limit >= page.total_results) return { rows, total: page.total_results };
  }
}

const nameOf = ({ network_id, provider, sequence, request_tx_hash }: Row | Named) =>
  `${network_id}/${provider}/${sequence}/${request_tx_hash}`;

function expectVerified({ state, user_random_number }: Row): void {
  const bytes = Buffer.from(`${user_random_number}${state.provider_random_number}${'00'.repeat(32)}`, 'hex');
  expect(state.combined_random_number).toBe(Buffer.from(keccak_256(bytes)).toString('hex'));
}

test('late rows: the ordered number of next rows are counted and listed only later, at their time of creation', async () => {
  await passed(60);
  const punctual = (await all()).rows;
  await harness.control('POST', '/reset');
  await harness.control('POST', '/clock', { stopped: true });
  await lively();
  await placeOrder({ kind: 'late', lateS: 90, count: 5 });
  await passed(60);
  const listed = await all();
  expect(listed.total).toBe(punctual.length - 5);
  const listedIds = new Set(listed.rows.map(identityOf));
  const missing = punctual.filter((row) => !listedIds.has(identityOf(row)));
  expect(missing.length).toBe(5);
  expect(missing.every(({ created_at }) => Date.parse(created_at) > NOW)).toBe(true);
  const newest = missing[0] as Row;
  expect((await harness.list('main', `query=${newest.request_tx_hash}`)).total_results).toBe(0);
  await passed((Date.parse(newest.created_at) - NOW) / 1000 + 90);
  const result = await harness.list('main', `query=${newest.request_tx_hash}`);
  expect(result.requests.map(({ created_at }) => created_at)).toContain(newest.created_at);
});

test('failed rows become completed long after, and verify', async () => {
  const before = await all('state=Failed');
  const completed = (await all('state=Completed')).total;
  await passed(300);
  const failedThen = (await all('state=Failed')).total;
  const { requests, at } = await placeOrder({ kind: 'change', count: 2, olderThanS: 3600 });
  expect(at).toBe(isoAt(300));
  expect((await all('state=Failed')).total).toBe(failedThen - 2);
  expect((await all('state=Completed')).total).toBeGreaterThanOrEqual(completed + 2);
  for (const name of requests) {
    const old = before.rows.find((row) => nameOf(row) === nameOf(name));
    const row = (await all(`query=${name.request_tx_hash}`)).rows.find((row) => nameOf(row) === nameOf(name));
    if (!row || !old) throw new Error('the row is not found');
    expect(Object.keys(row)).toEqual(Object.keys(old));
    expect({ ...row, state: old.state, last_updated_at: old.last_updated_at }).toEqual(old);
    expect(row).toMatchObject({ state: { state: 'completed', callback_failed: false }, last_updated_at: at });
    expectVerified(row);
    const revealed = await all(`query=${row.state.reveal_tx_hash}`);
    expect(revealed.rows.map(nameOf)).toEqual([nameOf(name)]);
  }
  await expect(placeOrder({ kind: 'change', count: 10_000 })).rejects.toThrow(
    /400.*there are only \d+ such rows/,
  );
});

test('the ordered number of completed rows get a new date', async () => {
  const before = await all('state=Completed');
  const { requests, at } = await placeOrder({ kind: 'rewrite', count: 9, olderThanS: 600 });
  const after = await all('state=Completed');
  expect(after.total).toBe(before.total);
  const named = new Set(requests.map(nameOf));
  const rewritten = after.rows.filter((row) => row.last_updated_at === at);
  expect(new Set(rewritten.map(nameOf))).toEqual(named);
  const olds = before.rows.filter((row) => named.has(nameOf(row)));
  expect(rewritten.map((row) => row.created_at)).toEqual(olds.map((row) => row.created_at));
});

test('old rows are deleted as time passes, and no total exceeds its cap', async () => {
  const ageS = 3 * 3600;
  await placeOrder({ kind: 'prune', olderThanS: ageS });
  const { rows, total } = await all('', 97);
  const oldestMs = Math.min(...everything.main.map((row) => Date.parse(row.created_at)));
  expect(Math.min(...rows.map((row) => Date.parse(row.created_at)))).toBeGreaterThan(oldestMs);
  expect([rows.length, total]).toEqual([total, rows.length]);
  expect(total).toBeLessThan(everything.main.length);
  await placeOrder({ kind: 'cap', total: 10 });
  const capped = await all('', 97);
  expect([capped.total, capped.rows.length]).toEqual([10, total]);
});

test('rows vanish from lists and counts, and return when the order ends', async () => {
  const { requests } = await placeOrder({ kind: 'vanish', count: 7, olderThanS: 600 });
  const gone = new Set(requests.map(nameOf));
  const rest = everything.main.filter((row) => !gone.has(nameOf(row)));
  expect(rest.length).toBe(everything.main.length - 7);
  const { rows, total } = await all('', 97);
  expect(total).toBe(rest.length);
  expect(rows).toEqual(rest);
  const [first] = requests;
  expect((await all(`query=${first?.request_tx_hash}`)).rows.map(nameOf)).not.toContain(
    nameOf(first as Named),
  );
  await harness.control('DELETE', '/logs');
  expect((await all()).rows).toEqual(everything.main);
});

test('rows that are counted are left out of lists, and offsets count them', async () => {
  const { requests } = await placeOrder({ kind: 'undelivered', count: 3 });
  const unseen = new Set(requests.map(nameOf));
  const first = await harness.list('main', 'limit=50');
  expect(first.requests.length).toBe(47);
  const { rows, total } = await all('', 50);
  expect(total).toBe(everything.main.length);
  expect(rows).toEqual(everything.main.filter((row) => !unseen.has(nameOf(row))));
});

test('rows repeat, within a page and over its edge; the total counts them once', async () => {
  await placeOrder({ kind: 'repeat', every: 3 });
  const rows: Row[] = [];
  for (let offset = 0; ; offset += 40) {
    const { requests, total_results } = await harness.list('main', `limit=40&offset=${offset}`);
    expect(total_results).toBe(everything.main.length);
    rows.push(...requests);
    if (requests.length < 40) break;
  }
  expect(rows.length).toBeGreaterThan(everything.main.length * 1.2);
  expect(rows.length).toBeLessThan(everything.main.length * 1.5);
  expect(new Set(rows.map(identityOf))).toEqual(new Set(everything.main.map(identityOf)));
});

test('a burst of 1,500 rows in one millisecond is paged and found like all other rows', async () => {
  const { at } = await placeOrder({ kind: 'burst', count: 1500, pendingS: 5 });
  const burst = await all(`min_timestamp=${at}&max_timestamp=${at}`);
  expect(burst.total).toBeGreaterThanOrEqual(1500);
  expect(new Set(burst.rows.map(identityOf)).size).toBe(burst.total);
  expect(burst.rows.every(({ created_at }) => created_at === at)).toBe(true);
  expect(new Set(burst.rows.map(({ network_id }) => network_id)).size).toBeGreaterThan(9);
  expect((await all()).total).toBe(everything.main.length + 1500);
  expect((await all('state=Pending')).total).toBeGreaterThanOrEqual(1500);
  await passed(5);
  const done = (await all(`max_timestamp=${at}&min_timestamp=${at}&state=Completed`)).rows;
  expect(done.length).toBeGreaterThan(1400);
  const row = done[100] as Row;
  expectVerified(row);
  expect(row.last_updated_at).toBe(isoAt(5));
  for (const query of [row.request_tx_hash, row.state.reveal_tx_hash, row.sequence, row.sender]) {
    expect((await all(`query=${query}&network_id=${row.network_id}`)).rows.map(nameOf)).toContain(
      nameOf(row),
    );
  }
});

test('a steady rate has a constant number in flight, all requests finish in time, and existing ones stay', async () => {
  const stuck = (await all(`state=Pending&max_timestamp=${isoAt(-3600)}`)).total;
  await placeOrder({ kind: 'rate', perS: 20, pendingS: 15 });
  await passed(60);
  const since = `min_timestamp=${isoAt(0.001)}`;
  const inFlight = (await all(`state=Pending&${since}`)).total;
  expect(inFlight).toBeGreaterThanOrEqual(300);
  expect(inFlight).toBeLessThan(340);
  const first = await all(since);
  expect(first.total).toBeGreaterThanOrEqual(1200);
  expect(new Set(first.rows.map(identityOf)).size).toBe(first.total);
  await placeOrder({ kind: 'rate', perS: 0 });
  await passed(7200);
  expect((await all(`state=Pending&max_timestamp=${isoAt(60)}`)).total).toBeLessThan(stuck + 5);
  const later = await all(`${since}&max_timestamp=${isoAt(60)}`);
  expect(later.rows.map(identityOf)).toEqual(first.rows.map(identityOf));
});

test('a keeper that was restarted with an empty store has only later rows', async () => {
  await placeOrder({ kind: 'burst', count: 4 });
  await placeOrder({ kind: 'empty' });
  expect(await harness.list('main', 'limit=10')).toEqual({ requests: [], total_results: 0 });
  const row = everything.main[0] as Row;
  expect((await all(`query=${row.request_tx_hash}`)).total).toBe(0);
  await placeOrder({ kind: 'burst', count: 2 });
  expect((await all()).total).toBe(2);
  await passed(60);
  const { rows, total } = await all();
  expect(total).toBeGreaterThan(5);
  expect(rows.every(({ created_at }) => Date.parse(created_at) >= NOW)).toBe(true);
  expect((await all('', 1000, 'test')).total).toBeGreaterThan(everything.test.length);
});

test('a share of the answers has a total from another moment than its rows', async () => {
  const wrong = async () => {
    const totals = await Promise.all(Array.from({ length: 12 }, () => harness.list('main', 'limit=1')));
    return totals.map(({ total_results }) => total_results - everything.main.length).filter((by) => by !== 0);
  };
  await placeOrder({ kind: 'race', by: 2, share: 0.25 });
  expect(await wrong()).toEqual([2, 2, 2]);
  await placeOrder({ kind: 'race', by: -1 });
  expect(await wrong()).toEqual(new Array(12).fill(-1));
});

test('networks that are not ready after a restart are refused and unnamed, while their rows are still listed', async () => {
  const before = await harness.list('main', 'network_id=8453&limit=1');
  await placeOrder({ kind: 'starting', minutes: 11, networkIds: ['8453'], zero: true });
  const ids = async () => {
    const configs = (await (await harness.get('main', '/v1/chains/configs')).json()) as {
      network_id: string;
    }[];
    return configs.map(({ network_id }) => network_id);
  };
  for (const minutes of [0, 10.9]) {
    await passed(minutes * 60);
    const refused = await harness.get('main', '/v1/logs?network_id=8453');
    expect([refused.status, await refused.text()]).toEqual([400, 'The chain id is not supported']);
    expect(await ids()).toContain('0');
    expect(await ids()).not.toContain('8453');
    expect((await all()).rows.some(({ network_id }) => network_id === '8453')).toBe(true);
    expect((await harness.list('main', 'network_id=42161&limit=1')).total_results).toBeGreaterThan(0);
  }
  await passed(660);
  expect((await harness.list('main', 'network_id=8453&limit=1')).total_results).toBeGreaterThanOrEqual(
    before.total_results,
  );
  expect(await ids()).not.toContain('0');
});

test('a wrong clock of one service affects its Date and the rows that it writes from then on', async () => {
  await placeOrder({ kind: 'clock', offS: -3600 });
  await passed(60);
  const response = await harness.get('main', '/v1/logs?limit=1000');
  expect(response.headers.get('date')).toBe(new Date(NOW + 60_000 - 3_600_000).toUTCString());
  const other = await harness.get('test', '/v1/logs?limit=1');
  expect(other.headers.get('date')).toBe(new Date(NOW + 60_000).toUTCString());
  const { rows, total } = await all();
  const listedIds = new Set(everything.main.map(identityOf));
  const added = rows.filter((row) => !listedIds.has(identityOf(row)));
  expect(added.length).toBeGreaterThan(5);
  expect(rows.length).toBe(total);
  for (const { created_at } of added) {
    expect(Date.parse(created_at)).toBeGreaterThan(NOW - 3_600_000);
    expect(Date.parse(created_at)).toBeLessThanOrEqual(NOW - 3_540_000);
  }
  const times = rows.map(({ created_at }) => created_at);
  expect(times).toEqual([...times].sort().reverse());
  const span = `min_timestamp=${isoAt(-3600)}&max_timestamp=${isoAt(-3540)}`;
  expect((await all(span)).rows.map(identityOf)).toEqual(
    rows.filter(({ created_at }) => created_at >= isoAt(-3600) && created_at <= isoAt(-3540)).map(identityOf),
  );
  // The clock is right again, but the wrong times in rows stay.
  await placeOrder({ kind: 'clock', offS: 0 });
  await passed(120);
  const later = await all(`query=${added[0]?.request_tx_hash}`);
  expect(later.rows.map(({ created_at }) => created_at)).toContain(added[0]?.created_at);
  expect((await harness.get('main', '/v1/logs?limit=1')).headers.get('date')).toBe(
    new Date(NOW + 120_000).toUTCString(),
  );
});

test('several orders hold at once, are listed, and end with a reset', async () => {
  await placeOrder({ kind: 'vanish', count: 2 });
  await placeOrder({ kind: 'vanish', count: 3 });
  await placeOrder({ kind: 'undelivered', count: 1 });
  await placeOrder({ kind: 'burst', count: 5, networkIds: [8453] });
  expect((await all()).total).toBe(everything.main.length);
  const overview = async () => (await harness.control('GET', '')) as { logs: Record<Keeper, unknown[]> };
  expect((await overview()).logs).toMatchObject({
    main: [
      { kind: 'vanish', rows: 2, since: isoAt(0) },
      { kind: 'vanish', rows: 3 },
      { kind: 'undelivered', rows: 1 },
      { kind: 'burst', count: 5, networkIds: ['8453'] },
    ],
    test: [],
  });
  await harness.control('POST', '/reset');
  expect((await overview()).logs).toEqual({ main: [], test: [] });
  expect((await all()).rows).toEqual(everything.main);
});
