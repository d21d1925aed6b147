'use client';
import { Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import classes from './side-panel.module.css';

type Props = {
  label: string;
  /** Of the screens that have no room for it beside what it is about. */
  narrow: string;
  className?: string | undefined;
  onClose: () => void;
  /** To the next or the previous one, by `j` and `k`. */
  onStep?: (by: 1 | -1) => void;
  /** Finds the element that the focus goes back to, where it is not the one that had it. */
  rowKey?: string;
  children: ReactNode;
} & { [data: `data-${string}`]: string };

/** Details beside a table, which stays in view and in use; on a narrow screen a sheet from below. Escape closes. */
export function SidePanel({ label, narrow, className, onClose, onStep, rowKey, children, ...data }: Props) {
  const isNarrow = useMediaQuery(narrow, false, { getInitialValueInEffect: false });
  const panel = usePanelFocus(rowKey);
  function press(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    // Keys that belong to what somebody types into are theirs.
    const { key, target } = event;
    if (target instanceof Element && target.closest('input, textarea, select, [contenteditable]')) return;
    if (key === 'Escape') onClose();
    else if (onStep !== undefined && (key === 'j' || key === 'k')) onStep(key === 'j' ? 1 : -1);
    else return;
    // Whoever listens to the whole page must not do it a second time.
    event.preventDefault();
    event.stopPropagation();
  }
  const frame = { 'aria-label': label, onKeyDown: press, ...data };
  return isNarrow ? (
    <Drawer.Root
      opened
      onClose={onClose}
      position="bottom"
      size="88dvh"
      classNames={{ content: classes.sheet }}
    >
      <Drawer.Overlay />
      <Drawer.Content {...frame}>{children}</Drawer.Content>
    </Drawer.Root>
  ) : (
    <aside ref={panel} className={`${classes.panel} ${className ?? ''}`} tabIndex={-1} {...frame}>
      {children}
    </aside>
  );
}

/** Takes the focus when it was opened by keyboard, and gives it back when it closes. A click leaves the focus where it is. */
function usePanelFocus(rowKey = '') {
  const panel = useRef<HTMLElement>(null);
  const lastKey = useRef(rowKey);
  useEffect(() => {
    lastKey.current = rowKey;
  }, [rowKey]);
  // A layout effect, because its end still finds the focus where it was: the panel is taken away after it.
  useLayoutEffect(() => {
    const element = panel.current;
    const opener = document.activeElement;
    if (opener instanceof HTMLElement && opener.matches(':focus-visible')) element?.focus();
    return () => {
      if (!element?.contains(document.activeElement)) return;
      const row = document.querySelector(`[data-key="${CSS.escape(lastKey.current)}"]`);
      const place = row ?? opener;
      if (place instanceof HTMLElement && place.isConnected) place.focus();
    };
  }, []);
  return panel;
}
