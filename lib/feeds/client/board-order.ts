import { addScaled, compareScaled, differenceInBps, type ScaledInteger } from '@/lib/core/numbers';
import type { BoardSort, FeedChoice } from '@/lib/feeds/board-url';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import { exactConf, exactPrice, type FeedPoint } from './history';

export type TileFacts = FeedChoice & {
  readonly latest?: CompactFeed | undefined;
  /** Where the change is counted from. */
  readonly start?: FeedPoint | undefined;
};

/** Tiles in an order. What is not known comes last; equal ones stay as they were given. */
export function sortedTiles(tiles: readonly TileFacts[], sort: BoardSort): readonly TileFacts[] {
  return tiles.toSorted(COMPARE[sort]);
}

const COMPARE: Record<BoardSort, (a: TileFacts, b: TileFacts) => number> = {
  hand: () => 0,
  symbol: (a, b) => {
    // By code, not by language: server and browser have to agree.
    const [left, right] = [pairOf(a), pairOf(b)];
    return left < right ? -1 : left > right ? 1 : 0;
  },
  age: (a, b) => publishedOf(a) - publishedOf(b),
  change: (a, b) => greatestFirst(changeOf(a), changeOf(b)),
  confidence: (a, b) => greatestFirst(widthOf(a), widthOf(b)),
};

/** What can't be dated comes last. */
function publishedOf({ latest }: TileFacts): number {
  return latest === undefined || latest.x !== undefined ? Number.MAX_VALUE : latest.t;
}

function greatestFirst(a: ScaledInteger | undefined, b: ScaledInteger | undefined): number {
  return a && b ? compareScaled(b, a) : Number(a === undefined) - Number(b === undefined);
}

function changeOf({ latest, start }: TileFacts): ScaledInteger | undefined {
  return latest && start && differenceInBps(exactPrice(latest), exactPrice(start.update));
}

function widthOf({ latest }: TileFacts): ScaledInteger | undefined {
  const price = latest && exactPrice(latest);
  return price && differenceInBps(addScaled(price, exactConf(latest)), price);
}

/** `Crypto.BTC/USD` is looked for under B. */
function pairOf({ key, feed }: TileFacts): string {
  const symbol = feed?.symbol ?? key;
  return symbol.slice(symbol.lastIndexOf('.') + 1).toLowerCase();
}

/** Tiles in the order of these keys; those that it does not name come last, as they were. */
export function inOrderOf(tiles: readonly FeedChoice[], order: readonly string[]): readonly FeedChoice[] {
  const places = new Map(order.map((key, at) => [key, at]));
  const placeOf = ({ key }: FeedChoice) => places.get(key) ?? order.length;
  return tiles.toSorted((a, b) => placeOf(a) - placeOf(b));
}

export type TileMove = { readonly key: string; readonly target: string; readonly side: 'before' | 'after' };

/** The tiles with one of them moved; the same order where either is not there. */
export function withMove(
  tiles: readonly FeedChoice[],
  { key, target, side }: TileMove,
): readonly FeedChoice[] {
  const moved = tiles.find((one) => one.key === key);
  const others = tiles.filter((one) => one !== moved);
  const at = others.findIndex((one) => one.key === target);
  return moved === undefined || at < 0 ? tiles : others.toSpliced(at + (side === 'after' ? 1 : 0), 0, moved);
}

/** Where a key of the keyboard puts a tile; undefined for a key that means nothing, and at the ends. */
export function moveByKey(
  shown: readonly string[],
  key: string,
  pressed: string,
  columns: number,
): TileMove | undefined {
  const from = shown.indexOf(key);
  const places: Record<string, number> = {
    ArrowLeft: from - 1,
    ArrowRight: from + 1,
    ArrowUp: from - columns,
    ArrowDown: from + columns,
    Home: 0,
    End: shown.length - 1,
  };
  const to = Math.max(0, Math.min(places[pressed] ?? from, shown.length - 1));
  const target = shown[to];
  if (from === -1 || target === undefined || to === from) return undefined;
  return { key, target, side: to < from ? 'before' : 'after' };
}
