import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { replaceSettings } from './current-settings';
import { readSettings } from './env';
import { takeRequests } from './front-door';
import { processWide } from './process-wide';
import { RequestLimits } from './request-limits';

const PASSWORD = 'correct-horse-battery';

let server: Server;
let limits: RequestLimits;

beforeEach(async () => {
  const password = { DASHBOARD_PASSWORD: PASSWORD, SESSION_SECRET: 'x'.repeat(40) };
  replaceSettings(readSettings({ ACCESS: 'password', ...password, LOG_LEVEL: 'silent' }));
  server = createServer((_request, response) => response.end());
  takeRequests(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  limits = new RequestLimits(() => 0);
  processWide<RequestLimits>('request-limits').set(limits);
});
afterEach(() => {
  processWide<RequestLimits>('request-limits').set(undefined);
  replaceSettings(undefined);
  server.close();
});

function ask(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const { port } = server.address() as AddressInfo;
  return fetch(`http://127.0.0.1:${port}${path}`, { headers });
}

async function statusOf(path: string, headers: Record<string, string> = {}): Promise<number> {
  return (await ask(path, headers)).status;
}

/** As after so many requests through a proxy: all its strangers have its address. The purse holds a thousand. */
const flood = (requests: number) => limits.take(['outside 127.0.0.1'], requests);

const FORWARDED = { 'x-forwarded-for': '203.0.113.9' };

it('a flood from an address keeps no probe from it, which may be that of a proxy, from hearing that we are up', async () => {
  flood(1000);
  expect(await statusOf('/api/health', FORWARDED)).toBe(200);
  expect(await statusOf('/api/health')).toBe(200);
  expect(await statusOf('/requests', FORWARDED)).toBe(429);
});

it('nor a monitoring from the metrics, on this machine or with a token', async () => {
  flood(1000);
  expect(await statusOf('/api/metrics')).toBe(200);
  expect(await statusOf('/api/metrics', { ...FORWARDED, authorization: 'Bearer token-1' })).toBe(200);
  expect(await statusOf('/api/metrics', FORWARDED)).toBe(429);
  expect(await statusOf('/requests', { authorization: 'Bearer token-1' })).toBe(429);
});

it('turns away whoever comes from outside where that address has to wait, before Next is asked, and nobody else', async () => {
  expect(await statusOf('/requests')).toBe(200);
  flood(995);
  // It costs as much as ten others.
  for (const path of ['/sign-in', '/%73ign-in', '/x/..%2fsign-in', '/sign-in.rsc'])
    expect([path, await statusOf(path)]).toEqual([path, 429]);
  expect(await statusOf('/requests')).toBe(200);
  flood(5);
  const refused = await ask('/requests');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await refused.json()).toMatchObject({ kind: 'too-many' });
  expect(await statusOf('/requests', { authorization: `Basic ${btoa(`anyone:${PASSWORD}`)}` })).toBe(200);
});
