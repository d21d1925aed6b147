import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Core, startCore } from './core-harness';

let core: Core;
beforeAll(async () => {
  core = await startCore();
});
afterAll(() => core.close());
beforeEach(() => core.faults.clear());

async function order(fault: Record<string, unknown>, more: Record<string, unknown> = { count: 1 }) {
  const response = await core.control('POST', '/faults', { service: 'updates', fault, ...more });
  expect(response.status, await response.clone().text()).toBe(200);
  return (await response.json()) as { id: number; streams?: number };
}

const latest = () => core.get('/updates/latest');

async function openStream() {
  const response = await core.get('/updates/stream');
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const stream = core.opened.at(-1);
  if (!stream) throw new Error('no stream was opened');
  const next = async () => {
    const { value, done } = await reader.read();
    return done ? undefined : Buffer.from(value).toString('utf8');
  };
  return { stream, next };
}

test('close-stream with a count closes the newest open streams, and then later ones up to the count', async () => {
  const first = await openStream();
  const second = await openStream();
  expect((await order({ kind: 'close-stream' }, { count: 1 })).streams).toBe(1);
  expect(await second.next()).toBeUndefined();
  expect([first.stream.closed, core.faults.active()]).toEqual([false, []]);
  expect((await order({ kind: 'close-stream' }, { count: 2 })).streams).toBe(1);
  expect(core.faults.active()).toMatchObject([{ route: 'stream', remaining: 1 }]);
  expect((await latest()).status).toBe(200);
  expect(await (await openStream()).next()).toBeUndefined();
  const { stream } = await openStream();
  expect(stream.closed).toBe(false);
  stream.end();
});

test('reset-stream with a count and no open stream resets the next one', async () => {
  expect((await order({ kind: 'reset-stream' })).streams).toBe(0);
  await expect(openStream().then(({ next }) => next())).rejects.toThrow();
  const { stream } = await openStream();
  expect(stream.closed).toBe(false);
  stream.end();
});

test('silence sends nothing for its time and resumes afterwards, without affecting later streams', async () => {
  const { stream, next } = await openStream();
  await order({ kind: 'silence' }, { forMs: 1000 });
  expect(stream.write('data: lost\n\n')).toBe(true);
  const later = await openStream();
  later.stream.write('data: new\n\n');
  expect(await later.next()).toBe('data: new\n\n');
  core.real.now += 1000;
  stream.write('data: back\n\n');
  expect(await next()).toBe('data: back\n\n');
  stream.end();
  later.stream.end();
});

test('a stream is over when its client has gone', async () => {
  const controller = new AbortController();
  await core.get('/updates/stream', { signal: controller.signal });
  controller.abort();
  await expect.poll(() => core.streams.streamsOf('updates').length).toBe(0);
});
