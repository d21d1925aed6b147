'use client';
import { type DragEvent, useState } from 'react';
import { type LaidOutColumn, pinColumn, toggleColumn } from '@/lib/client/column-layout';
import { COLUMN_IDS, type ColumnId, type ColumnLayout } from '@/lib/requests/columns';
import classes from './column-chooser.module.css';
import { COLUMNS } from './columns';

type Props = {
  column: LaidOutColumn;
  /** From the left edge, from 0. */
  place: number;
  /** How many columns are shown. */
  count: number;
  layout: ColumnLayout;
  onLayout: (layout: ColumnLayout) => void;
  onMove: (id: ColumnId, place: number) => void;
};

/** Only our own columns are taken, not text that is dragged in from elsewhere. */
const DRAGGED = 'application/x-keeperscope-column';

function isColumn(event: DragEvent): boolean {
  return event.dataTransfer.types.includes(DRAGGED);
}

/** Dropping a column on this one puts it in its place. */
function useDropping(id: ColumnId, place: number, onMove: Props['onMove']) {
  const [over, setOver] = useState<'yes'>();
  return {
    draggable: true,
    'data-over': over,
    onDragStart: (event: DragEvent) => {
      event.dataTransfer.setData(DRAGGED, id);
      event.dataTransfer.effectAllowed = 'move';
    },
    onDragOver: (event: DragEvent) => {
      if (!isColumn(event)) return;
      event.preventDefault();
      setOver('yes');
    },
    onDragLeave: () => setOver(undefined),
    onDrop: (event: DragEvent) => {
      const dropped = COLUMN_IDS.find((known) => known === event.dataTransfer.getData(DRAGGED));
      event.preventDefault();
      setOver(undefined);
      if (dropped !== undefined && dropped !== id) onMove(dropped, place);
    },
  };
}

/** A shown column: hidden by its box, moved by its buttons or by dragging, pinned or let go. */
export function ColumnLine({ column, place, count, layout, onLayout, onMove }: Props) {
  const { id } = column;
  const { label } = COLUMNS[id];
  const dropping = useDropping(id, place, onMove);
  return (
    <li className={classes.line} {...dropping}>
      <span className={classes.grip} aria-hidden="true">
        ⠿
      </span>
      <label className={classes.choice}>
        <input
          type="checkbox"
          checked
          disabled={count === 1}
          onChange={() => onLayout(toggleColumn(layout, id))}
        />
        {/* The filters are labelled by the bare words. */}
        <span>
          <span className="sr-only">Show </span>
          {label}
        </span>
      </label>
      <button
        type="button"
        className={classes.pin}
        aria-pressed={column.pinned !== undefined}
        aria-label={`Pin ${label}`}
        title="Stays at the left edge"
        onClick={() => onLayout(pinColumn(layout, id))}
      >
        Pin
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label={`Move ${label} up`}
        disabled={place === 0}
        onClick={() => onMove(id, place - 1)}
      >
        ↑
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label={`Move ${label} down`}
        disabled={place === count - 1}
        onClick={() => onMove(id, place + 1)}
      >
        ↓
      </button>
    </li>
  );
}
