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

const OWN_MEANING = 'a,button,input,label,select,summary,details';

type Scroller = RefObject<HTMLElement | null>;

type Props = {
  rows: readonly ListedRow[];
  /** Of one row, CSS pixels. */
  rowPx: number;
  scroller: Scroller;
  openKey: string | undefined;
  onOpen: (key: string | undefined) => void;
};

/** Undefined for a row that is not drawn. */
function rowElement(scroller: HTMLElement | null, index: number): HTMLTableRowElement | undefined {
  return scroller?.querySelector<HTMLTableRowElement>(`tr[data-index="${index}"]`) ?? undefined;
}

function rowIndexOf(target: EventTarget): number | undefined {
  const row = target instanceof Element ? target.closest<HTMLElement>('tr[data-index]') : null;
  return row === null ? undefined : Number(row.dataset.index);
}

/** The place of the cell within its row; undefined on the row itself. */
function cellIndexOf(target: EventTarget): number | undefined {
  return target instanceof Element ? target.closest('td')?.cellIndex : undefined;
}

function focusOn(row: HTMLTableRowElement | undefined, cell: number | undefined): void {
  const target = cell === undefined ? row : (row?.cells[cell] ?? row);
  if (target === undefined) return;
  if (target !== row) target.tabIndex = -1;
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

function isPlain(event: KeyboardEvent): boolean {
  return !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
}

/** The row that a key goes to, undefined for a key that moves nothing. @param leap rows in sight */
function rowAfterKey(key: string, index: number, count: number, leap: number): number | undefined {
  const step = Math.max(1, leap - 1);
  const places: Record<string, number> = {
    ...{ j: index + 1, ArrowDown: index + 1, k: index - 1, ArrowUp: index - 1 },
    ...{ PageDown: index + step, PageUp: index - step, Home: 0, End: count - 1 },
  };
  const to = Object.hasOwn(places, key) ? places[key] : undefined;
  return to === undefined || count === 0 ? undefined : Math.max(0, Math.min(count - 1, to));
}

/**
 * One row can be reached by Tab; from there the focus goes row by row, into the cells by the arrows left and right, and
 * from the first row up to the headers. Enter or a click opens a row, Escape closes it.
 */
export function useRowFocus({ rows, rowPx, scroller, openKey, onOpen }: Props) {
  const [active, setActive] = useState<{ key: string; index: number }>();
  const focused = useRef<{ cell: number | undefined }>(undefined);
  const indexOf = (key: string | undefined) =>
    key === undefined ? -1 : rows.findIndex((row) => row.key === key);
  const known = indexOf(active?.key);
  const activeIndex = known >= 0 ? known : Math.max(0, Math.min(active?.index ?? 0, rows.length - 1));
  const openIndex = indexOf(openKey);

  function activate(index: number) {
    const key = rows[index]?.key;
    if (key !== undefined && (key !== active?.key || index !== active.index)) setActive({ key, index });
  }
  /** The row must be there before it can have the focus, and it may be drawn only from now on. */
  function goTo(index: number, cell: number | undefined) {
    flushSync(() => activate(index));
    focusOn(rowElement(scroller.current, index), cell);
  }
  function open(index: number) {
    const row = rows[index];
    if (row?.kind === 'record') onOpen(row.key);
  }

  // An open panel has these keys for itself.
  const isFree = openKey === undefined && rows.length > 0;
  useShortcut(isFree ? 'j' : undefined, () => goTo(activeIndex, undefined));
  useShortcut(isFree ? 'k' : undefined, () => goTo(activeIndex, undefined));
  useEffect(() => {
    if (openIndex >= 0) rowElement(scroller.current, openIndex)?.scrollIntoView({ block: 'nearest' });
  }, [openIndex, scroller]);
  // Whoever reads with the keyboard must not be thrown back to the top of the page by a row that leaves or moves.
  useLayoutEffect(() => {
    if (focused.current === undefined || rows.length === 0) return;
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body)
      focusOn(rowElement(scroller.current, activeIndex), focused.current.cell);
  }, [rows, activeIndex, scroller]);

  /** Whether the key was the table's. */
  function press(event: KeyboardEvent, index: number): boolean {
    const own = event.target instanceof Element ? event.target.closest(OWN_MEANING) : null;
    // In opened JSON every key is the reader's; a link or a button in a cell keeps Enter.
    if (!isPlain(event) || own?.closest('details')) return false;
    const row = rowElement(scroller.current, index);
    const cell = cellIndexOf(event.target);
    switch (event.key) {
      case 'Enter': {
        if (own !== null) return false;
        const details = row?.querySelector('details');
        if (details) details.open = !details.open;
        else open(index);
        return true;
      }
      case 'Escape':
        if (openKey === undefined) return false;
        onOpen(undefined);
        return true;
      case 'ArrowRight':
        if ((cell ?? -1) + 1 < (row?.cells.length ?? 0)) goTo(index, (cell ?? -1) + 1);
        return true;
      case 'ArrowLeft':
        if (cell !== undefined) goTo(index, cell === 0 ? undefined : cell - 1);
        return true;
      default:
        return step(event.key, index, cell);
    }
  }

  function step(key: string, index: number, cell: number | undefined): boolean {
    if ((key === 'j' || key === 'k') && readSingleKeys() === 'off') return false;
    if (key === 'ArrowUp' && index === 0) {
      scroller.current?.querySelectorAll<HTMLElement>('thead button')[cell ?? 0]?.focus();
      return true;
    }
    const next = rowAfterKey(
      key,
      index,
      rows.length,
      Math.floor((scroller.current?.clientHeight ?? 0) / rowPx),
    );
    if (next === undefined) return false;
    goTo(next, cell);
    // An open panel goes on with the rows.
    if (openKey !== undefined) open(next);
    return true;
  }

  return {
    activeIndex,
    openIndex,
    enter: (cell: number) => goTo(activeIndex, cell),
    handlers: {
      onClick({ target }: MouseEvent) {
        const index = rowIndexOf(target);
        const isOwn = target instanceof Element && target.closest(`${OWN_MEANING},pre`) !== null;
        // Whoever has marked text wants to copy it.
        if (index === undefined || isOwn || window.getSelection()?.isCollapsed === false) return;
        activate(index);
        open(index);
      },
      onKeyDown(event: KeyboardEvent) {
        const index = event.defaultPrevented ? undefined : rowIndexOf(event.target);
        if (index !== undefined && press(event, index)) event.preventDefault();
      },
      onFocus({ target }: FocusEvent) {
        focused.current = { cell: cellIndexOf(target) };
        const index = rowIndexOf(target);
        if (index !== undefined) activate(index);
      },
      onBlur() {
        focused.current = undefined;
      },
    },
  };
}

export type RowFocus = ReturnType<typeof useRowFocus>;
