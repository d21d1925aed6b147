import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { replaceSettings } from './current-settings';
import { readSettings } from './env';
import { takeRequests } from './front-door';
import { processWide } from './process-wide';
import { RequestLimits } from './request-limits';

let server: Server;

beforeEach(async () => {
  const password = { DASHBOARD_PASSWORD: 'correct-horse-battery', SESSION_SECRET: 'x'.repeat(40) };
  replaceSettings(readSettings({ ACCESS: 'password', ...password, LOG_LEVEL: 'silent' }));
  server = createServer((_request, response) => response.end());
  takeRequests(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // As after a flood through a proxy: all its strangers have its address.
  const limits = new RequestLimits(() => 0);
  limits.take(['outside 127.0.0.1'], 1000);
  processWide<RequestLimits>('request-limits').set(limits);
});
afterEach(() => {
  processWide<RequestLimits>('request-limits').set(undefined);
  replaceSettings(undefined);
  server.close();
});

async function statusOf(path: string, headers: Record<string, string> = {}): Promise<number> {
  const { port } = server.address() as AddressInfo;
  return (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status;
}

const FORWARDED = { 'x-forwarded-for': '203.0.113.9' };

it('a flood from an address keeps no probe from it, which may be that of a proxy, from hearing that we are up', async () => {
  expect(await statusOf('/api/health', FORWARDED)).toBe(200);
  expect(await statusOf('/api/health')).toBe(200);
  expect(await statusOf('/requests', FORWARDED)).toBe(429);
});

it('nor a monitoring from the metrics, on this machine or with a token', async () => {
  expect(await statusOf('/api/metrics')).toBe(200);
  expect(await statusOf('/api/metrics', { ...FORWARDED, authorization: 'Bearer token-1' })).toBe(200);
  expect(await statusOf('/api/metrics', FORWARDED)).toBe(429);
  expect(await statusOf('/requests', { authorization: 'Bearer token-1' })).toBe(429);
});
