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
import type { ListedRow } from '@/lib/requests/answers';
import { boundedWidth, type ColumnId, type ColumnLayout } from '@/lib/requests/columns';
import type { Mark, Marks } from '@/lib/requests/following';
import type { Cell, Sort } from '@/lib/requests/view';
import { stateToken } from '@/lib/requests/view-labels';
import { useCellActions } from './cell-actions';
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
  rows: readonly ListedRow[];
  rowsKey: string;
  marks: Marks;
  layout: ColumnLayout;
  onLayout: (layout: ColumnLayout) => void;
  sort: Sort;
  onSort: (sort: Sort) => void;
  openKey: string | undefined;
  onOpen: (key: string | undefined) => void;
  /** Leaves only the rows with this value (`for`), or none of them (`out`). */
  onFilter: (cell: Cell, way: 'for' | 'out') => void;
  /** The rows are of another view, and dimmed. */
  isOutdated: boolean;
  scroller: RefObject<HTMLElement | null>;
  below?: ReactNode;
};

/** Heights of rows, CSS pixels: the table's style gets them from here, so that both reckon with the same. */
const ROW_PX: Record<ColumnLayout['density'], number> = { compact: 28, normal: 28, roomy: 40 };
const CARD_PX = 64;
const ALL_DRAWN = 100;
const FIRST_DRAWN = 50;

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
  const { rows, rowsKey, layout, openKey, onOpen, isOutdated, scroller, below } = props;
  const networks = useNetworks();
  const shared = useMemo(() => sharedNetworks(rows), [rows]);
  const model = useTableModel({ ...props, wanted: useWanted(rows, networks, shared.size > 0) });
  const { headers, columns, widthPx } = model;
  const isCards = useMediaQuery('(max-width: 62em)', false) === true;
  const rowPx = isCards ? CARD_PX : ROW_PX[layout.density];
  const focus = useRowFocus({ rows, rowPx, scroller, openKey, onOpen });
  const actions = useCellActions({ rows, scroller, onFilter: props.onFilter });
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
        {...actions.handlers}
        // It scrolls by itself, so the keyboard must be able to reach it while it holds nothing to focus.
        {...(rows.length === 0 ? { tabIndex: 0 } : {})}
      >
        <table
          className={classes.table}
          aria-label="Requests"
          aria-rowcount={rows.length + 1}
          aria-busy={isOutdated}
          data-status={isOutdated ? 'outdated' : 'current'}
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
          {/* Where rows are cards the page itself scrolls, and the style leaves out what is not in sight. */}
          {isCards || rows.length <= ALL_DRAWN ? <AllRows {...body} /> : <SomeRows {...body} />}
        </table>
        {below}
        {actions.element}
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

type BodyProps = Pick<RequestsTableProps, 'rows' | 'marks' | 'openKey' | 'scroller'> & {
  columns: readonly ShownColumn[];
  focus: RowFocus;
  rowPx: number;
};

function AllRows(props: BodyProps) {
  return <Body {...props} from={0} to={props.rows.length} />;
}

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
        <td key={column.id} {...columnAttributes(column)} title={COLUMNS[column.id].title?.(row)}>
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
