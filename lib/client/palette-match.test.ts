import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fuzzyMatches, fuzzyScore } from './palette-match';

const names = ['Arbitrum One', 'Base', 'Base Sepolia', 'Arbitrum Sepolia', 'Optimism', 'Blast'];
const find = (typed: string) => fuzzyMatches(names, (name) => name, typed, 10);

describe('fuzzyMatches', () => {
  it('puts beginnings before places inside, and shorter names before longer ones', () => {
    expect(find('base')).toEqual(['Base', 'Base Sepolia']);
    expect(find('sep')).toEqual(['Base Sepolia', 'Arbitrum Sepolia']);
  });

  it('takes words in any order, and words with letters left out', () => {
    expect(find('sepolia arb')).toEqual(['Arbitrum Sepolia']);
    expect(find('spla')).toEqual(['Base Sepolia', 'Arbitrum Sepolia']);
    expect(find('optm')).toEqual(['Optimism']);
  });

  it('shows everything for an empty text, and nothing for one that fits nothing', () => {
    expect(find('  ')).toEqual(names);
    expect(find('zzz')).toEqual([]);
  });

  it('finds every text by itself and by any part of it', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.nat(), (text, from, length) => {
        expect(fuzzyScore(text, text.slice(from, from + length))).toBeDefined();
      }),
    );
  });
});
