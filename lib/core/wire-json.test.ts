import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { integerText, isWireObject, member, readWireDocument, safeInteger } from './wire-json';

/** Includes duplicate keys and keys that aim at the prototype. */
const anyJson = fc.json({ maxDepth: 4 });

/** Parses beside a number that JSON.parse would change. */
function parseExactly(text: string): unknown {
  const list = readWireDocument(`[${text},0.10]`)?.value;
  return Array.isArray(list) ? list[0] : undefined;
}

describe('readWireDocument', () => {
  it.each([
    '{"slot":18446744073709551615}',
    '{"a":[1.50,2]}',
    '{"a": 1e3}',
    '{"a":-0}',
    '[9007199254740993]',
    '[1,9007199254740993 ]',
    '{"a":-1234567890123456}',
    '{"a":\n0.10\n}',
  ])('returns %j as it was written, blanks aside', (text) => {
    const document = readWireDocument(text);
    expect(document?.textOf(document.value)).toBe(text.replace(/\s/g, ''));
  });

  it('preserves the meaning of any JSON', () => {
    fc.assert(
      fc.property(anyJson, (text) => {
        for (const whole of [text, `[${text},0.10]`]) {
          const document = readWireDocument(whole);
          expect(JSON.parse(document?.textOf(document.value) ?? '')).toEqual(JSON.parse(whole));
        }
      }),
    );
  });

  it('uses the last of two members with the same name, like JSON.parse', () => {
    expect(parseExactly('{"a":"x","a":"y"}')).toEqual({ a: 'y' });
  });

  it('stores a member named __proto__ without touching the prototype', () => {
    const value = parseExactly('{"__proto__":{"network_id":"1"}}');
    expect(isWireObject(value) && member(value, 'network_id')).toBe(undefined);
    expect(isWireObject(value) && Object.keys(value)).toEqual(['__proto__']);
  });

  it.each([
    ['a text of', `{"a":" ${'1'.repeat(12_000_000)}x"}`],
    ['a fraction of', `[0.${'1'.repeat(12_000_000)}]`],
    ['an integer of', `[${'1'.repeat(12_000_000)}]`],
  ])('reads %s millions of digits', (_, text) => {
    const document = readWireDocument(text);
    expect(document?.textOf(document.value) === text).toBe(true);
  });

  it.each(['{1.5:2}', '[1.5"x"]', '[01.5]', '[1.5-2]', '[1.5.2]', '["x" 1.5]'])(
    'returns nothing for %s, whose number is not JSON',
    (text) => {
      expect(readWireDocument(text)).toBeUndefined();
    },
  );

  it('reads a large text with one delicate number', () => {
    const text = `["${'a'.repeat(2_000_000)}",0.10]`;
    const document = readWireDocument(text);
    expect(document?.textOf(document.value)).toBe(text);
  });

  it('takes the fast path for digits within strings, such as times', () => {
    const document = readWireDocument('{"created_at":"2026-11-20T08:05:03.123456789","sequence":7}');
    expect(document?.value).toEqual({ created_at: '2026-11-20T08:05:03.123456789', sequence: 7 });
  });

  it('returns nothing for invalid JSON and for endless nesting', () => {
    const deep = '{"a":'.repeat(6000);
    for (const text of ['', '{', '[1.5', `${deep}1${'}'.repeat(6000)}`, '['.repeat(200_000)]) {
      expect(readWireDocument(text)).toBeUndefined();
    }
  });

  it('ignores brackets inside strings', () => {
    const brackets = '[{\\"'.repeat(5000);
    expect(readWireDocument(JSON.stringify(brackets))?.value).toBe(brackets);
  });
});

describe('integerText', () => {
  it('returns the same digits for a number and for text', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }), (integer) => {
        const digits = integer.toString();
        expect(integerText(digits)).toBe(digits);
        expect(integerText(parseExactly(digits))).toBe(digits);
      }),
    );
  });

  it.each([
    ['007', '7'],
    ['-007', '-7'],
    ['000', '0'],
    ['-0', '0'],
  ])('writes the text %j as %s', (text, expected) => {
    expect(integerText(text)).toBe(expected);
  });

  it.each([
    ['1e3', '1000'],
    ['1.20E+2', '120'],
    ['10.0', '10'],
    ['-0', '0'],
    ['0e99999999999', '0'],
    ['1200e-2', '12'],
  ])('writes the number %s as %s', (token, expected) => {
    expect(integerText(parseExactly(token))).toBe(expected);
  });

  it.each(['1.5', '1e-1', '1e400', '-1e400', '0.1', '1e-400', `1.${'0'.repeat(100_000)}1`])(
    'refuses the number %s as an integer',
    (token) => {
      expect(integerText(parseExactly(token))).toBeUndefined();
    },
  );

  it.each(['', ' 1', '1 ', '+1', '1e3', '1.0', '0x10', '１', 'NaN', '1\n', '--1', '1_000'])(
    'refuses the text %j as an integer',
    (text) => {
      expect(integerText(text)).toBeUndefined();
    },
  );

  it('refuses everything else as an integer', () => {
    for (const value of [null, undefined, true, {}, [], ['1'], Number.NaN, 1.5, Number.POSITIVE_INFINITY]) {
      expect(integerText(value)).toBeUndefined();
    }
  });

  it('has the same digits by either parser', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const token = JSON.stringify(number);
        const plain = integerText(JSON.parse(token));
        const integer = integerText(parseExactly(token));
        expect(plain === undefined).toBe(integer === undefined);
        expect(Number(plain)).toBe(Number(integer));
      }),
    );
  });
});

it('safeInteger returns only exact numbers', () => {
  expect(safeInteger('9007199254740991')).toBe(9007199254740991);
  expect(safeInteger(parseExactly('-8'))).toBe(-8);
  expect(safeInteger('9007199254740993')).toBeUndefined();
  expect(safeInteger('9'.repeat(1000))).toBeUndefined();
  expect(safeInteger('1.5')).toBeUndefined();
});
