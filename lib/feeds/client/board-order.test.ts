import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeedId } from '@/lib/core/feed';
import { moveByKey, orderedLike, sortedTiles, type TileFacts, withMove } from './board-order';
import { scriptedUpdate } from './browser-fixtures';
import type { FeedPoint } from './history';

const start: FeedPoint = { atMs: 0, price: 100, update: scriptedUpdate('x', '100', 0, { expo: 0 }) };

function tile(key: string, symbol: string, price?: string, conf = '1', publishTimeS = 0): TileFacts {
  const feed = { id: key as FeedId, symbol, assetType: '' };
  if (price === undefined) return { key, feed };
  return { key, feed, latest: scriptedUpdate(key, price, publishTimeS, { expo: 0, conf }), start };
}

const TILES = [
  tile('a', 'FX.EUR/USD', '90', '9', 30),
  tile('b', 'Crypto.WAIT/USD'),
  tile('c', 'Crypto.BTC/USD', '120', '1', 10),
  tile('d', 'Crypto.ADA/USD', '110', '100', 20),
];

const keysOf = (tiles: readonly { key: string }[]) => tiles.map(({ key }) => key).join('');

describe('the order of tiles', () => {
  it('is by symbol without its class, by rise, by relative confidence or by age, with unknown values last', () => {
    expect(keysOf(sortedTiles(TILES, 'hand'))).toBe('abcd');
    expect(keysOf(sortedTiles(TILES, 'symbol'))).toBe('dcab');
    expect(keysOf(sortedTiles(TILES, 'change'))).toBe('cdab');
    expect(keysOf(sortedTiles(TILES, 'confidence'))).toBe('dacb');
    expect(keysOf(sortedTiles(TILES, 'age'))).toBe('cdab');
  });

  it('keeps a saved order, with new feeds behind it', () => {
    expect(keysOf(orderedLike(TILES, ['c', 'gone', 'a']))).toBe('cabd');
  });
});

describe('a tile that is moved', () => {
  it('is placed beside its target, and all others keep their order', () => {
    const keys = fc.uniqueArray(fc.string(), { minLength: 2 });
    fc.assert(
      fc.property(
        keys,
        fc.nat(),
        fc.nat(),
        fc.constantFrom('before' as const, 'after' as const),
        (all, i, j, side) => {
          const [key = '', target = ''] = [all[i % all.length], all[j % all.length]];
          const tiles = all.map((key) => ({ key: key }));
          const moved = withMove(tiles, { key, target, side }).map((tile) => tile.key);
          expect(moved.filter((other) => other !== key)).toEqual(all.filter((other) => other !== key));
          if (key !== target) {
            const step = moved.indexOf(key) - moved.indexOf(target);
            expect(step).toBe(side === 'before' ? -1 : 1);
          }
        },
      ),
    );
  });

  it('follows the arrows through rows and columns, and stops at the ends', () => {
    const shown = ['a', 'b', 'c', 'd', 'e'];
    expect(moveByKey(shown, 'b', 'ArrowRight', 3)).toMatchObject({ target: 'c', side: 'after' });
    expect(moveByKey(shown, 'b', 'ArrowDown', 3)).toMatchObject({ target: 'e', side: 'after' });
    expect(moveByKey(shown, 'd', 'ArrowUp', 3)).toMatchObject({ target: 'a', side: 'before' });
    expect(moveByKey(shown, 'd', 'Home', 3)).toMatchObject({ target: 'a', side: 'before' });
    expect(moveByKey(shown, 'a', 'ArrowLeft', 3)).toBeUndefined();
    expect(moveByKey(shown, 'a', 'x', 3)).toBeUndefined();
  });
});
