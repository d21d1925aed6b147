import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { replaceSettings } from './current-settings';
import { readSettings } from './env';
import { openFrontDoor, takeRequests } from './front-door';
import { closeServices, startServices } from './services';

const LOGS = '{"requests":[],"total_results":0}';

let service: Server;
let dashboard: Server;
let called: string[] = [];

beforeEach(async () => {
  called = [];
  service = createServer((req, res) => {
    called.push(`${req.method} ${req.url}`);
    res.end(req.method === 'POST' ? '{"parsed":{}}' : LOGS);
  });
  dashboard = createServer((req, res) => res.end(`Next has ${req.url}`));
  dashboard.on('upgrade', () => {});
  takeRequests(dashboard);
  for (const server of [service, dashboard]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
  const origin = `http://127.0.0.1:${portOf(service)}`;
  const settings = readSettings({ LOGS_URL: origin, ROUTER_URL: origin, LOG_LEVEL: 'silent' });
  replaceSettings(settings);
  await startServices(settings);
});
afterEach(async () => {
  await closeServices();
  replaceSettings(undefined);
  service.close();
  dashboard.close();
});

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

type Answer = { status: number | undefined; headers: IncomingMessage['headers']; text: string };

function ask(
  path: string,
  method = 'GET',
  chunks: string[] = [],
  extra: Record<string, string> = {},
  server = dashboard,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { connection: 'close', ...extra };
    const sent = request(
      { host: '127.0.0.1', port: portOf(server), path, method, headers },
      async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode, headers: response.headers, text });
      },
    );
    sent.on('error', reject);
    for (const chunk of chunks) sent.write(chunk);
    sent.end();
  });
}

it('answers a route of the gateway itself', async () => {
  const answer = await ask('/api/logs/v1/logs?limit=1');
  expect(answer).toMatchObject({ status: 200, text: LOGS });
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'content-length': String(LOGS.length),
  });
  expect(called).toEqual(['GET /v1/logs?limit=1']);
});

it('leaves everything else to the listeners that were there', async () => {
  for (const path of ['/', '/api/health', '/api/logs', '/api/feeds/streams']) {
    expect((await ask(path)).text).toBe(`Next has ${path}`);
  }
  expect((await ask('/x/../api/logs/v1/logs')).text).toBe('Next has /api/%20');
  expect(called).toEqual([]);
});

it('answers a request that offers another protocol in this one', async () => {
  const offer = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' };
  expect((await ask('/api/logs/v1/logs', 'GET', [], offer)).text).toBe(LOGS);
});

it('finds the server behind a port by its first request, and no other', async () => {
  const others = [createServer((_, res) => res.end('other')), createServer((_, res) => res.end('Next'))];
  const [other = dashboard, next = dashboard] = others;
  for (const server of others) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  openFrontDoor(portOf(next));
  expect((await ask('/api/logs/v1/logs', 'GET', [], {}, other)).text).toBe('other');
  expect((await ask('/api/logs/v1/logs', 'GET', [], {}, next)).text).toBe(LOGS);
  expect((await ask('/', 'GET', [], {}, next)).text).toBe('Next');
  expect((await ask('/api/logs/v1/logs', 'GET', [], {}, other)).text).toBe('other');
  for (const server of others) server.close();
});

it('refuses as the gateway does, and takes a body in pieces', async () => {
  expect(JSON.parse((await ask('/api/logs/v1/logs?limit=x')).text)).toMatchObject({ kind: 'bad-request' });
  expect((await ask('/api/logs/v1/logs', 'DELETE')).headers.allow).toBe('GET, HEAD');
  expect(called).toEqual([]);
  expect((await ask('/api/router/v1/price', 'POST', ['{"timest', 'amp":1}'])).text).toBe('{"parsed":{}}');
});

it('answers a body without end once it is too large', async () => {
  const answer = await ask('/api/router/v1/latest_price', 'POST', Array(20).fill('x'.repeat(100_000)));
  expect(answer.status).toBe(400);
  expect(called).toEqual([]);
});

it('answers a HEAD without a body and without a call', async () => {
  const answer = await ask('/api/logs/v1/logs', 'HEAD');
  expect([answer.status, answer.text, called.length]).toEqual([200, '', 0]);
});

it('answers the streams of pages and programs itself', async () => {
  const refused = await ask('/api/feeds/stream?ids=00');
  expect(refused).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' } });
  expect(refused.text).toContain('event: refused');
  for (const host of ['updates', 'upgraded']) {
    const path = `/api/${host}/v2/updates/price/stream?ids[]=00`;
    expect(JSON.parse((await ask(path)).text)).toMatchObject({ kind: 'unconfigured' });
    expect((await ask(path, 'DELETE')).headers.allow).toBe('GET, HEAD');
  }
});

it('survives an error of ours with a bare 500', async () => {
  await closeServices();
  expect(await ask('/api/logs/v1/logs')).toMatchObject({ status: 500, text: '' });
  expect(await ask('/api/updates/v2/updates/price/stream')).toMatchObject({ status: 500, text: '' });
  expect((await ask('/')).status).toBe(200);
});

it('says behind TLS, on every answer, that there is no way without it', async () => {
  const behindTls = { 'x-forwarded-proto': 'https' };
  for (const path of ['/', '/api/logs/v1/logs?limit=1', '/api/logs/v1/logs?limit=x']) {
    const answer = await ask(path, 'GET', [], behindTls);
    expect([path, answer.headers['strict-transport-security']]).toEqual([path, 'max-age=15552000']);
    for (const proto of [undefined, 'http', 'http, https']) {
      const plain = await ask(path, 'GET', [], proto === undefined ? {} : { 'x-forwarded-proto': proto });
      expect([path, plain.headers['strict-transport-security']]).toEqual([path, undefined]);
    }
  }
});
