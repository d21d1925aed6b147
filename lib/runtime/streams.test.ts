import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StreamName } from '@/lib/platform/metrics';
import { readSettings } from '@/lib/platform/settings';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import { resetStreams } from '@/lib/runtime/streams-fixture';
import { closeServices, type Services, startServices } from '@/lib/services/services';
import { openStream, type StreamReader, wholeAnswer } from './stream-reader-harness';
import { closeAllStreams, streamAnswer } from './streams';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';

let running: Services;
let server: Server;
let origin: string;
const readers: StreamReader[] = [];

/** Closed after the test. */
async function open(path: string, headers: Record<string, string> = {}): Promise<StreamReader> {
  const reader = await openStream(`${origin}${path}`, headers);
  readers.push(reader);
  return reader;
}

/** The problem of a stream that cannot start. */
const problemOf = (path: string, init: Parameters<typeof wholeAnswer>[1] = {}) =>
  wholeAnswer(`${origin}${path}`, init);

/** Restarts the services. */
async function serve(settings: Record<string, string>): Promise<void> {
  const read = readSettings({ SANDBOX_PORT: '0', SANDBOX_RECORDS: '0', LOG_LEVEL: 'silent', ...settings });
  replaceSettings(read);
  running = await startServices(read);
}

/** Routes of the streams in pages/api. */
const STREAMS: Record<string, StreamName> = {
  '/api/feeds/stream': 'feeds',
  '/api/view/revisions': 'revisions',
  '/api/updates/v2/updates/price/stream': 'updates',
  '/api/upgraded/v2/updates/price/stream': 'upgraded',
};

beforeAll(async () => {
  server = createServer((req, res) => {
    const stream = STREAMS[req.url?.split('?')[0] ?? ''];
    if (stream) void streamAnswer(stream)(req, res);
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

async function control(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const { control: address } = running.sandbox?.addresses ?? { control: '' };
  const answer = await fetch(`${address}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Record<string, unknown>;
}

/** Counts calls that reached the price service. */
async function calls(route: string): Promise<unknown> {
  return (await control('GET', `/calls?service=updates&route=${route}`)).total;
}

/** Reads only when the test calls for it. */
function connection(): Socket {
  return connect((server.address() as AddressInfo).port, '127.0.0.1');
}

const UNKNOWN = '00'.repeat(32);
const PROGRAMS = '/api/updates/v2/updates/price/stream';

describe('streams of client programs', () => {
  it('carry the service’s bodies, binary included, over one upstream stream per query', async () => {
    const readers = [
      await open(`${PROGRAMS}?ids[]=${BTC}&encoding=hex`),
      await open(`${PROGRAMS}?ids%5B%5D=${BTC}&encoding=hex`),
    ];
    for (const reader of readers) {
      const { data } = await reader.next(undefined);
      expect(JSON.parse(data)).toMatchObject({ binary: { encoding: 'hex' }, parsed: [{ id: BTC }] });
      expect(reader.res.headers).toMatchObject({
        'content-type': 'text/event-stream',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
      });
    }
    expect(await calls('stream')).toBe(1);
  });

  it.each([
    ['a malformed id', '?ids[]=xyz', {}, 400, 'bad-request'],
    ['a repeated parameter', `?ids[]=${BTC}&parsed=true&parsed=true`, {}, 400, 'bad-request'],
    ['another method', `?ids[]=${BTC}`, { method: 'POST' }, 405, 'method'],
    ['another host name', `?ids[]=${BTC}`, { headers: { host: 'evil.example' } }, 421, 'misdirected'],
    ['another site', `?ids[]=${BTC}`, { headers: { 'sec-fetch-site': 'cross-site' } }, 403, 'forbidden'],
  ])('refuse %s without a call', async (_, query, init, status, kind) => {
    const answer = await problemOf(`${PROGRAMS}${query}`, init);
    expect([answer.status, JSON.parse(answer.body).kind]).toEqual([status, kind]);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(await calls('stream')).toBe(0);
  });

  it('are limited per client, without affecting others, and a closed one frees its slot', async () => {
    const open4 = await Promise.all([1, 2, 3, 4].map(() => open(`${PROGRAMS}?ids[]=${BTC}`)));
    const forged = { headers: { 'x-forwarded-for': '10.0.0.9' } };
    const refused = await problemOf(`${PROGRAMS}?ids[]=${BTC}`, forged);
    expect([refused.status, JSON.parse(refused.body).kind]).toEqual([429, 'too-many']);
    await open4[0]?.next(undefined);
    open4[1]?.close();
    let answer = await open(`${PROGRAMS}?ids[]=${BTC}`);
    while (answer.res.statusCode === 429) answer = await open(`${PROGRAMS}?ids[]=${BTC}`);
    await answer.next(undefined);
  });

  it('are limited in all, and a HEAD opens none', async () => {
    await closeServices();
    await serve({ MAX_STREAMS: '3' });
    const PAGES = `/api/feeds/stream?ids=${BTC}`;
    for (let n = 0; n < 10; n += 1) await problemOf(PAGES, { method: 'HEAD' });
    const first = await open(PAGES);
    for (const path of [PAGES, `${PROGRAMS}?ids[]=${BTC}`]) await open(path);
    const turnedAway = await open(PAGES);
    const refused = JSON.parse((await turnedAway.next('refused')).data);
    // A keep-alive connection would occupy a descriptor that another client needs.
    expect(turnedAway.res.headers.connection).toBe('close');
    expect(refused).toMatchObject({
      kind: 'too-many',
      detail: 'This dashboard has 3 open streams, the limit.',
    });
    const program = await problemOf(`${PROGRAMS}?ids[]=${BTC}`);
    expect([program.status, program.headers['retry-after'], program.headers.connection]).toEqual([
      429,
      '5',
      'close',
    ]);
    await first.next('update');
  });
});

describe('the stream of our pages', () => {
  it('sends a snapshot, updates and the connection state, and marks an unknown id', async () => {
    const reader = await open(`/api/feeds/stream?ids=0x${BTC.toUpperCase()},${UNKNOWN}&max_per_s=5`);
    const snapshot = JSON.parse((await reader.next('snapshot')).data);
    expect(snapshot).toMatchObject({ feeds: [{ id: BTC }], missing: [UNKNOWN] });
    const update = await reader.next('update');
    expect(JSON.parse(update.data)).toMatchObject({
      feeds: [{ id: BTC, p: expect.stringMatching(/^\d+$/) }],
    });
    expect(update.id).toMatch(/^\w+\.\d+$/);
    expect(JSON.stringify(JSON.parse(update.data))).not.toContain('binary');
  });

  it('resumes at the client’s position', async () => {
    const first = await open(`/api/feeds/stream?ids=${BTC}`);
    const { id = '' } = await first.next('update');
    first.close();
    const second = await open(`/api/feeds/stream?ids=${BTC}`, { 'last-event-id': id });
    await second.next('update');
    expect(second.text).not.toContain('event: snapshot');
  });

  it('reports a problem within the stream', async () => {
    const none = await open('/api/feeds/stream?ids=nothing');
    expect([none.res.statusCode, JSON.parse((await none.next('refused')).data).kind]).toEqual([
      200,
      'bad-request',
    ]);
    await none.until(() => none.ended);
    expect(none.text).toMatch(/^retry: \d+\n/);
  });
});

describe('the end of the process', () => {
  it('ends every stream at once, even one that does not read', async () => {
    const page = await open(`/api/feeds/stream?ids=${BTC}`);
    const program = await open(`${PROGRAMS}?ids[]=${BTC}`);
    const dead = connection();
    dead.write(`GET /api/feeds/stream?ids=${BTC} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    const deadEnd = new Promise((resolve) => dead.on('close', resolve));
    await Promise.all([page.next('update'), program.next(undefined)]);
    dead.resume();
    closeAllStreams();
    await Promise.all([page.until(() => page.ended), program.until(() => program.ended), deadEnd]);
    expect((await control('GET', '')).openStreams ?? 0).toBe(0);
  });

  it('sends each client its time to reconnect, and late ones too', async () => {
    const page = await open(`/api/feeds/stream?ids=${BTC}`);
    await page.next('update');
    closeAllStreams();
    await page.until(() => page.ended);
    const late = await open(`/api/feeds/stream?ids=${BTC}`);
    await late.until(() => late.ended);
    for (const { text } of [page, late]) {
      const [, retryMs] = /(?:^|\n)retry: (\d+)\n\n$/.exec(text) ?? [];
      expect(Number(retryMs)).toBeGreaterThanOrEqual(300);
      expect(Number(retryMs)).toBeLessThanOrEqual(1_200);
    }
    expect(late.text).not.toContain('refused');
  });
});

it('ends streams of callers whose password has changed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const signedInWith = (password: string) => ({
    ACCESS: 'password',
    DASHBOARD_PASSWORD: password,
    SESSION_SECRET: 'x'.repeat(40),
    LOG_LEVEL: 'silent',
  });
  await serve(signedInWith('correct-horse-battery'));
  const authorization = `Basic ${btoa('anyone:correct-horse-battery')}`;
  const reader = await open(`/api/feeds/stream?ids=${BTC}`, { authorization });
  expect(reader.res.statusCode).toBe(200);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reader.ended).toBe(false);
  replaceSettings(readSettings(signedInWith('another-password-now')));
  await vi.advanceTimersByTimeAsync(60_000);
  await reader.until(() => reader.ended);
  vi.useRealTimers();
});
