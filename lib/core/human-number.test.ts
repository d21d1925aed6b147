import { describe, expect, it } from 'vitest';
import { countOf, groupDigits, groupDigitsBriefly } from './numbers';

describe('counts', () => {
  it('keep every digit of numbers beyond 2^53', () => {
    expect(groupDigits('18446744073709551615')).toBe('18,446,744,073,709,551,615');
  });

  it('group negative and short numbers too', () => {
    expect(groupDigits('-1234')).toBe('-1,234');
    expect(groupDigits('123')).toBe('123');
  });

  it('group as many digits as a service may send', () => {
    expect(groupDigits('9'.repeat(100_000)).slice(-8)).toBe(',999,999');
  });

  it('leave text that is no number alone', () => {
    expect(groupDigits('1e5')).toBe('1e5');
  });

  it('carry the right form of their noun', () => {
    expect(countOf('0', 'request', 'requests')).toBe('0 requests');
    expect(countOf('1', 'request', 'requests')).toBe('1 request');
    expect(countOf('1234', 'request', 'requests')).toBe('1,234 requests');
  });
});

describe('groupDigitsBriefly', () => {
  it('leaves every digit of a very long number, without commas', () => {
    expect(groupDigitsBriefly('18446744073709551615')).toBe('18446744073709551615');
    expect(groupDigitsBriefly('500000')).toBe('500,000');
  });
});
