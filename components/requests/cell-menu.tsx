'use client';
import { Menu } from '@mantine/core';
import { useEffect, useState } from 'react';
import { serverTime } from '@/components/ui/clock';
import { failureGroup } from '@/lib/core/request-failure';
import { clipped } from '@/lib/core/text';
import { COLUMN_SCHEMA, cellText } from '@/lib/requests/column-schema';
import type { ColumnId } from '@/lib/requests/columns';
import { canonicalCell, onlyCell } from '@/lib/requests/filters';
import type { ListedRecord } from '@/lib/requests/requests-response';
import type { Cell } from '@/lib/requests/view';
import { shortHex } from './columns';

export type PointedCell = { element: HTMLTableCellElement; record: ListedRecord; column: ColumnId };
export type OpenMenu = { cell: PointedCell; x: number; y: number };

type Props = {
  menu: OpenMenu;
  onCopy: () => void;
  /** Filters for the rows with this value, or filters them out. */
  onFilter: (cell: Cell, mode: 'include' | 'exclude') => void;
  onClose: () => void;
};

export function CellMenu({ menu: { cell, x, y }, onCopy, onFilter, onClose }: Props) {
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
  // Without a time, `cellText` gives no age. An age changes, so it can't be a filter.
  const value = cellText(record, column);
  const shown = value ?? cellText(record, column, serverTime(Date.now()));
  // Failures of one kind differ in their numbers, so they are filtered by group.
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
          <Menu.Item onClick={() => onFilter(filter, 'include')}>Filter for</Menu.Item>
        )}
        {filter === undefined || canonicalCell(filter) === undefined ? null : (
          <Menu.Item onClick={() => onFilter(filter, 'exclude')}>Filter out</Menu.Item>
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
