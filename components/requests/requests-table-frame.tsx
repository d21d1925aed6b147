'use client';
import type { CSSProperties, ReactNode, RefObject } from 'react';
import type { ColumnId, ColumnLayout } from '@/lib/requests/columns';
import { type ColumnGeometry, columnGeometry } from './column-geometry';
import { ColumnHeader } from './column-header';
import classes from './requests-table.module.css';
import { rowHeights } from './row-height';
import { headersOf, type TableModel } from './use-table-model';

/** It scrolls by itself, so the keyboard must be able to reach it, also while it holds nothing to focus. */
const SCROLLABLE = { tabIndex: 0 };

type Props = {
  table: TableModel;
  density: ColumnLayout['density'];
  busy: boolean;
  onPreview: (id: ColumnId, width: number | undefined) => void;
  scroller?: RefObject<HTMLElement | null>;
  /** What stands in the scrolling area beside the table. */
  beside?: ReactNode;
  children: ReactNode;
};

function tableStyle({ table, density }: Props, geometry: ColumnGeometry) {
  const { rowPx, cardPx, firstPx, linePx } = rowHeights(
    headersOf(table).map(({ column }) => column),
    density,
  );
  const edges = geometry.edges.flatMap((edge, place) =>
    edge === undefined ? [] : [[`--edge-${place}`, edge]],
  );
  return {
    ...geometry.table,
    ...Object.fromEntries(edges),
    '--row': `${rowPx}px`,
    '--card': `${cardPx}px`,
    '--card-first': `${firstPx}px`,
    '--card-line': `${linePx}px`,
  } as CSSProperties;
}

/** The table's frame: the same for the rows and for what stands in before they come. */
export function TableFrame(props: Props) {
  const { table, busy, onPreview, scroller, beside, children } = props;
  const headers = headersOf(table);
  const count = table.getRowModel().rows.length;
  const geometry = columnGeometry(table);
  return (
    <section
      ref={scroller}
      className={classes.scroller}
      aria-label="Rows"
      style={tableStyle(props, geometry)}
      {...SCROLLABLE}
    >
      <table className={classes.table} aria-label="Requests" aria-rowcount={count + 1} aria-busy={busy}>
        <colgroup>
          {headers.map(({ id }, place) => (
            <col key={id} style={{ width: geometry.widths[place] }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {headers.map((header, place) => (
              <ColumnHeader
                key={header.id}
                header={header}
                edge={geometry.edges[place]}
                onPreview={onPreview}
              />
            ))}
          </tr>
        </thead>
        {children}
      </table>
      {beside}
    </section>
  );
}
