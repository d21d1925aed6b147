'use client';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { ReactNode, RefObject } from 'react';

export type RangeProps = {
  count: number;
  /** Height of every row, CSS pixels. */
  rowPx: number;
  /** On screen already, and perhaps scrolled. */
  scroller: RefObject<HTMLElement | null>;
  /** Draws the rows from the first index up to the second, without it. */
  children: (from: number, to: number) => ReactNode;
};

/** Draws those rows of a long list that are in sight, and a few around them. */
export function RowsInSight({ count, rowPx, scroller, children }: RangeProps) {
  const virtual = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    count,
    overscan: 12,
    estimateSize: () => rowPx,
    getScrollElement: () => scroller.current,
    initialOffset: () => scroller.current?.scrollTop ?? 0,
    initialRect: { width: 0, height: scroller.current?.clientHeight ?? 0 },
    useFlushSync: false,
  });
  const items = virtual.getVirtualItems();
  return children(items[0]?.index ?? 0, (items.at(-1)?.index ?? -1) + 1);
}
