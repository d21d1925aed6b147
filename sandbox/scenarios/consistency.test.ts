import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { identityOf, type Row, stateValue } from '@/sandbox/logs/log-harness';
import type { Keeper } from '@/sandbox/logs/networks';
import { NOW, ScenarioHarness } from './rules-harness';

let harness: ScenarioHarness;
beforeAll(async () => {
  harness = await ScenarioHarness.start(11);
});
afterAll(() => harness.sandbox.close());

type Choice = {
  keeper: Keeper;
  row: number;
  other: number;
  use: { network: boolean; state: boolean; min: boolean; max: boolean };
  search: string;
};

const choices: fc.Arbitrary<Choice> = fc.record({
  keeper: fc.constantFrom<Keeper>('main', 'test'),
  row: fc.nat(),
  other: fc.nat(),
  use: fc.record({ network: fc.boolean(), state: fc.boolean(), min: fc.boolean(), max: fc.boolean() }),
  search: fc.constantFrom('none', 'sender', 'sequence', 'request', 'reveal'),
});

/** The parameters of a choice, and what they leave by hand. */
function asked(rows: readonly Row[], { row, other, use, search }: Choice) {
  // Every second sample is a stuck request or near one: those are few among the others.
  const recent = rows.filter(({ state }) => state.state === 'pending');
  const pool = row % 2 === 0 && recent.length > 0 ? recent : rows;
  const sample = pool[row % pool.length] as Row;
  const second = rows[other % rows.length] as Row;
  const query = new URLSearchParams();
  const tests: ((one: Row) => boolean)[] = [];
  const add = (name: string, value: string, holds: (one: Row) => boolean) => {
    query.set(name, value);
    tests.push(holds);
  };
  if (use.network) add('network_id', sample.network_id, (one) => one.network_id === sample.network_id);
  if (use.state) add('state', stateValue(sample), (one) => stateValue(one) === stateValue(sample));
  if (use.min) add('min_timestamp', second.created_at, (one) => one.created_at >= second.created_at);
  if (use.max) add('max_timestamp', sample.created_at, (one) => one.created_at <= sample.created_at);
  const reveal = second.state.reveal_tx_hash;
  if (search === 'sender') add('query', sample.sender, (one) => one.sender === sample.sender);
  if (search === 'sequence') add('query', `${sample.sequence}`, (one) => one.sequence === sample.sequence);
  if (search === 'request') {
    add('query', sample.request_tx_hash, (one) => one.request_tx_hash === sample.request_tx_hash);
  }
  if (search === 'reveal' && typeof reveal === 'string') {
    add('query', reveal, (one) => one.state.reveal_tx_hash === reveal);
  }
  return { query, wanted: rows.filter((one) => tests.every((holds) => holds(one))) };
}

describe.each(['mixed-twin-and-silence', 'batch', 'bad-contract'])('in %s', (name) => {
  const all: Record<Keeper, Row[]> = { main: [], test: [] };
  beforeAll(async () => {
    await harness.scenario(name);
    for (const keeper of ['main', 'test'] as const) all[keeper] = await harness.all(keeper);
  });

  test('every row is there once, newest first', () => {
    for (const rows of Object.values(all)) {
      expect(new Set(rows.map(identityOf)).size).toBe(rows.length);
      const times = rows.map((row) => Date.parse(row.created_at));
      expect(times).toEqual([...times].sort((a, b) => b - a));
      expect(times[0]).toBeLessThanOrEqual(NOW);
    }
  });

  test('every filter, count, offset and search agrees with a count by hand', async () => {
    const paging = fc.record({ offset: fc.nat({ max: 30 }), limit: fc.integer({ min: 1, max: 40 }) });
    await fc.assert(
      fc.asyncProperty(choices, paging, async (choice, { offset, limit }) => {
        const { query, wanted } = asked(all[choice.keeper], choice);
        const page = await harness.list(choice.keeper, `${query}&offset=${offset}&limit=${limit}`);
        expect(page.total_results).toBe(wanted.length);
        expect(page.requests).toEqual(wanted.slice(offset, offset + limit));
      }),
      { numRuns: 80 },
    );
  });

  test('the four states make up the whole', async () => {
    for (const keeper of ['main', 'test'] as const) {
      const totals = ['Pending', 'Failed', 'Completed', 'CallbackErrored'].map(
        async (state) => (await harness.list(keeper, `state=${state}&limit=1`)).total_results,
      );
      const sum = (await Promise.all(totals)).reduce((a, b) => a + b, 0);
      expect(sum).toBe(all[keeper].length);
    }
  });
});

test('a second scenario replaces the first, and reset gives back what was there', async () => {
  await harness.control('POST', '/reset', {});
  const before = await harness.all('main');
  await harness.scenario('flood');
  const second = await harness.scenario('gap');
  expect(second.incidents.length).toBe(1);
  const fresh = await ScenarioHarness.start(11);
  expect(await fresh.scenario('gap')).toEqual(second);
  expect(await harness.all('test')).toEqual(await fresh.all('test'));
  expect(await harness.all('main')).toEqual(await fresh.all('main'));
  await fresh.sandbox.close();
  await harness.control('POST', '/reset', {});
  expect(await harness.all('main')).toEqual(before);
});
