import zlib from 'node:zlib';
import { expect, test } from 'vitest';
import { BodyReader, type ReadBody } from './exchange';

const text = Buffer.alloc(400, 0x61);

test.each<[string, string, readonly Buffer[], ReadBody['kind']]>([
  ['came whole', '', [text], 'whole'],
  ['was cut at its cap', '', [text, text], 'cut'],
  ['came whole and compressed', 'gzip', [zlib.gzipSync(text)], 'whole'],
  ['was cut after decompression', 'br', [zlib.brotliCompressSync(Buffer.alloc(900))], 'cut'],
  ['was empty', 'gzip', [], 'whole'],
  ['is damaged in the middle', 'gzip', [zlib.gzipSync(text), Buffer.from('and no gzip')], 'broken'],
  ['is compressed in a way that nobody asked for', 'zstd', [text], 'broken'],
])('a body that %s is told to be so', async (_, encoding, chunks, kind) => {
  const body = await new Promise<ReadBody>((onRead) => {
    const reader = new BodyReader({ encoding, maxBytes: 500, expectedBytes: 0, onReady() {}, onRead });
    for (const chunk of chunks) reader.write(chunk);
    reader.end();
  });
  expect(body.kind).toBe(kind);
});
