'use client';
import { type RefObject, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { inOrderOf, sortedTiles, windowStart } from '@/lib/client/feed-arrangement';
import { choiceKey, type FeedChoice } from '@/lib/client/feed-choice';
import type { FeedStore } from '@/lib/client/feed-store';
import { BOARD_WINDOWS, type BoardSort, type BoardWindow } from '@/lib/contract/codec/feeds-url';

/** An order that follows prices is renewed so often, or tiles would never stand still. */
export const RENEW_MS = 5_000;

type Order = { readonly sort: BoardSort; readonly keys: readonly string[] };

/**
 * The choices in the order that is asked for. One that follows prices is renewed every few seconds, and not while the
 * pointer or the focus is among the tiles: what somebody is about to press must not move away.
 */
export function useBoardOrder(
  choices: readonly FeedChoice[],
  { sort, window: back }: { readonly sort: BoardSort; readonly window: BoardWindow },
  { store, grid }: { readonly store: FeedStore; readonly grid: RefObject<HTMLElement | null> },
): readonly FeedChoice[] {
  const [order, setOrder] = useState<Order>({ sort: 'hand', keys: [] });
  const follows = sort !== 'hand' && sort !== 'symbol';
  const renew = useEffectEvent((by: BoardSort, windowMs: number) => {
    setOrder({ sort: by, keys: orderNow(choices, by, windowMs, store) });
  });
  useEffect(() => {
    if (!follows) return;
    const windowMs = BOARD_WINDOWS[back];
    renew(sort, windowMs);
    const timer = setInterval(() => {
      if (!isInUse(grid.current)) renew(sort, windowMs);
    }, RENEW_MS);
    return () => clearInterval(timer);
  }, [follows, sort, back, grid]);
  return useMemo(() => {
    const byKey = new Map(choices.map((choice) => [choiceKey(choice), choice]));
    const keys = [...byKey.keys()];
    const sorted = follows
      ? inOrderOf(keys, order.sort === sort ? order.keys : [])
      : sortedTiles(factsOf(choices), sort);
    return sorted.flatMap((key) => byKey.get(key) ?? []);
  }, [choices, follows, order, sort]);
}

function isInUse(grid: HTMLElement | null): boolean {
  return grid?.matches(':hover, :focus-within') === true;
}

function factsOf(choices: readonly FeedChoice[]) {
  return choices.map((choice) => ({
    key: choiceKey(choice),
    symbol: choice.kind === 'feed' ? choice.feed.symbol : choice.text,
  }));
}

function orderNow(
  choices: readonly FeedChoice[],
  sort: BoardSort,
  windowMs: number,
  store: FeedStore,
): readonly string[] {
  const fromMs = Date.now() - store.stream().skewMs - windowMs;
  const tiles = factsOf(choices).map((facts) => ({
    ...facts,
    latest: store.feed(facts.key).latest,
    start: windowStart(store.history(facts.key).points(), fromMs),
  }));
  return sortedTiles(tiles, sort);
}
