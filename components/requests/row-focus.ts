'use client';
import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { useShortcut } from '@/lib/client/keyboard-hooks';
import { readSingleKeys } from '@/lib/client/keyboard-single-keys';
import type { TableRow } from './columns';
import {
  bringIntoSight,
  cellIndexOf,
  focusOn,
  OWN_MEANING,
  rowElement,
  rowIndexOf,
  toggleDetails,
} from './row-elements';
import { rowAfterKey } from './row-keys';

/** The rows as they are shown, and each by its key. */
type Model = { rows: readonly TableRow[]; rowsById: Readonly<Record<string, TableRow>> };

type Props = {
  model: Model;
  /** Of one row, CSS pixels. */
  rowPx: number;
  scroller: RefObject<HTMLElement | null>;
  openKey: string | undefined;
  onOpen: (key: string | undefined) => void;
};

type Scroller = Props['scroller'];

export type RowFocus = ReturnType<typeof useRowFocus>;

/** The row that the Tab key reaches: kept by its key, and by its place once the row itself is gone. */
function useActiveRow({ rows, rowsById }: Model, scroller: Scroller) {
  const [active, setActive] = useState<{ key: string; index: number }>();
  const atPlace = Math.max(0, Math.min(active?.index ?? 0, rows.length - 1));
  const activeIndex = active === undefined ? 0 : (rowsById[active.key]?.index ?? atPlace);
  const activate = (index: number) => {
    const key = rows[index]?.id;
    if (key !== undefined && (key !== active?.key || index !== active.index)) setActive({ key, index });
  };
  /** The row must be there before it can have the focus, and it may be drawn only from now on. */
  const goTo = (index: number, cell: number | undefined) => {
    flushSync(() => activate(index));
    focusOn(rowElement(scroller.current, index), cell);
  };
  return { activeIndex, activate, goTo };
}

/** Whoever reads with the keyboard must not be thrown back to the top of the page by a row that leaves or moves. */
function useFocusKept(rows: readonly TableRow[], activeIndex: number, scroller: Scroller) {
  const focused = useRef<{ cell: number | undefined }>(undefined);
  useLayoutEffect(() => {
    if (focused.current === undefined || rows.length === 0) return;
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body)
      focusOn(rowElement(scroller.current, activeIndex), focused.current.cell);
  }, [rows, activeIndex, scroller]);
  return focused;
}

function isPlain(event: KeyboardEvent): boolean {
  return !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
}

type Moves = {
  open: (index: number) => void;
  close: (() => void) | undefined;
  goTo: (index: number, cell: number | undefined) => void;
  /** How many rows there are, and how many of them are in sight. */
  count: number;
  inSight: number;
  /** Cells of the row that is pressed on. */
  cells: number;
};

/** What a key does on the row at `index`; false where it is not the table's. */
function press(event: KeyboardEvent, index: number, moves: Moves): boolean {
  const own = event.target instanceof Element ? event.target.closest(OWN_MEANING) : null;
  // In opened JSON every key is the reader's; a link or a button in a cell keeps Enter.
  if (!isPlain(event) || own?.closest('details')) return false;
  const cell = cellIndexOf(event.target);
  switch (event.key) {
    case 'Enter':
      if (own === null) moves.open(index);
      return own === null;
    case 'Escape':
      moves.close?.();
      return moves.close !== undefined;
    case 'ArrowRight':
      if ((cell ?? -1) + 1 < moves.cells) moves.goTo(index, (cell ?? -1) + 1);
      return true;
    case 'ArrowLeft':
      if (cell !== undefined) moves.goTo(index, cell === 0 ? undefined : cell - 1);
      return true;
    default:
      return step(event.key, index, cell, moves);
  }
}

function step(key: string, index: number, cell: number | undefined, moves: Moves): boolean {
  if ((key === 'j' || key === 'k') && readSingleKeys() === 'off') return false;
  const next = rowAfterKey(key, index, moves.count, moves.inSight);
  if (next === undefined) return false;
  moves.goTo(next, cell);
  // An open panel goes on with the rows.
  if (moves.close !== undefined) moves.open(next);
  return true;
}

/**
 * One row can be reached by Tab; from there the focus goes row by row, or into the cells by the arrows left and right.
 * Enter or a click opens a row, Escape closes it.
 */
export function useRowFocus({ model, rowPx, scroller, openKey, onOpen }: Props) {
  const { rows, rowsById } = model;
  const { activeIndex, activate, goTo } = useActiveRow(model, scroller);
  const focused = useFocusKept(rows, activeIndex, scroller);
  const openIndex = openKey === undefined ? undefined : rowsById[openKey]?.index;
  const open = (index: number) => {
    const row = rows[index];
    if (row?.original.kind === 'record') onOpen(row.id);
  };

  // An open panel has these keys for itself.
  const isFree = openKey === undefined && rows.length > 0;
  useShortcut(isFree ? 'j' : undefined, () => goTo(activeIndex, undefined));
  useShortcut(isFree ? 'k' : undefined, () => goTo(activeIndex, undefined));
  useEffect(() => {
    if (openIndex !== undefined) bringIntoSight(rowElement(scroller.current, openIndex));
  }, [openIndex, scroller]);

  function onClick({ target }: MouseEvent) {
    const index = rowIndexOf(target);
    const isOwn = target instanceof Element && target.closest(`${OWN_MEANING},pre`) !== null;
    // Whoever has marked text wants to copy it.
    if (index === undefined || isOwn || window.getSelection()?.isCollapsed === false) return;
    activate(index);
    open(index);
  }

  function onKeyDown(event: KeyboardEvent) {
    const index = rowIndexOf(event.target);
    if (index === undefined) return;
    const row = rowElement(scroller.current, index);
    const isHandled = press(event, index, {
      open: (at) =>
        rows[at]?.original.kind === 'unreadable' && at === index ? toggleDetails(row) : open(at),
      close: openKey === undefined ? undefined : () => onOpen(undefined),
      goTo,
      count: rows.length,
      inSight: Math.floor((scroller.current?.clientHeight ?? 0) / rowPx),
      cells: row?.cells.length ?? 0,
    });
    if (isHandled) event.preventDefault();
  }

  function onFocus({ target }: FocusEvent) {
    focused.current = { cell: cellIndexOf(target) };
    const index = rowIndexOf(target);
    if (index !== undefined) activate(index);
  }

  function onBlur() {
    focused.current = undefined;
  }

  return { activeIndex, openIndex, handlers: { onClick, onKeyDown, onFocus, onBlur } };
}
