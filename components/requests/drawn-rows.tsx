'use client';
import { type RefObject, useMemo } from 'react';
import type { Mark } from '@/lib/client/following';
import type { TableHeader, TableRow } from './columns';
import classes from './requests-table.module.css';
import type { RowFocus } from './row-focus';
import { markOf, useMarksRound } from './row-mark';
import type { RowSlot } from './row-slots';
import { RowView, shownColumn } from './row-view';

export type RowsBodyProps = {
  rows: readonly TableRow[];
  /** The same object whatever the widths. */
  headers: readonly TableHeader[];
  marks: ReadonlyMap<string, Mark>;
  openKey: string | undefined;
  busy: boolean;
  /** Of one row, CSS pixels. */
  rowPx: number;
  scroller: RefObject<HTMLElement | null>;
  focus: RowFocus;
};

type Props = Pick<RowsBodyProps, 'rows' | 'headers' | 'marks' | 'openKey' | 'busy' | 'focus'> & {
  slots: readonly RowSlot[];
  /** For rows of unforeseeable height. */
  measure?: (row: HTMLTableRowElement | null) => void;
};

/** The rows that are drawn, and gaps for those that are not. */
export function DrawnRows({ rows, headers, marks, openKey, busy, focus, slots, measure }: Props) {
  const columns = useMemo(() => headers.map(shownColumn), [headers]);
  const round = useMarksRound(marks);
  return (
    <tbody className={classes.body} data-dimmed={busy ? 'yes' : undefined} {...focus.handlers}>
      {slots.map((slot) => {
        if (slot.kind === 'gap') return <Gap key={`gap-${slot.after}`} {...slot} columns={columns.length} />;
        const row = rows[slot.index];
        return row === undefined ? null : (
          <RowView
            // A row in another place is drawn anew: one that moves on the screen counts as a jump.
            key={`${slot.index}/${row.id}`}
            row={row}
            columns={columns}
            mark={markOf(round, row.id)}
            round={round}
            open={row.id === openKey ? 'yes' : undefined}
            tabIndex={slot.index === focus.activeIndex ? 0 : -1}
            measure={row.original.kind === 'unreadable' ? measure : undefined}
          />
        );
      })}
    </tbody>
  );
}

const UNSEEN = { 'aria-hidden': true };

/** As high as the rows that are not drawn there. */
function Gap({ heightPx, columns }: { heightPx: number; columns: number }) {
  return (
    <tr className={classes.gap} {...UNSEEN}>
      <td colSpan={columns} style={{ height: heightPx }} />
    </tr>
  );
}
