import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hexAround,
  inspectAnswer,
  inspectFile,
  inspectText,
  MAX_PAYLOAD_BYTES,
  publishSecond,
} from './inspect';
import { decodeOrThrow, VECTOR_TEXT, vectorBytes } from './vector-fixture';

const hex = Buffer.from(vectorBytes()).toString('hex');
const kinds = (text: string) => inspectText(text).payloads.map(({ kind }) => kind);
const answer = (data: readonly string[]) => JSON.stringify({ binary: { encoding: 'hex', data } });

describe('inspecting pasted text', () => {
  it('accepts an answer, and an event of a stream', () => {
    expect(kinds(answer([hex]))).toEqual(['update']);
    expect(kinds(`data:${answer([hex])}\n\n`)).toEqual(['update']);
  });

  it.each([
    { name: 'hex', text: hex },
    { name: 'hex with 0x, in capitals', text: `0X${hex.toUpperCase()}` },
    { name: 'hex in lines', text: (hex.match(/.{1,64}/g) ?? []).join('\r\n') },
    { name: 'base64', text: VECTOR_TEXT },
    {
      name: 'base64 for URLs, without padding',
      text: VECTOR_TEXT.trim().replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
    },
    { name: 'a JSON string of a list', text: `  "${hex}",\n` },
    { name: 'a list of base64', text: JSON.stringify([VECTOR_TEXT.trim()]) },
    { name: 'a list of hex without quotes', text: `[0x${hex}]` },
    { name: 'the member vaa alone', text: JSON.stringify({ vaa: VECTOR_TEXT.trim() }) },
    { name: 'vaas of the oldest route', text: JSON.stringify([VECTOR_TEXT.trim()]) },
    { name: 'the member data as hex', text: `{"data":"0x${hex}"}` },
    { name: 'the member data as a list', text: `{"data":["0x${hex}"]}` },
    { name: 'binary without its encoding', text: `{"binary":{"data":["${hex}"]}}` },
    {
      name: 'an answer inside an answer',
      text: `{"result":{"binary":{"encoding":"hex","data":["${hex}"]}}}`,
    },
    { name: 'arguments of a call', text: `{"args":[["0x${hex}"],"0x1234"]}` },
    { name: 'a list of bytes', text: JSON.stringify([...vectorBytes()]) },
    { name: 'a Buffer of Node', text: JSON.stringify(Buffer.from(vectorBytes())) },
    { name: 'a data URL', text: `data:application/octet-stream;base64,${VECTOR_TEXT.trim()}` },
    { name: 'base64 of a link', text: encodeURIComponent(VECTOR_TEXT.trim()) },
    { name: 'hex between invisible characters', text: `\u200b0x\u2060${hex}\ufeff` },
    { name: 'hex in backticks', text: `\`0x${hex}\`.` },
    { name: 'bytes of PostgreSQL', text: `\\x${hex}` },
    { name: 'JSON behind an invisible character', text: `\u200b{"data":"0x${hex}"}` },
    { name: 'a code block of a chat', text: `\`\`\`json\n{"data":"0x${hex}"}\n\`\`\`` },
    {
      name: 'an answer with its head',
      text: `HTTP/1.1 200 OK\ncontent-type: application/json\n\n{"vaa":"${VECTOR_TEXT.trim()}"}`,
    },
    { name: 'an event with its id', text: `id: 5\nevent: message\ndata: {"data":["${hex}"]}` },
    { name: 'JSON within JSON', text: JSON.stringify(JSON.stringify({ data: [hex] })) },
    { name: 'a line of a log', text: `2026-11-20T10:00:00Z INFO relay: vaa=${VECTOR_TEXT.trim()} sent` },
    { name: 'YAML', text: `vaa: ${VECTOR_TEXT.trim()}` },
    { name: 'a line of a program', text: `const update = '0x${hex}';` },
    { name: 'JSON with a comma behind it', text: `{"vaa":"${VECTOR_TEXT.trim()}"},` },
  ])('takes $name', ({ text }) => {
    expect(inspectText(text).payloads).toEqual([decodeOrThrow(vectorBytes())]);
  });

  it('keeps readable payloads beside unreadable ones', () => {
    expect(kinds(answer([hex, '0x12zz', 'abcd']))).toEqual(['update', 'unreadable', 'fault']);
  });

  it('accepts the answer of the deprecated route, whose parsed form is the answer itself', () => {
    const price = { price: '1', conf: '1', expo: -8, publish_time: 1_690_576_635 };
    const id = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
    const { payloads, parsed } = inspectText(
      JSON.stringify({ id, price, ema_price: price, vaa: VECTOR_TEXT.trim() }),
    );
    expect(payloads.map(({ kind }) => kind)).toEqual(['update']);
    expect(parsed).toHaveLength(1);
  });

  it.each([
    { text: '{"binary":', says: /not a JSON object, or it was cut off/ },
    { text: '{"parsed":[]}', says: /No binary update/ },
    { text: '{}', says: /neither parsed nor binary/ },
    { text: `${hex.slice(0, 40)}g${hex.slice(41)}`, says: /Character 41, “g”, is not a hex digit/ },
    { text: '0x12\n34\n5\u00076', says: /U\+0007, is not a hex digit/ },
    { text: 'UE5BV*QE', says: /Character 6, “\*”, is not a base64 character/ },
    { text: '0x123', says: /The hex is incomplete: 3 characters/ },
    { text: 'UE5BVQEAA', says: /The base64 is incomplete: 9 characters/ },
    { text: '""', says: /No payload in this text/ },
    { text: '00'.repeat(MAX_PAYLOAD_BYTES + 1), says: /Too large: 1,048,577 bytes/ },
    { text: ' '.repeat(4 * MAX_PAYLOAD_BYTES + 1), says: /Too large/ },
  ])('says what is wrong: $says', ({ text, says }) => {
    expect(inspectText(text).payloads).toEqual([
      { kind: 'unreadable', problem: expect.stringMatching(says) },
    ]);
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.string({ maxLength: 60 }), (text) => void inspectText(text)));
  });

  it('decodes a limited number of payloads, and reports how many are left', () => {
    const inspection = inspectAnswer(answer(Array.from({ length: 103 }, () => 'ab')));
    expect(inspection).toMatchObject({ ok: true, value: { leftOut: 3 } });
    expect(inspection.ok ? inspection.value.payloads : []).toHaveLength(100);
  });

  it('accepts binary and text files', () => {
    const bytes = vectorBytes();
    const text = new TextEncoder().encode(VECTOR_TEXT);
    for (const file of [bytes, text]) expect(inspectFile(file).payloads[0]?.kind).toBe('update');
    const picture = inspectFile(Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0xff]));
    expect(picture.payloads[0]).toMatchObject({ kind: 'fault', offset: 0, part: 'magic' });
  });
});

it('dates an update by its first price, for a link that leads to it again', () => {
  expect(publishSecond(inspectText(VECTOR_TEXT))).toBe(1_690_576_635);
  expect(publishSecond(inspectText('abcd'))).toBeUndefined();
});

it('shows the bytes around a position: a row before and two after, fewer at the ends', () => {
  const bytes = Uint8Array.from({ length: 100 }, (_, index) => index);
  const rows = hexAround(bytes, 50);
  expect(rows.map(({ offset }) => offset)).toEqual([32, 48, 64, 80]);
  expect([rows[1]?.hex[2], rows[1]?.ascii]).toEqual(['32', '0123456789:;<=>?']);
  expect(hexAround(bytes, 100).map(({ offset }) => offset)).toEqual([80, 96]);
  expect(hexAround(new Uint8Array(0), 0)).toEqual([]);
});
