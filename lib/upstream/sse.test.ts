import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSseDecoder, formatSseComment, formatSseEvent, readSse, type SseItem } from './sse';

const bytesOf = (text: string) => new TextEncoder().encode(text);

function decode(chunks: readonly Uint8Array[], cap?: number): SseItem[] {
  const decoder = createSseDecoder(cap);
  return chunks.flatMap((chunk) => decoder.push(chunk));
}

function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let index = 0; index < bytes.length; index += size) chunks.push(bytes.slice(index, index + size));
  return chunks;
}

/** Progress items depend on the chunks; events and comments must not. */
const withoutProgress = (items: SseItem[]) => items.filter((item) => item.kind !== 'progress');
const event = (data: string, name?: string, id?: string) => ({ kind: 'event', event: name, data, id });

const ODDITIES: { name: string; text: string; items: unknown[] }[] = [
  { name: 'LF', text: 'data: a\n\ndata: b\n\n', items: [event('a'), event('b')] },
  { name: 'CRLF', text: 'data: a\r\n\r\ndata: b\r\n\r\n', items: [event('a'), event('b')] },
  { name: 'bare CR', text: 'data: a\r\rdata: b\r\r', items: [event('a'), event('b')] },
  {
    name: 'mixed line ends',
    text: 'data: a\r\n\ndata: b\r\r\ndata: c\n\r',
    items: [event('a'), event('b'), event('c')],
  },
  { name: 'a byte order mark', text: '\uFEFFdata: a\n\n', items: [event('a')] },
  { name: 'several data lines', text: 'data: a\ndata:\ndata: b\n\n', items: [event('a\n\nb')] },
  { name: 'no space after the colon', text: 'data:{"a":1}\n\n', items: [event('{"a":1}')] },
  {
    name: 'comments only',
    text: ':\n\n: still here\n\n',
    items: [
      { kind: 'comment', text: '' },
      { kind: 'comment', text: 'still here' },
    ],
  },
  {
    name: 'a named event with an id',
    text: 'event: error\nid: 7\ndata: Slow consumer\n\n',
    items: [event('Slow consumer', 'error', '7')],
  },
  {
    name: 'unknown fields and a retry',
    text: 'retry: 10\nwhat: ever\nnonsense\ndata: a\n\n',
    items: [{ kind: 'retry', ms: 10 }, event('a')],
  },
  {
    name: 'letters of two, three and four bytes',
    text: 'data: é€😀\n\n: ü\n\n',
    items: [event('é€😀'), { kind: 'comment', text: 'ü' }],
  },
  { name: 'an end without a blank line', text: 'data: a\n\ndata: lost\n', items: [event('a')] },
  { name: 'an event without data', text: 'event: nothing\n\ndata: a\n\n', items: [event('a')] },
];

describe('decoding a stream', () => {
  for (const { name, text, items } of ODDITIES) {
    it(`reads ${name} at every chunk size from 1 to 64`, () => {
      for (let size = 1; size <= 64; size += 1)
        expect(withoutProgress(decode(cut(bytesOf(text), size)))).toEqual(items);
    });
  }

  it('replaces invalid UTF-8 and continues', () => {
    const bytes = new Uint8Array([...bytesOf('data: a'), 0xff, 0xc3, ...bytesOf('b\n\ndata: c\n\n')]);
    for (let size = 1; size <= 64; size += 1) {
      expect(withoutProgress(decode(cut(bytes, size)))).toEqual([event('a\uFFFD\uFFFDb'), event('c')]);
    }
  });

  const overlong = { kind: 'overlong' } as const;
  it.each([
    ['gives one that ends in a bare CR without waiting for the next byte', 'data: a\r\r', 64, [event('a')]],
    ['ends at a line that has no end', `data: ok\n\ndata: ${'x'.repeat(500)}`, 10, [event('ok'), overlong]],
    ['ends at an event of endless data lines', 'data: 0123456789\n'.repeat(50), 16, [overlong]],
    ['ends at one over the cap that came in one chunk', `data: ${'x'.repeat(200)}\n\n`, 300, [overlong]],
  ])('%s', (_, text, size, items) => {
    expect(withoutProgress(decode(cut(bytesOf(text), size), 100))).toEqual(items);
  });

  it('reports complete lines without an event as progress, and half a line as nothing', () => {
    const decoder = createSseDecoder();
    expect(decoder.push(bytesOf('dat'))).toEqual([]);
    expect(decoder.push(bytesOf('a: x\n'))).toEqual([{ kind: 'progress' }]);
  });

  it('never throws, and returns the same events however the bytes are cut', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc
        .constantFrom('data: x', 'data:', 'event: error', '\n', '\r', '\r\n', '\n\n', ': c', '\uFEFF', 'é')
        .map(bytesOf),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 1, max: 64 }), (pieces, size) => {
        const whole = new Uint8Array(pieces.flatMap((bytes) => [...bytes]));
        expect(withoutProgress(decode(cut(whole, size)))).toEqual(withoutProgress(decode([whole])));
      }),
      { numRuns: 500 },
    );
  });

  it('reads a body to its end, and stops at an overlong line', async () => {
    async function* body() {
      yield bytesOf('data: a\n\n');
      yield bytesOf('data: b\n\n');
    }
    const items: SseItem[] = [];
    for await (const item of readSse(body())) items.push(item);
    expect(items).toEqual([event('a'), event('b')]);
  });
});

describe('writing events', () => {
  it('reads back as written, for any data and name', () => {
    const line = fc.string({ unit: 'binary' }).map((text) => text.replace(/[\r\n\0]/g, ''));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), line, (lines, name) => {
        const text = formatSseEvent({ event: `n${name}`, data: lines.join('\n'), id: '1' });
        const read = withoutProgress(decode([bytesOf(text)]))[0];
        expect(read).toEqual(event(lines.join('\n'), `n${name}`, '1'));
      }),
    );
  });

  it('never lets data break out of its event', () => {
    const text = formatSseEvent({ event: 'a\nb', data: 'x\r\n\r\nevent: y\rdata: z', id: '1\n2' });
    expect(withoutProgress(decode([bytesOf(text)]))).toEqual([event('x\n\nevent: y\ndata: z', 'a b', '1 2')]);
  });

  it('writes a comment on one line', () => {
    expect(formatSseComment('a\nb')).toBe(': a b\n\n');
  });
});

it('reads unknown lines without a stack trace each, and restores traces for later errors', () => {
  const limits: number[] = [];
  const before = Error.stackTraceLimit;
  Object.defineProperty(Error, 'stackTraceLimit', {
    configurable: true,
    get: () => limits.at(-1) ?? before,
    set: (limit: number) => limits.push(limit),
  });
  try {
    expect(decode([bytesOf('nobody: knows\nthis\ndata: a\n\n')])).toEqual([event('a')]);
  } finally {
    Object.defineProperty(Error, 'stackTraceLimit', { configurable: true, writable: true, value: before });
  }
  expect(limits).toEqual([0, before]);
});
