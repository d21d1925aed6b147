'use client';
import {
  ActionIcon,
  Button,
  Checkbox,
  Divider,
  Group,
  NativeSelect,
  NavLink,
  Radio,
  Stack,
  TextInput,
} from '@mantine/core';
import { useClipboard, useLocalStorage } from '@mantine/hooks';
import { useState } from 'react';
import { announce } from '@/components/ui/announce';
import { Segments } from '@/components/ui/inputs';
import { NamedItem, NameForm } from '@/components/ui/named-items';
import { Muted, SmallButton } from '@/components/ui/text';
import { useMomentWords, useTimeStyle } from '@/components/ui/time-style';
import { type NamedChange, type NamedUrl, normalizeName, withRenamed } from '@/lib/core/named-urls';
import { countOf } from '@/lib/core/numbers';
import { parseIsoTime } from '@/lib/core/time';
import { stuckAgeS, useTriage } from '@/lib/pending/client/use-triage';
import { COLUMN_SCHEMA } from '@/lib/requests/column-schema';
import {
  COLUMN_IDS,
  type ColumnId,
  type ColumnLayout,
  DEFAULT_LAYOUT,
  moveColumn,
  pinColumn,
  toggleColumn,
} from '@/lib/requests/columns';
import { EXPORT_FORMATS, type ExportFormat, exportUrl } from '@/lib/requests/export-url';
import {
  builtInViews,
  readSavedViews,
  savableView,
  savedView,
  VIEWS_KEY,
  withView,
} from '@/lib/requests/saved-views';
import { sharedLink } from '@/lib/requests/share';
import type { Sort } from '@/lib/requests/view';
import { useRequests } from './requests-context';

type ColumnsProps = {
  layout: ColumnLayout;
  onLayout: (layout: ColumnLayout) => void;
  sort: Sort;
  onSort: (sort: Sort) => void;
};

const columnOf = (text: string) => COLUMN_IDS.find((columnId) => columnId === text);
/** Text dragged from elsewhere has another type. */
const DRAGGED = 'application/x-keeperscope-column';

export function ColumnSettings({ layout, onLayout, sort, onSort }: ColumnsProps) {
  const shown = layout.columns;
  return (
    <Stack gap="xs">
      <SortChoice sort={sort} onSort={onSort} />
      <Segments
        aria-label="Density"
        names={{ normal: 'Compact', roomy: 'Comfortable' }}
        value={layout.density}
        onChoose={(density) => onLayout({ ...layout, density })}
      />
      <ul aria-label="Visible columns, from left to right">
        {shown.map((column, place) => (
          <ShownColumn key={column.id} {...{ layout, onLayout, column, place }} />
        ))}
      </ul>
      <Stack component="ul" gap={4} aria-label="Hidden columns">
        {COLUMN_IDS.filter((id) => !shown.some((column) => column.id === id)).map((id) => (
          <li key={id}>
            <ColumnToggle {...{ id, layout, onLayout }} />
          </li>
        ))}
      </Stack>
      <Button onClick={() => onLayout(DEFAULT_LAYOUT)}>Reset columns</Button>
    </Stack>
  );
}

type LayoutProps = Pick<ColumnsProps, 'layout' | 'onLayout'>;

function ColumnToggle({ id, layout, onLayout }: LayoutProps & { id: ColumnId }) {
  const isShown = layout.columns.some((column) => column.id === id);
  return (
    <Checkbox
      flex={1}
      // The names differ from those of the filters.
      label={
        <>
          <span className="sr-only">Show </span>
          {COLUMN_SCHEMA[id].label}
        </>
      }
      checked={isShown}
      disabled={isShown && layout.columns.length === 1}
      onChange={() => onLayout(toggleColumn(layout, id))}
    />
  );
}

type ShownColumnProps = LayoutProps & { column: ColumnLayout['columns'][number]; place: number };

/** A visible column, which moves by its arrows or by dragging. */
function ShownColumn({ layout, onLayout, column: { id, pinned }, place }: ShownColumnProps) {
  const shown = layout.columns;
  const { label } = COLUMN_SCHEMA[id];
  function move(movedId: ColumnId, to: number) {
    const moved = moveColumn(layout, movedId, to);
    const position = moved.columns.findIndex((column) => column.id === movedId) + 1;
    onLayout(moved);
    announce(`${COLUMN_SCHEMA[movedId].label} is column ${position} of ${shown.length}`);
  }
  return (
    <Group
      component="li"
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
      <ColumnToggle {...{ id, layout, onLayout }} />
      <SmallButton
        variant={pinned === undefined ? 'subtle' : 'light'}
        aria-pressed={pinned !== undefined}
        aria-label={`Pin ${label}`}
        title="Stays at the left edge"
        onClick={() => onLayout(pinColumn(layout, id))}
      >
        Pin
      </SmallButton>
      {([-1, 1] as const).map((by) => (
        <ActionIcon
          key={by}
          aria-label={`Move ${label} ${by < 0 ? 'up' : 'down'}`}
          disabled={shown[place + by] === undefined}
          onClick={() => move(id, place + by)}
        >
          {by < 0 ? '↑' : '↓'}
        </ActionIcon>
      ))}
    </Group>
  );
}

/** Choice of the sort on small screens, where rows are cards without headers. */
function SortChoice({ sort, onSort }: Pick<ColumnsProps, 'sort' | 'onSort'>) {
  const [column, direction] = sort.split('.') as [ColumnId, 'asc' | 'desc'];
  return (
    <Group gap="xs" wrap="nowrap" align="flex-end">
      <NativeSelect
        autoComplete="off"
        label="Sort by"
        flex={1}
        data={COLUMN_IDS.map((id) => ({ value: id, label: COLUMN_SCHEMA[id].label }))}
        value={column}
        onChange={(event) => {
          const id = columnOf(event.currentTarget.value);
          if (id !== undefined) onSort(`${id}.${COLUMN_SCHEMA[id].initialDirection}`);
        }}
      />
      <SmallButton onClick={() => onSort(`${column}.${direction === 'asc' ? 'desc' : 'asc'}`)}>
        {direction === 'asc' ? 'Ascending' : 'Descending'}
      </SmallButton>
    </Group>
  );
}

type ShownProps = {
  total: string | undefined;
  /** ISO time. Later rows are not exported. */
  asof: string | undefined;
  layout: ColumnLayout;
};

export function ShareLink({ total, asof, layout }: ShownProps) {
  const { view } = useRequests();
  const { zone } = useTimeStyle();
  const moment = useMomentWords();
  const { copy, copied, error } = useClipboard();
  const [kind, setKind] = useState<'snapshot' | 'live'>('snapshot');
  const [nowMs] = useState(Date.now);
  const link = sharedLink(view, { asof, total, layout, zone, nowMs }, window.location.origin, kind);
  const count = total === undefined ? 'These rows' : countOf(total, 'request', 'requests');
  return (
    <Stack gap="sm">
      <Segments
        aria-label="Link to"
        names={{ snapshot: 'Snapshot', live: 'Live view' }}
        value={kind}
        onChoose={setKind}
      />
      <Muted size="sm">
        {kind === 'snapshot'
          ? `${count} as of ${moment(parseIsoTime(asof ?? '') ?? nowMs)}`
          : 'Same filters, with the newest data when opened'}
      </Muted>
      <TextInput
        readOnly
        aria-label="Link"
        value={link}
        error={error === null ? undefined : 'Clipboard blocked. Select the link and copy it.'}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button data-autofocus variant="filled" onClick={() => copy(link)}>
        <span aria-live="polite">{copied ? 'Link copied' : 'Copy link'}</span>
      </Button>
    </Stack>
  );
}

const FORMATS: Record<ExportFormat, [label: string, description: string]> = {
  csv: ['CSV', 'For spreadsheets. Formulas escaped'],
  ndjson: ['JSON lines', 'One request per line, as the service sent it'],
  json: ['JSON', 'One document, as the service sent it'],
  parquet: ['Parquet', 'For DuckDB, pandas, Spark'],
};

export function ExportForm({ total, asof, layout }: ShownProps) {
  const { view } = useRequests();
  const [format, setFormat] = useState<ExportFormat>('csv');
  const [columns, setColumns] = useState('all');
  const [started, setStarted] = useState<ExportFormat>();
  const { columns: _columns, ...rows } = view;
  const hasColumns = format === 'csv' || format === 'parquet';
  const exported = {
    ...rows,
    ...(asof === undefined ? {} : { asof }),
    ...(hasColumns && columns === 'visible' ? { columns: layout } : {}),
  };
  return (
    <Stack gap="md">
      <p>
        <strong className="num">
          {total === undefined ? 'All matching requests' : countOf(total, 'request', 'requests')}
        </strong>
        , newest first
      </p>
      <Radio.Group label="Format" value={format} onChange={(value) => setFormat(value as ExportFormat)}>
        <Stack gap="xs" mt="xs">
          {EXPORT_FORMATS.map((value) => {
            const [label, description] = FORMATS[value];
            return <Radio key={value} size="xs" {...{ value, label, description }} />;
          })}
        </Stack>
      </Radio.Group>
      <Radio.Group label="Columns" value={hasColumns ? columns : 'all'} onChange={setColumns}>
        <Group gap="xl" mt="xs">
          <Radio size="xs" value="all" label="All columns" disabled={!hasColumns} />
          <Radio size="xs" value="visible" label="Visible columns" disabled={!hasColumns} />
        </Group>
      </Radio.Group>
      <Group justify="space-between" gap="sm">
        <Muted role="status" size="sm">
          {started === format ? 'Download started. The last lines hold the row count.' : ''}
        </Muted>
        <Button
          component="a"
          href={exportUrl(exported, format)}
          download
          variant="filled"
          onClick={() => setStarted(format)}
        >
          Export {FORMATS[format][0]}
        </Button>
      </Group>
    </Stack>
  );
}

const NO_VIEWS: readonly NamedUrl[] = [];

export function SavedViews({ layout, onClose }: { layout: ColumnLayout; onClose: () => void }) {
  const { view, show } = useRequests();
  const { zone } = useTimeStyle();
  const [nowMs] = useState(Date.now);
  const stuckFromS = stuckAgeS(useTriage(undefined, 0));
  const [views, setViews] = useLocalStorage<readonly NamedUrl[]>({
    key: VIEWS_KEY,
    defaultValue: NO_VIEWS,
    deserialize: readSavedViews,
  });
  const open = (chosen: NamedUrl | undefined) => {
    onClose();
    if (chosen !== undefined) show(() => savedView(chosen), 'push');
  };
  const change = ({ problem, list: next }: NamedChange) => {
    if (next !== undefined) setViews(next);
    return problem;
  };
  return (
    <>
      <ul>
        {builtInViews(nowMs, zone, stuckFromS).map(({ name, says }, at) => (
          <li key={name}>
            {/* The view is built on click, so that "stuck" is judged at that moment. */}
            <NavLink
              component="button"
              p={6}
              label={name}
              description={says}
              onClick={() => open(builtInViews(Date.now(), zone, stuckFromS)[at])}
            />
          </li>
        ))}
      </ul>
      <Divider my={4} />
      {views.length === 0 ? null : (
        <>
          <ul aria-label="Saved views">
            {views.map((saved) => (
              <NamedItem
                key={saved.name}
                name={saved.name}
                url={saved.url}
                onOpen={() => open(saved)}
                onRename={(name) => change(withRenamed(views, saved.name, name))}
                onRemove={() => setViews(views.filter(({ name }) => name !== saved.name))}
              />
            ))}
          </ul>
          <Divider my={4} />
        </>
      )}
      <NameForm
        label="Save this view as"
        verb={(text) => (views.some(({ name }) => name === normalizeName(text)) ? 'Replace' : 'Save')}
        onName={(name) => change(withView(views, name, savableView(view, layout)))}
      />
    </>
  );
}
