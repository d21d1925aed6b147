'use client';
import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  NativeSelect,
  Popover,
  SegmentedControl,
  Stack,
  Text,
} from '@mantine/core';
import { useAnnounce } from '@/components/ui/announce';
import { Icon } from '@/components/ui/icons';
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
import classes from './requests.module.css';

type Props = {
  layout: ColumnLayout;
  onLayout: (layout: ColumnLayout) => void;
  sort: Sort;
  onSort: (sort: Sort) => void;
};

/** Which columns are shown, in which order and which of them stay in sight; how high the rows are. */
export function ColumnSettings({ layout, onLayout, sort, onSort }: Props) {
  return (
    <Popover position="bottom-end" trapFocus returnFocus shadow="md">
      <Popover.Target>
        <Button data-toolbar-toggle="" size="compact-xs">
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.options} aria-label="Columns">
        <Stack gap="xs">
          <SortChoice sort={sort} onSort={onSort} />
          <SegmentedControl
            size="xs"
            aria-label="Density"
            data={[
              { value: 'normal', label: 'Compact' },
              { value: 'roomy', label: 'Comfortable' },
            ]}
            value={layout.density === 'roomy' ? 'roomy' : 'normal'}
            onChange={(density) => onLayout({ ...layout, density: density === 'roomy' ? 'roomy' : 'normal' })}
          />
          <Shown layout={layout} onLayout={onLayout} />
          <Hidden layout={layout} onLayout={onLayout} />
          <Button onClick={() => onLayout(DEFAULT_LAYOUT)}>Reset columns</Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** On small screens the rows are cards without a header, so the order is chosen here as well. */
function SortChoice({ sort, onSort }: Pick<Props, 'sort' | 'onSort'>) {
  const dot = sort.lastIndexOf('.');
  const [column, direction] = [sort.slice(0, dot), sort.slice(dot + 1)];
  return (
    <Group gap="xs" wrap="nowrap" align="flex-end">
      <NativeSelect
        autoComplete="off"
        label="Sort by"
        flex={1}
        data={COLUMN_IDS.map((id) => ({ value: id, label: COLUMNS[id].label }))}
        value={column}
        onChange={(event) => {
          const id = COLUMN_IDS.find((known) => known === event.currentTarget.value);
          if (id !== undefined) onSort(`${id}.${COLUMNS[id].first}`);
        }}
      />
      <Button
        size="compact-xs"
        onClick={() => onSort(`${column as ColumnId}.${direction === 'asc' ? 'desc' : 'asc'}`)}
      >
        {direction === 'asc' ? 'Ascending' : 'Descending'}
      </Button>
    </Group>
  );
}

type Layout = Pick<Props, 'layout' | 'onLayout'>;

/** From left to right; moved by buttons, or by dragging one onto the place of another. */
function Shown({ layout, onLayout }: Layout) {
  const announce = useAnnounce();
  const shown = layout.columns;
  function move(id: ColumnId, place: number) {
    const moved = moveColumn(layout, id, place);
    const now = moved.columns.findIndex((column) => column.id === id) + 1;
    onLayout(moved);
    announce(`${COLUMNS[id].label} is column ${now} of ${shown.length}`);
  }
  return (
    <>
      <Text size="xs" fw={600}>
        Visible columns
      </Text>
      <ul aria-label="Visible columns, from left to right">
        {shown.map(({ id, pinned }, place) => (
          <Group
            component="li"
            key={id}
            gap={4}
            wrap="nowrap"
            draggable
            onDragStart={(event) => event.dataTransfer.setData(DRAGGED, id)}
            onDragOver={(event) => event.dataTransfer.types.includes(DRAGGED) && event.preventDefault()}
            onDrop={(event) => {
              const dropped = COLUMN_IDS.find((known) => known === event.dataTransfer.getData(DRAGGED));
              if (dropped !== undefined && dropped !== id) move(dropped, place);
              event.preventDefault();
            }}
          >
            <Checkbox
              size="xs"
              flex={1}
              label={<ShowLabel id={id} />}
              checked
              disabled={shown.length === 1}
              onChange={() => onLayout(toggleColumn(layout, id))}
            />
            <Button
              size="compact-xs"
              variant={pinned === undefined ? 'subtle' : 'light'}
              aria-pressed={pinned !== undefined}
              aria-label={`Pin ${COLUMNS[id].label}`}
              title="Stays at the left edge"
              onClick={() => onLayout(pinColumn(layout, id))}
            >
              Pin
            </Button>
            <ActionIcon
              aria-label={`Move ${COLUMNS[id].label} up`}
              disabled={place === 0}
              onClick={() => move(id, place - 1)}
            >
              ↑
            </ActionIcon>
            <ActionIcon
              aria-label={`Move ${COLUMNS[id].label} down`}
              disabled={place === shown.length - 1}
              onClick={() => move(id, place + 1)}
            >
              <Icon name="down" size={12} />
            </ActionIcon>
          </Group>
        ))}
      </ul>
    </>
  );
}

/** The filters are labelled by the bare words. */
function ShowLabel({ id }: { id: ColumnId }) {
  return (
    <>
      <span className="sr-only">Show </span>
      {COLUMNS[id].label}
    </>
  );
}

/** Only our own columns are taken, not text that is dragged in from elsewhere. */
const DRAGGED = 'application/x-keeperscope-column';

function Hidden({ layout, onLayout }: Layout) {
  const hidden = COLUMN_IDS.filter((id) => !layout.columns.some((column) => column.id === id));
  if (hidden.length === 0) return null;
  return (
    <Stack component="ul" gap={4} aria-label="Hidden columns">
      {hidden.map((id) => (
        <li key={id}>
          <Checkbox
            size="xs"
            label={<ShowLabel id={id} />}
            checked={false}
            onChange={() => onLayout(toggleColumn(layout, id))}
          />
        </li>
      ))}
    </Stack>
  );
}
