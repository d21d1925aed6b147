'use client';
import { useMounted } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { ReactNode, RefObject } from 'react';

export type RangeProps = {
  count: number;
  /** Height of every row, CSS pixels. */
  rowPx: number;
  scroller: RefObject<HTMLElement | null>;
  /** Draws the rows from the first index up to the second, without it. */
  children: (from: number, to: number) => ReactNode;
};

/** Rows that are drawn before the height of the scroller is known. */
const FIRST_DRAWN = 50;

/** Draws those rows of a long list that are in sight, and a few around them. */
export function RowsInSight({ count, rowPx, scroller, children }: RangeProps) {
  const virtual = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    count,
    overscan: 12,
    estimateSize: () => rowPx,
    getScrollElement: () => scroller.current,
    initialRect: { width: 0, height: FIRST_DRAWN * rowPx },
    useFlushSync: false,
  });
  // Drawn once more as soon as the scroller is there: the list is bound to it then, and would else take it back to the top
  // at the next drawing, when somebody may have scrolled already.
  useMounted();
  const items = virtual.getVirtualItems();
  return children(items[0]?.index ?? 0, (items.at(-1)?.index ?? FIRST_DRAWN - 1) + 1);
}
