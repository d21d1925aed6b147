import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { replaceSettings } from './current-settings';
import { readSettings } from './env';
import { openFrontDoor, takeRequests } from './front-door';
import { processWide } from './process-wide';
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

it('leaves to nobody else who offers another protocol before anybody has asked', async () => {
  const next = createServer((_, res) => res.end('Next'));
  next.on('upgrade', (_, socket) => void socket.end('upgraded'));
  await new Promise<void>((resolve) => next.listen(0, '127.0.0.1', resolve));
  openFrontDoor(portOf(next));
  const offer =
    'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n';
  expect(await sendText(offer, () => false, next)).toMatch(/^HTTP\/1.1 200 /);
  next.close();
});

it('refuses as the gateway does, and takes a body in pieces', async () => {
  expect(JSON.parse((await ask('/api/logs/v1/logs?limit=x')).text)).toMatchObject({ kind: 'bad-request' });
  expect((await ask('/api/logs/v1/logs', 'DELETE')).headers.allow).toBe('GET, HEAD');
  expect(called).toEqual([]);
  const length = { 'content-length': '15' };
  const answer = await ask('/api/router/v1/price', 'POST', ['{"timest', 'amp":1}'], length);
  expect(answer.text).toBe('{"parsed":{}}');
});

it('answers a body without end, or one that is too large, before it has come', async () => {
  const headers: Record<string, string>[] = [
    { 'transfer-encoding': 'chunked' },
    { 'content-length': '1048577' },
  ];
  for (const header of headers) {
    const answer = await ask('/api/router/v1/latest_price', 'POST', ['x'.repeat(100_000)], header);
    expect([header, answer.status]).toEqual([header, 400]);
  }
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

/** Sends text as it is over a connection of its own. @returns all that comes back until `until` holds, or it is closed */
function sendText(text: string, until: (heard: string) => boolean, server = dashboard): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(portOf(server), '127.0.0.1', () => socket.write(text));
    let heard = '';
    socket.on('error', () => {});
    socket.on('close', () => resolve(heard));
    socket.on('data', (bytes) => {
      heard += bytes;
      if (until(heard)) socket.destroy();
    });
  });
}

it('gates what came before it stood, too', async () => {
  const next = createServer((req, res) =>
    res.end(`Next has ${req.url} of ${req.headers['x-keeperscope-peer']}`),
  );
  const waiting: [IncomingMessage, ServerResponse][] = [];
  const waits = (req: IncomingMessage, res: ServerResponse) => void waiting.push([req, res]);
  await new Promise<void>((resolve) => next.listen(0, '127.0.0.1', resolve));
  const listeners = next.listeners('request') as RequestListener[];
  next.removeAllListeners('request').on('request', waits);
  const forged = { 'x-keeperscope-peer': 'local', 'x-forwarded-for': '192.0.2.1' };
  const asked = ask('/x', 'GET', [], forged, next);
  await expect.poll(() => waiting.length).toBe(1);
  processWide<() => unknown>('early-requests').set(() => {
    next.removeAllListeners('request');
    for (const listener of listeners) next.on('request', listener);
    return { server: next, waiting };
  });
  openFrontDoor(portOf(next));
  processWide('early-requests').set(undefined);
  expect((await asked).text).toBe('Next has /x of remote');
  expect((await ask('/y', 'GET', [], forged, next)).text).toBe('Next has /y of remote');
  next.close();
});

/** A server with the door before it. */
async function withDoor(listener: RequestListener): Promise<Server> {
  const server = createServer(listener);
  takeRequests(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

it('handles nothing that is sent ahead on a connection before its turn', async () => {
  const handed: [string | undefined, ServerResponse][] = [];
  const server = await withDoor((req, res) => void handed.push([req.url, res]));
  const urls = () => handed.map(([url]) => url);
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
  const both = sendText(get('/a') + get('/b'), (heard) => heard.includes('second'), server);
  await expect.poll(() => handed.length).toBeGreaterThan(0);
  expect(urls()).toEqual(['/a']);
  handed[0]?.[1].end('first');
  await expect.poll(urls).toEqual(['/a', '/b']);
  handed[1]?.[1].end('second');
  expect(await both).toMatch(/first(.|\s)+second/);
  server.close();
});

it('says on every page and file what browsers may do with it, whoever answers', async () => {
  for (const path of ['/', '/feeds/%E0%A4%A', '//requests', '/_next/static/x.js'])
    expect((await ask(path)).headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'permissions-policy': expect.stringContaining('camera=()'),
    });
  expect((await ask('/api/logs/v1/logs?limit=1')).headers['x-frame-options']).toBeUndefined();
});

it('refuses what is more than reading a page, before its body has come', async () => {
  const head = (path: string, more: string) => `${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${more}\r\n\r\nsome`;
  for (const more of ['Content-Length: 9000000', 'Transfer-Encoding: chunked']) {
    const refused = await sendText(
      head('POST /requests', more).replace('some', '4\r\nsome\r\n'),
      () => false,
    );
    expect(refused).toMatch(/^HTTP\/1.1 405 /);
    expect(refused).not.toContain('Next has');
  }
  for (const method of ['POST', 'OPTIONS', 'PROPFIND']) {
    const answer = await ask('/requests', method);
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
  }
  const elsewhere = await sendText(
    head('PUT /', 'Content-Length: 9\r\nOrigin: http://evil.example'),
    () => false,
  );
  expect(elsewhere).toMatch(/^HTTP\/1.1 403 /);
});

it('shows the sign-in page to whoever sends its form, without waiting for it', async () => {
  const server = await withDoor((req, res) => res.end(`Next has ${req.method} ${req.url}`));
  const form = 'POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 900\r\n\r\npassword=';
  const shown = await sendText(form, (heard) => heard.includes('Next has'), server);
  expect(shown).toContain('Next has GET /sign-in');
  expect((await ask('/sign-in', 'POST', [], { 'next-action': 'x' }, server)).text).toBe(
    'Next has GET /sign-in',
  );
  server.close();
});
