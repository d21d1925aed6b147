'use client';
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { neighbourOf } from '@/lib/client/feed-arrangement';

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
  useFocusAgain(grid, shown, refocus);

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    const key = gripKey(event.target);
    if (key === undefined || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setDrag({ key });
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    if (drag === undefined) return;
    scrollAtEdge(event.clientY);
    const over = placeUnder(event, event.currentTarget, drag.key);
    if (over?.target !== drag.over?.target || over?.side !== drag.over?.side)
      setDrag({ key: drag.key, over });
  };
  const onPointerUp = () => {
    if (drag?.over !== undefined) {
      refocus.current = drag.key;
      onMove({ key: drag.key, ...drag.over });
    }
    setDrag(undefined);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const key = gripKey(event.target);
    if (key === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') setDrag(undefined);
    const beside = neighbourOf(shown, key, event.key, columnsOf(event.currentTarget));
    if (beside === undefined) return;
    event.preventDefault();
    refocus.current = key;
    onMove({ key, ...beside });
  };
  const leave = () => setDrag(undefined);
  return { drag, handlers: { onPointerDown, onPointerMove, onPointerUp, onKeyDown, onPointerCancel: leave } };
}

/** An element that is put elsewhere in the page loses the focus: it gets it back. */
function useFocusAgain(
  grid: RefObject<HTMLElement | null>,
  shown: readonly string[],
  refocus: RefObject<string | undefined>,
): void {
  useEffect(() => {
    const key = refocus.current;
    if (key === undefined || !shown.includes(key)) return;
    refocus.current = undefined;
    const tile = grid.current?.querySelector(`[data-tile="${CSS.escape(key)}"]`);
    tile?.querySelector<HTMLElement>('[data-grip]')?.focus({ preventScroll: true });
    tile?.scrollIntoView({ block: 'nearest' });
  }, [grid, shown, refocus]);
}

function gripKey(target: EventTarget): string | undefined {
  return target instanceof Element && target.closest('[data-grip]') !== null ? tileKey(target) : undefined;
}

function tileKey(element: Element): string | undefined {
  return element.closest<HTMLElement>('[data-tile]')?.dataset.tile;
}

/** The tile under the pointer, and on which side of its middle: left or right, or above or below in a single column. */
function placeUnder(
  { clientX, clientY }: { readonly clientX: number; readonly clientY: number },
  grid: HTMLElement,
  key: string,
): Drag['over'] {
  const tile = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('[data-tile]');
  const target = tile?.dataset.tile;
  if (tile === null || tile === undefined || target === undefined || target === key || !grid.contains(tile)) {
    return undefined;
  }
  const { left, top, width, height } = tile.getBoundingClientRect();
  const isFirstHalf = columnsOf(grid) > 1 ? clientX < left + width / 2 : clientY < top + height / 2;
  return { target, side: isFirstHalf ? 'before' : 'after' };
}

function columnsOf(grid: HTMLElement): number {
  return getComputedStyle(grid).gridTemplateColumns.split(' ').length;
}

function scrollAtEdge(clientY: number): void {
  if (clientY < EDGE_PX) window.scrollBy(0, -SCROLL_PX);
  else if (clientY > window.innerHeight - EDGE_PX) window.scrollBy(0, SCROLL_PX);
}
