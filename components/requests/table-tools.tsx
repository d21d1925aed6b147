'use client';
import { ActionIcon, Button, Checkbox, Group, NativeSelect, SegmentedControl, Stack } from '@mantine/core';
import { announce } from '@/components/ui/announce';
import { SmallButton } from '@/components/ui/text';
import {
  COLUMN_IDS,
  type ColumnId,
  type ColumnLayout,
  DEFAULT_LAYOUT,
  moveColumn,
  pinColumn,
  toggleColumn,
} from '@/lib/requests/columns';
import type { Sort } from '@/lib/requests/view';
import { COLUMNS } from './columns';

type Props = {
  layout: ColumnLayout;
  onLayout: (layout: ColumnLayout) => void;
  sort: Sort;
  onSort: (sort: Sort) => void;
};

const columnOf = (text: string) => COLUMN_IDS.find((known) => known === text);
/** Only our own columns are taken, not text that is dragged in from elsewhere. */
const DRAGGED = 'application/x-keeperscope-column';

/** Which columns are shown, in which order and which of them stay in sight; how high the rows are. */
export function ColumnSettings({ layout, onLayout, sort, onSort }: Props) {
  const shown = layout.columns;
  function move(id: ColumnId, place: number) {
    const moved = moveColumn(layout, id, place);
    const now = moved.columns.findIndex((column) => column.id === id) + 1;
    onLayout(moved);
    announce(`${COLUMNS[id].label} is column ${now} of ${shown.length}`);
  }
  const toggle = (id: ColumnId, checked: boolean) => (
    <Checkbox
      flex={1}
      // The filters are labelled by the bare words.
      label={
        <>
          <span className="sr-only">Show </span>
          {COLUMNS[id].label}
        </>
      }
      checked={checked}
      disabled={checked && shown.length === 1}
      onChange={() => onLayout(toggleColumn(layout, id))}
    />
  );
  return (
    <Stack gap="xs">
      <SortChoice sort={sort} onSort={onSort} />
      <SegmentedControl
        aria-label="Density"
        data={[
          { value: 'normal', label: 'Compact' },
          { value: 'roomy', label: 'Comfortable' },
        ]}
        value={layout.density === 'roomy' ? 'roomy' : 'normal'}
        onChange={(density) => onLayout({ ...layout, density: density === 'roomy' ? 'roomy' : 'normal' })}
      />
      <ul aria-label="Visible columns, from left to right">
        {shown.map(({ id, pinned }, place) => (
          // Moved by buttons, or by dragging one onto the place of another.
          <Group
            component="li"
            key={id}
            gap={4}
            wrap="nowrap"
            draggable
            onDragStart={(event) => event.dataTransfer.setData(DRAGGED, id)}
            onDragOver={(event) => event.dataTransfer.types.includes(DRAGGED) && event.preventDefault()}
            onDrop={(event) => {
              const dropped = columnOf(event.dataTransfer.getData(DRAGGED));
              if (dropped !== undefined && dropped !== id) move(dropped, place);
              event.preventDefault();
            }}
          >
            {toggle(id, true)}
            <SmallButton
              variant={pinned === undefined ? 'subtle' : 'light'}
              aria-pressed={pinned !== undefined}
              aria-label={`Pin ${COLUMNS[id].label}`}
              title="Stays at the left edge"
              onClick={() => onLayout(pinColumn(layout, id))}
            >
              Pin
            </SmallButton>
            {([-1, 1] as const).map((by) => (
              <ActionIcon
                key={by}
                aria-label={`Move ${COLUMNS[id].label} ${by < 0 ? 'up' : 'down'}`}
                disabled={place === (by < 0 ? 0 : shown.length - 1)}
                onClick={() => move(id, place + by)}
              >
                {by < 0 ? '↑' : '↓'}
              </ActionIcon>
            ))}
          </Group>
        ))}
      </ul>
      <Stack component="ul" gap={4} aria-label="Hidden columns">
        {COLUMN_IDS.filter((id) => !shown.some((column) => column.id === id)).map((id) => (
          <li key={id}>{toggle(id, false)}</li>
        ))}
      </Stack>
      <Button onClick={() => onLayout(DEFAULT_LAYOUT)}>Reset columns</Button>
    </Stack>
  );
}

/** On small screens the rows are cards without a header, so the order is chosen here as well. */
function SortChoice({ sort, onSort }: Pick<Props, 'sort' | 'onSort'>) {
  const [column, direction] = sort.split('.') as [ColumnId, 'asc' | 'desc'];
  return (
    <Group gap="xs" wrap="nowrap" align="flex-end">
      <NativeSelect
        autoComplete="off"
        label="Sort by"
        flex={1}
        data={COLUMN_IDS.map((id) => ({ value: id, label: COLUMNS[id].label }))}
        value={column}
        onChange={(event) => {
          const id = columnOf(event.currentTarget.value);
          if (id !== undefined) onSort(`${id}.${COLUMNS[id].first}`);
        }}
      />
      <SmallButton onClick={() => onSort(`${column}.${direction === 'asc' ? 'desc' : 'asc'}`)}>
        {direction === 'asc' ? 'Ascending' : 'Descending'}
      </SmallButton>
    </Group>
  );
}
