'use client';
import { Menu } from '@mantine/core';
import { useEffect, useState } from 'react';
import { clipped } from '@/lib/core/text';
import { cellText, type ListedRecord } from '@/lib/requests/cell-text';
import type { ColumnId } from '@/lib/requests/columns';
import { canonicalCell, onlyCell } from '@/lib/requests/view-filters';
import type { Cell } from '@/lib/requests/view-shape';
import { COLUMNS, shortHex } from './columns';

/** A cell of a readable row. */
export type PointedCell = { element: HTMLTableCellElement; record: ListedRecord; column: ColumnId };

type Props = {
  cell: PointedCell;
  /** Where it opens, CSS pixels of the window. */
  x: number;
  y: number;
  onCopy: () => void;
  onFilter: (cell: Cell, way: 'for' | 'out') => void;
  onClose: () => void;
};

/** "Filter for", "Filter out", "Copy" and the block explorer, for one cell. The focus goes back to where it was. */
export function CellMenu({ cell, x, y, onCopy, onFilter, onClose }: Props) {
  const { record, column } = cell;
  const { label } = COLUMNS[column];
  const [before] = useState(() => document.activeElement);
  const table = cell.element.closest('table');
  useEffect(
    () => () => {
      // "Filter out" takes its own row away.
      const isGone = before === null || before === document.body || !before.isConnected;
      const back = isGone ? table?.querySelector('tr[tabindex="0"]') : before;
      const isFree = document.activeElement === document.body || document.activeElement === null;
      if (isFree && back instanceof HTMLElement) back.focus({ preventScroll: true });
    },
    [before, table],
  );
  // An age changes while one looks, so no filter can be made of it.
  const value = cellText(record, column);
  const shown = value ?? cellText(record, column, Date.now());
  const filter = value === undefined ? undefined : { column, value };
  const href = cell.element.querySelector('a')?.href;
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
      closeOnItemClick
      // Not 'keydown' as well: the very key that opens it would close it again.
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
