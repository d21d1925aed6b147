import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import networks from '@/data/networks.json';
import { startSandbox } from '@/sandbox/start';
import { type List, LogHarness, NOW, type Row } from './log-harness';
import type { Keeper } from './networks';

const UNPARSABLE = 'The query string is not parsable to a transaction hash, address, or sequence number';

let harness: LogHarness;
let everything: Record<Keeper, Row[]>;
beforeAll(async () => {
  harness = await LogHarness.start();
  everything = { main: await harness.all('main'), test: await harness.all('test') };
});
afterAll(() => harness.sandbox.close());

describe('refusals are plain text', () => {
  test.each([
    ['query=hello', UNPARSABLE],
    ['query=', UNPARSABLE],
    ['query=0x1234', UNPARSABLE],
    ['query=-1', UNPARSABLE],
    ['query=18446744073709551616', UNPARSABLE],
    ['network_id=1', 'The chain id is not supported'],
    ['network_id=84532', 'The chain id is not supported'],
    ['network_id=9007199254740993', 'The chain id is not supported'],
    ['network_id=-1', /network_id: invalid digit/],
    ['network_id=base', /network_id: invalid digit/],
    ['network_id=', /network_id: cannot parse integer from empty string/],
    ['state=pending', /state: unknown variant `pending`.*`CallbackErrored`/],
    ['state=constructor', /unknown variant/],
    ['limit=0', /limit must be from 1 to 1000/],
    ['limit=1001', /limit must be from 1 to 1000/],
    ['limit=1.5', /limit: invalid digit/],
    ['limit=99999999999999999999', /limit: number too large/],
    ['offset=-1', /offset: invalid digit/],
    ['offset=1e3', /offset: invalid digit/],
    ['min_timestamp=yesterday', /min_timestamp: /],
    ['max_timestamp=2026-02-30T00:00:00Z', /max_timestamp: /],
    ['max_timestamp=', /max_timestamp: /],
    ['limit=1&limit=2', /duplicate field `limit`/],
  ])('%s', async (query, text) => {
    const response = await harness.get('main', `/v1/logs?${query}`);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const said = await response.text();
    if (typeof text === 'string') expect(said).toBe(text);
    else expect(said).toMatch(text);
  });

  test('without the key 401', async () => {
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
  const configs = (await (await harness.get('test', '/v1/chains/configs')).json()) as Record<
    string,
    unknown
  >[];
  expect(configs.map(({ name }) => name)).toEqual(names);
  for (const config of configs) {
    expect(Object.keys(config)).toEqual([
      'name',
      'network_id',
      'contract_addr',
      'reveal_delay_blocks',
      'gas_limit',
      'default_fee',
    ]);
    const fact = networks.find((one) => one.slug === config.name);
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
  const taken = Number(new URL(harness.sandbox.origin).port);
  const second = await startSandbox({ port: taken, seed: 1, records: 10, now: () => NOW });
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
