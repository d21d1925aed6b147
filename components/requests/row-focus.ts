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
/** Other controls in a row, whose clicks don't open it. */
const OWN_MEANING = 'a:not([data-row-link]),button';

type Props = {
  rows: readonly ListedRow[];
  rowPx: number;
  scroller: RefObject<HTMLElement | null>;
  openKey: string | undefined;
  onOpen: (key: string | undefined) => void;
  selection: Selection;
};

/** Row and cell of an event's target; `cell` is undefined on the row itself. */
function placeOf(target: EventTarget): { index: number; cell: number | undefined } | undefined {
  if (!(target instanceof Element)) return undefined;
  const row = target.closest<HTMLElement>('tr[data-index]');
  return row === null
    ? undefined
    : { index: Number(row.dataset.index), cell: target.closest('td')?.cellIndex };
}

/**
 * Roving focus: one row is in the Tab order; up and down move between rows, left and right into the cells, and up
 * from the first row to the headers. Enter or a click opens a row, Escape closes it; in selection mode a click selects.
 */
export function useRowFocus({ rows, rowPx, scroller, openKey, onOpen, selection }: Props) {
  const [active, setActive] = useState<{ key: string; index: number }>();
  const focused = useRef<{ cell: number | undefined }>(undefined);
  const found = rows.findIndex(({ key }) => key === active?.key);
  const activeIndex = found >= 0 ? found : Math.max(0, Math.min(active?.index ?? 0, rows.length - 1));
  const openIndex = openKey === undefined ? -1 : rows.findIndex(({ key }) => key === openKey);

  /** Undefined for a row that is not rendered. */
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
    // The virtualised row must be rendered before it can take the focus.
    flushSync(() => activate(index));
    focus(index, cell);
  }
  function open(index: number) {
    const key = rows[index]?.key;
    if (key !== undefined) onOpen(key);
  }

  // An open panel handles these keys itself.
  const isFree = openKey === undefined && rows.length > 0;
  useShortcut(isFree ? 'j' : undefined, () => goTo(activeIndex, undefined));
  useShortcut(isFree ? 'k' : undefined, () => goTo(activeIndex, undefined));
  useEffect(() => {
    const row = scroller.current?.querySelector(`tr[data-index="${openIndex}"]`);
    row?.scrollIntoView({ block: 'nearest' });
  }, [openIndex, scroller]);
  // Restores the focus when the focused row was removed or moved, so that a keyboard user is not sent to the top of the page.
  useLayoutEffect(() => {
    const { activeElement } = document;
    const isLost = activeElement === null || activeElement === document.body;
    if (isLost && focused.current !== undefined && rows.length > 0) focus(activeIndex, focused.current.cell);
  });

  /** Returns whether the table handled the key. */
  function press(event: KeyboardEvent, index: number, cell: number | undefined): boolean {
    const control = (event.target as Element).closest(OWN_MEANING);
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
    switch (event.key) {
      case 'Enter':
        // A link or button in a cell handles the key itself.
        if (control !== null) return false;
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
    // An open panel follows the focused row.
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
        // A click that ends a text selection opens nothing.
        if (place === undefined || isOwn || window.getSelection()?.isCollapsed === false) return;
        // Modified clicks on the link are left to the browser (new tab or window).
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
