import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { SANDBOX_KEY } from '@/sandbox/start';
import { metrics } from './metrics';
import { closeServices, type Services, startServices } from './services';
import { readSettings, replaceSettings } from './settings';
import { openStream, StreamReader, wholeAnswer } from './stream-reader-harness';
import { answerFeedStream, answerProgramStream, openHub, resetStreams } from './streams';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const PAGES = `/api/feeds/stream?ids=${BTC}`;
const PROGRAMS = `/api/updates/v2/updates/price/stream?ids[]=${BTC}`;

let running: Services;
let server: Server;
let origin: string;
const readers: StreamReader[] = [];

async function serve(settings: Record<string, string>): Promise<void> {
  const read = readSettings({
    ...{ SANDBOX_PORT: '0', SANDBOX_RECORDS: '0', LOG_LEVEL: 'silent', UPDATES_CALLS_PER_S: '1000' },
    ...settings,
  });
  replaceSettings(read);
  running = await startServices(read);
}

beforeAll(async () => {
  server = createServer((req, res) => {
    if (req.url?.startsWith('/api/feeds/')) void answerFeedStream(req, res);
    else void answerProgramStream('updates', req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  resetStreams();
  await closeServices();
  replaceSettings(undefined);
});
afterAll(() => {
  server.close();
});

async function upstreamStreams(): Promise<number> {
  const { control } = running.sandbox?.addresses ?? { control: '' };
  const answer = await fetch(`${control}/calls?service=updates&route=stream`);
  return ((await answer.json()) as { total: number }).total;
}

async function openOnes(stream: 'feeds' | 'updates'): Promise<number> {
  const { values } = await metrics().openStreams.get();
  return values.find(({ labels }) => labels.stream === stream)?.value ?? 0;
}

/** A stream as a client at another address of this machine asks for it. */
function openFrom(localAddress: string, path: string): Promise<StreamReader> {
  return new Promise((resolve, reject) => {
    request(`${origin}${path}`, { agent: false, localAddress }, (res) => {
      const reader = new StreamReader(res);
      readers.push(reader);
      resolve(reader);
    })
      .on('error', reject)
      .end();
  });
}

it('a flood of HEAD opens no stream of the pages, here or at the service', async () => {
  await serve({});
  const heads = Array.from({ length: 300 }, () => wholeAnswer(`${origin}${PAGES}`, { method: 'HEAD' }));
  for (const { status, body } of await Promise.all(heads)) expect([status, body]).toEqual([200, '']);
  expect([await openOnes('feeds'), await upstreamStreams()]).toEqual([0, 0]);
});

it('a flood of streams is refused at the limit of all, inside for pages and by 429 for programs, and others go on', async () => {
  await serve({ MAX_STREAMS: '6', MAX_STREAMS_PER_CLIENT: '5' });
  const first = await openFrom('127.0.0.1', PAGES);
  for (let n = 0; n < 4; n += 1) await openFrom('127.0.0.1', PAGES);
  await openFrom('127.0.0.2', PROGRAMS);
  const flood = await Promise.all(Array.from({ length: 100 }, () => openFrom('127.0.0.3', PAGES)));
  for (const reader of flood) {
    expect(JSON.parse((await reader.next('refused')).data)).toMatchObject({
      kind: 'too-many',
      detail: expect.stringContaining('This dashboard has 6 streams open'),
    });
  }
  const program = await openFrom('127.0.0.3', PROGRAMS);
  expect([program.res.statusCode, program.res.headers['retry-after']]).toEqual([429, '5']);
  first.events.length = 0;
  await first.next('update');
  expect([await openOnes('feeds'), await openOnes('updates')]).toEqual([5, 1]);
  first.close();
  let next = await openFrom('127.0.0.3', PAGES);
  while (next.text.includes('event: refused')) next = await openFrom('127.0.0.3', PAGES);
  await next.next('update');
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * The sandbox shares our process, and keeps what the last 64 moments were signed with: 4 MB, which would fill up while the
 * heap is measured. So it is full before.
 */
async function fillSandbox(): Promise<void> {
  const { updates } = running.sandbox?.addresses ?? {};
  const nowS = Math.floor(Date.now() / 1000);
  for (let ageS = 60; ageS < 130; ageS += 1) {
    const address = `${updates}/v2/updates/price/${nowS - ageS}?ids[]=${BTC}`;
    const answer = await fetch(address, { headers: { authorization: `Bearer ${SANDBOX_KEY}` } });
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
  }
}

async function heapAfter(visits: number): Promise<number> {
  for (let done = 0; done < visits; done += 50) {
    const some = await Promise.all(
      Array.from({ length: 50 }, (_, n) => openStream(`${origin}${n % 2 ? PAGES : PROGRAMS}`)),
    );
    for (const reader of some) reader.close();
  }
  while ((await openOnes('feeds')) + (await openOnes('updates')) > 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

it('thousands of clients come and go: the heap is flat, and no place, socket or listener is left behind', async () => {
  await serve({ MAX_STREAMS_PER_CLIENT: '1000' });
  const stays = await openFrom('127.0.0.1', PAGES);
  await stays.next('update');
  const listeners = () => process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  await fillSandbox();
  const warm = await heapAfter(1_000);
  const before = listeners();
  const after = await heapAfter(2_000);
  // A reader that is kept costs more than 2 kB. Compiled code still grows by some hundred kB, whatever the number of clients:
  // from 5,000 to 20,000 of them the heap does not grow at all.
  expect((after - warm) / 2_000).toBeLessThan(400);
  expect(listeners()).toBe(before);
  expect(openHub()?.stats.watchers).toBe(1);
  expect(await openOnes('feeds')).toBe(1);
  const sockets = () =>
    new Promise<number>((resolve, reject) =>
      server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  while ((await sockets()) > 1) await new Promise((resolve) => setImmediate(resolve));
  stays.events.length = 0;
  await stays.next('update');
}, 120_000);
