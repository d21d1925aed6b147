import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { replaceSettings } from './current-settings';
import { readSettings } from './env';
import { takeRequests } from './front-door';
import { createLog, type Log } from './log';
import { processWide } from './process-wide';
import { closeServices, startServices } from './services';

let service: Server;
let dashboard: Server;
let lines: Record<string, unknown>[] = [];
const kept = processWide<Log>('log');

beforeEach(async () => {
  lines = [];
  kept.set(createLog('debug', { write: (line) => lines.push(JSON.parse(line)) }));
  service = createServer((_, res) => res.end('{"requests":[],"total_results":0}'));
  dashboard = createServer((_, res) => res.writeHead(200, { 'x-page': 'yes' }).end('a page'));
  takeRequests(dashboard);
  for (const server of [service, dashboard]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
  const settings = readSettings({ LOGS_URL: `http://127.0.0.1:${portOf(service)}` });
  replaceSettings(settings);
  await startServices(settings);
});
afterEach(async () => {
  await closeServices();
  replaceSettings(undefined);
  kept.set(undefined);
  service.close();
  dashboard.close();
});

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Asks, and gives the id that the answer carries once the line about the request is there. */
async function idOf(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<unknown> {
  const before = requests().length;
  const id = await new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: portOf(dashboard), path, method, headers, agent: false });
    sent.once('error', reject);
    sent.once('response', (response) => {
      response.resume();
      response.once('end', () => resolve(response.headers['x-request-id']));
    });
    sent.end();
  });
  await vi.waitUntil(() => requests().length > before);
  return id;
}

function requests() {
  return lines.filter(({ msg }) => msg === 'request' || msg === 'stream');
}

it('sends the id of every request back, whoever answers it', async () => {
  const paths = [
    '/',
    '/api/logs/v1/logs',
    '/api/feeds/stream?ids=00',
    '/api/updates/v2/updates/price/stream',
  ];
  for (const path of [...paths, '/api/logs/v1/logs?limit=x', '/nowhere', '/%2e%2e/api']) {
    for (const method of ['GET', 'HEAD', 'DELETE', 'TRACE']) {
      expect([path, await idOf(path, { 'x-request-id': 'mine' }, method)]).toEqual([path, 'mine']);
      expect(await idOf(path, { 'x-request-id': 'not mine' }, method)).toMatch(/^[0-9a-f-]{36}$/);
    }
  }
});

it('writes one line for a request and one for its call, both with the id of the request', async () => {
  await idOf('/api/logs/v1/logs?query=private&limit=1', {
    'x-request-id': 'mine',
    cookie: 'ks-session=private',
  });
  expect(lines).toMatchObject([
    {
      msg: 'service call',
      requestId: 'mine',
      service: 'logs:main',
      route: '/v1/logs',
      outcome: 'ok',
      status: 200,
    },
    { msg: 'request', requestId: 'mine', method: 'GET', route: '/api/logs/v1/logs', status: 200 },
  ]);
  expect(JSON.stringify(lines)).not.toContain('private');
});

it('names no value of a path', async () => {
  await idOf('/requests/private/private?tx=private');
  await idOf('/private/../private');
  expect(lines.map(({ route }) => route)).toEqual(['/requests/{network_id}/{sequence}', 'other']);
});

it('writes a line for a stream when it ends', async () => {
  await idOf('/api/feeds/stream?ids=00', { 'x-request-id': 'mine' });
  expect(requests()).toMatchObject([
    { msg: 'stream', requestId: 'mine', route: '/api/feeds/stream', status: 200 },
  ]);
});

it('takes no part of a hostile header or path into a line', async () => {
  await idOf('/%0a%1b%5b2J%e2%80%a8', { 'x-request-id': 'a\tb"}{"level":"fatal', 'user-agent': '\u009b31m' });
  expect(Object.keys(lines[0] ?? {}).sort()).toEqual(
    ['bytes', 'level', 'method', 'ms', 'msg', 'name', 'requestId', 'route', 'status', 'time'].sort(),
  );
  expect(lines[0]).toMatchObject({ route: 'other', requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
});
