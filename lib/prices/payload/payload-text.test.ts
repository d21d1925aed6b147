import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONGEST_PAYLOAD_TEXT, MOST_PAYLOAD_BYTES, payloadText, readPayloadText } from './text';
import { VECTOR_TEXT, vectorBytes } from './vector-fixture';

const hex = payloadText(vectorBytes(), 'hex');
const bytesOf = (text: string) => {
  const read = readPayloadText(text);
  return read.kind === 'bytes' ? [...read.bytes] : read;
};
const whole = [...vectorBytes()];

describe('reading a payload as text', () => {
  it.each([
    { name: 'hex', text: hex },
    { name: 'hex with 0x', text: `0x${hex}` },
    { name: 'hex in capitals', text: `0X${hex.toUpperCase()}` },
    { name: 'hex in lines', text: (hex.match(/.{1,64}/g) ?? []).join('\r\n') },
    { name: 'base64', text: VECTOR_TEXT },
    {
      name: 'base64 for URLs, without padding',
      text: VECTOR_TEXT.trim().replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
    },
    { name: 'a JSON string of a list', text: `  "${hex}",\n` },
  ])('takes $name', ({ text }) => {
    expect(bytesOf(text)).toEqual(whole);
  });

  it('gives back what was written, whatever the bytes and wherever blanks are', () => {
    const blanks = fc.constantFrom('', ' ', '\n', '\t ');
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), blanks, (rest, blank) => {
        const bytes = Uint8Array.from([0x50, 0x4e, 0x41, 0x55, 1, ...rest]);
        for (const encoding of ['hex', 'base64'] as const) {
          const text = payloadText(bytes, encoding);
          const loose = blank + [...text].join(text.length > 200 ? '' : blank) + blank;
          expect(readPayloadText(loose)).toEqual({ kind: 'bytes', encoding, bytes });
        }
      }),
    );
  });

  it('takes zeros in base64 for base64', () => {
    const bytes = new Uint8Array(400);
    bytes.set(vectorBytes().subarray(0, 6));
    expect(readPayloadText(payloadText(bytes, 'base64'))).toEqual({
      kind: 'bytes',
      encoding: 'base64',
      bytes,
    });
  });

  it.each([
    {
      text: `${hex.slice(0, 40)}g${hex.slice(41)}`,
      problem: '“g” is no hex digit.',
      place: { index: 40, line: 1, column: 41 },
    },
    {
      text: `0x12\n34\n5\u200b6`,
      problem: 'U+200B is no hex digit.',
      place: { index: 9, line: 3, column: 2 },
    },
    { text: 'UE5BVQE*', problem: '“*” is no character of base64.', place: { index: 7, line: 1, column: 8 } },
    { text: '0x123', problem: 'The hex is incomplete: 3 characters.' },
    { text: 'UE5BVQEAA', problem: 'The base64 is incomplete: 9 characters.' },
    { text: 'UE5BVQ==UE5B', problem: 'The base64 is incomplete: 12 characters.' },
  ])('says what is wrong and where: $problem', ({ text, problem, place }) => {
    expect(readPayloadText(text)).toEqual({ kind: 'unreadable', problem, place });
  });

  it.each(['', '  \n', '0x', '""'])('finds no payload in %j', (text) => {
    expect(readPayloadText(text)).toEqual({
      kind: 'unreadable',
      problem: 'There is no payload in this text.',
    });
  });

  it('refuses more than a mebibyte, and text too long to be less', () => {
    expect(bytesOf('00'.repeat(MOST_PAYLOAD_BYTES))).toHaveLength(MOST_PAYLOAD_BYTES);
    const large = readPayloadText('00'.repeat(MOST_PAYLOAD_BYTES + 1));
    expect(large).toMatchObject({ kind: 'unreadable', problem: expect.stringContaining('1048577 bytes') });
    const long = readPayloadText(' '.repeat(LONGEST_PAYLOAD_TEXT + 1));
    expect(long).toMatchObject({ kind: 'unreadable', problem: expect.stringContaining('too large') });
  });

  it('never throws, and points into the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const read = readPayloadText(text);
        if (read.kind !== 'unreadable' || read.place === undefined) return;
        expect(read.place.index).toBeLessThan(text.length);
      }),
    );
  });
});
