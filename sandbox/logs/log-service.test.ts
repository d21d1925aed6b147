import { keccak_256 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import networks from '@/data/networks.json';
import { startSandbox } from '@/sandbox/start';
import { identityOf, type List, LogHarness, NOW, RECORDS, type Row, stateValue } from './log-harness';
import type { Keeper } from './networks';

const UNPARSABLE = 'The query string is not parsable to a transaction hash, address, or sequence number';

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
    for (const keeper of ['main', 'test'] as const) {
      for (const row of everything[keeper]) {
        const fact = networks.find((network) => network.network_id === row.network_id);
        expect([fact?.slug, fact?.testnet]).toEqual([row.chain_id, keeper === 'test']);
      }
    }
    const networkIds = new Set([...everything.main, ...everything.test].map((row) => row.network_id));
    expect(networkIds.size).toBeGreaterThanOrEqual(14);
  });

  test('states have their members, and completed ones can be verified', () => {
    for (const { state, user_random_number, request_block_number, gas_limit } of everything.main) {
      if (state.state === 'pending') expect(Object.keys(state)).toEqual(['state']);
      if (state.state !== 'completed') continue;
      const hex = `${user_random_number}${state.provider_random_number}${'00'.repeat(32)}`;
      const number = Buffer.from(keccak_256(Buffer.from(hex, 'hex'))).toString('hex');
      expect(state.combined_random_number).toBe(number);
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
        const tests: ((row: Row) => boolean)[] = [];
        const add = (name: string, value: string, holds: (row: Row) => boolean) => {
          query.set(name, value);
          tests.push(holds);
        };
        if (use.network) add('network_id', sample.network_id, (row) => row.network_id === sample.network_id);
        if (use.state) add('state', stateValue(second), (row) => stateValue(row) === stateValue(second));
        if (use.min) add('min_timestamp', second.created_at, (row) => row.created_at >= second.created_at);
        if (use.max) add('max_timestamp', sample.created_at, (row) => row.created_at <= sample.created_at);
        const reveal = sample.state.reveal_tx_hash;
        if (search === 'sender') add('query', sample.sender, (row) => row.sender === sample.sender);
        const { sequence, request_tx_hash: hash } = sample;
        if (search === 'sequence') add('query', `${sequence}`, (row) => row.sequence === sequence);
        if (search === 'request') add('query', hash, (row) => row.request_tx_hash === hash);
        if (search === 'reveal' && typeof reveal === 'string')
          add('query', reveal, (row) => row.state.reveal_tx_hash === reveal);
        const wanted = rows.filter((row) => tests.every((holds) => holds(row)));
        const { requests, total_results } = await harness.list(keeper, `${query}`);
        expect(total_results).toBe(wanted.length);
        expect(requests).toEqual(wanted.slice(offset, offset + limit));
      }),
      { numRuns: 150 },
    );
  });

  test('times are accepted with an offset, without a zone, and finer than milliseconds', async () => {
    const row = everything.main[100] as Row;
    const at = Date.parse(row.created_at);
    const shifted = `${new Date(at + 7_200_000).toISOString().slice(0, -1)}+02:00`;
    for (const time of [row.created_at.slice(0, -1), shifted]) {
      const query = `max_timestamp=${encodeURIComponent(time)}&limit=1`;
      expect((await harness.list('main', query)).requests[0]?.created_at).toBe(row.created_at);
    }
    const finer = row.created_at.replace('Z', '000001Z');
    const after = await harness.list('main', `min_timestamp=${finer}`);
    expect(after.requests.every((request) => request.created_at > row.created_at)).toBe(true);
  });
});

describe('refusals are plain text', () => {
  test.each([
    ['query=hello', UNPARSABLE],
    ['query=18446744073709551616', UNPARSABLE],
    ['network_id=1', 'The chain id is not supported'],
    ['network_id=base', /network_id: invalid digit/],
    ['state=pending', /state: .*"CallbackErrored"/],
    ['limit=0', /limit must be from 1 to 1000/],
    ['limit=99999999999999999999', /limit: number too large/],
    ['offset=1e3', /offset: invalid digit/],
    ['min_timestamp=yesterday', /min_timestamp: /],
    ['max_timestamp=2026-02-30T00:00:00Z', /max_timestamp: /],
    ['limit=1&limit=2', /duplicate field `limit`/],
  ])('%s', async (query, text) => {
    const response = await harness.get('main', `/v1/logs?${query}`);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const body = await response.text();
    if (typeof text === 'string') expect(body).toBe(text);
    else expect(body).toMatch(text);
  });

  test('a call without the key gets 401', async () => {
    for (const path of ['/v1/logs', '/v1/chains', '/v1/chains/configs']) {
      const response = await harness.get('test', path, { authorization: '' });
      expect(response.status).toBe(401);
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    }
  });
});

test('chains and their configs belong to the keeper', async () => {
  const names = (await (await harness.get('test', '/v1/chains')).json()) as string[];
  expect(new Set(names)).toEqual(new Set(everything.test.map((row) => row.chain_id)));
  type Config = Record<string, unknown>;
  const configs = (await (await harness.get('test', '/v1/chains/configs')).json()) as Config[];
  expect(configs.map(({ name }) => name)).toEqual(names);
  for (const config of configs) {
    const members = 'name network_id contract_addr reveal_delay_blocks gas_limit default_fee';
    expect(Object.keys(config).join(' ')).toBe(members);
    const fact = networks.find((network) => network.slug === config.name);
    expect([config.network_id, config.contract_addr]).toEqual([fact?.network_id, fact?.contract]);
  }
});

test('in the other dialect network id and gas limit are bare integers, and nothing else changes', async () => {
  const before = await (await harness.get('main', '/v1/logs?limit=300')).text();
  await harness.control('POST', '/dialect', { logs: 'number' });
  const after = await (await harness.get('main', '/v1/logs?limit=300')).text();
  await harness.control('POST', '/dialect', { logs: 'text' });
  expect(before).toMatch(/"network_id":"\d+"/);
  expect(after).toMatch(/"network_id":\d+,/);
  expect(after).toMatch(/"gas_used":"\d+"/);
  expect(after).toBe(before.replace(/"(network_id|gas_limit)":"(\d+)"/g, '"$1":$2'));
});

test('odd rows stand in front of the list, byte for byte, and count', async () => {
  const rows = ['{"sequence": 18446744073709551615 , "state":{"state":"dreaming"}}', '"<b>"', '7'];
  await harness.control('POST', '/rows', { keeper: 'main', rows });
  const first = await (await harness.get('main', '/v1/logs?limit=2')).text();
  expect(first).toBe(`{"requests":[${rows[0]},${rows[1]}],"total_results":${everything.main.length + 3}}`);
  const second = JSON.parse(await (await harness.get('main', '/v1/logs?limit=2&offset=2')).text()) as List;
  expect(second.requests).toEqual([7, everything.main[0]]);
  await harness.control('DELETE', '/rows');
  expect((await harness.list('main', 'limit=1')).total_results).toBe(everything.main.length);
});

test('a taken port is replaced by a free one', async () => {
  const usedPort = Number(new URL(harness.sandbox.origin).port);
  const second = await startSandbox({ port: usedPort, seed: 1, records: 10, now: () => NOW });
  expect(second.origin).not.toBe(harness.sandbox.origin);
  expect((await fetch(second.addresses.control)).status).toBe(200);
  await second.close();
  await expect(fetch(second.addresses.control)).rejects.toThrow();
});

test('closing does not wait for a request that hangs', async () => {
  const sandbox = await startSandbox({ port: 0, seed: 1, records: 10, now: () => NOW });
  await fetch(`${sandbox.addresses.control}/faults`, {
    method: 'POST',
    body: JSON.stringify({ service: 'logs:main', fault: { kind: 'hang' } }),
    headers: { 'content-type': 'application/json' },
  });
  const hanging = fetch(`${sandbox.addresses.logs.main}/v1/logs`).catch(() => 'cut');
  const calls = async () =>
    ((await (await fetch(`${sandbox.addresses.control}/calls`)).json()) as { total: number }).total;
  while ((await calls()) === 0);
  await sandbox.close();
  expect(await hanging).toBe('cut');
});
