import { keccak_256 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import networks from '@/data/networks.json';
import { identityOf, LogHarness, NOW, RECORDS, type Row, stateValue } from './log-harness';
import type { Keeper } from './networks';

let harness: LogHarness;
let everything: Record<Keeper, Row[]>;
beforeAll(async () => {
  harness = await LogHarness.start();
  everything = { main: await harness.all('main'), test: await harness.all('test') };
});
afterAll(() => harness.sandbox.close());

describe('the list', () => {
  test('paging shows every row exactly once, newest first', () => {
    expect(everything.main.length + everything.test.length).toBe(RECORDS);
    for (const rows of Object.values(everything)) {
      expect(new Set(rows.map(identityOf)).size).toBe(rows.length);
      const times = rows.map((row) => Date.parse(row.created_at));
      expect(times).toEqual([...times].sort((a, b) => b - a));
    }
  });

  test('each keeper has its own networks, with true ids', () => {
    for (const [keeper, isTest] of [
      ['main', false],
      ['test', true],
    ] as const) {
      for (const row of everything[keeper]) {
        const fact = networks.find((one) => one.network_id === row.network_id);
        expect([fact?.slug, fact?.testnet]).toEqual([row.chain_id, isTest]);
      }
    }
    const found = new Set([...everything.main, ...everything.test].map((row) => row.network_id));
    expect(found.size).toBeGreaterThanOrEqual(14);
  });

  test('members stand in the order of the contract and have its types', () => {
    for (const row of everything.main) {
      expect(Object.keys(row)).toEqual([
        'chain_id',
        'network_id',
        'created_at',
        'last_updated_at',
        'gas_limit',
        'provider',
        'sender',
        'request_block_number',
        'request_tx_hash',
        'sequence',
        'state',
        'user_random_number',
      ]);
      expect(row.network_id).toMatch(/^\d+$/);
      expect(row.gas_limit).toMatch(/^\d+$/);
      expect(row.provider).toMatch(/^0x[0-9a-f]{40}$/);
      expect(row.sender).toMatch(/^0x[0-9a-f]{40}$/);
      expect(row.request_tx_hash).toMatch(/^0x[0-9a-f]{64}$/);
      expect(row.user_random_number).toMatch(/^[0-9a-f]{64}$/);
      expect(Number.isSafeInteger(row.sequence) && Number.isSafeInteger(row.request_block_number)).toBe(true);
      expect(Date.parse(row.last_updated_at)).toBeLessThanOrEqual(NOW);
    }
  });

  test('states have their members, and completed ones verify', () => {
    for (const { state, user_random_number, request_block_number, gas_limit } of everything.main) {
      if (state.state === 'pending') expect(Object.keys(state)).toEqual(['state']);
      if (state.state !== 'completed') continue;
      const bytes = Buffer.from(
        `${user_random_number}${state.provider_random_number}${'00'.repeat(32)}`,
        'hex',
      );
      expect(state.combined_random_number).toBe(Buffer.from(keccak_256(bytes)).toString('hex'));
      expect(state.reveal_block_number).toBeGreaterThan(request_block_number);
      expect(Number(state.callback_gas_used)).toBeLessThanOrEqual(Number(gas_limit));
      expect(state.callback_return_value).toMatch(/^0x([0-9a-f]{2}){0,256}$/);
    }
    const failed = [...everything.main, ...everything.test].filter(({ state }) => state.state === 'failed');
    expect(failed.length).toBeGreaterThan(0);
    for (const { state } of failed) expect(typeof state.reason).toBe('string');
  });
});

describe('filters', () => {
  const parameters = fc.record({
    keeper: fc.constantFrom<Keeper>('main', 'test'),
    row: fc.nat({ max: 10_000 }),
    use: fc.record({ network: fc.boolean(), state: fc.boolean(), min: fc.boolean(), max: fc.boolean() }),
    search: fc.constantFrom('none', 'none', 'sender', 'sequence', 'request', 'reveal'),
    other: fc.nat({ max: 10_000 }),
    offset: fc.nat({ max: 30 }),
    limit: fc.integer({ min: 1, max: 40 }),
  });

  test('agree with a count by hand over all rows', async () => {
    await fc.assert(
      fc.asyncProperty(parameters, async ({ keeper, row, use, search, other, offset, limit }) => {
        const rows = everything[keeper];
        const sample = rows[row % rows.length];
        const second = rows[other % rows.length];
        if (!sample || !second) return;
        const query = new URLSearchParams({ offset: `${offset}`, limit: `${limit}` });
        const tests: ((one: Row) => boolean)[] = [];
        const add = (name: string, value: string, holds: (one: Row) => boolean) => {
          query.set(name, value);
          tests.push(holds);
        };
        if (use.network) {
          add('network_id', sample.network_id, (one) => one.network_id === sample.network_id);
        }
        if (use.state) add('state', stateValue(second), (one) => stateValue(one) === stateValue(second));
        if (use.min) add('min_timestamp', second.created_at, (one) => one.created_at >= second.created_at);
        if (use.max) add('max_timestamp', sample.created_at, (one) => one.created_at <= sample.created_at);
        const reveal = sample.state.reveal_tx_hash;
        if (search === 'sender') add('query', sample.sender, (one) => one.sender === sample.sender);
        if (search === 'sequence') {
          add('query', `${sample.sequence}`, (one) => one.sequence === sample.sequence);
        }
        if (search === 'request') {
          add('query', sample.request_tx_hash, (one) => one.request_tx_hash === sample.request_tx_hash);
        }
        if (search === 'reveal' && typeof reveal === 'string') {
          add('query', reveal, (one) => one.state.reveal_tx_hash === reveal);
        }
        const wanted = rows.filter((one) => tests.every((holds) => holds(one)));
        const { requests, total_results } = await harness.list(keeper, `${query}`);
        expect(total_results).toBe(wanted.length);
        expect(requests).toEqual(wanted.slice(offset, offset + limit));
      }),
      { numRuns: 150 },
    );
  });

  test('times are taken with an offset, without a zone, and finer than milliseconds', async () => {
    const row = everything.main[100] as Row;
    const at = Date.parse(row.created_at);
    const shifted = `${new Date(at + 7_200_000).toISOString().slice(0, -1)}+02:00`;
    for (const time of [row.created_at.slice(0, -1), shifted]) {
      const query = `max_timestamp=${encodeURIComponent(time)}&limit=1`;
      expect((await harness.list('main', query)).requests[0]?.created_at).toBe(row.created_at);
    }
    const finer = row.created_at.replace('Z', '000001Z');
    const after = await harness.list('main', `min_timestamp=${finer}`);
    expect(after.requests.every((one) => one.created_at > row.created_at)).toBe(true);
  });
});
