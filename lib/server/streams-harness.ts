import 'server-only';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { closeServices, type Services, startServices } from './services';
import { readSettings, replaceSettings } from './settings';
import { openStream, type StreamReader, wholeAnswer } from './stream-reader-harness';
import { answerFeedStream, answerProgramStream, resetStreams } from './streams';

/** A server with the streams of pages and programs before the sandbox, for tests; a test file that imports it gets its hooks. */

export const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';

let running: Services;
let server: Server;
let origin: string;
const readers: StreamReader[] = [];

/** Opens a stream, which is closed after the test. */
export async function open(path: string, headers: Record<string, string> = {}): Promise<StreamReader> {
  const reader = await openStream(`${origin}${path}`, headers);
  readers.push(reader);
  return reader;
}

/** The whole answer of a stream that cannot start. */
export const problemOf = (path: string, init: Parameters<typeof wholeAnswer>[1] = {}) =>
  wholeAnswer(`${origin}${path}`, init);

/** Starts the services anew with these settings. */
export async function serve(settings: Record<string, string>): Promise<void> {
  const read = readSettings({ SANDBOX_PORT: '0', SANDBOX_RECORDS: '0', LOG_LEVEL: 'silent', ...settings });
  replaceSettings(read);
  running = await startServices(read);
}

beforeAll(async () => {
  server = createServer((req, res) => {
    const path = req.url?.split('?')[0];
    if (path === '/api/feeds/stream') void answerFeedStream(req, res);
    else void answerProgramStream(path?.startsWith('/api/upgraded/') ? 'upgraded' : 'updates', req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() =>
  serve({ MAX_STREAMS_PER_CLIENT: '4', MAX_STREAMS: '6', UPDATES_CALLS_PER_S: '1000', FEEDS: BTC }),
);
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  resetStreams();
  await closeServices();
  replaceSettings(undefined);
});
afterAll(() => {
  server.close();
});

/** Tells the sandbox what to do. */
export async function control(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const { control: address } = running.sandbox?.addresses ?? { control: '' };
  const answer = await fetch(`${address}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Record<string, unknown>;
}

/** Calls of a route that came to the price service. */
export async function calls(route: string): Promise<unknown> {
  return (await control('GET', `/calls?service=updates&route=${route}`)).total;
}

/** Makes the price service fail. */
export const fault = (kind: object, route = 'stream', more = {}) =>
  control('POST', '/faults', { service: 'updates', route, fault: kind, ...more });

/** A connection to the server, for callers that read or not as they like. */
export function connection(): Socket {
  return connect((server.address() as AddressInfo).port, '127.0.0.1');
}
