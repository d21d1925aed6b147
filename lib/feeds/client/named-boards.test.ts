import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boardAddress, readBoards } from './named-boards';

const ID = 'a'.repeat(64);
const MINE = { name: 'Mine', url: `/feeds?ids=${ID}` };

describe('named boards', () => {
  it('keep feeds, sort, window and size, and not the search text', () => {
    expect(boardAddress(`/feeds?ids=${ID}&sort=age&window=15m&size=l&find=btc`)).toBe(
      `/feeds?ids=${ID}&sort=age&window=15m&size=l`,
    );
    expect(boardAddress('/feeds')).toBe('/feeds');
    expect(boardAddress('/feeds?ids=')).toBe('/feeds?ids=');
  });

  it('survive any text in the storage', () => {
    expect(readBoards(null)).toEqual([]);
    expect(readBoards('{"a":1}')).toEqual([]);
    const text = JSON.stringify([
      MINE,
      { ...MINE, url: '/feeds' },
      { name: 'Elsewhere', url: 'javascript:alert(1)' },
      { name: 'Elsewhere', url: '/feedsx?ids=1' },
      { name: 7, url: '/feeds' },
      { name: 'x'.repeat(61), url: '/feeds' },
      null,
    ]);
    expect(readBoards(text)).toEqual([MINE]);
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (any) => void readBoards(any)));
    expect(readBoards(JSON.stringify([MINE]))).toEqual([MINE]);
  });
});
