'use client';
import { Menu } from '@mantine/core';
import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react';
import { announce } from '@/components/ui/announce';
import { failureGroup } from '@/lib/core/failure';
import { clipped } from '@/lib/core/text';
import { COLUMN_SCHEMA, cellText } from '@/lib/requests/column-schema';
import { COLUMN_IDS, type ColumnId } from '@/lib/requests/columns';
import type { ListedRecord, ListedRow } from '@/lib/requests/requests-response';
import { type Cell, canonicalCell, onlyCell } from '@/lib/requests/view';
import { shortHex } from './columns';
import classes from './table.module.css';

type PointedCell = { element: HTMLTableCellElement; record: ListedRecord; column: ColumnId };
type OpenMenu = { cell: PointedCell; x: number; y: number };

type Props = {
  rows: readonly ListedRow[];
  scroller: RefObject<HTMLElement | null>;
  onFilter: (cell: Cell, way: 'for' | 'out') => void;
};

const isTextSelected = () => window.getSelection()?.isCollapsed === false;

/**
 * Actions of a cell: its menu by the right button, Shift F10 or the dots beside it, and its value copied
 * by Ctrl C. One listener on the table serves all cells.
 */
export function useCellActions({ rows, scroller, onFilter }: Props) {
  const dots = useRef<HTMLButtonElement>(null);
  const pointed = useRef<PointedCell>(undefined);
  const [menu, setMenu] = useState<OpenMenu>();

  function cellAt(target: EventTarget | null): PointedCell | undefined {
    if (!(target instanceof Element)) return undefined;
    const row = target.closest<HTMLTableRowElement>('tr[data-row="record"]');
    // With the focus on a row the menu is that of its first cell.
    const element = target.closest('td') ?? row?.cells[0];
    const column = COLUMN_IDS.find((id) => id === element?.dataset.column);
    const record = rows.find(({ key }) => key === row?.dataset.key);
    if (!element || column === undefined || record?.kind !== 'record') return undefined;
    return { element, record, column };
  }
  function openBelow(cell: PointedCell, element: Element = cell.element) {
    const { left, bottom } = element.getBoundingClientRect();
    setMenu({ cell, x: left, y: bottom });
  }
  async function copyCell({ record, column }: PointedCell) {
    // Throws over plain HTTP from another machine, where browsers offer no clipboard.
    const write = async () => navigator.clipboard.writeText(cellText(record, column, Date.now()) ?? '');
    const result = await write().then(
      () => 'copied',
      () => 'refused',
    );
    announce(result === 'copied' ? 'Copied' : 'Clipboard blocked');
    return result;
  }
  function point(target: EventTarget | null) {
    const [button, area] = [dots.current, scroller.current];
    if (button === null || area === null) return;
    const cell = cellAt(target);
    pointed.current = cell;
    button.hidden = cell === undefined;
    if (cell === undefined) return;
    const { top, right, height } = cell.element.getBoundingClientRect();
    const from = area.getBoundingClientRect();
    button.style.top = `${top - from.top + area.scrollTop + height / 2 - 10}px`;
    button.style.left = `${right - from.left + area.scrollLeft - 21}px`;
  }

  const handlers = {
    onPointerOver({ pointerType, target }: PointerEvent) {
      if (pointerType === 'mouse' && target !== dots.current) point(target);
    },
    onPointerLeave: () => point(null),
    onScroll: () => point(null),
    async onClick({ target }: MouseEvent) {
      const button = target instanceof Element ? target.closest<HTMLElement>('[data-copy]') : null;
      const cell = cellAt(button);
      if (button === null || cell === undefined) return;
      button.dataset.result = await copyCell(cell);
      setTimeout(() => delete button.dataset.result, 1500);
    },
    onContextMenu(event: MouseEvent) {
      const cell = event.shiftKey || isTextSelected() ? undefined : cellAt(event.target);
      if (cell === undefined) return;
      event.preventDefault();
      setMenu({ cell, x: event.clientX, y: event.clientY });
    },
    onKeyDown(event: KeyboardEvent) {
      const { key, shiftKey, altKey } = event;
      const isMenu = key === 'ContextMenu' || (key === 'F10' && shiftKey);
      const isCopy = key === 'c' && (event.ctrlKey || event.metaKey) && !shiftKey && !altKey;
      const cell = isMenu || (isCopy && !isTextSelected()) ? cellAt(event.target) : undefined;
      if (cell === undefined) return;
      event.preventDefault();
      if (isMenu) openBelow(cell);
      else void copyCell(cell);
    },
  };
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

type MenuProps = Pick<Props, 'onFilter'> & { menu: OpenMenu; onCopy: () => void; onClose: () => void };

function CellMenu({ menu: { cell, x, y }, onCopy, onFilter, onClose }: MenuProps) {
  const { record, column, element } = cell;
  const { label } = COLUMN_SCHEMA[column];
  const [before] = useState(() => document.activeElement);
  const table = element.closest('table');
  useEffect(
    () => () => {
      // "Filter out" removes the row that had the focus.
      const isGone = before === null || before === document.body || !before.isConnected;
      const back = isGone ? table?.querySelector('tr[tabindex="0"]') : before;
      const isFree = document.activeElement === document.body || document.activeElement === null;
      if (isFree && back instanceof HTMLElement) back.focus({ preventScroll: true });
    },
    [before, table],
  );
  // Without a time `cellText` gives no age: an age changes, so it is no filter.
  const value = cellText(record, column);
  const shown = value ?? cellText(record, column, Date.now());
  // Failures are filtered by group, since two of one kind differ in their numbers.
  const wanted = column === 'failure' ? failureGroup(record) : value;
  const filter = wanted === undefined ? undefined : { column, value: wanted };
  const href = element.querySelector('a')?.href;
  return (
    <Menu
      opened
      onChange={(opened) => (opened ? undefined : onClose())}
      position="bottom-start"
      withinPortal={false}
      floatingStrategy="fixed"
      withInitialFocusPlaceholder={false}
      trapFocus
      returnFocus={false}
      // Without 'keydown', which would close the menu with the key that opened it.
      clickOutsideEvents={['mousedown', 'touchstart']}
    >
      <Menu.Target>
        <button
          type="button"
          tabIndex={-1}
          aria-label={`${label}: this cell`}
          style={{ position: 'fixed', left: x, top: y, width: 0, height: 0, padding: 0, border: 0 }}
        />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {label} <bdi>{shown === undefined ? 'not given' : clipped(shortHex(shown), 40)}</bdi>
        </Menu.Label>
        {filter === undefined || onlyCell(filter) === undefined ? null : (
          <Menu.Item onClick={() => onFilter(filter, 'for')}>Filter for</Menu.Item>
        )}
        {filter === undefined || canonicalCell(filter) === undefined ? null : (
          <Menu.Item onClick={() => onFilter(filter, 'out')}>Filter out</Menu.Item>
        )}
        {shown === undefined ? null : <Menu.Item onClick={onCopy}>Copy</Menu.Item>}
        {href === undefined ? null : (
          <Menu.Item component="a" href={href} target="_blank" rel="noreferrer noopener">
            Open in explorer
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
