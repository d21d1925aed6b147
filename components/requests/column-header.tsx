'use client';
import type { CSSProperties } from 'react';
import { useTimeStyle } from '@/lib/client/time-style';
import type { ColumnId } from '@/lib/requests/columns';
import classes from './column-header.module.css';
import { ColumnResizer } from './column-resizer';
import { COLUMNS, headerLabel, type TableHeader } from './columns';

type Props = {
  header: TableHeader;
  /** The left edge of a pinned column, as CSS. */
  edge: string | undefined;
  /** While the edge is dragged; undefined as the width ends it without a change. */
  onPreview: (id: ColumnId, width: number | undefined) => void;
};

const DIRECTIONS = { asc: 'ascending', desc: 'descending' } as const;

/** A header that sorts, and whose edge sets the width. */
export function ColumnHeader({ header: { column }, edge, onPreview }: Props) {
  const { zone } = useTimeStyle();
  const id = column.id as ColumnId;
  const label = headerLabel(id, zone);
  const sorted = column.getIsSorted();
  return (
    <th
      scope="col"
      className={classes.header}
      data-column={id}
      data-figure={COLUMNS[id].figure}
      data-pinned={edge === undefined ? undefined : 'yes'}
      style={edge === undefined ? undefined : ({ '--edge': edge } as CSSProperties)}
      aria-sort={sorted === false ? undefined : DIRECTIONS[sorted]}
    >
      <button
        type="button"
        className={classes.sort}
        title={`${label}: sort all matches`}
        onClick={() => column.toggleSorting()}
      >
        <span className={classes.label}>{label}</span>
      </button>
      <ColumnResizer
        label={label}
        width={column.getSize()}
        onPreview={(width) => onPreview(id, width)}
        onResize={(width) => column.table.setColumnSizing((widths) => ({ ...widths, [id]: width }))}
        onReset={() => column.resetSize()}
      />
    </th>
  );
}
