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
import type { ListedRow } from '@/lib/requests/answers';
import type { Selection } from './selection';

/** The link to a row's own page. A plain click on it opens the row beside the table instead. */
const ROW_LINK = 'a[data-row-link]';
/** Controls of a row with a meaning of their own. */
const OWN_MEANING = 'a:not([data-row-link]),button';

type Props = {
  rows: readonly ListedRow[];
  rowPx: number;
  scroller: RefObject<HTMLElement | null>;
  openKey: string | undefined;
  onOpen: (key: string | undefined) => void;
  selection: Selection;
};

/** The place in the table of what was clicked, pressed or focused; `cell` is undefined on the row itself. */
function placeOf(target: EventTarget): { index: number; cell: number | undefined } | undefined {
  if (!(target instanceof Element)) return undefined;
  const row = target.closest<HTMLElement>('tr[data-index]');
  return row === null
    ? undefined
    : { index: Number(row.dataset.index), cell: target.closest('td')?.cellIndex };
}

/**
 * One row can be reached by Tab; from there the focus goes row by row, into the cells by the arrows left and right, and
 * from the first row up to the headers. Enter or a click opens a row, Escape closes it; while rows are selected a click selects.
 */
export function useRowFocus({ rows, rowPx, scroller, openKey, onOpen, selection }: Props) {
  const [active, setActive] = useState<{ key: string; index: number }>();
  const focused = useRef<{ cell: number | undefined }>(undefined);
  const known = rows.findIndex(({ key }) => key === active?.key);
  const activeIndex = known >= 0 ? known : Math.max(0, Math.min(active?.index ?? 0, rows.length - 1));
  const openIndex = openKey === undefined ? -1 : rows.findIndex(({ key }) => key === openKey);

  /** Undefined for a row that is not drawn. */
  const rowAt = (index: number) =>
    scroller.current?.querySelector<HTMLTableRowElement>(`tr[data-index="${index}"]`) ?? undefined;
  function activate(index: number) {
    const key = rows[index]?.key;
    if (key !== undefined && (key !== active?.key || index !== active.index)) setActive({ key, index });
  }
  function focus(index: number, cell: number | undefined) {
    const row = rowAt(index);
    const target = cell === undefined ? row : (row?.cells[cell] ?? row);
    if (target !== undefined && target !== row) target.tabIndex = -1;
    target?.focus({ preventScroll: true });
    target?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
  function goTo(index: number, cell: number | undefined) {
    // The row may be drawn only from now on.
    flushSync(() => activate(index));
    focus(index, cell);
  }
  function open(index: number) {
    const key = rows[index]?.key;
    if (key !== undefined) onOpen(key);
  }

  // An open panel has these keys for itself.
  const isFree = openKey === undefined && rows.length > 0;
  useShortcut(isFree ? 'j' : undefined, () => goTo(activeIndex, undefined));
  useShortcut(isFree ? 'k' : undefined, () => goTo(activeIndex, undefined));
  useEffect(() => {
    const row = scroller.current?.querySelector(`tr[data-index="${openIndex}"]`);
    row?.scrollIntoView({ block: 'nearest' });
  }, [openIndex, scroller]);
  // Whoever reads with the keyboard must not be thrown back to the top of the page by a row that leaves or moves.
  useLayoutEffect(() => {
    const { activeElement } = document;
    const isLost = activeElement === null || activeElement === document.body;
    if (isLost && focused.current !== undefined && rows.length > 0) focus(activeIndex, focused.current.cell);
  });

  /** Whether the key was the table's. */
  function press(event: KeyboardEvent, index: number, cell: number | undefined): boolean {
    const own = (event.target as Element).closest(OWN_MEANING);
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
    switch (event.key) {
      case 'Enter':
        // A link or a button in a cell keeps it.
        if (own !== null) return false;
        open(index);
        return true;
      case 'Escape':
        if (openKey === undefined && selection.keys === undefined) return false;
        if (openKey === undefined) selection.end();
        else onOpen(undefined);
        return true;
      case 'x':
        if (readSingleKeys() === 'off') return false;
        selection.toggle(index, false);
        return true;
      case 'ArrowRight':
        if ((cell ?? -1) + 1 < (rowAt(index)?.cells.length ?? 0)) goTo(index, (cell ?? -1) + 1);
        return true;
      case 'ArrowLeft':
        if (cell !== undefined) goTo(index, cell === 0 ? undefined : cell - 1);
        return true;
      case 'ArrowUp':
        if (index > 0) break;
        scroller.current?.querySelectorAll<HTMLElement>('thead button')[cell ?? 0]?.focus();
        return true;
      case 'j':
      case 'k':
        if (readSingleKeys() === 'off') return false;
    }
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowPx) - 1);
    const places: Record<string, number> = {
      j: index + 1,
      ArrowDown: index + 1,
      k: index - 1,
      ArrowUp: index - 1,
      PageDown: index + page,
      PageUp: index - page,
      Home: 0,
      End: rows.length - 1,
    };
    const next = places[event.key];
    if (next === undefined) return false;
    const bounded = Math.max(0, Math.min(rows.length - 1, next));
    goTo(bounded, cell);
    // An open panel goes on with the rows.
    if (openKey !== undefined) open(bounded);
    return true;
  }

  return {
    activeIndex,
    enter: (cell: number) => goTo(activeIndex, cell),
    handlers: {
      onClick(event: MouseEvent) {
        const target = event.target as Element;
        const place = placeOf(target);
        const isOwn = target.closest(OWN_MEANING) !== null;
        const isLink = target.closest(ROW_LINK) !== null;
        // Marked text is about to be copied.
        if (place === undefined || isOwn || window.getSelection()?.isCollapsed === false) return;
        // A new tab or window: the browser's own way with a link.
        if (isLink && (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)) return;
        event.preventDefault();
        activate(place.index);
        if (selection.keys === undefined) open(place.index);
        else selection.toggle(place.index, event.shiftKey);
      },
      onKeyDown(event: KeyboardEvent) {
        const place = event.defaultPrevented ? undefined : placeOf(event.target);
        if (place !== undefined && press(event, place.index, place.cell)) event.preventDefault();
      },
      onFocus({ target }: FocusEvent) {
        const place = placeOf(target);
        focused.current = { cell: place?.cell };
        if (place !== undefined) activate(place.index);
      },
      onBlur() {
        focused.current = undefined;
      },
    },
  };
}

export type RowFocus = ReturnType<typeof useRowFocus>;
