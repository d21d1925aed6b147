import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LogHarness, NOW, type Row } from '@/sandbox/logs/log-harness';
import { SCENARIO_NAMES } from './catalogue';
import { lastDay, type Report, Rules, setScenario } from './rules-harness';

/** Seed, rows of the past, and time of the start. */
const WORLDS = [
  { seed: 11, records: 1500, nowMs: NOW },
  { seed: 2, records: 40_000, nowMs: Date.UTC(2026, 10, 20, 15, 0, 30) },
  { seed: 987_654_321, records: 0, nowMs: Date.UTC(2027, 2, 1, 3, 59, 59, 999) },
];

const SINGLE = [
  ['slow', 'R2', 3, 3],
  ['retry-end', 'R3', 3, 3],
  ['gave-up', 'R4', 3, 3],
  ['reorg-twin', 'R5', 1, 1],
  ['rpc-outage', 'R6', 41, 12],
  ['bad-contract', 'R7', 9, 1],
  ['overtaken', 'R8', 1, 1],
  ['silence', 'R9', 3, 3],
  ['backlog', 'R10', 2, 2],
  ['gas-unusual', 'R11', 1, 1],
  ['gas-over-maximum', 'R11', 1, 1],
  ['gap', 'R12', 1, 1],
  ['one-replica', 'R13', 11, 11],
  ['late-recovery', 'R14', 2, 2],
  ['batch', 'R15', 2, 1],
] as const;

const AGE_RULES = ['R1', 'R2', 'R3', 'R4'];

describe.each(WORLDS)('seed $seed with $records rows', ({ seed, records, nowMs }) => {
  let harness: LogHarness;
  beforeAll(async () => {
    harness = await LogHarness.start(seed, records, nowMs);
  });
  afterAll(() => harness.sandbox.close());

  /** The rules of every pending row by its incident's rule; 'none' for those of no incident. */
  async function verdicts(report: Report): Promise<Map<string, string[][]>> {
    const rows = await lastDay(harness, nowMs);
    const rules = new Rules(rows, nowMs);
    const found = new Map<string, string[][]>();
    for (const row of rows.filter(({ state }) => state.state === 'pending')) {
      const incident = report.incidents.find((one) =>
        one.requests.some(({ request_tx_hash, sequence }) => {
          return request_tx_hash === row.request_tx_hash && sequence === row.sequence;
        }),
      );
      const key = incident?.rule ?? 'none';
      found.set(key, [...(found.get(key) ?? []), rules.of(row)]);
    }
    return found;
  }

  function expectOnly(found: string[][] | undefined, rule: string, count: number): void {
    expect(found?.length).toBe(count);
    for (const rules of found ?? []) {
      if (AGE_RULES.includes(rule)) expect(rules).toEqual([rule]);
      else expect([AGE_RULES.includes(rules[0] ?? ''), rules.slice(1)]).toEqual([true, [rule]]);
    }
  }

  test.each(SINGLE)('%s: %s holds for its requests, and nothing for others', async (...line) => {
    const [name, rule, pending, senders] = line;
    const report = await setScenario(harness, name);
    expect(report).toMatchObject({ name, rows: pending, incidents: [{ rule, pending, senders }] });
    const found = await verdicts(report);
    expectOnly(found.get(rule), rule, pending);
    for (const rules of found.get('none') ?? []) expect(rules).toEqual(['R1']);
  });

  test.each([
    { name: 'mixed-outage-and-contract', parts: { R6: 41, R7: 9 } },
    { name: 'mixed-twin-and-silence', parts: { R5: 1, R9: 3 } },
  ])('$name shows both, each on its network', async ({ name, parts }) => {
    const report = await setScenario(harness, name);
    expect(new Set(report.networks).size).toBe(2);
    const found = await verdicts(report);
    for (const [rule, pending] of Object.entries(parts)) expectOnly(found.get(rule), rule, pending);
    for (const rules of found.get('none') ?? []) expect(rules).toEqual(['R1']);
  });

  test('flood: 10,000 on 14 networks, each of them as a whole', async () => {
    const report = await setScenario(harness, 'flood');
    expect(report).toMatchObject({ rows: 10_000, keeper: 'both' });
    const pending: Row[] = [];
    for (const keeper of ['main', 'test'] as const) {
      pending.push(...(await harness.all(keeper, 'state=Pending')));
    }
    const flooded = pending.filter(({ network_id }) => report.networks.includes(network_id));
    expect([flooded.length, new Set(flooded.map((row) => row.network_id)).size]).toEqual([10_000, 14]);
    const rules = new Rules(await lastDay(harness, nowMs), nowMs);
    for (const network of report.networks) {
      const row = flooded.find((one) => one.network_id === network) as Row;
      expect(rules.of(row)).toContain('R6');
    }
  });
});

test('GET /control lists every scenario with what it shows', async () => {
  const harness = await LogHarness.start(1, 0);
  const { scenarios } = (await harness.control('GET', '')) as {
    scenarios: { name: string; shows: string }[];
  };
  expect(scenarios.map(({ name }) => name)).toEqual(SCENARIO_NAMES);
  expect(scenarios.every(({ shows }) => shows.length > 10)).toBe(true);
  await expect(setScenario(harness, 'earthquake')).rejects.toThrow(/healthy.*slow/);
  await harness.sandbox.close();
});
