'use client';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { ReactNode, RefObject } from 'react';

export type RangeProps = {
  count: number;
  /** Height of every row, CSS pixels. */
  rowPx: number;
  /** Mounted before this component, and perhaps scrolled already. */
  scroller: RefObject<HTMLElement | null>;
  /** Rows of [from, to). */
  children: (from: number, to: number) => ReactNode;
};

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
