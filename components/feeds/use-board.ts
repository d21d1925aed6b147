'use client';
import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useCallback,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react';
import { type HistoryStep, useQueryText } from '@/components/ui/use-query-text';
import type { FeedReference } from '@/lib/core/feed';
import {
  BOARD_WINDOWS,
  type BoardChoice,
  type BoardLook,
  type BoardSort,
  boardChoiceOf,
  boardUrl,
  choiceKey,
  FEEDS_PARAMS,
  type FeedChoice,
  type FeedName,
  formatFeedsUrl,
} from '@/lib/feeds/board-url';
import { inOrderOf, neighbourOf, sortedTiles, windowStart } from '@/lib/feeds/client/board-order';
import { useFeedDirectory } from '@/lib/feeds/client/directory';
import type { FeedStore } from '@/lib/feeds/client/store';

/** What a board shows, as its address says it. */
type BoardView = { readonly choices: readonly FeedChoice[]; readonly look: BoardLook };

/** Changes what is shown. */
export type ShowBoard = (change: (now: BoardView) => BoardView, how: HistoryStep) => void;

/** `isLooking`: the names of the address may still be found. */
export type Board = BoardChoice & { readonly show: ShowBoard; readonly isLooking: boolean };

/** The board of the address. The directory is asked for when a name of it is none that the server knew. */
export function useBoard(names: readonly FeedName[], defaults: readonly FeedReference[]): Board {
  const { query, change: changeQuery } = useQueryText(FEEDS_PARAMS);
  const [isWanted, setWanted] = useState(false);
  const directory = useFeedDirectory(isWanted);
  const listed = directory.data?.feeds;
  const known = useMemo(() => (listed === undefined ? names : [...names, ...listed]), [names, listed]);
  const choice = useMemo(
    () => boardChoiceOf(new URLSearchParams(query), known, defaults),
    [query, known, defaults],
  );
  const isUnresolved = choice.choices.some(
    (one) => one.kind === 'unnamed' || one.feed.symbol === one.feed.id,
  );
  if (isUnresolved && !isWanted) setWanted(true);
  const show: ShowBoard = useCallback(
    (change, how) =>
      changeQuery((params) => {
        const now = boardChoiceOf(params, known, defaults);
        const next = change(now);
        const isDefault = !params.has('ids') && next.choices === now.choices;
        const url = isDefault
          ? formatFeedsUrl({ ...next.look, feeds: [] })
          : boardUrl(next.choices, next.look);
        return new URLSearchParams(url.split('?')[1]);
      }, how),
    [known, defaults, changeQuery],
  );
  return { ...choice, show, isLooking: isUnresolved && directory.isPending };
}

/** An order that follows prices is renewed so often, or tiles would never stand still. */
const RENEW_MS = 5_000;

/**
 * The choices in the order that is asked for. One that follows prices is renewed every few seconds, and not while the
 * pointer or the focus is among the tiles: what somebody is about to press must not move away.
 */
export function useBoardOrder(
  choices: readonly FeedChoice[],
  { sort, window: back }: BoardLook,
  store: FeedStore,
  grid: RefObject<HTMLElement | null>,
): readonly FeedChoice[] {
  const [order, setOrder] = useState<{ readonly sort: BoardSort; readonly keys: readonly string[] }>();
  const follows = sort !== 'hand' && sort !== 'symbol';
  const renew = useEffectEvent((by: BoardSort, windowMs: number) => {
    const fromMs = Date.now() - store.stream().skewMs - windowMs;
    const tiles = factsOf(choices).map((facts) => ({
      ...facts,
      latest: store.feed(facts.key).latest,
      start: windowStart(store.points(facts.key), fromMs),
    }));
    setOrder({ sort: by, keys: sortedTiles(tiles, by) });
  });
  useEffect(() => {
    if (!follows) return;
    const windowMs = BOARD_WINDOWS[back];
    renew(sort, windowMs);
    const timer = setInterval(() => {
      if (grid.current?.matches(':hover, :focus-within') !== true) renew(sort, windowMs);
    }, RENEW_MS);
    return () => clearInterval(timer);
  }, [follows, sort, back, grid]);
  return useMemo(() => {
    const byKey = new Map(choices.map((choice) => [choiceKey(choice), choice]));
    const renewed = order?.sort === sort ? order.keys : [];
    const sorted = follows ? inOrderOf([...byKey.keys()], renewed) : sortedTiles(factsOf(choices), sort);
    return sorted.flatMap((key) => byKey.get(key) ?? []);
  }, [choices, follows, order, sort]);
}

function factsOf(choices: readonly FeedChoice[]) {
  return choices.map((choice) => ({
    key: choiceKey(choice),
    symbol: choice.kind === 'feed' ? choice.feed.symbol : choice.text,
  }));
}

/** Where a tile goes: beside another one. */
export type TileMove = { readonly key: string; readonly target: string; readonly side: 'before' | 'after' };

type Drag = { readonly key: string; readonly over?: Pick<TileMove, 'target' | 'side'> };

/** How near to the edge of the window a drag has to be for the page to scroll, and by how much it does. */
const EDGE_PX = 48;
const SCROLL_PX = 16;

/**
 * Tiles are moved by their grip (`data-grip`), with the pointer or the arrow keys. Nothing moves before it is dropped;
 * the place where it would go is told until then. Escape lets it stay where it was.
 * @param shown keys of the tiles in the order on screen
 */
export function useBoardMoves(
  grid: RefObject<HTMLElement | null>,
  shown: readonly string[],
  onMove: (move: TileMove) => void,
) {
  const [drag, setDrag] = useState<Drag>();
  const refocus = useRef<string>(undefined);
  // An element that is put elsewhere in the page loses the focus: it gets it back.
  useEffect(() => {
    const key = refocus.current;
    if (key === undefined || !shown.includes(key)) return;
    refocus.current = undefined;
    const tile = grid.current?.querySelector(`[data-tile="${CSS.escape(key)}"]`);
    tile?.querySelector<HTMLElement>('[data-grip]')?.focus({ preventScroll: true });
    tile?.scrollIntoView({ block: 'nearest' });
  }, [grid, shown]);
  const move = (next: TileMove) => {
    refocus.current = next.key;
    onMove(next);
  };

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    const key = gripKey(event.target);
    if (key === undefined || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setDrag({ key });
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    if (drag === undefined) return;
    const { clientY } = event;
    if (clientY < EDGE_PX) window.scrollBy(0, -SCROLL_PX);
    else if (clientY > window.innerHeight - EDGE_PX) window.scrollBy(0, SCROLL_PX);
    const over = placeUnder(event, event.currentTarget, drag.key);
    if (over?.target !== drag.over?.target || over?.side !== drag.over?.side)
      setDrag({ key: drag.key, over });
  };
  const onPointerUp = () => {
    if (drag?.over !== undefined) move({ key: drag.key, ...drag.over });
    setDrag(undefined);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const key = gripKey(event.target);
    if (key === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') setDrag(undefined);
    const beside = neighbourOf(shown, key, event.key, columnsOf(event.currentTarget));
    if (beside === undefined) return;
    event.preventDefault();
    move({ key, ...beside });
  };
  const onPointerCancel = () => setDrag(undefined);
  return { drag, handlers: { onPointerDown, onPointerMove, onPointerUp, onKeyDown, onPointerCancel } };
}

function gripKey(target: EventTarget): string | undefined {
  if (!(target instanceof Element) || target.closest('[data-grip]') === null) return undefined;
  return target.closest<HTMLElement>('[data-tile]')?.dataset.tile;
}

/** The tile under the pointer, and on which side of its middle: left or right, or above or below in a single column. */
function placeUnder(
  { clientX, clientY }: { readonly clientX: number; readonly clientY: number },
  grid: HTMLElement,
  key: string,
): Drag['over'] {
  const tile = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('[data-tile]');
  const target = tile?.dataset.tile;
  if (tile == null || target === undefined || target === key || !grid.contains(tile)) return undefined;
  const { left, top, width, height } = tile.getBoundingClientRect();
  const isFirstHalf = columnsOf(grid) > 1 ? clientX < left + width / 2 : clientY < top + height / 2;
  return { target, side: isFirstHalf ? 'before' : 'after' };
}

function columnsOf(grid: HTMLElement): number {
  return getComputedStyle(grid).gridTemplateColumns.split(' ').length;
}
