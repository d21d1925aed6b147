'use client';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { TableRow } from './columns';
import { firstSlots } from './first-slots';
import { drawnIndexes, type RowSlot, rowSlots } from './row-slots';

/** Rows drawn above and below those in sight, so that a fast turn of the wheel meets drawn ones. */
const BEYOND_SIGHT = 10;

/** No less than is in sight, known without asking for a layout: what is drawn first is then drawn once. */
function wholeWindow(): { width: number; height: number } {
  return { width: window.innerWidth, height: window.innerHeight };
}

/** Drawn rows and gaps, and the reference that rows of unforeseeable height are measured by (with `data-index`). */
export type RowWindow = { slots: RowSlot[]; measure: (row: HTMLTableRowElement | null) => void };

/**
 * Which rows of a long page are drawn: those in sight, some beyond, and those of `kept` (focused, opened), as an element
 * that goes takes the focus with it.
 * @param heightPx of a row, CSS pixels
 */
export function useRowWindow(
  rows: readonly TableRow[],
  heightPx: number,
  scroller: RefObject<HTMLElement | null>,
  kept: readonly (number | undefined)[],
): RowWindow {
  const count = rows.length;
  const [initialRect] = useState(wholeWindow);
  const virtualizer = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    count,
    // Drawing, and the layout and paint of what was drawn, are then two tasks of half the length.
    useFlushSync: false,
    getScrollElement: () => scroller.current,
    initialRect,
    estimateSize: useCallback(() => heightPx, [heightPx]),
    getItemKey: useCallback((index: number) => rows[index]?.id ?? index, [rows]),
    rangeExtractor: (range) =>
      drawnIndexes(range.startIndex - BEYOND_SIGHT, range.endIndex + BEYOND_SIGHT, kept, count),
  });
  // The virtualizer keeps what it once estimated.
  const estimatedPx = useRef(heightPx);
  useLayoutEffect(() => {
    if (estimatedPx.current === heightPx) return;
    estimatedPx.current = heightPx;
    virtualizer.measure();
  }, [virtualizer, heightPx]);
  const measured = virtualizer.getVirtualItems();
  const totalPx = virtualizer.getTotalSize();
  // Nothing is known of a window without height, as in a tab that has not been shown yet.
  const first = useMemo(() => firstSlots(count, heightPx), [count, heightPx]);
  return {
    slots: measured.length === 0 ? first : rowSlots(measured, totalPx),
    measure: virtualizer.measureElement,
  };
}
