import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { replaceSettings } from './current-settings';
import { readSettings } from './env';
import { closeFrontDoor, takeRequests } from './front-door';

let server: Server;
let origin: string;
let start: { finish: () => void; fail: (error: Error) => void };
let work: (() => void)[];

beforeEach(async () => {
  replaceSettings(readSettings({ LOG_LEVEL: 'silent' }));
  server = createServer((request, response) => response.end(`Next answers ${request.url}`));
  const started = new Promise<void>((resolve, reject) => {
    start = { finish: resolve, fail: reject };
  });
  const ownWork: (() => void)[] = [];
  work = ownWork;
  takeRequests(server, { started, beforeEnd: () => new Promise((resolve) => ownWork.push(resolve)) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  replaceSettings(undefined);
});

const textAt = async (path: string) => (await fetch(origin + path)).text();

it('only whether we are up is told before the start is over; what else is asked waits', async () => {
  const page = textAt('/requests');
  expect(await textAt('/api/health')).toBe('Next answers /api/health');
  start.finish();
  expect(await page).toBe('Next answers /requests');
  expect(await textAt('/feeds')).toBe('Next answers /feeds');
});

it('whoever waits is told when the process ends before', async () => {
  const waits = once(server, 'request');
  const page = fetch(`${origin}/requests`);
  await waits;
  closeFrontDoor();
  const answer = await page;
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('2');
  expect(await answer.json()).toMatchObject({ kind: 'starting', status: 503, retryAfterS: 2 });
});

it('what has to be done before the end is done before Next hears that its server has closed', async () => {
  start.finish();
  await textAt('/requests');
  const told: string[] = [];
  server.close(() => told.push('closed'));
  server.closeAllConnections();
  await expect.poll(() => work.length).toBe(1);
  expect(told).toEqual([]);
  work[0]?.();
  await expect.poll(() => told).toEqual(['closed']);
});
