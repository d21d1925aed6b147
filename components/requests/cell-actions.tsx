'use client';
import dynamic from 'next/dynamic';
import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type RefObject,
  useRef,
  useState,
} from 'react';
import { announce } from '@/components/ui/announce';
import { serverTime } from '@/components/ui/clock';
import { noticeOnFailure } from '@/components/ui/part-not-loaded';
import { cellText } from '@/lib/requests/column-schema';
import { COLUMN_IDS } from '@/lib/requests/columns';
import type { ListedRow } from '@/lib/requests/requests-response';
import type { Cell } from '@/lib/requests/view';
import type { OpenMenu, PointedCell } from './cell-menu';
import classes from './table.module.css';

const CellMenu = dynamic(() => noticeOnFailure(import('./cell-menu').then((part) => part.CellMenu)), {
  ssr: false,
});

type Props = {
  rows: readonly ListedRow[];
  scroller: RefObject<HTMLElement | null>;
  onFilter: (cell: Cell, mode: 'include' | 'exclude') => void;
};

const isTextSelected = () => window.getSelection()?.isCollapsed === false;

function cellAt(target: EventTarget | null, rows: readonly ListedRow[]): PointedCell | undefined {
  if (!(target instanceof Element)) return undefined;
  const row = target.closest<HTMLTableRowElement>('tr[data-row="record"]');
  // On a focused row, the menu is that of its first cell.
  const element = target.closest('td') ?? row?.cells[0];
  const column = COLUMN_IDS.find((id) => id === element?.dataset.column);
  const record = rows.find(({ key }) => key === row?.dataset.key);
  if (!element || column === undefined || record?.kind !== 'record') return undefined;
  return { element, record, column };
}

async function copyCell({ record, column }: PointedCell): Promise<'copied' | 'refused'> {
  try {
    // This throws over plain HTTP from another machine, where browsers offer no clipboard.
    await navigator.clipboard.writeText(cellText(record, column, serverTime(Date.now())) ?? '');
    announce('Copied');
    return 'copied';
  } catch {
    announce('Clipboard blocked');
    return 'refused';
  }
}

type HandlerOptions = Pick<Props, 'rows'> & {
  point: (target: EventTarget | null) => void;
  isDots: (target: EventTarget) => boolean;
  openAt: (menu: OpenMenu) => void;
  openBelow: (cell: PointedCell) => void;
};

function cellHandlers({ rows, point, isDots, openAt, openBelow }: HandlerOptions) {
  return {
    onPointerOver({ pointerType, target }: PointerEvent) {
      if (pointerType === 'mouse' && !isDots(target)) point(target);
    },
    onPointerLeave: () => point(null),
    onScroll: () => point(null),
    async onClick({ target }: MouseEvent) {
      const button = target instanceof Element ? target.closest<HTMLElement>('[data-copy]') : null;
      const cell = cellAt(button, rows);
      if (button === null || cell === undefined) return;
      button.dataset.result = await copyCell(cell);
      setTimeout(() => delete button.dataset.result, 1500);
    },
    onContextMenu(event: MouseEvent) {
      const cell = event.shiftKey || isTextSelected() ? undefined : cellAt(event.target, rows);
      if (cell === undefined) return;
      event.preventDefault();
      openAt({ cell, x: event.clientX, y: event.clientY });
    },
    onKeyDown(event: KeyboardEvent) {
      const { key, shiftKey, altKey } = event;
      const isMenu = key === 'ContextMenu' || (key === 'F10' && shiftKey);
      const isCopy = key === 'c' && (event.ctrlKey || event.metaKey) && !shiftKey && !altKey;
      const cell = isMenu || (isCopy && !isTextSelected()) ? cellAt(event.target, rows) : undefined;
      if (cell === undefined) return;
      event.preventDefault();
      if (isMenu) openBelow(cell);
      else void copyCell(cell);
    },
  };
}

/** The menu of a cell opens by the right button, Shift F10 or its dots; Ctrl C copies. One listener serves all cells. */
export function useCellActions({ rows, scroller, onFilter }: Props) {
  const dots = useRef<HTMLButtonElement>(null);
  const pointed = useRef<PointedCell>(undefined);
  const [menu, setMenu] = useState<OpenMenu>();

  function openBelow(cell: PointedCell, element: Element = cell.element) {
    const { left, bottom } = element.getBoundingClientRect();
    setMenu({ cell, x: left, y: bottom });
  }
  function point(target: EventTarget | null) {
    const [button, area] = [dots.current, scroller.current];
    if (button === null || area === null) return;
    const cell = cellAt(target, rows);
    pointed.current = cell;
    button.hidden = cell === undefined;
    if (cell === undefined) return;
    const { top, right, height } = cell.element.getBoundingClientRect();
    const origin = area.getBoundingClientRect();
    button.style.top = `${top - origin.top + area.scrollTop + height / 2 - 10}px`;
    button.style.left = `${right - origin.left + area.scrollLeft - 21}px`;
  }

  const handlers = cellHandlers({
    rows,
    point,
    isDots: (target) => target === dots.current,
    openAt: setMenu,
    openBelow,
  });
  const element = (
    <>
      <button
        ref={dots}
        type="button"
        hidden
        tabIndex={-1}
        className={classes.dots}
        aria-label="More for this cell"
        title="Copy, filter for, filter out"
        onClick={({ currentTarget }) => pointed.current && openBelow(pointed.current, currentTarget)}
      >
        ⋯
      </button>
      {menu === undefined ? null : (
        <CellMenu
          menu={menu}
          onCopy={() => void copyCell(menu.cell)}
          onFilter={onFilter}
          onClose={() => setMenu(undefined)}
        />
      )}
    </>
  );
  return { handlers, element };
}
