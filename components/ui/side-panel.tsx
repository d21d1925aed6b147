'use client';
import { useMediaQuery } from '@mantine/hooks';
import dynamic from 'next/dynamic';
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { noticeOnFailure } from './part-not-loaded';
import classes from './side-panel.module.css';

const BottomSheet = dynamic(
  () => noticeOnFailure(import('./bottom-sheet').then((part) => part.BottomSheet)),
  { ssr: false },
);

type Props = {
  label: string;
  /** Media query under which the panel is a bottom sheet. */
  narrow: string;
  className?: string | undefined;
  onClose: () => void;
  /** The keys `j` and `k` call it. */
  onStep?: (by: 1 | -1) => void;
  /** The row gets the focus on close; by default, the previously focused element. */
  rowKey?: string;
  children: ReactNode;
} & { [data: `data-${string}`]: string };

/** The table beside it stays usable. On a narrow screen, a bottom sheet. Escape closes it. */
export function SidePanel({ label, narrow, className, onClose, onStep, rowKey, children, ...data }: Props) {
  const isNarrow = useMediaQuery(narrow, false, { getInitialValueInEffect: false });
  const panel = usePanelFocus(rowKey);
  function handleKeyDown(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const { key, target } = event;
    if (target instanceof Element && target.closest('input, textarea, select, [contenteditable]')) return;
    if (key === 'Escape') onClose();
    else if (onStep !== undefined && (key === 'j' || key === 'k')) onStep(key === 'j' ? 1 : -1);
    else return;
    // The page's own listeners must not handle the key again.
    event.preventDefault();
    event.stopPropagation();
  }
  const frame = { 'aria-label': label, onKeyDown: handleKeyDown, ...data };
  return isNarrow ? (
    <BottomSheet onClose={onClose} {...frame}>
      {children}
    </BottomSheet>
  ) : (
    <aside ref={panel} className={`${classes.panel} ${className ?? ''}`} tabIndex={-1} {...frame}>
      {children}
    </aside>
  );
}

/** Focuses the panel only if it was opened by keyboard, and restores the focus on close. */
function usePanelFocus(rowKey = '') {
  const panel = useRef<HTMLElement>(null);
  const lastKey = useRef(rowKey);
  useEffect(() => {
    lastKey.current = rowKey;
  }, [rowKey]);
  // A layout effect, because its cleanup runs before the panel is removed and its focus lost.
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
