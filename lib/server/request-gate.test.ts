import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { ADDRESS_HEADER, PEER_HEADER } from '@/lib/access/caller';
import { gateRequest } from './http-server';

type Seen = Pick<IncomingMessage, 'url' | 'method' | 'headers'>;

/** The request as a server sees it after the gate. */
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
  // As a list, they go out as they stand.
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
])('%s leads nowhere', async (path) => {
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
])('%s stays as it is', async (path) => {
  expect((await gated(path)).url).toBe(path);
});

it('tells metrics who asks, whatever the caller claims', async () => {
  expect((await gated('/api/metrics')).headers[PEER_HEADER]).toBe('local');
  expect((await gated('/api/metrics?x=1', { [PEER_HEADER]: 'remote' })).headers[PEER_HEADER]).toBe('local');
  const proxied = { 'x-forwarded-for': '127.0.0.1', [PEER_HEADER]: 'local' };
  expect((await gated('/api/metrics', proxied)).headers[PEER_HEADER]).toBe('remote');
});

it.each(['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'])(
  'takes a proxy on this machine for another, by its %s',
  async (header) => {
    expect((await gated('/api/metrics', { [header]: 'x' })).headers[PEER_HEADER]).toBe('remote');
  },
);

it('takes what a caller claims about himself from every request, whatever its path', async () => {
  const forged = { [PEER_HEADER]: 'local', [ADDRESS_HEADER]: '192.0.2.7', 'x-forwarded-for': '127.0.0.1' };
  for (const path of ['/', '/requests', '/api/health', '/_next/static/x.js', '/nothing/here']) {
    const { headers } = await gated(path, forged);
    expect([path, headers[PEER_HEADER], headers[ADDRESS_HEADER]]).toEqual([path, 'remote', '127.0.0.1']);
  }
});

it('leaves no header that would make Next answer in place of a route', async () => {
  expect((await gated('/api/health', { rsc: '1' })).headers.rsc).toBeUndefined();
  expect((await gated('/requests', { rsc: '1' })).headers.rsc).toBe('1');
  for (const path of ['/requests', '/api/view/requests']) {
    const { headers } = await gated(path, { 'x-middleware-prefetch': '1' });
    expect([path, headers['x-middleware-prefetch']]).toEqual([path, undefined]);
  }
});

it('lets a route refuse the methods that Next has no name for', async () => {
  for (const method of ['TRACE', 'PROPFIND']) expect((await gated('/', {}, method)).method).toBe('OPTIONS');
  expect((await gated('/', {}, 'PATCH')).method).toBe('PATCH');
});

it('takes none of several host names', async () => {
  expect((await gated('/requests', { host: 'localhost' })).headers.host).toBe('localhost');
  expect((await gated('/requests', ['host', 'localhost', 'Host', 'evil.example'])).headers.host).toBe('');
});
