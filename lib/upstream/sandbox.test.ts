import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ServiceName } from '@/lib/core/outcome';
import { type RunningSandbox, SANDBOX_KEY, startSandbox } from '@/sandbox/start';
import { createHttpService, type HttpService } from './http-service';
import { createPriceRouterClient } from './price-router';
import { createPriceUpdatesClient } from './price-updates';
import { createRequestLogClient } from './request-log';

let sandbox: RunningSandbox;
const services: HttpService[] = [];

beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, seed: 1, records: 2000 });
});

beforeEach(async () => {
  await control('POST', '/reset');
});

afterAll(async () => {
  await Promise.all(services.map((http) => http.close()));
  await sandbox.close();
});

async function control(method: string, path: string, body: unknown = {}): Promise<{ total: number }> {
  const init = method === 'GET' ? {} : { body: JSON.stringify(body) };
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(sandbox.addresses.control + path, { method, headers, ...init });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

function serviceAt(service: ServiceName, baseUrl: string, key = SANDBOX_KEY): HttpService {
  const http = createHttpService({
    service,
    label: service,
    baseUrl,
    apiKey: () => key,
    callsPerSecond: 100,
  });
  services.push(http);
  return http;
}

const logsAt = (keeper: 'main' | 'test' = 'main') => {
  const http = serviceAt('logs', sandbox.addresses.logs[keeper]);
  return { http, client: createRequestLogClient(http) };
};

describe('the log client', () => {
  test.each(['text', 'number'])(
    "gives the contract's page when the service writes integers as %s",
    async (dialect) => {
      await control('POST', '/dialect', { logs: dialect });
      const text = await logsAt().client.logsText('limit=100', 'user');
      if (!text.ok) throw new Error(text.failure.detail);
      const { requests } = JSON.parse(text.value);
      expect(requests).toHaveLength(100);
      for (const row of requests)
        expect([typeof row.network_id, typeof row.gas_limit]).toEqual(['string', 'string']);
    },
  );

  test('gives the same text in both dialects', async () => {
    await control('POST', '/clock', { stopped: true });
    const texts: unknown[] = [];
    for (const logs of ['text', 'number']) {
      await control('POST', '/dialect', { logs });
      texts.push(await logsAt().client.logsText('limit=1000', 'user'));
      texts.push(await logsAt('test').client.logsText('limit=1000', 'user'));
    }
    expect(texts[0]).toMatchObject({ ok: true, value: expect.stringMatching(/"network_id":"\d/) });
    expect(texts.slice(2)).toEqual(texts.slice(0, 2));
  });

  test('reads every row of both keepers', async () => {
    for (const keeper of ['main', 'test'] as const) {
      const page = await logsAt(keeper).client.logs('limit=1000', 'user');
      if (!page.ok) throw new Error(page.failure.detail);
      expect(page.value.rows.filter((row) => row.kind === 'unreadable')).toEqual([]);
    }
  });

  test('keeps an unreadable row among the others, and how its numbers were written', async () => {
    const odd = '{"network_id":7,"gas_limit":1e3,"sequence":null}';
    await control('POST', '/rows', { keeper: 'main', rows: [odd] });
    await control('POST', '/dialect', { logs: 'number' });
    const text = await logsAt().client.logsText('limit=50', 'user');
    expect(text).toMatchObject({ ok: true, value: expect.stringContaining(odd) });
  });

  test('shows the reason of a refusal', async () => {
    expect(await logsAt().client.logsText('query=zzz', 'user')).toMatchObject({
      failure: {
        kind: 'rejected',
        detail: 'The query string is not parsable to a transaction hash, address, or sequence number',
      },
    });
  });
});

describe('the faults', () => {
  test.each([
    [{ kind: 'status', status: 503 }, 'failing', 2],
    [{ kind: 'status', status: 401 }, 'unauthorized', 1],
    [{ kind: 'status', status: 429 }, 'rate-limited', 1],
    [{ kind: 'status', status: 404, body: 'nothing here' }, 'missing', 2],
    [{ kind: 'html' }, 'malformed', 2],
    [{ kind: 'redirect', to: '/logs/test/v1/logs' }, 'malformed', 2],
    [{ kind: 'truncate' }, 'malformed', 2],
    [{ kind: 'body', body: '' }, 'malformed', 2],
    [{ kind: 'body', body: 'null' }, 'malformed', 2],
    [{ kind: 'body', body: '[]' }, 'malformed', 2],
  ])('%j is a failure of the kind %s, and two callers make %i calls', async (fault, kind, calls) => {
    const { client } = logsAt();
    await control('POST', '/faults', { service: 'logs:main', fault });
    for (const query of ['limit=1', 'limit=2']) {
      const outcome = await client.logsText(query, 'user');
      expect(outcome).toMatchObject({ ok: false, failure: { kind, service: 'logs' } });
      expect(JSON.stringify(outcome)).not.toMatch(/<|sandbox-key/);
    }
    expect((await control('GET', '/calls?service=logs:main')).total).toBe(calls);
    expect((await control('GET', '/calls?service=logs:test')).total).toBe(0);
  });

  test('a connection dropped once is not seen when it had been used before', async () => {
    const { client } = logsAt();
    await client.logsText('limit=1', 'user');
    await control('POST', '/faults', { service: 'logs:main', fault: { kind: 'drop' }, count: 1 });
    expect(await client.logsText('limit=2', 'user')).toMatchObject({ ok: true });
  });

  test('a service that drops every connection is unreachable after one more try at most', async () => {
    const { client } = logsAt();
    await client.logsText('limit=1', 'user');
    await control('POST', '/faults', { service: 'logs:main', fault: { kind: 'drop' } });
    expect(await client.logsText('limit=2', 'user')).toMatchObject({ failure: { kind: 'unreachable' } });
    expect((await control('GET', '/calls?service=logs:main')).total).toBe(3);
  });
});

describe('the price clients', () => {
  test('read every route of both hosts', async () => {
    for (const host of ['updates', 'upgraded'] as const) {
      const client = createPriceUpdatesClient(serviceAt(host, sandbox.addresses[host]));
      const directory = await client.directory('', 'user');
      if (!directory.ok) throw new Error(directory.failure.detail);
      const id = directory.value.entries.find((entry) => entry.symbol === 'Crypto.BTC/USD')?.id;
      const latest = await client.latest(`ids[]=0x${id}`, 'user');
      if (!latest.ok) throw new Error(latest.failure.detail);
      const [update] = latest.value.updates;
      expect(update?.id).toBe(id);
      const then = String(Number(update?.publishTime) - 60);
      expect(await client.atTime(then, `ids[]=${id}&parsed=true`, 'user')).toMatchObject({ ok: true });
      const deprecated = await client.deprecated(`id=${id}&publish_time=${then}&binary=true`, 'user');
      expect(deprecated).toMatchObject({ ok: true, value: { vaa: expect.any(String) } });
    }
  });

  test('say why an id is not found', async () => {
    const client = createPriceUpdatesClient(serviceAt('updates', sandbox.addresses.updates));
    const unknown = 'ab'.repeat(32);
    const failure = { kind: 'missing', detail: expect.stringContaining(`Price ids not found: `) };
    expect(await client.latestText(`ids[]=${unknown}`, 'user')).toMatchObject({ failure });
    expect(await client.openStream(`ids[]=${unknown}`, new AbortController().signal)).toMatchObject({
      failure,
    });
  });

  test('say that the key is wrong, and ask no second time', async () => {
    const client = createPriceUpdatesClient(serviceAt('updates', sandbox.addresses.updates, 'wrong-key'));
    expect(await client.latestText(`ids[]=${'ab'.repeat(32)}`, 'user')).toMatchObject({
      failure: { kind: 'unauthorized' },
    });
    expect(await client.directoryText('', 'user')).toMatchObject({ failure: { kind: 'unauthorized' } });
    expect((await control('GET', '/calls?service=updates')).total).toBe(1);
  });

  test('open a stream and close it', async () => {
    const client = createPriceUpdatesClient(serviceAt('updates', sandbox.addresses.updates));
    const directory = await client.directory('', 'user');
    const id = directory.ok ? directory.value.entries[0]?.id : undefined;
    const stream = await client.openStream(`ids[]=${id}`, new AbortController().signal);
    if (!stream.ok) throw new Error(stream.failure.detail);
    for await (const piece of stream.value.body) {
      expect(Buffer.from(piece).toString()).toMatch(/^(:|data:)/);
      break;
    }
    stream.value.close();
  });
});

describe('the router client', () => {
  test('reads symbols without a key and prices with one', async () => {
    const open = serviceAt('router', sandbox.addresses.router, '');
    const client = createPriceRouterClient(serviceAt('router', sandbox.addresses.router), open);
    const symbols = await client.symbols('', 'user');
    if (!symbols.ok) throw new Error(symbols.failure.detail);
    const btc = symbols.value.symbols.find((one) => one.symbol === 'Crypto.BTC/USD');
    const asked = `"channel":"${btc?.minChannel}","priceFeedIds":[${btc?.routerId}],"properties":["price","exponent"]`;
    const latest = await client.latestPrice(`{${asked},"formats":["evm"]}`, 'user');
    expect(latest).toMatchObject({ ok: true, value: { prices: [{}], payloads: [{ format: 'evm' }] } });
    const timestamp = latest.ok ? latest.value.timestampUs : '';
    expect(await client.price(`{${asked},"formats":[],"timestamp":${timestamp}}`, 'user')).toMatchObject({
      ok: true,
    });
  });
});
