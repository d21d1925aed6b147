import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LogHarness, NOW, type Row } from '@/sandbox/logs/log-harness';
import type { Keeper } from '@/sandbox/logs/networks';
import { SCENARIO_NAMES } from './catalogue';

/** Seed, rows of the past, and time of the start. */
const WORLDS = [
  { seed: 11, records: 1500, nowMs: NOW },
  { seed: 2, records: 40_000, nowMs: Date.UTC(2026, 10, 20, 15, 0, 30) },
  { seed: 987_654_321, records: 0, nowMs: Date.UTC(2027, 2, 1, 3, 59, 59, 999) },
];

type Incident = {
  rule: string;
  keeper: Keeper;
  network_id: string;
  pending: number;
  senders: number;
  since: string;
  requests: { sequence: number; request_tx_hash: string }[];
};
type Report = { name: string; keeper?: string; networks: string[]; rows: number; incidents: Incident[] };

/** Rule, stuck requests and senders of each incident; lib/pending judges the rows. */
const MADE: [string, ...[string, number, number][]][] = [
  ['healthy'],
  ['slow', ['R2', 3, 3]],
  ['retry-end', ['R3', 3, 3]],
  ['gave-up', ['R4', 3, 3]],
  ['reorg-twin', ['R5', 1, 1]],
  ['rpc-outage', ['R6', 41, 12]],
  ['bad-contract', ['R7', 9, 1]],
  ['overtaken', ['R8', 1, 1]],
  ['silence', ['R9', 3, 3]],
  ['backlog', ['R10', 2, 2]],
  ['gas-unusual', ['R11', 1, 1]],
  ['gas-over-maximum', ['R11', 1, 1]],
  ['gap', ['R12', 1, 1]],
  ['one-replica', ['R13', 11, 11]],
  ['late-recovery', ['R14', 2, 2]],
  ['batch', ['R15', 2, 1]],
  ['mixed-outage-and-contract', ['R6', 41, 12], ['R7', 9, 1]],
  ['mixed-twin-and-silence', ['R5', 1, 1], ['R9', 3, 3]],
];

describe.each(WORLDS)('seed $seed with $records rows', ({ seed, records, nowMs }) => {
  let harness: LogHarness;
  beforeAll(async () => {
    harness = await LogHarness.start(seed, records, nowMs);
  });
  afterAll(() => harness.sandbox.close());

  const set = async (name: string) => (await harness.control('POST', '/scenario', { name })) as Report;
  /** Pending rows of both keepers in the last day, oldest first. */
  const pendingRows = async () => {
    const filter = `state=Pending&min_timestamp=${new Date(nowMs - 86_400_000).toISOString()}`;
    const rows = [...(await harness.all('main', filter)), ...(await harness.all('test', filter))];
    return rows.sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
  };
  const keyOf = ({ request_tx_hash, sequence }: Pick<Row, 'request_tx_hash' | 'sequence'>) =>
    `${request_tx_hash}/${sequence}`;

  test.each(MADE)(
    '%s: what it names is pending, and nothing else for over a minute',
    async (name, ...made) => {
      const report = await set(name);
      expect(report).toMatchObject({ name, rows: made.reduce((sum, [, pending]) => sum + pending, 0) });
      expect(new Set(report.networks).size).toBe(made.length);
      const pending = await pendingRows();
      for (const [place, [rule, count, senders]] of made.entries()) {
        const incident = report.incidents[place] as Incident;
        expect(incident).toMatchObject({ rule, pending: count, senders });
        const requests = incident.requests.map(keyOf);
        const rows = pending.filter((row) => requests.includes(keyOf(row)));
        expect(rows.map(keyOf)).toEqual(requests);
        expect(rows.map(({ created_at }) => created_at)[0]).toBe(incident.since);
      }
      const named = report.incidents.flatMap(({ requests }) => requests.map(keyOf));
      for (const row of pending.filter((one) => !named.includes(keyOf(one)))) {
        expect(nowMs - Date.parse(row.created_at)).toBeLessThan(60_000);
      }
    },
  );

  test('flood: 10,000 on 14 networks of both keepers', async () => {
    const report = await set('flood');
    expect(report).toMatchObject({ rows: 10_000, keeper: 'both' });
    const flooded = (await pendingRows()).filter(({ network_id }) => report.networks.includes(network_id));
    expect([flooded.length, new Set(flooded.map((row) => row.network_id)).size]).toEqual([10_000, 14]);
  });
});

test('GET /control lists every scenario with what it shows', async () => {
  const harness = await LogHarness.start(1, 0);
  const { scenarios } = (await harness.control('GET', '')) as {
    scenarios: { name: string; shows: string }[];
  };
  expect(scenarios.map(({ name }) => name)).toEqual(SCENARIO_NAMES);
  expect(scenarios.every(({ shows }) => shows.length > 10)).toBe(true);
  await expect(harness.control('POST', '/scenario', { name: 'earthquake' })).rejects.toThrow(/healthy.*slow/);
  await harness.sandbox.close();
});
