import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Row } from '@/sandbox/logs/log-harness';
import type { Keeper } from '@/sandbox/logs/networks';
import {
  DAY,
  higherFinished,
  lateRecoveries,
  missingNumbers,
  NOW,
  type Report,
  ScenarioHarness,
  sharedParity,
} from './rules-harness';

let harness: ScenarioHarness;
beforeAll(async () => {
  harness = await ScenarioHarness.start(5, 30_000);
});
afterAll(() => harness.sandbox.close());

type Incident = Report['incidents'][number];

/** The first incident of a scenario, the rows of its network in the last day, and its oldest stuck row. */
async function told(name: string) {
  const incident = (await harness.scenario(name)).incidents[0] as Incident;
  const rows = await dayOf(incident.keeper, incident.network_id);
  const oldest = rows.find((row) => row.request_tx_hash === incident.requests[0]?.request_tx_hash) as Row;
  const lane = rows.filter(({ provider }) => provider === incident.provider);
  return { incident, figures: incident.figures, rows, lane, oldest };
}

function dayOf(keeper: Keeper, network: string): Promise<Row[]> {
  return harness.all(keeper, `network_id=${network}&min_timestamp=${new Date(NOW - DAY).toISOString()}`);
}

const isPending = (row: Row) => row.state.state === 'pending';

test('rpc-outage: all 41 rows since the oldest are pending, and its time is given', async () => {
  const { incident, figures, rows, oldest } = await told('rpc-outage');
  const since = rows.filter((row) => row.created_at >= oldest.created_at);
  expect([since.length, since.every(isPending)]).toEqual([41, true]);
  expect(figures).toEqual({ rows: 41, pending: 41 });
  expect(incident.since).toBe(oldest.created_at);
  expect(Math.round((NOW - Date.parse(incident.since)) / 1000)).toBeGreaterThanOrEqual(599);
  expect(Math.round((NOW - Date.parse(incident.since)) / 1000)).toBeLessThanOrEqual(600);
});

test('bad-contract: the sender, its rows and the others that finished', async () => {
  const { figures, rows, oldest } = await told('bad-contract');
  const since = rows.filter((row) => row.created_at >= oldest.created_at);
  const others = since.filter((row) => row.sender !== oldest.sender && !isPending(row)).length;
  expect(figures).toEqual({ sender: oldest.sender, own_rows: 9, others_finished: others });
  expect(others).toBeGreaterThan(30);
});

test('reorg-twin: the same request in another transaction', async () => {
  const { figures, rows, oldest } = await told('reorg-twin');
  const twin = rows.find((row) => row.request_tx_hash === figures.twin_tx_hash) as Row;
  const same = (row: Row) => [row.sequence, row.provider, row.sender, row.user_random_number];
  expect(same(twin)).toEqual(same(oldest));
  expect([twin.state.state, figures.sequence]).toEqual(['completed', oldest.sequence]);
  const found = await harness.list('main', `query=${oldest.sequence}&network_id=${oldest.network_id}`);
  expect(found.requests.filter(({ provider }) => provider === oldest.provider)).toEqual([twin, oldest]);
});

test('overtaken: 25 higher numbers finished', async () => {
  const { figures, lane, oldest } = await told('overtaken');
  expect([figures.higher_finished, higherFinished(lane, oldest)]).toEqual([25, 25]);
});

test('silence: 40 minutes without a row, hundreds in 24 hours', async () => {
  const { figures, rows } = await told('silence');
  const silentMs = NOW - Date.parse(rows[0]?.created_at ?? '');
  expect(figures).toEqual({
    silentMs,
    rows_24h: rows.length,
    expectedEveryMs: Math.round(DAY / rows.length),
  });
  expect(silentMs).toBeGreaterThan(39.9 * 60_000);
  expect(rows.length).toBeGreaterThan(400);
});

test('backlog: over 1000 blocks behind the newest logged one', async () => {
  const { figures, rows, oldest } = await told('backlog');
  const newest = Math.max(...rows.map((row) => row.request_block_number));
  expect(figures.newest_block).toBe(newest);
  const [first = 0, second = 0] = figures.blocks_behind as number[];
  expect(first).toBe(newest - oldest.request_block_number);
  expect(Math.min(first, second)).toBeGreaterThan(1000);
});

test.each([
  ['gas-unusual', '20000000'],
  ['gas-over-maximum', '700000000'],
])('%s: a limit of %s', async (name, limit) => {
  const { figures, oldest } = await told(name);
  expect([oldest.gas_limit, String(figures.gas_limit)]).toEqual([limit, limit]);
});

test('gap: the three missing numbers stand just below the stuck one', async () => {
  const { figures, rows, oldest } = await told('gap');
  const near = rows.filter(
    (row) => Math.abs(Date.parse(row.created_at) - Date.parse(oldest.created_at)) < 900_000,
  );
  const missing = [3, 2, 1].map((below) => oldest.sequence - below);
  expect([missingNumbers(near, oldest), figures.missing]).toEqual([missing, missing]);
});

test('one-replica: 10 of 11 share their parity', async () => {
  const { figures, lane } = await told('one-replica');
  expect(sharedParity(lane.filter(isPending))).toBeCloseTo(10 / 11);
  expect(figures).toEqual({ modulus: 2, sharing: 10, of: 11 });
});

test('late-recovery: six late ones in one minute of the clock', async () => {
  const { figures, rows, oldest } = await told('late-recovery');
  const near = rows.filter(
    (row) => Math.abs(Date.parse(row.created_at) - Date.parse(oldest.created_at)) < 900_000,
  );
  expect(lateRecoveries(near)).toEqual([{ minute: String(figures.minute).slice(0, 16), count: 6 }]);
  expect(figures.recovered).toBe(6);
});

test('batch: the transaction is found with its six rows, four of them done', async () => {
  const { incident, figures, oldest } = await told('batch');
  expect(figures).toEqual({ request_tx_hash: oldest.request_tx_hash, done: 4, of: 6 });
  const { requests } = await harness.list(incident.keeper, `query=${oldest.request_tx_hash}`);
  expect([requests.length, requests.filter(isPending).length]).toEqual([6, 2]);
});

test('slow, retry-end and gave-up: the ages', async () => {
  for (const [name, low, high] of [
    ['slow', 60, 300],
    ['retry-end', 300, 420],
    ['gave-up', 420, 1000],
  ] as const) {
    const ages = (await told(name)).figures.agesMs as number[];
    expect(ages.length).toBe(3);
    for (const age of ages) expect([age > low * 1000, age < high * 1000]).toEqual([true, true]);
  }
});
