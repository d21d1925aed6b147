import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recogniseQuery } from './log-query';

const hexDigits = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), minLength: length, maxLength: length });

describe('recogniseQuery', () => {
  it('recognises a hash and an address in any case, with and without 0x, between blanks', () => {
    for (const [kind, length] of [['transaction', 64] as const, ['address', 40] as const]) {
      fc.assert(
        fc.property(
          hexDigits(length),
          fc.constantFrom('', '0x', '0X'),
          fc.constantFrom('', ' ', '\n\t', '\u200b', '\u00a0'),
          (hex, prefix, blank) => {
            expect(recogniseQuery(blank + prefix + hex + blank)).toEqual({
              kind,
              canonical: `0x${hex.toLowerCase()}`,
            });
          },
        ),
      );
    }
  });

  it('takes 40 and 64 decimal digits for an address and a hash, since no sequence is that long', () => {
    expect(recogniseQuery('1'.repeat(40)).kind).toBe('address');
    expect(recogniseQuery('1'.repeat(64)).kind).toBe('transaction');
  });

  it('recognises every 64-bit sequence number, digit for digit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (sequence) => {
        const expected = { kind: 'sequence', canonical: sequence.toString() };
        expect(recogniseQuery(` ${sequence} `)).toEqual(expected);
        expect(recogniseQuery(`0x${sequence.toString(16)}`)).toEqual(expected);
      }),
    );
  });

  it.each([
    ['007', '7'],
    ['0', '0'],
    ['18446744073709551615', '18446744073709551615'],
  ])('writes the sequence %s as %s', (text, canonical) => {
    expect(recogniseQuery(text)).toEqual({ kind: 'sequence', canonical });
  });

  it.each([
    '18446744073709551616',
    '0x10000000000000000',
    'abc',
    '0x',
    '-1',
    '1.5',
    '1e5',
    '12 34',
    `0x${'a'.repeat(63)}`,
    `0x${'a'.repeat(41)}`,
    `${'g'.repeat(64)}`,
    '9'.repeat(100_000),
    '<b>1</b>',
  ])('finds nothing in %.30j', (text) => {
    expect(recogniseQuery(text)).toEqual({ kind: 'none' });
  });

  it.each(['', '   ', '\n', '\u200b'])('calls %j empty', (text) => {
    expect(recogniseQuery(text)).toEqual({ kind: 'empty' });
  });
});
