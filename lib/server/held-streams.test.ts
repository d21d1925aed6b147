import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { replaceSettings } from './current-settings';
import { readSettings } from './env';
import { takeRequests } from './front-door';
import { ASK_AGAIN_MS } from './held-streams';
import { closeServices, startServices } from './services';
import { openSession } from './session';
import { resetStreams } from './streams';

const PASSWORD = 'correct-horse-battery';
const SECRET = 'x'.repeat(40);
const FEED = 'ab'.repeat(32);

let service: Server;
let dashboard: Server;

const settingsWith = (password: string) =>
  readSettings({
    ...{ ACCESS: 'password', DASHBOARD_PASSWORD: password, SESSION_SECRET: SECRET, LOG_LEVEL: 'silent' },
    UPDATES_URL: `http://127.0.0.1:${portOf(service)}`,
  });

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  service = createServer((_, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(':\n\n');
  });
  dashboard = createServer();
  takeRequests(dashboard);
  for (const server of [service, dashboard]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
  const settings = settingsWith(PASSWORD);
  replaceSettings(settings);
  await startServices(settings);
});
afterEach(async () => {
  resetStreams();
  await closeServices();
  replaceSettings(undefined);
  for (const server of [service, dashboard]) {
    server.closeAllConnections();
    server.close();
  }
  vi.useRealTimers();
});

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

const cookieOf = async (password: string) => {
  const keys = { sessionSecret: SECRET, password };
  return `ks-session=${await openSession(keys, Math.floor(Date.now() / 1000))}`;
};

/** A stream that has begun, and whether it has ended. */
async function listen(headers: Record<string, string>) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const path = `/api/feeds/stream?ids=${FEED}`;
    get({ host: '127.0.0.1', port: portOf(dashboard), path, headers, agent: false }, resolve).on(
      'error',
      reject,
    );
  });
  const stream = { status: response.statusCode, hasEnded: false };
  response.resume();
  response.on('close', () => {
    stream.hasEnded = true;
  });
  return stream;
}

it('ends the streams of those who came in by a password that is another one now, and no others', async () => {
  const basic = { authorization: `Basic ${btoa(`anyone:${PASSWORD}`)}` };
  const old = [await listen({ cookie: await cookieOf(PASSWORD) }), await listen(basic)];
  expect(old.map(({ status }) => status)).toEqual([200, 200]);
  await vi.advanceTimersByTimeAsync(ASK_AGAIN_MS);
  expect(old.map(({ hasEnded }) => hasEnded)).toEqual([false, false]);

  replaceSettings(settingsWith('another-password-now'));
  const fresh = await listen({ cookie: await cookieOf('another-password-now') });
  expect(fresh.status).toBe(200);
  await vi.advanceTimersByTimeAsync(ASK_AGAIN_MS);
  await vi.waitFor(() => expect(old.map(({ hasEnded }) => hasEnded)).toEqual([true, true]));
  expect(fresh.hasEnded).toBe(false);
});
