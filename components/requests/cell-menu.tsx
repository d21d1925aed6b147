'use client';
import { type KeyboardEvent, useEffect, useEffectEvent, useRef } from 'react';
import { cellText } from '@/lib/client/cell-text';
import { clipped } from '@/lib/client/foreign-text';
import { failureGroup } from '@/lib/domain/failure-group';
import type { Cell } from '@/lib/requests/view';
import { onlyCell } from '@/lib/requests/view-filters';
import classes from './cell-menu.module.css';
import type { PointedCell } from './cell-pointing';
import { COLUMNS } from './columns';
import { shortHex } from './hex-cell';

type Props = {
  cell: PointedCell;
  /** Where it opens, CSS pixels of the window. */
  x: number;
  y: number;
  onCopy: () => void;
  onOnly: (cell: Cell) => void;
  onNot: (cell: Cell) => void;
  onClose: () => void;
};

/** Room between the menu and the edges of the window, CSS pixels. */
const MARGIN_PX = 8;

function place(menu: HTMLElement, x: number, y: number): void {
  const left = Math.min(x, window.innerWidth - menu.offsetWidth - MARGIN_PX);
  const isBelow = y + menu.offsetHeight + MARGIN_PX <= window.innerHeight;
  const top = isBelow ? y : y - menu.offsetHeight;
  menu.style.left = `${Math.max(MARGIN_PX, left)}px`;
  menu.style.top = `${Math.max(MARGIN_PX, top)}px`;
}

/** What the arrow keys, Home and End go to. */
function itemAfter(key: string, items: readonly HTMLElement[]): HTMLElement | undefined {
  const at = items.findIndex((item) => item.matches(':focus'));
  if (key === 'ArrowDown') return items[(at + 1) % items.length];
  if (key === 'ArrowUp') return items[(at - 1 + items.length) % items.length];
  if (key === 'Home') return items[0];
  return key === 'End' ? items.at(-1) : undefined;
}

/**
 * Opens the menu over everything, gives it the focus, and closes it when anything else is meant. A popover that closes
 * by itself would do so when the button of the mouse, or the finger, that opened it is lifted.
 */
function useMenu({ cell, x, y, onClose }: Pick<Props, 'cell' | 'x' | 'y' | 'onClose'>) {
  const menu = useRef<HTMLDivElement>(null);
  const close = useEffectEvent(onClose);
  useEffect(() => {
    const element = menu.current;
    if (element === null) return;
    const before = document.activeElement;
    const table = cell.element.closest('table');
    element.showPopover();
    place(element, x, y);
    element.querySelector<HTMLElement>('[role="menuitem"]')?.focus({ preventScroll: true });
    const listeners = new AbortController();
    const whenOutside = (event: Event) => {
      if (!(event.target instanceof Node) || !element.contains(event.target)) close();
    };
    for (const name of ['pointerdown', 'focusin', 'scroll', 'resize']) {
      window.addEventListener(name, whenOutside, { capture: true, signal: listeners.signal });
    }
    return () => {
      listeners.abort();
      const isWithin = element.contains(document.activeElement) || document.activeElement === document.body;
      element.hidePopover();
      // "Not this" takes its own row away.
      const isGone = before === null || before === document.body || !before.isConnected;
      const back = isGone ? table?.querySelector('tr[tabindex="0"]') : before;
      if (isWithin && back instanceof HTMLElement) back.focus({ preventScroll: true });
    };
  }, [cell, x, y]);
  return menu;
}

/** What can be done with a cell. */
export function CellMenu({ cell, x, y, onCopy, onOnly, onNot, onClose }: Props) {
  const menu = useMenu({ cell, x, y, onClose });
  const { record, column } = cell;
  const { label } = COLUMNS[column];
  // An age changes while one looks, so no filter can be made of it. Failures are filtered by their group.
  const value = column === 'failure' ? failureGroup(record) : cellText(record, column);
  const shown = cellText(record, column, Date.now());
  const href = cell.element.querySelector('a')?.href;

  function press(event: KeyboardEvent) {
    if (event.key === 'Escape' || event.key === 'Tab') onClose();
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="menuitem"]')];
    const next = itemAfter(event.key, items);
    next?.focus();
    if (next !== undefined || event.key === 'Escape') event.preventDefault();
    // The table below must not take the same key.
    event.stopPropagation();
  }

  function item(words: string, act: () => void) {
    return (
      <button
        type="button"
        role="menuitem"
        tabIndex={-1}
        className={classes.item}
        onClick={() => {
          onClose();
          act();
        }}
      >
        {words}
      </button>
    );
  }

  return (
    <div
      ref={menu}
      popover="manual"
      role="menu"
      tabIndex={-1}
      aria-label={`${label}: this cell`}
      className={classes.menu}
      onKeyDown={press}
    >
      <p className={classes.head} role="presentation">
        {label}{' '}
        <bdi className={classes.value}>
          {shown === undefined ? 'not given' : clipped(shortHex(shown), 40)}
        </bdi>
      </p>
      {shown === undefined ? null : item('Copy value', onCopy)}
      {value === undefined || onlyCell({ column, value }) === undefined
        ? null
        : item('Only this', () => onOnly({ column, value }))}
      {value === undefined ? null : item('Not this', () => onNot({ column, value }))}
      {href === undefined ? null : (
        <a
          role="menuitem"
          tabIndex={-1}
          className={classes.item}
          href={href}
          target="_blank"
          rel="noreferrer noopener"
          onClick={onClose}
        >
          Open in explorer
        </a>
      )}
    </div>
  );
}
