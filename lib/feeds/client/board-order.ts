import { addScaled, compareScaled, differenceInBps, type ScaledInteger } from '@/lib/core/numbers';
import type { BoardSort, FeedChoice } from '@/lib/feeds/board-url';
import type { PriceUpdate } from '@/lib/feeds/price-update';
import type { FeedPoint } from './history';

export type TileFacts = FeedChoice & {
  readonly latest?: PriceUpdate | undefined;
  /** The price from which the change is computed. */
  readonly start?: FeedPoint | undefined;
};

/** The order is stable. Tiles with unknown values come last. */
export function sortedTiles(tiles: readonly TileFacts[], sort: BoardSort): readonly TileFacts[] {
  return tiles.toSorted(COMPARE[sort]);
}

const COMPARE: Record<BoardSort, (a: TileFacts, b: TileFacts) => number> = {
  hand: () => 0,
  symbol: (a, b) => {
    // Texts are compared by code unit, because the locales of server and browser may differ.
    const [left, right] = [pairOf(a), pairOf(b)];
    return left < right ? -1 : left > right ? 1 : 0;
  },
  age: (a, b) => publishedOf(a) - publishedOf(b),
  change: (a, b) => greatestFirst(changeOf(a), changeOf(b)),
  confidence: (a, b) => greatestFirst(widthOf(a), widthOf(b)),
};

function publishedOf({ latest }: TileFacts): number {
  return latest === undefined || latest.misdating !== undefined ? Number.MAX_VALUE : latest.publishTimeS;
}

function greatestFirst(a: ScaledInteger | undefined, b: ScaledInteger | undefined): number {
  return a && b ? compareScaled(b, a) : Number(a === undefined) - Number(b === undefined);
}

function changeOf({ latest, start }: TileFacts): ScaledInteger | undefined {
  return latest && start && differenceInBps(latest.price, start.update.price);
}

function widthOf({ latest }: TileFacts): ScaledInteger | undefined {
  return latest && differenceInBps(addScaled(latest.price, latest.conf), latest.price);
}

/** `Crypto.BTC/USD` is sorted under B. */
function pairOf({ key, feed }: TileFacts): string {
  const symbol = feed?.symbol ?? key;
  return symbol.slice(symbol.lastIndexOf('.') + 1).toLowerCase();
}

/** Tiles without a key follow in their previous order. */
export function orderedLike(tiles: readonly FeedChoice[], order: readonly string[]): readonly FeedChoice[] {
  const places = new Map(order.map((key, index) => [key, index]));
  const placeOf = ({ key }: FeedChoice) => places.get(key) ?? order.length;
  return tiles.toSorted((a, b) => placeOf(a) - placeOf(b));
}

export type TileMove = { readonly key: string; readonly target: string; readonly side: 'before' | 'after' };

/** Returns the same order if either tile is missing. */
export function withMove(
  tiles: readonly FeedChoice[],
  { key, target, side }: TileMove,
): readonly FeedChoice[] {
  const moved = tiles.find((tile) => tile.key === key);
  const others = tiles.filter((tile) => tile !== moved);
  const index = others.findIndex((tile) => tile.key === target);
  return moved === undefined || index < 0
    ? tiles
    : others.toSpliced(index + (side === 'after' ? 1 : 0), 0, moved);
}

/** Undefined for other keys and at the ends. */
export function moveByKey(
  shown: readonly string[],
  key: string,
  pressed: string,
  columns: number,
): TileMove | undefined {
  const fromIndex = shown.indexOf(key);
  const places: Record<string, number> = {
    ArrowLeft: fromIndex - 1,
    ArrowRight: fromIndex + 1,
    ArrowUp: fromIndex - columns,
    ArrowDown: fromIndex + columns,
    Home: 0,
    End: shown.length - 1,
  };
  const toIndex = Math.max(0, Math.min(places[pressed] ?? fromIndex, shown.length - 1));
  const target = shown[toIndex];
  if (fromIndex === -1 || target === undefined || toIndex === fromIndex) return undefined;
  return { key, target, side: toIndex < fromIndex ? 'before' : 'after' };
}
