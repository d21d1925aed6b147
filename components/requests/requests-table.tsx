'use client';
import { Badge, Group, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type KeyboardEvent,
  memo,
  type ReactNode,
  type RefObject,
  useLayoutEffect,
  useMemo,
  useRef,
} from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { useTimeStyle } from '@/components/ui/time-style';
import { groupDigits } from '@/lib/core/numbers';
import type { UnreadableRow } from '@/lib/core/request-record';
import { clipped } from '@/lib/core/text';
import { cellText, type ListedRecord } from '@/lib/requests/cell-text';
import { boundedWidth, type ColumnId, type ColumnLayout } from '@/lib/requests/columns';
import type { Mark, Marks } from '@/lib/requests/following';
import type { ListedRow } from '@/lib/requests/listing';
import type { Cell, Sort } from '@/lib/requests/view';
import { stateToken } from '@/lib/requests/view-labels';
import { CellActions } from './cell-actions';
import {
  COLUMNS,
  headerLabel,
  SharedNetworks,
  type ShownColumn,
  type TableHeader,
  useTableModel,
} from './columns';
import { useNetworks } from './requests-context';
import { type RowFocus, useRowFocus } from './row-focus';
import classes from './table.module.css';

type RequestsTableProps = {
  /** In the order in which they are shown. */
  rows: readonly ListedRow[];
  /** Of which view and page they are: with other ones the table begins at its top, with newer ones it stays. */
  rowsKey: string;
  marks: Marks;
  layout: ColumnLayout;
  onLayout: (layout: ColumnLayout) => void;
  sort: Sort;
  onSort: (sort: Sort) => void;
  /** The row that is open beside the table. */
  openKey: string | undefined;
  onOpen: (key: string | undefined) => void;
  /** Leaves only the rows with this value (`for`), or none of them (`out`). */
  onFilter: (cell: Cell, way: 'for' | 'out') => void;
  /** `waiting`: no rows have come yet. `outdated`: they are of another view, and dimmed. */
  status: 'current' | 'outdated' | 'waiting';
  scroller: RefObject<HTMLElement | null>;
  /** What stands in the scrolling area under the table. */
  below?: ReactNode;
};

/** Heights of rows, CSS pixels: the table's style gets them from here, so that both reckon with the same. */
const ROW_PX: Record<ColumnLayout['density'], number> = { compact: 28, normal: 28, roomy: 40 };
const CARD_PX = 64;
/** Up to so many rows are simply all there: the browser's own search finds them. */
const ALL_DRAWN = 100;
/** As many as the first HTML holds of a longer page. */
const FIRST_DRAWN = 50;
/** As many as fill a large screen. */
const PLACEHOLDERS = Array.from({ length: 30 }, (_, index) => `placeholder-${index}`);

/** Columns are as wide as their content wants: the longest name on offer, the longest sequence there is. */
function useWanted(
  rows: readonly ListedRow[],
  networks: ReadonlyMap<string, { name: string }>,
  hasProviders: boolean,
) {
  const digits = rows.reduce(
    (most, row) => Math.max(most, row.kind === 'record' ? row.sequence.length : 0),
    0,
  );
  const letters = [...networks.values()].reduce((most, { name }) => Math.max(most, name.length), 0);
  const provider = hasProviders ? 42 : 0;
  const sequence = Math.min(230, Math.max(COLUMNS.sequence.px, 30 + Math.ceil(digits / 2) * 17) + provider);
  const network = Math.min(190, Math.max(112, 44 + letters * 7));
  return useMemo(() => ({ sequence, network }), [sequence, network]);
}

/** Networks of which the rows have several providers, so that two sequences side by side do not look like disorder. */
function sharedNetworks(rows: readonly ListedRow[]): ReadonlySet<string> {
  const first = new Map<string, string | undefined>();
  const shared = new Set<string>();
  for (const row of rows) {
    if (row.kind !== 'record') continue;
    if (!first.has(row.networkId)) first.set(row.networkId, row.provider);
    else if (first.get(row.networkId) !== row.provider) shared.add(row.networkId);
  }
  return shared;
}

/** The log rows, unreadable ones in their place. On narrow screens they are cards, by style alone. */
export function RequestsTable(props: RequestsTableProps) {
  const { rows, rowsKey, layout, openKey, onOpen, status, scroller, below } = props;
  const networks = useNetworks();
  const shared = useMemo(() => sharedNetworks(rows), [rows]);
  const model = useTableModel({ ...props, wanted: useWanted(rows, networks, shared.size > 0) });
  const { headers, columns, widthPx } = model;
  const isCards = useMediaQuery('(max-width: 62em)', false) === true;
  const rowPx = isCards ? CARD_PX : ROW_PX[layout.density];
  const focus = useRowFocus({ rows, rowPx, scroller, openKey, onOpen });
  const shownKey = useRef(rowsKey);
  useLayoutEffect(() => {
    if (shownKey.current !== rowsKey) scroller.current?.scrollTo({ top: 0 });
    shownKey.current = rowsKey;
  }, [rowsKey, scroller]);

  const body = { ...props, columns, focus, rowPx };
  const style = { '--row': `${ROW_PX[layout.density]}px`, '--width': `${widthPx}px` } as CSSProperties;
  return (
    <SharedNetworks value={shared}>
      <section
        ref={scroller}
        className={classes.scroller}
        aria-label="Rows"
        style={style}
        // It scrolls by itself, so the keyboard must be able to reach it while it holds nothing to focus.
        {...(rows.length === 0 ? { tabIndex: 0 } : {})}
      >
        <table
          className={classes.table}
          aria-label="Requests"
          aria-rowcount={rows.length + 1}
          aria-busy={status !== 'current'}
          data-status={status}
        >
          <colgroup>
            {headers.map(({ id, column }, at) => (
              // The last one takes the room that is left over.
              <col key={id} style={at === headers.length - 1 ? undefined : { width: column.getSize() }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              {headers.map((header, at) => (
                <HeaderCell
                  key={header.id}
                  header={header}
                  shown={columns[at]}
                  onSettle={model.settle}
                  onWidth={(px) => model.setWidth(header.id as ColumnId, px)}
                  onDown={() => focus.enter(at)}
                />
              ))}
            </tr>
          </thead>
          {status === 'waiting' ? <Placeholders columns={columns} /> : null}
          {/* Where rows are cards the page itself scrolls, and the style leaves out what is not in sight. */}
          {isCards || rows.length <= ALL_DRAWN ? <AllRows {...body} /> : <SomeRows {...body} />}
        </table>
        {below}
        <CellActions rows={rows} scroller={scroller} onFilter={props.onFilter} />
      </section>
    </SharedNetworks>
  );
}

/** CSS pixels per press of an arrow key with Shift. */
const WIDTH_STEP_PX = 20;

/** A header that sorts all matches, and whose edge sets the width. No stop of the Tab key: arrows lead up to it. */
function HeaderCell({
  header,
  shown,
  onSettle,
  onWidth,
  onDown,
}: {
  header: TableHeader;
  shown: ShownColumn | undefined;
  onSettle: () => void;
  onWidth: (px: number | undefined) => void;
  onDown: () => void;
}) {
  const { column } = header;
  const { zone } = useTimeStyle();
  const id = column.id as ColumnId;
  const label = headerLabel(id, zone);
  const sorted = column.getIsSorted();
  const resize = header.getResizeHandler();

  function press(event: KeyboardEvent<HTMLElement>) {
    const side = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (side !== undefined && event.shiftKey) onWidth(boundedWidth(column.getSize() + side * WIDTH_STEP_PX));
    else if (side !== undefined) {
      const cell = event.currentTarget.closest('th');
      const next = side < 0 ? cell?.previousElementSibling : cell?.nextElementSibling;
      next?.querySelector('button')?.focus();
    } else if (event.key === 'Delete') onWidth(undefined);
    else if (event.key === 'ArrowDown' || event.key === 'Escape') onDown();
    else return;
    event.preventDefault();
  }

  return (
    <th
      scope="col"
      {...columnAttributes(shown)}
      aria-sort={sorted === false ? undefined : sorted === 'asc' ? 'ascending' : 'descending'}
    >
      <button
        type="button"
        tabIndex={-1}
        title={`Sort by ${label.toLowerCase()}. Shift and arrows set the width.`}
        onClick={() => column.toggleSorting()}
        onKeyDown={press}
      >
        {label}
      </button>
      <span
        aria-hidden="true"
        className={classes.edge}
        onMouseDown={(event) => {
          event.preventDefault();
          resize(event.nativeEvent);
          document.addEventListener('mouseup', () => queueMicrotask(onSettle), { once: true });
        }}
        onDoubleClick={() => onWidth(undefined)}
      />
    </th>
  );
}

type CellAttributes = Record<`data-${string}`, string | true | undefined> & { style?: CSSProperties };

function columnAttributes(shown: ShownColumn | undefined): CellAttributes {
  if (shown === undefined) return {};
  const { id, pinnedAt, isLastPinned } = shown;
  return {
    'data-column': id,
    'data-figure': COLUMNS[id].figure,
    ...(pinnedAt === undefined
      ? {}
      : { 'data-pinned': isLastPinned ? 'last' : '', style: { insetInlineStart: pinnedAt } }),
  };
}

/** What stands where the first rows will be: of the same height. */
function Placeholders({ columns }: { columns: readonly ShownColumn[] }) {
  return (
    <tbody className={classes.body} aria-hidden="true">
      {PLACEHOLDERS.map((key) => (
        <tr key={key} className={classes.row} data-row="placeholder">
          {columns.map((column) => (
            <td key={column.id} {...columnAttributes(column)}>
              <span className={classes.bar} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

type BodyProps = Pick<RequestsTableProps, 'rows' | 'marks' | 'openKey' | 'scroller'> & {
  columns: readonly ShownColumn[];
  focus: RowFocus;
  rowPx: number;
};

function AllRows(props: BodyProps) {
  return <Body {...props} from={0} to={props.rows.length} />;
}

/** Of a long page the rows in sight and some beyond, and gaps as high as the others. */
function SomeRows(props: BodyProps) {
  const { rows, rowPx, scroller } = props;
  const virtual = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    count: rows.length,
    overscan: 12,
    estimateSize: () => rowPx,
    getScrollElement: () => scroller.current,
    initialRect: { width: 0, height: FIRST_DRAWN * rowPx },
    useFlushSync: false,
  });
  const measuredPx = useRef(rowPx);
  useLayoutEffect(() => {
    if (measuredPx.current !== rowPx) virtual.measure();
    measuredPx.current = rowPx;
  }, [virtual, rowPx]);
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  const to = first === undefined ? FIRST_DRAWN : (last?.index ?? 0) + 1;
  return (
    <Body
      {...props}
      from={first?.index ?? 0}
      to={Math.min(rows.length, to)}
      abovePx={first?.start ?? 0}
      belowPx={Math.max(0, virtual.getTotalSize() - (last?.end ?? FIRST_DRAWN * rowPx))}
    />
  );
}

type Stretch = { from: number; to: number; abovePx?: number; belowPx?: number };

function Body({
  rows,
  columns,
  marks,
  openKey,
  focus,
  from,
  to,
  abovePx = 0,
  belowPx = 0,
}: BodyProps & Stretch) {
  const indexes = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
  // An element that goes takes the focus with it.
  const kept = focus.activeIndex < rows.length ? focus.activeIndex : -1;
  const before = kept >= 0 && kept < from ? [kept] : [];
  const after = kept >= to ? [kept] : [];
  const row = (index: number) => {
    const shown = rows[index];
    return shown === undefined ? null : (
      <Row
        // A row in another place is drawn anew: one that moves on the screen counts as a jump.
        key={`${index}/${shown.key}`}
        row={shown}
        index={index}
        columns={columns}
        mark={marks.get(shown.key)?.mark}
        isOpen={shown.key === openKey}
        tabIndex={index === focus.activeIndex ? 0 : -1}
      />
    );
  };
  // One list: a row that had the focus out of sight and comes into sight stays the same element.
  return (
    <tbody className={classes.body} {...focus.handlers}>
      {[
        ...before.map(row),
        <Gap key="above" px={abovePx} columns={columns.length} />,
        ...indexes.map(row),
        <Gap key="below" px={belowPx} columns={columns.length} />,
        ...after.map(row),
      ]}
    </tbody>
  );
}

function Gap({ px, columns }: { px: number; columns: number }) {
  if (px === 0) return null;
  return (
    <tr className={classes.gap}>
      <td colSpan={columns} style={{ height: px }} />
    </tr>
  );
}

/** The exact value where the column tells one; else that there is none. */
function titleOf(record: ListedRecord, id: ColumnId): string | undefined {
  const { title, what } = COLUMNS[id];
  return title?.(record) ?? (cellText(record, id, 0) === undefined ? `No ${what}` : undefined);
}

/** Header rows count as rows, and counting begins at 1. */
const FIRST_ROW_INDEX = 2;

/** One row, drawn again only when something of it changes. */
const Row = memo(function Row({
  row,
  index,
  columns,
  mark,
  isOpen,
  tabIndex,
}: {
  row: ListedRow;
  index: number;
  columns: readonly ShownColumn[];
  mark: Mark | undefined;
  isOpen: boolean;
  tabIndex: 0 | -1;
}) {
  const place = {
    className: classes.row,
    'data-key': row.key,
    'data-index': index,
    'aria-rowindex': index + FIRST_ROW_INDEX,
    'aria-current': isOpen ? ('true' as const) : undefined,
    tabIndex,
  };
  if (row.kind === 'unreadable') {
    return (
      <tr data-row="unreadable" {...place}>
        <td colSpan={columns.length}>
          <UnreadableCell row={row} />
        </td>
      </tr>
    );
  }
  return (
    <tr data-row="record" data-state={stateToken(row.state)} data-mark={mark} data-gone={row.gone} {...place}>
      {columns.map((column) => (
        <td key={column.id} {...columnAttributes(column)} title={titleOf(row, column.id)}>
          {COLUMNS[column.id].cell(row)}
          {column.id === 'state' && row.gone ? <GoneMark /> : null}
        </td>
      ))}
    </tr>
  );
});

function GoneMark() {
  return (
    <span
      className={classes.gone}
      title="The keeper’s log service no longer serves this row; the index keeps it."
    >
      no longer served
    </span>
  );
}

/** As much JSON as anybody reads in a table; the whole of it can be copied. */
const SHOWN_UNITS = 10_000;

/** A row that is no request: why not, and its JSON to look at. */
function UnreadableCell({ row }: { row: UnreadableRow }) {
  const left = row.rawJson.length - SHOWN_UNITS;
  return (
    <details className={classes.unreadable}>
      <summary>
        <Badge color="odd" leftSection={<Icon name="broken" size={13} />}>
          unreadable
        </Badge>{' '}
        {row.problem}{' '}
        <Text span size="sm" c="var(--ks-accent)" td="underline">
          JSON
        </Text>
      </summary>
      <Group gap={4} my="xs" wrap="nowrap" align="flex-start">
        <CopyButton value={row.rawJson} label="Copy the JSON of this row" />
        <pre className="foreign">{clipped(row.rawJson, SHOWN_UNITS)}</pre>
      </Group>
      {left > 0 ? (
        <Text size="sm" c="dimmed">
          {groupDigits(String(left))} more characters are copied, not shown.
        </Text>
      ) : null}
    </details>
  );
}
