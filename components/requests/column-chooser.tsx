'use client';
import { Button } from '@mantine/core';
import { useId } from 'react';
import { useAnnounce } from '@/lib/client/announce';
import { DEFAULT_LAYOUT, moveColumn, shownColumns, toggleColumn } from '@/lib/client/column-layout';
import { COLUMN_IDS, type ColumnId, type ColumnLayout, DENSITIES } from '@/lib/requests/columns';
import type { Sort } from '@/lib/requests/view';
import classes from './column-chooser.module.css';
import { ColumnLine } from './column-line';
import { COLUMNS } from './columns';

type Props = {
  layout: ColumnLayout;
  onLayout: (layout: ColumnLayout) => void;
  sort: Sort | undefined;
  onSort: ((sort: Sort) => void) | undefined;
};

const DENSITY_WORDS: Record<ColumnLayout['density'], string> = {
  compact: 'Compact',
  normal: 'Normal',
  roomy: 'Roomy',
};

function DensityChoice({ layout, onLayout }: Pick<Props, 'layout' | 'onLayout'>) {
  const name = useId();
  return (
    <fieldset className={classes.density}>
      <legend className={classes.legend}>Density</legend>
      {DENSITIES.map((density) => (
        <label key={density} className={classes.choice}>
          <input
            type="radio"
            name={name}
            checked={layout.density === density}
            onChange={() => onLayout({ ...layout, density })}
          />
          {DENSITY_WORDS[density]}
        </label>
      ))}
    </fieldset>
  );
}

/** On small screens the rows are cards without a header, so the order is chosen here. */
function SortChoice({ sort, onSort }: { sort: Sort; onSort: (sort: Sort) => void }) {
  const dot = sort.lastIndexOf('.');
  const [column, direction] = [sort.slice(0, dot), sort.slice(dot + 1)];
  return (
    <div className={classes.sort}>
      <label className={classes.choice}>
        Sort by
        <select
          value={column}
          onChange={(event) => {
            const id = COLUMN_IDS.find((known) => known === event.currentTarget.value);
            if (id !== undefined) onSort(`${id}.${COLUMNS[id].first}`);
          }}
        >
          {COLUMN_IDS.map((id) => (
            <option key={id} value={id}>
              {COLUMNS[id].label}
            </option>
          ))}
        </select>
      </label>
      <Button
        size="compact-xs"
        onClick={() => onSort(`${column as ColumnId}.${direction === 'asc' ? 'desc' : 'asc'}`)}
      >
        {direction === 'asc' ? 'Ascending' : 'Descending'}
      </Button>
    </div>
  );
}

function Hidden({ layout, onLayout }: Pick<Props, 'layout' | 'onLayout'>) {
  const hidden = COLUMN_IDS.filter((id) => !layout.columns.some((column) => column.id === id));
  if (hidden.length === 0) return null;
  return (
    <ul className={classes.list} aria-label="Hidden columns">
      {hidden.map((id) => (
        <li key={id} className={classes.hidden}>
          <label className={classes.choice}>
            <input type="checkbox" checked={false} onChange={() => onLayout(toggleColumn(layout, id))} />
            <span>
              <span className="sr-only">Show </span>
              {COLUMNS[id].label}
            </span>
          </label>
        </li>
      ))}
    </ul>
  );
}

/** Which columns are shown, in which order, which ones stay in sight, and how high the rows are. */
export function ColumnChooser({ layout, onLayout, sort, onSort }: Props) {
  const announce = useAnnounce();
  const shown = shownColumns(layout);

  function move(id: ColumnId, place: number) {
    const moved = moveColumn(layout, id, place);
    const now = shownColumns(moved).findIndex((column) => column.id === id) + 1;
    onLayout(moved);
    announce(`${COLUMNS[id].label} is column ${now} of ${shown.length}`);
  }

  return (
    <div className={classes.chooser}>
      {sort === undefined || onSort === undefined ? null : <SortChoice sort={sort} onSort={onSort} />}
      <DensityChoice layout={layout} onLayout={onLayout} />
      <ul className={classes.list} aria-label="Shown columns, from left to right">
        {shown.map((column, place) => (
          <ColumnLine
            key={column.id}
            column={column}
            place={place}
            count={shown.length}
            layout={layout}
            onLayout={onLayout}
            onMove={move}
          />
        ))}
      </ul>
      <Hidden layout={layout} onLayout={onLayout} />
      <Button size="compact-sm" onClick={() => onLayout(DEFAULT_LAYOUT)}>
        Reset
      </Button>
    </div>
  );
}
