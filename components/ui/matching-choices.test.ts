import { describe, expect, it } from 'vitest';
import { type Choice, matchingChoices, namedChoice } from './matching-choices';

const choices: Choice[] = [
  { value: '', label: 'All networks' },
  { value: '84532', label: 'Base Sepolia', hint: '84532' },
  { value: '8453', label: 'Base', hint: '8453' },
  { value: '42161', label: 'Arbitrum One', hint: '42161' },
];
const byId = (text: string) => (/^\d+$/.test(text) ? { value: text, label: `Network ${text}` } : undefined);
const values = (text: string) => matchingChoices(choices, text, byId).map((choice) => choice.value);

describe('matchingChoices', () => {
  it('offers everything before anything is typed', () => {
    expect(values('  ')).toEqual(['', '84532', '8453', '42161']);
  });

  it('puts the exact name and the exact id first', () => {
    expect(values('base')).toEqual(['8453', '84532']);
    expect(values('8453')).toEqual(['8453', '84532']);
  });

  it('finds a word in the middle of a name', () => {
    expect(values('sepolia')).toEqual(['84532']);
  });

  it('searches the whole text of a label that is shortened', () => {
    const hex = [{ value: '0xAbCd12', label: '0xAb…12', search: '0xAbCd12' }];
    expect(matchingChoices(hex, 'BCD', () => undefined)).toEqual(hex);
    expect(matchingChoices(hex, '…', () => undefined)).toEqual([]);
  });

  it('offers an id that nobody listed', () => {
    expect(values('999')).toEqual(['999']);
  });

  it('offers nothing for text that fits nothing', () => {
    expect(values('zzz')).toEqual([]);
  });
});

describe('namedChoice', () => {
  it('takes a whole name, a whole id, and an id that nobody listed', () => {
    expect(namedChoice(choices, ' BASE ', byId)?.value).toBe('8453');
    expect(namedChoice(choices, '8453', byId)?.value).toBe('8453');
    expect(namedChoice(choices, '999', byId)?.value).toBe('999');
  });

  it('does not guess from a part of a name', () => {
    expect(namedChoice(choices, 'bas', byId)).toBeUndefined();
  });
});
