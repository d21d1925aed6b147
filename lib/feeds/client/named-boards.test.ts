import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BOARDS_FORM,
  boardAddress,
  LONGEST_BOARD_NAME,
  MOST_BOARDS,
  withBoard,
  withNewName,
} from './named-boards';

const ID = 'a'.repeat(64);
const MINE = { name: 'Mine', url: `/feeds?ids=${ID}` };

const read = (text: string | null) => BOARDS_FORM.read(text, () => null);

describe('named boards', () => {
  it('keep feeds, sort, window and size, and not what was looked for', () => {
    expect(boardAddress(`/feeds?ids=${ID}&sort=age&window=15m&size=s&find=btc`)).toBe(
      `/feeds?ids=${ID}&sort=age&window=15m&size=s`,
    );
    expect(boardAddress('/feeds')).toBe('/feeds');
    expect(boardAddress('/feeds?ids=')).toBe('/feeds?ids=');
  });

  it('are added, and replaced under a name that exists', () => {
    const { boards } = withBoard([MINE], '  My   FX ', '/feeds?ids=FX.EUR/USD');
    expect(boards).toEqual([MINE, { name: 'My FX', url: '/feeds?ids=FX.EUR/USD' }]);
    expect(withBoard(boards, 'Mine', '/feeds').boards[0]).toEqual({ name: 'Mine', url: '/feeds' });
  });

  it('are not added without a name, with one that is too long, and beyond the bound', () => {
    expect(withBoard([], '  ', '/feeds')).toEqual({ boards: [], result: 'no-name' });
    expect(withBoard([], 'x'.repeat(LONGEST_BOARD_NAME + 1), '/feeds').result).toBe('no-name');
    const full = Array.from({ length: MOST_BOARDS }, (_, at) => ({ name: `b${at}`, url: '/feeds' }));
    expect(withBoard(full, 'one more', '/feeds')).toEqual({ boards: full, result: 'full' });
    expect(withBoard(full, 'b3', '/feeds?ids=').result).toBe('saved');
  });

  it('get another name that no other one has', () => {
    const boards = [MINE, { name: 'Other', url: '/feeds' }];
    expect(withNewName(boards, 'Mine', 'Other')).toEqual({ boards, result: 'taken' });
    expect(withNewName(boards, 'Mine', 'Mine').result).toBe('saved');
    expect(withNewName(boards, 'Mine', 'Yours').boards[0]?.name).toBe('Yours');
  });

  it('survive what anybody may have written into the storage', () => {
    expect(read(null)).toEqual([]);
    expect(read('{"a":1}')).toEqual([]);
    const text = JSON.stringify([
      MINE,
      { ...MINE, url: '/feeds' },
      { name: 'Elsewhere', url: 'javascript:alert(1)' },
      { name: 'Elsewhere', url: '/feedsx?ids=1' },
      { name: 7, url: '/feeds' },
      null,
    ]);
    expect(read(text)).toEqual([MINE]);
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (any) => void read(any)));
    expect(read(BOARDS_FORM.write([MINE]))).toEqual([MINE]);
  });
});
