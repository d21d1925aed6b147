import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createBodyBudget } from './body-budget';
import { createBodyReader, type ReadBody } from './body-reader';

const ROOM = 1000;

/** Reads chunks as one body within a budget of 1000 bytes, and tells whether all of it is free again. */
async function readWithin(encoding: string, chunks: readonly Buffer[], after: (body: ReadBody) => void) {
  const budget = createBodyBudget(ROOM);
  const body = await new Promise<ReadBody>((resolve) => {
    const reader = createBodyReader({
      encoding,
      maxBytes: 500,
      expectedBytes: 0,
      budget,
      onReady() {},
      onRead: resolve,
    });
    for (const chunk of chunks) reader.write(chunk);
    reader.end();
  });
  after(body);
  return { kind: body.kind, isFree: budget.join(() => {}).take(ROOM) };
}

const release = (body: ReadBody) => {
  if ('body' in body) body.body.release();
};
const keep = () => {};
const text = Buffer.alloc(400, 0x61);

describe('the room of a body among others', () => {
  test.each<[string, string, readonly Buffer[], ReadBody['kind']]>([
    ['came whole', '', [text], 'whole'],
    ['was cut at its cap', '', [text, text], 'cut'],
    ['came whole and compressed', 'gzip', [zlib.gzipSync(text)], 'whole'],
    ['was cut after decompression', 'br', [zlib.brotliCompressSync(Buffer.alloc(900))], 'cut'],
    ['was empty', 'gzip', [], 'whole'],
  ])('is free again once it is released, when it %s', async (_, encoding, chunks, kind) => {
    expect(await readWithin(encoding, chunks, release)).toEqual({ kind, isFree: true });
  });

  test('is kept until then', async () => {
    expect(await readWithin('', [text], keep)).toEqual({ kind: 'whole', isFree: false });
  });

  test.each<[string, string, readonly Buffer[]]>([
    ['is damaged in the middle', 'gzip', [zlib.gzipSync(text), Buffer.from('and no gzip')]],
    ['is compressed in a way that nobody asked for', 'zstd', [text]],
  ])('is free at once when its compression %s', async (_, encoding, chunks) => {
    expect(await readWithin(encoding, chunks, keep)).toMatchObject({ kind: 'broken', isFree: true });
  });

  test('is not taken where there is none: the body is given up', async () => {
    const budget = createBodyBudget(300);
    const read: ReadBody[] = [];
    const options = { encoding: '', maxBytes: 500, expectedBytes: 0, onReady() {} };
    const reader = createBodyReader({ ...options, budget, onRead: (body) => read.push(body) });
    reader.write(text);
    reader.end();
    expect(read).toEqual([{ kind: 'crowded' }]);
  });
});
