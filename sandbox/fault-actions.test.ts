import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { BODY, type Core, startCore } from './core-harness';

let core: Core;
beforeAll(async () => {
  core = await startCore();
});
afterAll(() => core.close());
beforeEach(() => {
  core.faults.clear();
  core.asked.length = 0;
});

async function order(fault: Record<string, unknown>, more: Record<string, unknown> = { count: 1 }) {
  const response = await core.control('POST', '/faults', { service: 'updates', fault, ...more });
  expect(response.status, await response.clone().text()).toBe(200);
  return (await response.json()) as { id: number; streams?: number };
}

const latest = () => core.get('/updates/latest');

/** Opens the stream route and reads its events as text, as they come. */
async function openStream() {
  const response = await core.get('/updates/stream');
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const stream = core.opened.at(-1);
  if (!stream) throw new Error('no stream was opened');
  const next = async () => {
    const { value, done } = await reader.read();
    return done ? undefined : Buffer.from(value).toString('utf8');
  };
  return { response, stream, next };
}

test('status: with a number as Retry-After, for one request', async () => {
  await order({ kind: 'status', status: 429, retryAfter: 7 });
  const response = await latest();
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
  expect(response.headers.get('content-type')).toContain('text/plain');
  expect((await latest()).status).toBe(200);
});

test('status: with a date as Retry-After, with a body and type of one s choice, or with none', async () => {
  const date = 'Fri, 20 Nov 2026 08:00:00 GMT';
  await order({ kind: 'status', status: 503, retryAfter: date, body: '{"a":1}', contentType: 'text/x' });
  const response = await latest();
  expect([response.headers.get('retry-after'), response.headers.get('content-type')]).toEqual([
    date,
    'text/x',
  ]);
  expect(await response.text()).toBe('{"a":1}');
  await order({ kind: 'status', status: 503 });
  const plain = await latest();
  expect(plain.headers.get('retry-after')).toBeNull();
  expect(await plain.text()).toBe('This service is temporarily unavailable');
});

test('redirect: to the given place, 302 unless told', async () => {
  await order({ kind: 'redirect', to: '/updates/open' });
  const response = await latest();
  expect([response.status, response.headers.get('location')]).toEqual([302, '/updates/open']);
  await order({ kind: 'redirect', to: 'http://example.com/', status: 308 });
  expect((await latest()).status).toBe(308);
});

test.each([[undefined], [3], [0]])(
  'truncate: the connection ends within the body (%s bytes)',
  async (bytes) => {
    await order({ kind: 'truncate', bytes });
    const response = await latest();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(BODY)));
    await expect(response.text()).rejects.toThrow();
  },
);

test('delay: the ordinary answer, later', async () => {
  await order({ kind: 'delay', ms: 12_345 });
  expect(await (await latest()).text()).toBe(BODY);
  expect(core.asked).toEqual([12_345]);
});

test('trickle: the ordinary answer, one byte a second', async () => {
  await order({ kind: 'trickle' });
  const response = await latest();
  expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(BODY)));
  expect(await response.text()).toBe(BODY);
  expect(core.asked).toEqual(new Array(Buffer.byteLength(BODY) + 1).fill(1000));
});

test('hang: no answer, while others are answered', async () => {
  await order({ kind: 'hang' });
  const given = new AbortController();
  let answered = false;
  const hanging = core.get('/updates/latest', { signal: given.signal }).then(() => {
    answered = true;
  });
  while (core.faults.active().length > 0) expect((await core.get('/updates/open')).status).toBe(200);
  expect((await latest()).status).toBe(200);
  expect(answered).toBe(false);
  given.abort();
  await expect(hanging).rejects.toThrow();
});

test('drop: the connection ends without an answer', async () => {
  await order({ kind: 'drop' });
  await expect(latest()).rejects.toThrow();
  expect((await latest()).status).toBe(200);
});

test('close-stream: open streams end as planned, new ones open', async () => {
  const first = await openStream();
  first.stream.write('data: 1\n\n');
  expect(await first.next()).toBe('data: 1\n\n');
  expect((await order({ kind: 'close-stream' }, {})).streams).toBe(1);
  expect(await first.next()).toBeUndefined();
  expect([first.stream.closed, first.stream.write('data: 2\n\n')]).toEqual([true, false]);
  const second = await openStream();
  second.stream.write('data: 3\n\n');
  expect(await second.next()).toBe('data: 3\n\n');
  second.stream.end();
});

test('close-stream with a count: the newest of the open streams, what is left for those to come', async () => {
  const [first, second] = [await openStream(), await openStream()];
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

test('reset-stream with a count and no stream open: the next one breaks off', async () => {
  expect((await order({ kind: 'reset-stream' })).streams).toBe(0);
  await expect(openStream().then(({ next }) => next())).rejects.toThrow();
  const { stream } = await openStream();
  expect(stream.closed).toBe(false);
  stream.end();
});

test('silence: nothing comes for its time, then again; later streams are not touched', async () => {
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

test('event: raw text is written to open streams', async () => {
  const { response, stream, next } = await openStream();
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  await order({ kind: 'event', text: 'event: error\ndata: Slow consumer: disconnected\n\n' }, {});
  expect(await next()).toBe('event: error\ndata: Slow consumer: disconnected\n\n');
  stream.end();
});

test('a stream hears once that its client has gone', async () => {
  const given = new AbortController();
  await core.get('/updates/stream', { signal: given.signal });
  const stream = core.opened.at(-1);
  const gone = new Promise<void>((resolve) => stream?.onClose(resolve));
  given.abort();
  await gone;
  expect(core.streams.of('updates').length).toBe(0);
});
