import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type RequestOptions, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { ADDRESS_HEADER, PEER_HEADER } from '@/lib/access/caller';
import { readSettings } from '@/lib/platform/settings';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import { gateRequest, HttpServer } from './http-server';

let server: Server | undefined;

/** @param text answer of the Next handler @param started until then requests wait */
async function serve(
  text: string,
  started: Promise<unknown> = Promise.resolve(),
  healthReady: Promise<unknown> = started,
): Promise<HttpServer> {
  replaceSettings(readSettings({ LOG_LEVEL: 'silent' }));
  const front = new HttpServer(started, healthReady);
  // The server of scripts/start.mjs.
  server = createServer({ maxHeaderSize: 160 * 1024 });
  front.open(server, ({ method, url }, response) => response.end(text || `${method} ${url}`));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await new Promise((resolve) => setImmediate(resolve));
  return front;
}
const port = () => ((server as Server).address() as AddressInfo).port;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  replaceSettings(undefined);
});

type Answer = { status: number | undefined; text: string; headers: Record<string, unknown> };

function send(path: string, options: RequestOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port: port(), path, agent: false, ...options },
      async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode, text, headers: response.headers });
      },
    );
    sent.on('error', reject);
    // The announced body is never sent.
    if (options.headers === undefined) sent.end();
    else sent.flushHeaders();
  });
}

it('hands a request to Next, with security headers on every page', async () => {
  await serve('');
  expect(await send('/requests?q=1')).toMatchObject({
    status: 200,
    text: 'GET /requests?q=1',
    headers: { 'x-content-type-options': 'nosniff', 'x-request-id': expect.any(String) },
  });
  expect((await send('//requests')).headers).toMatchObject({ 'x-frame-options': 'DENY' });
  expect(server?.requestTimeout).toBe(60_000);
});

it('refuses anything but reading a page, before its body has arrived', async () => {
  await serve('');
  const headers = { host: '127.0.0.1', 'content-length': '1000' };
  const post = (path: string, more = {}) => send(path, { method: 'POST', headers: { ...headers, ...more } });
  expect((await post('/requests')).status).toBe(405);
  expect((await post('/requests', { host: 'evil.example' })).status).toBe(421);
  expect((await post('/sign-in')).text).toBe('GET /sign-in');
});

it('keeps a query of thousands of parameters from Next', async () => {
  await serve('Next');
  expect((await send(`/api/view/requests?${'a&'.repeat(599)}`)).text).toBe('Next');
  expect((await send(`/requests?${'a&'.repeat(600)}`)).status).toBe(400);
});

it('accepts an address of 32,000 characters, and refuses a longer one as too long', async () => {
  await serve('Next');
  const ofLength = (length: number) => `/requests?q=${'a'.repeat(length - '/requests?q='.length)}`;
  expect((await send(ofLength(32_000))).text).toBe('Next');
  const tooLong = { kind: 'too-long', status: 414, detail: expect.stringContaining('32,000') };
  const page = await send(ofLength(32_001));
  expect([page.status, JSON.parse(page.text)]).toEqual([414, expect.objectContaining(tooLong)]);
  // Longer than Node itself accepts.
  const beyond = await send(ofLength(200_000));
  expect([beyond.status, JSON.parse(beyond.text)]).toEqual([414, expect.objectContaining(tooLong)]);
  expect(beyond.headers['content-type']).toBe('application/problem+json');
});

it('answers a request that offers a protocol upgrade without upgrading', async () => {
  await serve('Next');
  const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': '' };
  expect((await send('/requests', { headers: { host: '127.0.0.1', ...headers } })).text).toBe('Next');
});

it('delays requests until the start has ended, and answers health once another process is waited for', async () => {
  const start = new EventEmitter();
  await serve('Next', once(start, 'end'), once(start, 'wait'));
  const health = send('/api/health');
  expect(await Promise.race([health, pause(50, 'waits')])).toBe('waits');
  start.emit('wait');
  expect((await health).text).toBe('Next');
  let isAnswered = false;
  const page = send('/requests').then((answer) => {
    isAnswered = true;
    return answer;
  });
  await pause(50);
  expect(isAnswered).toBe(false);
  start.emit('end');
  expect((await page).text).toBe('Next');
});

it('does not cut off a client that is still reading when the process ends', async () => {
  // More than all buffers on the way.
  const bytes = 20_000_000;
  const front = await serve('a'.repeat(bytes));
  const caller = connect(port(), '127.0.0.1').pause();
  const idle = connect(port(), '127.0.0.1');
  const answered = once(server as Server, 'request');
  caller.write('GET /requests HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  await answered;
  const closed = new Promise<void>((resolve) => front.close(resolve));
  await pause(200);
  let read = 0;
  caller.on('data', (chunk) => {
    read += chunk.length;
  });
  caller.resume();
  await once(caller, 'close');
  idle.destroy();
  await closed;
  expect(read).toBeGreaterThan(bytes);
});

type Seen = Pick<IncomingMessage, 'url' | 'method' | 'headers'>;

/** The request that a server sees after `gateRequest`. */
async function gated(
  path: string,
  headers: Record<string, string> | readonly string[] = {},
  method = 'GET',
): Promise<Seen> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const seen = new Promise<Seen>((resolve) => {
    server.once('request', (incoming, res) => {
      gateRequest(incoming);
      resolve({ url: incoming.url, method: incoming.method, headers: incoming.headers });
      res.end();
    });
  });
  const { port } = server.address() as AddressInfo;
  // A list is sent as it is, duplicates included.
  const lines = Array.isArray(headers)
    ? [...headers, 'connection', 'close']
    : { connection: 'close', ...headers };
  const sent = { port, host: '127.0.0.1', path, method, headers: lines };
  request(sent).end();
  const result = await seen;
  server.close();
  return result;
}

it.each([
  '/api//logs/v1/logs',
  '//api/logs/v1/logs',
  '/api/logs/v1\\logs',
  '/api/logs%2fv1/logs',
  '/api/logs/..%2flogs/v1/logs',
  '/api/logs/%2e%2e/updates/v2/price_feeds',
  '/api/logs/../updates/v2/price_feeds',
  '/api/./logs/v1/logs',
  '/api/updates/v2/updates/price/stre%61m?ids[]=1',
  '/%61pi/logs/v1/logs',
  '/api%2flogs/v1/logs',
  '/api/logs/v1/logs/',
  '/api/',
  '/api?x=1',
  '/x/../api/logs/v1/logs',
  '/./api/logs/v1/logs',
  '/_next/%2e%2E/api/logs/v1/logs?limit=1',
  '/.%2e/api/feeds/stream?ids=1',
  '/%zz/..//api/health',
  '/x%5c..%5capi/health',
  '/API/logs/v1/logs',
  '/_next/data/build-id/api/metrics.json',
  '/_next/data/build-id/requests.json?state=pending',
  '/_next/data/',
  '/_next/%64ata/build-id/api/metrics.json',
  '/x/..//_next/data/build-id/api/metrics.json',
  'http://127.0.0.1/api/metrics',
  'HTTP://evil.example/requests',
  '*',
])('%s is not routable', async (path) => {
  expect((await gated(path)).url).toBe('/api/%20');
});

it.each([
  '/api/logs/v1/logs?query=%2f%2f..//&x=a\\b',
  '/api/updates/v2/updates/price/1.5',
  '/api/updates/v2/updates/price/latest?ids%5B%5D=0xab',
  '/requests?q=//',
  '/appendix//x',
  '/feeds/..%2fx',
  '/_next/image?url=/api/x',
  '/',
])('%s stays unchanged', async (path) => {
  expect((await gated(path)).url).toBe(path);
});

it('records whether the peer is local, whatever the caller claims', async () => {
  expect((await gated('/api/metrics')).headers[PEER_HEADER]).toBe('local');
  expect((await gated('/api/metrics?x=1', { [PEER_HEADER]: 'remote' })).headers[PEER_HEADER]).toBe('local');
  const proxied = { 'x-forwarded-for': '127.0.0.1', [PEER_HEADER]: 'local' };
  expect((await gated('/api/metrics', proxied)).headers[PEER_HEADER]).toBe('remote');
});

it('treats a proxy on this machine as remote', async () => {
  for (const header of ['forwarded', 'via', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'])
    expect((await gated('/api/metrics', { [header]: 'x' })).headers[PEER_HEADER]).toBe('remote');
});

it('overwrites forged headers of every request, whatever its path', async () => {
  const forged = { [PEER_HEADER]: 'local', [ADDRESS_HEADER]: '192.0.2.7', 'x-forwarded-for': '127.0.0.1' };
  for (const path of ['/', '/requests', '/api/health', '/_next/static/x.js', '/nothing/here']) {
    const { headers } = await gated(path, forged);
    expect([path, headers[PEER_HEADER], headers[ADDRESS_HEADER]]).toEqual([path, 'remote', '127.0.0.1']);
  }
});

it('removes headers that would make Next answer in place of a route', async () => {
  expect((await gated('/api/health', { rsc: '1' })).headers.rsc).toBeUndefined();
  expect((await gated('/requests', { rsc: '1' })).headers.rsc).toBe('1');
  for (const path of ['/requests', '/api/view/requests']) {
    const { headers } = await gated(path, { 'x-middleware-prefetch': '1' });
    expect([path, headers['x-middleware-prefetch']]).toEqual([path, undefined]);
  }
});

it('lets a route refuse methods that Next does not know', async () => {
  for (const method of ['TRACE', 'PROPFIND']) expect((await gated('/', {}, method)).method).toBe('OPTIONS');
  expect((await gated('/', {}, 'PATCH')).method).toBe('PATCH');
});

it('refuses several host names', async () => {
  expect((await gated('/requests', { host: 'localhost' })).headers.host).toBe('localhost');
  expect((await gated('/requests', ['host', 'localhost', 'Host', 'evil.example'])).headers.host).toBe('');
});
