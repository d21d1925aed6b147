'use client';
import { type RefObject, useEffect, useEffectEvent } from 'react';
import type { ListedRecord } from '@/lib/client/cell-text';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { COLUMN_IDS, type ColumnId } from '@/lib/requests/columns';

/** A cell of a readable row. */
export type PointedCell = { element: HTMLTableCellElement; record: ListedRecord; column: ColumnId };

/** What the pointer and the keyboard say about cells; `x` and `y` in CSS pixels of the window. */
export type CellEvents = {
  /** A pointer or the focus is on this cell; undefined when it has left. */
  onPoint: (cell: PointedCell | undefined) => void;
  onMenu: (cell: PointedCell, x: number, y: number) => void;
  onCopy: (cell: PointedCell) => void;
};

/** How long a finger rests for a menu: browsers of phones that fire no `contextmenu` take about as long. */
const LONG_PRESS_MS = 550;
/** A finger that moves so far scrolls. */
const STILL_PX = 10;

type RowOf = (key: string) => ListedRow | undefined;

function cellAt(target: EventTarget | null, rowOf: RowOf): PointedCell | undefined {
  if (!(target instanceof Element)) return undefined;
  const row = target.closest<HTMLTableRowElement>('tr[data-row="record"]');
  // With the focus on the whole row its first cell is meant.
  const element = target.closest('td') ?? row?.cells[0];
  const column = COLUMN_IDS.find((id) => id === element?.dataset.column);
  const record = row === null ? undefined : rowOf(row.dataset.key ?? '');
  if (!element || column === undefined || record?.kind !== 'record') return undefined;
  return { element, record, column };
}

function isMenuKey(event: KeyboardEvent): boolean {
  return event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey);
}

function isCopyKey(event: KeyboardEvent): boolean {
  const isC = event.key === 'c' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
  return isC && window.getSelection()?.isCollapsed !== false;
}

/** A finger that rests on the table; `stop` when it moves or leaves. */
function longPress(onHeld: (event: PointerEvent) => boolean) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let [x, y] = [0, 0];
  let wasHeld = false;
  const stop = () => clearTimeout(timer);
  return {
    stop,
    begin(event: PointerEvent) {
      stop();
      wasHeld = false;
      if (event.pointerType !== 'touch') return;
      [x, y] = [event.clientX, event.clientY];
      timer = setTimeout(() => {
        wasHeld = onHeld(event);
      }, LONG_PRESS_MS);
    },
    /** Lifted after it had its effect, it must not click as well. */
    lift(event: TouchEvent) {
      if (wasHeld && event.cancelable) event.preventDefault();
      wasHeld = false;
    },
    move(event: PointerEvent) {
      if (Math.hypot(event.clientX - x, event.clientY - y) > STILL_PX) stop();
    },
  };
}

/** Listens once on the whole table, so that no cell needs a listener or an element of its own for this. */
export function useCellPointing(
  scroller: RefObject<HTMLElement | null>,
  rowOf: RowOf,
  { onPoint, onMenu, onCopy }: CellEvents,
): void {
  const point = useEffectEvent((target: EventTarget | null) => onPoint(cellAt(target, rowOf)));
  const leave = useEffectEvent(() => onPoint(undefined));
  const menuAt = useEffectEvent((target: EventTarget | null, x: number, y: number): boolean => {
    const cell = cellAt(target, rowOf);
    if (cell !== undefined) onMenu(cell, x, y);
    return cell !== undefined;
  });
  const press = useEffectEvent((event: KeyboardEvent): boolean => {
    const cell = isMenuKey(event) || isCopyKey(event) ? cellAt(event.target, rowOf) : undefined;
    if (cell === undefined) return false;
    const { left, bottom } = cell.element.getBoundingClientRect();
    if (isMenuKey(event)) onMenu(cell, left, bottom);
    else onCopy(cell);
    return true;
  });
  useEffect(() => {
    const area = scroller.current;
    if (area === null) return;
    const held = longPress((event) => menuAt(event.target, event.clientX, event.clientY));
    const listeners = new AbortController();
    const on = <K extends keyof HTMLElementEventMap>(
      name: K,
      listener: (event: HTMLElementEventMap[K]) => void,
    ) => area.addEventListener(name, listener, { signal: listeners.signal });
    on('pointerover', (event) => {
      if (event.pointerType === 'mouse' && !isOnTools(event.target)) point(event.target);
    });
    on('pointerleave', () => leave());
    on('focusin', (event) => {
      if (event.target instanceof HTMLTableCellElement) point(event.target);
    });
    on('scroll', () => {
      leave();
      held.stop();
    });
    on('pointerdown', held.begin);
    on('pointermove', held.move);
    on('pointerup', held.stop);
    on('pointercancel', held.stop);
    on('touchend', held.lift);
    on('contextmenu', (event) => {
      const isWanted = !event.shiftKey && window.getSelection()?.isCollapsed !== false;
      if (isWanted && menuAt(event.target, event.clientX, event.clientY)) event.preventDefault();
    });
    on('keydown', (event) => {
      if (press(event)) event.preventDefault();
    });
    // With another width, as when a request opens beside the table, the cells are no longer where they were.
    const sized = new ResizeObserver(() => leave());
    sized.observe(area);
    return () => {
      sized.disconnect();
      held.stop();
      listeners.abort();
    };
  }, [scroller]);
}

function isOnTools(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[data-cell-tools]') !== null;
}
