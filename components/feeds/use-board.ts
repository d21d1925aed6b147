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
import {
  BOARD_WINDOWS,
  type BoardChoice,
  type BoardStyle,
  boardChoiceOf,
  boardUrl,
  FEEDS_PARAMS,
  type FeedChoice,
  type FeedsInitialData,
  formatFeedsUrl,
} from '@/lib/feeds/board-url';
import { moveByKey, orderedLike, sortedTiles, type TileMove } from '@/lib/feeds/client/board-order';
import { useFeedDirectory } from '@/lib/feeds/client/directory';
import { windowStart } from '@/lib/feeds/client/history';
import type { FeedStore } from '@/lib/feeds/client/store';

type BoardView = Pick<BoardChoice, 'choices' | 'style'>;
export type ShowBoard = (change: (now: BoardView) => BoardView, how: HistoryStep) => void;

/** The directory is loaded only if a name, or market hours, are needed that the server did not have in time. */
export function useNames({ names, isWhole }: Pick<FeedsInitialData, 'names' | 'isWhole'>) {
  const [isWanted, setWanted] = useState(!isWhole);
  const directory = useFeedDirectory(isWanted);
  const { data } = directory;
  const allNames = useMemo(() => {
    if (data === undefined) return names;
    // A complete directory has no hours for the feeds that it does not list.
    const others = data.isWhole ? names.map(({ areHoursPending: _, ...name }) => name) : names;
    return [...data.feeds, ...others];
  }, [names, data]);
  const isResolvingNames = (choices: readonly FeedChoice[]) => {
    const isUnresolved = choices.some(({ feed }) => feed === undefined || feed.symbol === feed.id);
    if (isUnresolved && !isWanted) setWanted(true);
    return isUnresolved && directory.isPending;
  };
  return { allNames, isWholeNow: isWhole || data?.isWhole === true, isResolvingNames };
}

/** `isSearching`: the directory may still name some of the feeds. */
export function useBoard({ defaults, ...initial }: Pick<FeedsInitialData, 'names' | 'isWhole' | 'defaults'>) {
  const { query, change: changeQuery } = useQueryText(FEEDS_PARAMS);
  const { allNames, isWholeNow, isResolvingNames } = useNames(initial);
  const read = useCallback(
    (params: URLSearchParams) => boardChoiceOf(params, { names: allNames, isWhole: isWholeNow, defaults }),
    [allNames, isWholeNow, defaults],
  );
  const chosen = useMemo(() => read(new URLSearchParams(query)), [query, read]);
  const show: ShowBoard = useCallback(
    (change, how) =>
      changeQuery((params) => {
        const current = read(params);
        const next = change(current);
        const isDefault = !params.has('ids') && next.choices === current.choices;
        const url = isDefault ? formatFeedsUrl(next.style) : boardUrl(next.choices, next.style);
        return new URLSearchParams(url.split('?')[1]);
      }, how),
    [read, changeQuery],
  );
  return { ...chosen, show, isResolving: isResolvingNames(chosen.choices) };
}

/** Interval of a new order. A shorter one would never let tiles rest when ordered by price. */
const RENEW_MS = 5_000;

/** The order rests while pointer or focus is among the tiles, because somebody may be about to press one. */
export function useBoardOrder(
  choices: readonly FeedChoice[],
  { sort, window: back }: BoardStyle,
  store: FeedStore,
  grid: RefObject<HTMLElement | null>,
): readonly FeedChoice[] {
  const [order, setOrder] = useState<readonly string[]>([]);
  const follows = sort !== 'hand' && sort !== 'symbol';
  const renew = useEffectEvent(() => {
    const fromMs = Date.now() - store.stream().skewMs - BOARD_WINDOWS[back];
    const tiles = choices.map((choice) => ({
      ...choice,
      latest: store.feed(choice.key).latest,
      start: windowStart(store.points(choice.key), fromMs),
    }));
    setOrder(sortedTiles(tiles, sort).map(({ key }) => key));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another order or window is sorted at once
  useEffect(() => {
    if (!follows) return;
    renew();
    const timer = setInterval(() => {
      if (grid.current?.matches(':hover, :focus-within') !== true) renew();
    }, RENEW_MS);
    return () => clearInterval(timer);
  }, [follows, sort, back, grid]);
  return useMemo(
    () => (follows ? orderedLike(choices, order) : sortedTiles(choices, sort)),
    [choices, follows, order, sort],
  );
}

type Drag = { readonly key: string; readonly move?: TileMove | undefined };

/** A tile dragged this near to the edge of the window scrolls the page. */
const EDGE_PX = 48;
const SCROLL_PX = 16;

/** A move takes effect when the grip is dropped. `shown` has the keys in the order on screen. */
export function useBoardMoves(
  grid: RefObject<HTMLElement | null>,
  shown: readonly string[],
  onMove: (move: TileMove) => void,
) {
  const [drag, setDrag] = useState<Drag>();
  const refocus = useRef<string>(undefined);
  // An element that moves within the page loses the focus, so it is focused again.
  useEffect(() => {
    const key = refocus.current;
    if (key === undefined || !shown.includes(key)) return;
    refocus.current = undefined;
    const tile = grid.current?.querySelector(`[data-tile="${CSS.escape(key)}"]`);
    tile?.querySelector<HTMLElement>('[data-grip]')?.focus({ preventScroll: true });
    tile?.scrollIntoView({ block: 'nearest' });
  }, [grid, shown]);
  const move = (next: TileMove | undefined) => {
    if (next === undefined) return;
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
    if (event.clientY < EDGE_PX) window.scrollBy(0, -SCROLL_PX);
    else if (event.clientY > window.innerHeight - EDGE_PX) window.scrollBy(0, SCROLL_PX);
    const next = moveUnder(event, drag.key);
    if (next?.target !== drag.move?.target || next?.side !== drag.move?.side)
      setDrag({ key: drag.key, move: next });
  };
  const onPointerUp = () => {
    move(drag?.move);
    setDrag(undefined);
  };
  const onPointerCancel = () => setDrag(undefined);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const key = gripKey(event.target);
    if (key === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') setDrag(undefined);
    const next = moveByKey(shown, key, event.key, columnsOf(event.currentTarget));
    if (next !== undefined) event.preventDefault();
    move(next);
  };
  return { drag, handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel, onKeyDown } };
}

function gripKey(target: EventTarget): string | undefined {
  if (!(target instanceof Element) || target.closest('[data-grip]') === null) return undefined;
  return target.closest<HTMLElement>('[data-tile]')?.dataset.tile;
}

/** Moves to the nearer side of the tile under the pointer: left or right, or in a single column above or below. */
function moveUnder(event: PointerEvent<HTMLElement>, key: string): TileMove | undefined {
  const { clientX, clientY, currentTarget: grid } = event;
  const tile = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('[data-tile]');
  const target = tile?.dataset.tile;
  if (tile == null || target === undefined || target === key || !grid.contains(tile)) return undefined;
  const { left, top, width, height } = tile.getBoundingClientRect();
  const isFirstHalf = columnsOf(grid) > 1 ? clientX < left + width / 2 : clientY < top + height / 2;
  return { key, target, side: isFirstHalf ? 'before' : 'after' };
}

function columnsOf(grid: HTMLElement): number {
  const tops = [...grid.children].map((tile) => Math.round(tile.getBoundingClientRect().top));
  return Math.max(1, ...[...new Set(tops)].map((top) => tops.filter((other) => other === top).length));
}
