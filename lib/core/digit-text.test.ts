import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupsOfThree, withoutTrailingZeros } from './numbers';

/** So long that a step per pair of characters would not end while anybody waits. */
const LONG = 1_000_000;

describe('groupsOfThree', () => {
  it('groups from the right, and leaves a sign alone', () => {
    expect(groupsOfThree('', ',')).toBe('');
    expect(groupsOfThree('12', ',')).toBe('12');
    expect(groupsOfThree('123456', ',')).toBe('123,456');
    expect(groupsOfThree('-1234567', ' ')).toBe('-1 234 567');
  });

  it('changes nothing but the separators, of any number', () => {
    fc.assert(
      fc.property(fc.bigInt(), (integer) => {
        const grouped = groupsOfThree(integer.toString(), ',');
        expect(grouped).toMatch(/^-?\d{1,3}(,\d{3})*$/);
        expect(BigInt(grouped.replaceAll(',', ''))).toBe(integer);
      }),
    );
  });

  it('ends for a megabyte of digits', () => {
    expect(groupsOfThree('9'.repeat(LONG), ',').slice(0, 6)).toBe('9,999,');
  });
});

describe('withoutTrailingZeros', () => {
  it('takes the zeros at the end, and no others', () => {
    expect(withoutTrailingZeros('0')).toBe('');
    expect(withoutTrailingZeros('0100')).toBe('01');
    expect(withoutTrailingZeros('12')).toBe('12');
  });

  it('ends for a megabyte of zeros before a one', () => {
    const digits = `${'0'.repeat(LONG)}1`;
    expect(withoutTrailingZeros(digits)).toBe(digits);
  });
});
