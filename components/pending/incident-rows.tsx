'use client';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { groupDigits } from '@/lib/client/human-number';
import type { ListedRow } from '@/lib/contract/codec/listing';
import classes from './incident-rows.module.css';
import { RequestLine } from './request-line';

/** CSS pixels, before a row is measured. */
const USUAL_ROW = 36;
/** Rows drawn beyond those in sight. */
const BEYOND_SIGHT = 6;

/** The requests of an incident, oldest first. Only those in sight are drawn: there may be a thousand. */
export function IncidentRows({ rows, size }: { rows: readonly ListedRow[]; size: number }) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => USUAL_ROW,
    overscan: BEYOND_SIGHT,
    getItemKey: (index) => rows[index]?.key ?? index,
  });
  const items = virtualizer.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0);
  const count = groupDigits(String(size));
  return (
    <>
      <p className={classes.count}>
        {rows.length < size
          ? `The oldest ${groupDigits(String(rows.length))} of ${count}.`
          : `${count} in all, oldest first.`}
      </p>
      <section ref={scroller} className={classes.scroller} aria-label="Requests of this incident">
        <ul className={classes.rows} style={{ paddingBlockStart: before, paddingBlockEnd: after }}>
          {items.map(({ index, key }) => {
            const row = rows[index];
            return row === undefined ? null : (
              <li
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                className={classes.row}
                aria-setsize={rows.length}
                aria-posinset={index + 1}
              >
                <RequestLine row={row} />
              </li>
            );
          })}
        </ul>
      </section>
    </>
  );
}
