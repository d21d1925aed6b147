'use client';
import { useMemo } from 'react';
import { DrawnRows, type RowsBodyProps } from './drawn-rows';
import { ALL_DRAWN, firstSlots } from './first-slots';
import { useWindowedRows } from './windowed-part';

/** The rows of a page: all of a short one, of a long one those in sight. */
export function RowsBody(props: RowsBodyProps) {
  return props.rows.length <= ALL_DRAWN ? <FirstRows {...props} /> : <LongRows {...props} />;
}

/** What is drawn without knowing what is in sight. */
function FirstRows(props: RowsBodyProps) {
  const { rows, rowPx } = props;
  const slots = useMemo(() => firstSlots(rows.length, rowPx), [rows.length, rowPx]);
  return <DrawnRows {...props} slots={slots} />;
}

/** No boundary of its own: a part that is there already would still be waited for, and all rows drawn twice. */
function LongRows(props: RowsBodyProps) {
  const WindowedRows = useWindowedRows();
  return WindowedRows === undefined ? <FirstRows {...props} /> : <WindowedRows {...props} />;
}
