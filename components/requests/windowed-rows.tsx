'use client';
import { DrawnRows, type RowsBodyProps } from './drawn-rows';
import { useRowWindow } from './row-window';

/** Of a long page the rows in sight and some beyond. A component of its own, so that scrolling draws nothing else. */
export function WindowedRows(props: RowsBodyProps) {
  const { rows, rowPx, scroller, focus } = props;
  const { slots, measure } = useRowWindow(rows, rowPx, scroller, [focus.activeIndex, focus.openIndex]);
  return <DrawnRows {...props} slots={slots} measure={measure} />;
}
