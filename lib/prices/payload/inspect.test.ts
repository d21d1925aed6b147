import { describe, expect, it } from 'vitest';
import { inspectAnswer, inspectFile, inspectText } from './inspect';
import { hexAround, payloadText } from './text';
import { VECTOR_TEXT, vectorBytes } from './vector-fixture';

const hex = payloadText(vectorBytes(), 'hex');
const kinds = (text: string) => inspectText(text).payloads.map(({ kind }) => kind);
const answer = (data: readonly string[]) => JSON.stringify({ binary: { encoding: 'hex', data } });

describe('inspecting what was pasted', () => {
  it('takes a bare payload, a list of them, an answer, and an event of a stream', () => {
    expect(kinds(VECTOR_TEXT)).toEqual(['update']);
    expect(kinds(`["${hex}", "${VECTOR_TEXT.trim()}"]`)).toEqual(['update', 'update']);
    expect(kinds(answer([hex]))).toEqual(['update']);
    expect(kinds(`data:${answer([hex])}\n\n`)).toEqual(['update']);
  });

  it('keeps the payloads that can be read beside those that can’t', () => {
    expect(kinds(answer([hex, '0x12zz', 'abcd']))).toEqual(['update', 'unreadable', 'fault']);
  });

  it('takes the answer of the deprecated route, whose parsed form is the answer itself', () => {
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
    { text: '{"parsed":[]}', says: /holds no binary update/ },
    { text: '{}', says: /neither parsed nor binary/ },
  ])('says what is wrong with the JSON $text', ({ text, says }) => {
    expect(inspectText(text).payloads).toEqual([
      { kind: 'unreadable', text, problem: expect.stringMatching(says) },
    ]);
  });

  it('takes only so many payloads apart, and says how many are left', () => {
    const inspection = inspectAnswer(answer(Array.from({ length: 103 }, () => 'ab')));
    expect(inspection).toMatchObject({ ok: true, value: { leftOut: 3 } });
    expect(inspection.ok ? inspection.value.payloads : []).toHaveLength(100);
  });

  it('takes files of bytes and of text', () => {
    const bytes = vectorBytes();
    const text = new TextEncoder().encode(VECTOR_TEXT);
    for (const file of [bytes, text]) expect(inspectFile(file).payloads[0]?.kind).toBe('update');
    const picture = inspectFile(Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0xff]));
    expect(picture.payloads[0]).toMatchObject({ kind: 'fault', fault: { offset: 0, part: 'magic' } });
  });
});

describe('the hex view of a place', () => {
  const bytes = Uint8Array.from({ length: 100 }, (_, at) => at);

  it('shows a row before and two behind, the last rows where the bytes end, and nothing of nothing', () => {
    const rows = hexAround(bytes, 50);
    expect(rows.map(({ offset }) => offset)).toEqual([32, 48, 64, 80]);
    expect([rows[1]?.hex[2], rows[1]?.ascii]).toEqual(['32', '0123456789:;<=>?']);
    expect(hexAround(bytes, 100).map(({ offset }) => offset)).toEqual([80, 96]);
    expect(hexAround(new Uint8Array(0), 0)).toEqual([]);
  });
});
