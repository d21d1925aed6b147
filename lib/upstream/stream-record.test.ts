import { expect, test } from 'vitest';
import { type OpenedStream, StreamRecord } from './call-record';

const QUERY = 'ids[]=a&ids%5B%5D=b&parsed=true';

async function* pieces(count: number, end?: Error): AsyncGenerator<Uint8Array> {
  for (let n = 0; n < count; n += 1) yield new Uint8Array(3);
  if (end) throw end;
}

const streamOf = (body: AsyncIterable<Uint8Array>) => Object.assign(body, { destroy: () => {} });

/** A record whose clock advances by one at each reading. */
function recordWithClock() {
  let now = 0;
  return new StreamRecord(() => ++now);
}

async function readAll(stream: OpenedStream): Promise<number> {
  let bytes = 0;
  for await (const piece of stream.body) bytes += piece.length;
  return bytes;
}

test('an open stream has an age, its feeds and the time of its last byte', async () => {
  const record = recordWithClock();
  const stream = record.watch(streamOf(pieces(2)), QUERY, undefined);
  expect(record.read()).toMatchObject({ opened: 1, open: [{ openedAtMs: 1, feeds: 2 }] });
  await stream.body[Symbol.asyncIterator]().next();
  expect(record.read().open).toEqual([{ openedAtMs: 1, feeds: 2, lastByteAtMs: 2 }]);
});

test('an end by the service, a break and our own close are distinguished', async () => {
  const record = recordWithClock();
  expect(await readAll(record.watch(streamOf(pieces(2)), QUERY, undefined))).toBe(6);
  expect(record.read()).toMatchObject({ open: [], lastEnd: { end: 'ended-by-service' } });
  const broken = record.watch(streamOf(pieces(1, new Error('reset'))), QUERY, undefined);
  await expect(readAll(broken)).rejects.toThrow('reset');
  record.watch(streamOf(pieces(1)), QUERY, undefined).close();
  expect(record.read()).toMatchObject({
    open: [],
    opened: 3,
    ends: { 'ended-by-service': 1, broken: 1, 'closed-here': 1 },
    lastEnd: { end: 'broken' },
  });
});

test('a stream that is cancelled before it is read is not open', () => {
  const record = recordWithClock();
  const off = new AbortController();
  record.watch(streamOf(pieces(1)), undefined, off.signal);
  off.abort();
  expect(record.read()).toMatchObject({ open: [], ends: { 'closed-here': 1 } });
});

test('a stream whose reader stops half way is closed, and counted once', async () => {
  const record = recordWithClock();
  const stream = record.watch(streamOf(pieces(5)), QUERY, undefined);
  for await (const _ of stream.body) break;
  stream.close();
  expect(record.read().ends).toEqual({ 'closed-here': 1, 'ended-by-service': 0, broken: 0 });
});
