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
import { readSingleKeys, useShortcut } from '@/components/ui/shortcuts';
import type { ListedRow } from '@/lib/requests/requests-response';
import type { Selection } from './selection';

/** Link to a row's own page. A plain click opens the panel instead. */
const ROW_LINK = 'a[data-row-link]';
/** A click on another control does not open the row. */
const OTHER_CONTROLS = 'a:not([data-row-link]),button';

type Props = {
  rows: readonly ListedRow[];
  rowPx: number;
  scroller: RefObject<HTMLElement | null>;
  openKey: string | undefined;
  onOpen: (key: string | undefined) => void;
  selection: Selection;
};

/** `cell` is undefined for the row itself. */
type Place = { index: number; cell: number | undefined };

function placeOf(target: EventTarget): Place | undefined {
  if (!(target instanceof Element)) return undefined;
  const row = target.closest<HTMLElement>('tr[data-index]');
  return row === null
    ? undefined
    : { index: Number(row.dataset.index), cell: target.closest('td')?.cellIndex };
}

function focusCell(row: HTMLTableRowElement | undefined, cell: number | undefined): void {
  const target = cell === undefined ? row : (row?.cells[cell] ?? row);
  if (target !== undefined && target !== row) target.tabIndex = -1;
  target?.focus({ preventScroll: true });
  target?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

/** If the focused row was removed or moved, a keyboard user would be sent to the top of the page. */
function useRestoredFocus(restore: () => void): void {
  useLayoutEffect(() => {
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) restore();
  });
}

/** Roving focus: one row is in the Tab order. Left and right move into the cells, up from the first row to the headers. */
export function useRowFocus({ rows, rowPx, scroller, openKey, onOpen, selection }: Props) {
  const [active, setActive] = useState<{ key: string; index: number }>();
  const focused = useRef<{ cell: number | undefined }>(undefined);
  const indexByKey = rows.findIndex(({ key }) => key === active?.key);
  const activeIndex =
    indexByKey >= 0 ? indexByKey : Math.max(0, Math.min(active?.index ?? 0, rows.length - 1));
  const openIndex = openKey === undefined ? -1 : rows.findIndex(({ key }) => key === openKey);

  /** Undefined if the row is not rendered. */
  const rowAt = (index: number) =>
    scroller.current?.querySelector<HTMLTableRowElement>(`tr[data-index="${index}"]`) ?? undefined;
  function activate(index: number) {
    const key = rows[index]?.key;
    if (key !== undefined && (key !== active?.key || index !== active.index)) setActive({ key, index });
  }
  function focus(index: number, cell: number | undefined) {
    focusCell(rowAt(index), cell);
  }
  function goTo(index: number, cell: number | undefined) {
    // A virtualised row must be rendered before it can take the focus.
    flushSync(() => activate(index));
    focus(index, cell);
  }
  function open(index: number) {
    const key = rows[index]?.key;
    if (key !== undefined) onOpen(key);
  }

  // While a panel is open, it handles these keys itself.
  const isFree = openKey === undefined && rows.length > 0;
  useShortcut(isFree ? 'j' : undefined, () => goTo(activeIndex, undefined));
  useShortcut(isFree ? 'k' : undefined, () => goTo(activeIndex, undefined));
  useEffect(() => {
    const row = scroller.current?.querySelector(`tr[data-index="${openIndex}"]`);
    row?.scrollIntoView({ block: 'nearest' });
  }, [openIndex, scroller]);
  useRestoredFocus(() => {
    if (focused.current !== undefined && rows.length > 0) focus(activeIndex, focused.current.cell);
  });

  const keys: RowKeys = {
    cellCount: (index) => rowAt(index)?.cells.length ?? 0,
    pageRows: () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowPx) - 1),
    lastIndex: rows.length - 1,
    isPanelOpen: openKey !== undefined,
    selection,
    open,
    close: () => onOpen(undefined),
    goTo,
    goToHeader: (cell) => scroller.current?.querySelectorAll<HTMLElement>('thead button')[cell]?.focus(),
  };

  return {
    activeIndex,
    enter: (cell: number) => goTo(activeIndex, cell),
    handlers: rowHandlers({ activate, keys, focused }),
  };
}

export type RowFocus = ReturnType<typeof useRowFocus>;

type HandlerOptions = {
  activate: (index: number) => void;
  keys: RowKeys;
  focused: RefObject<{ cell: number | undefined } | undefined>;
};

/** One listener of the table serves all rows. */
function rowHandlers({ activate, keys, focused }: HandlerOptions) {
  const { open, selection } = keys;
  return {
    onClick(event: MouseEvent) {
      const target = event.target as Element;
      const place = placeOf(target);
      const isOwn = target.closest(OTHER_CONTROLS) !== null;
      const isLink = target.closest(ROW_LINK) !== null;
      // The click ends a text selection.
      if (place === undefined || isOwn || window.getSelection()?.isCollapsed === false) return;
      // The browser opens a new tab or window.
      if (isLink && (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)) return;
      event.preventDefault();
      activate(place.index);
      if (selection.keys === undefined) open(place.index);
      else selection.toggle(place.index, event.shiftKey);
    },
    onKeyDown(event: KeyboardEvent) {
      const place = event.defaultPrevented ? undefined : placeOf(event.target);
      if (place !== undefined && pressOnRow(event, place, keys)) event.preventDefault();
    },
    onFocus({ target }: FocusEvent) {
      const place = placeOf(target);
      focused.current = { cell: place?.cell };
      if (place !== undefined) activate(place.index);
    },
    onBlur() {
      focused.current = undefined;
    },
  };
}

type RowKeys = {
  cellCount: (index: number) => number;
  pageRows: () => number;
  lastIndex: number;
  isPanelOpen: boolean;
  selection: Selection;
  open: (index: number) => void;
  close: () => void;
  goTo: (index: number, cell: number | undefined) => void;
  goToHeader: (cell: number) => void;
};

/** Returns whether the table uses the key. */
function pressOnRow(event: KeyboardEvent, { index, cell }: Place, keys: RowKeys): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
  switch (event.key) {
    case 'Enter':
      // The link or button handles the key.
      if ((event.target as Element).closest(OTHER_CONTROLS) !== null) return false;
      keys.open(index);
      return true;
    case 'Escape':
      if (keys.isPanelOpen) keys.close();
      else if (keys.selection.keys !== undefined) keys.selection.end();
      else return false;
      return true;
    case 'x':
      if (readSingleKeys() === 'off') return false;
      keys.selection.toggle(index, false);
      return true;
    case 'ArrowRight':
      if ((cell ?? -1) + 1 < keys.cellCount(index)) keys.goTo(index, (cell ?? -1) + 1);
      return true;
    case 'ArrowLeft':
      if (cell !== undefined) keys.goTo(index, cell === 0 ? undefined : cell - 1);
      return true;
    case 'ArrowUp':
      if (index > 0) return moveRow(event.key, { index, cell }, keys);
      keys.goToHeader(cell ?? 0);
      return true;
    case 'j':
    case 'k':
      if (readSingleKeys() === 'off') return false;
  }
  return moveRow(event.key, { index, cell }, keys);
}

/** Returns false for a key that does not move. */
function moveRow(key: string, { index, cell }: Place, keys: RowKeys): boolean {
  const page = keys.pageRows();
  const places: Record<string, number> = {
    j: index + 1,
    ArrowDown: index + 1,
    k: index - 1,
    ArrowUp: index - 1,
    PageDown: index + page,
    PageUp: index - page,
    Home: 0,
    End: keys.lastIndex,
  };
  const next = places[key];
  if (next === undefined) return false;
  const bounded = Math.max(0, Math.min(keys.lastIndex, next));
  keys.goTo(bounded, cell);
  // An open panel follows the focused row.
  if (keys.isPanelOpen) keys.open(bounded);
  return true;
}
