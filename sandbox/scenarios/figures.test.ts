import { afterAll, beforeAll, expect, test } from 'vitest';
import { LogHarness, NOW, type Row } from '@/sandbox/logs/log-harness';
import type { Keeper } from '@/sandbox/logs/networks';
import { DAY, lateRecoveries, type Report, setScenario } from './rules-harness';

let harness: LogHarness;
beforeAll(async () => {
  harness = await LogHarness.start(5, 30_000);
});
afterAll(() => harness.sandbox.close());

type Incident = Report['incidents'][number];

/** The first incident of a scenario, the rows of its network in the last day, and its oldest stuck row. */
async function incidentOf(name: string) {
  const incident = (await setScenario(harness, name)).incidents[0] as Incident;
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
  const { incident, figures, rows, oldest } = await incidentOf('rpc-outage');
  const since = rows.filter((row) => row.created_at >= oldest.created_at);
  expect([since.length, since.every(isPending)]).toEqual([41, true]);
  expect(figures).toEqual({ rows: 41, pending: 41 });
  expect(incident.since).toBe(oldest.created_at);
  expect(Math.round((NOW - Date.parse(incident.since)) / 1000)).toBeGreaterThanOrEqual(599);
  expect(Math.round((NOW - Date.parse(incident.since)) / 1000)).toBeLessThanOrEqual(600);
});

test('reorg-twin: the same request in another transaction', async () => {
  const { figures, rows, oldest } = await incidentOf('reorg-twin');
  const twin = rows.find((row) => row.request_tx_hash === figures.twin_tx_hash) as Row;
  const same = (row: Row) => [row.sequence, row.provider, row.sender, row.user_random_number];
  expect(same(twin)).toEqual(same(oldest));
  expect([twin.state.state, figures.sequence]).toEqual(['completed', oldest.sequence]);
  const found = await harness.list('main', `query=${oldest.sequence}&network_id=${oldest.network_id}`);
  expect(found.requests.filter(({ provider }) => provider === oldest.provider)).toEqual([twin, oldest]);
});

test('silence: 40 minutes without a row, hundreds in 24 hours', async () => {
  const { figures, rows } = await incidentOf('silence');
  const silentMs = NOW - Date.parse(rows[0]?.created_at ?? '');
  expect(figures).toEqual({
    silentMs,
    rows_24h: rows.length,
    expectedEveryMs: Math.round(DAY / rows.length),
  });
  expect(silentMs).toBeGreaterThan(39.9 * 60_000);
  expect(rows.length).toBeGreaterThan(400);
});

test.each([
  ['gas-unusual', '20000000'],
  ['gas-over-maximum', '700000000'],
])('%s: a limit of %s', async (name, limit) => {
  const { figures, oldest } = await incidentOf(name);
  expect([oldest.gas_limit, String(figures.gas_limit)]).toEqual([limit, limit]);
});

test('late-recovery: six late ones in one minute of the clock', async () => {
  const { figures, rows, oldest } = await incidentOf('late-recovery');
  const near = rows.filter(
    (row) => Math.abs(Date.parse(row.created_at) - Date.parse(oldest.created_at)) < 900_000,
  );
  expect(lateRecoveries(near)).toEqual([{ minute: String(figures.minute).slice(0, 16), count: 6 }]);
  expect(figures.recovered).toBe(6);
});

test('batch: the transaction is found with its six rows, four of them done', async () => {
  const { incident, figures, oldest } = await incidentOf('batch');
  expect(figures).toEqual({ request_tx_hash: oldest.request_tx_hash, done: 4, of: 6 });
  const { requests } = await harness.list(incident.keeper, `query=${oldest.request_tx_hash}`);
  expect([requests.length, requests.filter(isPending).length]).toEqual([6, 2]);
});
