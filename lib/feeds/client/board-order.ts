import { addScaled, compareScaled, differenceInBps, type ScaledInteger } from '@/lib/core/numbers';
import type { BoardSort } from '@/lib/feeds/board-url';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import { exactConf, exactPrice, type FeedPoint, firstAtOrAfter } from './history';

/** The point that the change over a window is counted from: the price in force when it began, or the first one known. */
export function windowStart(points: readonly FeedPoint[], fromMs: number): FeedPoint | undefined {
  return points[Math.max(0, firstAtOrAfter(points, fromMs + 1) - 1)];
}

/** What a tile can be sorted by. */
export type TileFacts = {
  readonly key: string;
  readonly symbol: string;
  readonly latest?: CompactFeed;
  /** Where the change is counted from. */
  readonly start?: FeedPoint;
};

/**
 * The keys in an order: symbols from A to Z, the greatest rise, the widest confidence (of the price) or the oldest price
 * first. What is not known comes last; equal ones stay as they were given.
 */
export function sortedTiles(tiles: readonly TileFacts[], sort: BoardSort): string[] {
  return compared(tiles, sort).map(({ key }) => key);
}

function compared(tiles: readonly TileFacts[], sort: BoardSort): readonly TileFacts[] {
  switch (sort) {
    case 'hand':
      return tiles;
    case 'symbol':
      return tiles.toSorted((a, b) => compareText(pairOf(a.symbol), pairOf(b.symbol)));
    case 'age':
      return tiles.toSorted((a, b) => (a.latest?.t ?? Number.MAX_VALUE) - (b.latest?.t ?? Number.MAX_VALUE));
    default:
      return byMeasure(tiles, sort);
  }
}

function byMeasure(tiles: readonly TileFacts[], sort: 'change' | 'confidence'): TileFacts[] {
  const measured = tiles.map((tile) => ({ tile, value: measureOf(tile, sort) }));
  measured.sort((a, b) => {
    if (a.value === undefined || b.value === undefined)
      return Number(a.value === undefined) - Number(b.value === undefined);
    return compareScaled(b.value, a.value);
  });
  return measured.map(({ tile }) => tile);
}

function measureOf({ latest, start }: TileFacts, sort: 'change' | 'confidence'): ScaledInteger | undefined {
  if (latest === undefined) return undefined;
  const price = exactPrice(latest);
  if (sort === 'confidence') return differenceInBps(addScaled(price, exactConf(latest)), price);
  return start && differenceInBps(price, exactPrice(start.update));
}

/** `Crypto.BTC/USD` is looked for under B. */
function pairOf(symbol: string): string {
  return symbol.slice(symbol.lastIndexOf('.') + 1).toLowerCase();
}

/** By code, not by language: server and browser have to agree. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `keys` in the order of `order`; those that it does not name come last, as they were. */
export function inOrderOf(keys: readonly string[], order: readonly string[]): string[] {
  const places = new Map(order.map((key, at) => [key, at]));
  return keys.toSorted((a, b) => (places.get(a) ?? order.length) - (places.get(b) ?? order.length));
}

/** `key` taken out and put in before or after `target`; the same order where either is not there. */
export function movedBeside(
  keys: readonly string[],
  key: string,
  target: string,
  side: 'before' | 'after',
): readonly string[] {
  if (key === target || !keys.includes(key)) return keys;
  const others = keys.filter((one) => one !== key);
  const at = others.indexOf(target);
  return at === -1 ? keys : others.toSpliced(at + (side === 'after' ? 1 : 0), 0, key);
}

/** Where a key of the keyboard puts a tile: beside which other one; undefined for a key that means nothing, and at the ends. */
export function neighbourOf(
  shown: readonly string[],
  key: string,
  pressed: string,
  columns: number,
): { readonly target: string; readonly side: 'before' | 'after' } | undefined {
  const from = shown.indexOf(key);
  const to = placeAfterKey(from, shown.length, pressed, columns);
  const target = to === undefined ? undefined : shown[to];
  if (from === -1 || to === undefined || target === undefined || to === from) return undefined;
  return { target, side: to < from ? 'before' : 'after' };
}

function placeAfterKey(from: number, count: number, pressed: string, columns: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowLeft: from - 1,
    ArrowRight: from + 1,
    ArrowUp: from - columns,
    ArrowDown: from + columns,
    Home: 0,
    End: count - 1,
  };
  const to = steps[pressed];
  return to === undefined ? undefined : Math.max(0, Math.min(to, count - 1));
}
