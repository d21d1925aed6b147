import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type RequestEnd, watchRequest } from './request-ends';

let server: Server;
let origin: string;
let ends: RequestEnd[];
let told: () => void;

beforeEach(async () => {
  ends = [];
  server = createServer((request, response) => {
    const { url = '' } = request;
    watchRequest(request, response, url, (end) => {
      ends.push(end);
      told();
    });
    // Next changes it under way.
    request.url = '/elsewhere';
    if (url === '/api/health') response.writeHead(503).end('x'.repeat(5000));
    if (url === '/api/feeds/stream') response.writeHead(200).write('data: x\n\n');
    if (url.endsWith('stream') || url === '/pending')
      request.socket.setTimeout(50, () => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.close();
});

async function ended(path: string): Promise<RequestEnd | undefined> {
  const heard = new Promise<void>((resolve) => {
    told = resolve;
  });
  get(origin + path, (response) => response.resume().on('error', () => {})).on('error', () => {});
  await heard;
  return ends.at(-1);
}

it('tells of an answer once, with its pattern, status, time and bytes', async () => {
  const end = await ended('/api/health');
  expect(end).toMatchObject({ kind: 'answer', method: 'GET', route: '/api/health', status: 503 });
  expect(end?.bytes).toBeGreaterThan(5000);
  expect(end?.ms).toBeGreaterThanOrEqual(0);
  expect((await ended('/api/health'))?.bytes).toBe(end?.bytes);
  expect(ends).toHaveLength(2);
});

it('tells of a stream when it is over', async () => {
  expect(await ended('/api/feeds/stream')).toMatchObject({ kind: 'stream', status: 200 });
});

it('tells of a request whose caller left before the answer', async () => {
  expect(await ended('/pending')).toMatchObject({ kind: 'answer', route: '/pending', status: 'aborted' });
});
