'use client';
import { Badge } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import {
  type ComponentType,
  type CSSProperties,
  type KeyboardEvent,
  memo,
  type ReactNode,
  type RefObject,
  useContext,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Icon } from '@/components/ui/icons';
import { useTimeStyle } from '@/components/ui/time-style';
import { usePrinting } from '@/components/ui/use-printing';
import { stateWord } from '@/lib/core/request-record';
import { clipped } from '@/lib/core/text';
import type { Mark, Marks } from '@/lib/requests/client/following';
import { COLUMN_SCHEMA } from '@/lib/requests/column-schema';
import { boundedWidth, type ColumnId, type ColumnLayout, withWidth } from '@/lib/requests/columns';
import type { ListedRow } from '@/lib/requests/requests-response';
import { shownState } from '@/lib/requests/state-looks';
import type { Cell, Sort } from '@/lib/requests/view';
import { useCellActions } from './cell-actions';
import {
  cellOf,
  cellTitle,
  EXPLORER_NOTE,
  HashRoom,
  headerLabel,
  isFigureColumn,
  isHashColumn,
  type PlacedColumn,
  placedColumns,
  SeveralKeepers,
  SharedNetworks,
  type TableHeader,
  useTableModel,
} from './columns';
import { useRequests } from './requests-context';
import { type RowFocus, useRowFocus } from './row-focus';
import type { RangeProps } from './rows-in-sight';
import type { Selection } from './selection';
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
  onFilter: (cell: Cell, mode: 'include' | 'exclude') => void;
  /** The rows belong to another view, so they are dimmed. */
  isOutdated: boolean;
  scroller: RefObject<HTMLElement | null>;
  selection: Selection;
  below?: ReactNode;
};

/** Heights of rows, CSS pixels, passed to the stylesheet as `--row`. */
const ROW_PX: Record<ColumnLayout['density'], number> = { normal: 28, roomy: 40 };
const CARD_PX = 64;
const MAX_WHOLE_ROWS = 100;
const ROWS_BEFORE_VIRTUAL = 50;
const FIRST_RENDER_ROWS = 25;

/** Networks with several providers, so their sequences are shown with the provider. */
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

/** CSS pixels beside a sequence for a provider's mark, always free, so that rows of a second provider move no column. */
const PROVIDER_PX = 42;

/** CSS pixels for 19 letters. Fixed, so that a network that appears moves no column. */
const NETWORK_PX = 188;

/** CSS pixels. */
function useWantedWidths(rows: readonly ListedRow[], hasKeepers: boolean) {
  const { keepers } = useRequests();
  return useMemo((): Partial<Record<ColumnId, number>> => {
    const digits = Math.max(0, ...rows.map((row) => (row.kind === 'record' ? row.sequence.length : 0)));
    const sequence = Math.max(COLUMN_SCHEMA.sequence.px, 30 + Math.ceil(digits / 2) * 17) + PROVIDER_PX;
    const keeper = hasKeepers ? 8 + Math.max(0, ...keepers.map((name) => name.length)) * 7 : 0;
    return { sequence: Math.min(230, sequence), network: NETWORK_PX + Math.min(120, keeper) };
  }, [rows, keepers, hasKeepers]);
}

const EveryRow = ({ count, children }: RangeProps) => children(0, count);

/** The virtualised list, loaded with the first long list. If loading fails, every row is rendered. */
function useRowsInSight(isLong: boolean) {
  const [part, setPart] = useState<ComponentType<RangeProps>>();
  useEffect(() => {
    if (!isLong) return;
    const loaded = import('./rows-in-sight').then(({ RowsInSight }) => RowsInSight);
    void loaded.catch(() => EveryRow).then((component) => setPart(() => component));
  }, [isLong]);
  return part;
}

function useSeveralKeepers(): boolean {
  const { view, keepers } = useRequests();
  return (view.keepers.length === 0 ? keepers : view.keepers).length > 1;
}

/** CSS pixels for the name of the failure column. */
const NO_FAILURE_PX = 76;

const hasFailed = (row: ListedRow) =>
  row.kind === 'record' && ['failed', 'callback-failed'].includes(stateWord(row.state));

/** Narrow while no row of the view had failed when it was first shown: a later failure moves no column. */
function useFailureWidth({ rows, rowsKey }: Pick<RequestsTableProps, 'rows' | 'rowsKey'>) {
  const judge = () => ({ rowsKey, isEmpty: rows.length > 0 && !rows.some(hasFailed) });
  const [judged, setJudged] = useState(judge);
  if (judged.rowsKey !== rowsKey) setJudged(judge());
  return judged.isEmpty ? { failure: NO_FAILURE_PX } : {};
}

/**
 * Columns with their widths: those that the user chose or drags, else those of the rows. Hash columns share most of the
 * remaining width, and one column takes the rest.
 */
function useSizedColumns(props: RequestsTableProps, hasKeepers: boolean) {
  const { rows, layout, scroller } = props;
  const wanted = { ...useWantedWidths(rows, hasKeepers), ...useFailureWidth(props) };
  const [drag, setDrag] = useState<{ id: ColumnId; px: number }>();
  const chosen = layout.columns.flatMap(({ id, width }) => (width === undefined ? [] : [[id, width]]));
  const widths = { ...wanted, ...Object.fromEntries(chosen), ...(drag && { [drag.id]: drag.px }) };
  const { headers, widthPx } = useTableModel({ ...props, widths });
  const restId = restColumn(headers, widths);
  const isGrowing = ({ id, column }: TableHeader) =>
    isHashColumn(id as ColumnId) && !column.getIsPinned() && !(id in widths) && id !== restId;
  const growingCount = headers.filter(isGrowing).length;
  const growth = growingCount === 0 ? 0 : HASH_GROWTH / growingCount;
  const hashRoom = useHashRoom(scroller, widthPx, growth);
  const identity = JSON.stringify(placedColumns(headers));
  // Equal columns stay one array, without widths, so that dragging an edge renders no row.
  const columns = useMemo((): PlacedColumn[] => JSON.parse(identity), [identity]);
  function widthOf(header: TableHeader): string | number | undefined {
    if (header.id === restId) return undefined;
    return isGrowing(header) ? grownWidth(growth) : header.column.getSize();
  }
  return { headers, columns, widthPx, hashRoom, widthOf, setDrag };
}

/** The table of a view. On narrow screens, CSS turns the rows into cards. */
export function RequestsTable(props: RequestsTableProps) {
  const { rows, rowsKey, layout, onLayout, isOutdated, scroller } = props;
  const shared = useMemo(() => sharedNetworks(rows), [rows]);
  const hasKeepers = useSeveralKeepers();
  const { headers, columns, widthPx, hashRoom, widthOf, setDrag } = useSizedColumns(props, hasKeepers);
  const isCards = useMediaQuery('(max-width: 62em)', false) === true;
  const rowPx = isCards ? CARD_PX : ROW_PX[layout.density];
  // Cards scroll with the page, and `content-visibility` skips those off screen. Printing needs all rows.
  const isPrinting = usePrinting();
  const isWhole = isCards || isPrinting || rows.length <= MAX_WHOLE_ROWS;
  const RowsInSight = useRowsInSight(!isWhole);
  const focus = useRowFocus({ ...props, rowPx });
  const actions = useCellActions(props);
  const shownKey = useRef(rowsKey);
  useLayoutEffect(() => {
    if (shownKey.current !== rowsKey) scroller.current?.scrollTo({ top: 0 });
    shownKey.current = rowsKey;
  }, [rowsKey, scroller]);

  const style = { '--row': `${ROW_PX[layout.density]}px`, '--width': `${widthPx}px` } as CSSProperties;
  return (
    <RowContexts {...{ shared, hashRoom, hasKeepers }}>
      <section
        ref={scroller}
        className={classes.scroller}
        aria-label="Rows"
        style={style}
        {...actions.handlers}
        // An empty scroller has nothing else to focus.
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
            {headers.map((header) => (
              <col key={header.id} style={{ width: widthOf(header) }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((column, at) => (
                <HeaderCell
                  key={column.id}
                  header={headers[at]}
                  column={column}
                  onDrag={(px) => setDrag({ id: column.id, px })}
                  onWidth={(px) => {
                    setDrag(undefined);
                    onLayout(withWidth(layout, column.id, px));
                  }}
                  onDown={() => focus.enter(at)}
                />
              ))}
            </tr>
          </thead>
          {/* The virtual list measures anew for rows of another height. A whole list keeps its rows: on a phone they
              would be rendered twice. */}
          <Body
            key={isWhole ? 'whole' : rowPx}
            {...props}
            {...{ columns, focus, rowPx, isWhole, RowsInSight }}
          />
        </table>
        <span id={EXPLORER_NOTE} hidden>
          in the block explorer
        </span>
        {props.below}
        {actions.element}
      </section>
    </RowContexts>
  );
}

/** The failure, else the last column. */
function restColumn(headers: readonly TableHeader[], widths: Partial<Record<ColumnId, number>>) {
  const isLoose = ({ id, column }: TableHeader) => !column.getIsPinned() && !(id in widths);
  return (headers.find((header) => header.id === 'failure' && isLoose(header)) ?? headers.at(-1))?.id;
}

/** Extra CSS pixels that the failure column gets before the hashes grow. */
const FAILURE_GROWTH_PX = 320;
/** Share of the remaining width for all hash columns together. */
const HASH_GROWTH = 0.9;
const MAX_HASH_GROWTH_PX = 380;
/** Padding and copy button of a hash cell. */
const BESIDE_HASH_PX = 54;
const HASH_CHARACTER_PX = 7.3;

/** A CSS expression, so that the width is right before scripts run. */
const grownWidth = (growth: number) =>
  `calc(${COLUMN_SCHEMA.sender.px}px + clamp(0px, (100cqw - var(--width) - ${FAILURE_GROWTH_PX}px) * ${growth.toFixed(3)}, ${MAX_HASH_GROWTH_PX}px))`;

/** Characters, computed as in `grownWidth`; 0 before the table is measured. */
function useHashRoom(scroller: RefObject<HTMLElement | null>, widthPx: number, growth: number): number {
  const [areaPx, setArea] = useState(0);
  useEffect(() => {
    const area = scroller.current;
    if (area === null) return;
    const observer = new ResizeObserver(() => setArea(area.clientWidth));
    observer.observe(area);
    return () => observer.disconnect();
  }, [scroller]);
  if (areaPx === 0) return 0;
  const extra = (areaPx - widthPx - FAILURE_GROWTH_PX) * growth;
  const px = COLUMN_SCHEMA.sender.px + Math.min(MAX_HASH_GROWTH_PX, Math.max(0, extra));
  return Math.floor((px - BESIDE_HASH_PX) / HASH_CHARACTER_PX);
}

type ContextProps = {
  shared: ReadonlySet<string>;
  hashRoom: number;
  hasKeepers: boolean;
  children: ReactNode;
};

function RowContexts({ shared, hashRoom, hasKeepers, children }: ContextProps) {
  return (
    <SharedNetworks value={shared}>
      <SeveralKeepers value={hasKeepers}>
        <HashRoom value={hashRoom}>{children}</HashRoom>
      </SeveralKeepers>
    </SharedNetworks>
  );
}

type HeaderProps = {
  header: TableHeader | undefined;
  column: PlacedColumn;
  onDrag: (px: number) => void;
  /** Undefined for the default width. */
  onWidth: (px: number | undefined) => void;
  onDown: () => void;
};

/** CSS pixels per press of Shift and an arrow key. */
const WIDTH_STEP_PX = 20;

/** Resizes at its edge. It is reached by arrow keys, not by Tab. */
function HeaderCell({ header, column, onDrag, onWidth, onDown }: HeaderProps) {
  const { id } = column;
  const label = headerLabel(id, useTimeStyle().zone);
  const hasProviders = useContext(SharedNetworks).size > 0;
  const px = header?.column.getSize() ?? COLUMN_SCHEMA[id].px;
  const sorted = header?.column.getIsSorted();
  const drag = useRef<{ x: number; px: number }>(undefined);

  function handleKeyDown(event: KeyboardEvent<HTMLElement>) {
    const side = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (side !== undefined && event.shiftKey) onWidth(boundedWidth(px + side * WIDTH_STEP_PX));
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
      {...columnAttributes(column)}
      aria-sort={sorted ? (sorted === 'asc' ? 'ascending' : 'descending') : undefined}
    >
      <button
        type="button"
        tabIndex={-1}
        title={`Sort by ${label.toLowerCase()}. Shift and arrows set the width.`}
        onClick={() => header?.column.toggleSorting()}
        onKeyDown={handleKeyDown}
      >
        {label}
        {id === 'sequence' && hasProviders ? (
          <span aria-hidden="true" className="faint" title="End of the provider’s address">
            {' '}
            ·provider
          </span>
        ) : null}
      </button>
      <span
        aria-hidden="true"
        className={classes.edge}
        onPointerDown={({ currentTarget, pointerId, clientX }) => {
          currentTarget.setPointerCapture(pointerId);
          drag.current = { x: clientX, px: currentTarget.parentElement?.offsetWidth ?? px };
        }}
        onPointerMove={({ clientX }) => {
          if (drag.current !== undefined) onDrag(boundedWidth(drag.current.px + clientX - drag.current.x));
        }}
        onPointerUp={({ clientX }) => {
          const { x, px: before } = drag.current ?? { x: clientX, px };
          drag.current = undefined;
          if (clientX !== x) onWidth(boundedWidth(before + clientX - x));
        }}
        onDoubleClick={() => onWidth(undefined)}
      />
    </th>
  );
}

function columnAttributes({ id, pinnedAt, isLastPinned }: PlacedColumn) {
  return {
    'data-column': id,
    'data-figure': isFigureColumn(id) || undefined,
    ...(pinnedAt === undefined
      ? {}
      : { 'data-pinned': isLastPinned ? 'last' : '', style: { insetInlineStart: pinnedAt } }),
  };
}

type BodyProps = Pick<
  RequestsTableProps,
  'rows' | 'rowsKey' | 'marks' | 'openKey' | 'scroller' | 'selection'
> & {
  columns: readonly PlacedColumn[];
  focus: RowFocus;
  rowPx: number;
  isWhole: boolean;
  RowsInSight: ComponentType<RangeProps> | undefined;
};

/** A short list as a whole. Of a long one, the rows in sight and the focused row, which would lose its focus otherwise. */
function Body(props: BodyProps) {
  const { rows, rowsKey, columns, marks, openKey, scroller, focus, rowPx, isWhole, RowsInSight } = props;
  const { keys } = props.selection;
  // The first render of a view, also the server's, has the rows in sight; a deferred render adds the others.
  const isOther = useDeferredValue(rowsKey, '') !== rowsKey;
  const focused = focus.activeIndex;
  const row = (index: number) => {
    const shown = rows[index];
    return shown === undefined ? null : (
      <Row
        // With the position, because an element that moves would count as layout shift.
        key={`${index}/${shown.key}`}
        row={shown}
        index={index}
        columns={columns}
        mark={marks.get(shown.key)?.mark}
        isOpen={shown.key === openKey}
        isSelected={keys?.has(shown.key)}
        tabIndex={index === focused ? 0 : -1}
      />
    );
  };
  const gap = (place: 'above' | 'below', count: number) =>
    count <= 0 ? null : (
      <tr key={place} className={classes.gap}>
        <td colSpan={columns.length} style={{ height: count * rowPx }} />
      </tr>
    );
  // A single list of elements, so that a focused row keeps its element when it scrolls into sight.
  const draw = (from: number, end: number) => {
    const to = Math.min(rows.length, end);
    return (
      <tbody className={classes.body} {...focus.handlers}>
        {[
          focused < from ? row(focused) : null,
          gap('above', from),
          ...Array.from({ length: Math.max(0, to - from) }, (_, at) => row(from + at)),
          gap('below', rows.length - to),
          focused >= to ? row(focused) : null,
        ]}
      </tbody>
    );
  };
  const drawn = isOther ? () => draw(0, FIRST_RENDER_ROWS) : draw;
  if (isWhole) return drawn(0, rows.length);
  if (RowsInSight === undefined) return drawn(0, ROWS_BEFORE_VIRTUAL);
  return <RowsInSight {...{ count: rows.length, rowPx, scroller }}>{drawn}</RowsInSight>;
}

const FIRST_ROW_INDEX = 2;

type RowProps = {
  row: ListedRow;
  index: number;
  columns: readonly PlacedColumn[];
  mark: Mark | undefined;
  isOpen: boolean;
  isSelected: boolean | undefined;
  tabIndex: 0 | -1;
};

const Row = memo(function Row({ row, index, columns, mark, isOpen, isSelected, tabIndex }: RowProps) {
  const place = {
    className: classes.row,
    'data-key': row.key,
    'data-index': index,
    'aria-rowindex': index + FIRST_ROW_INDEX,
    'aria-current': isOpen ? ('true' as const) : undefined,
    'data-selected': isSelected,
    tabIndex,
  };
  if (row.kind === 'unreadable') {
    return (
      <tr data-row="unreadable" {...place}>
        <td colSpan={columns.length}>
          <Badge color="odd" leftSection={<Icon name="broken" size={13} />}>
            Unreadable
          </Badge>{' '}
          {row.problem}
        </td>
      </tr>
    );
  }
  return (
    <tr data-row="record" data-state={shownState(row.state)} data-mark={mark} data-gone={row.gone} {...place}>
      {columns.map((column, at) => (
        <td key={column.id} {...columnAttributes(column)} title={cellTitle(column.id, row)}>
          {at > 0 || isSelected === undefined ? null : (
            // The click handler of the row changes it.
            <input
              type="checkbox"
              className={classes.check}
              tabIndex={-1}
              readOnly
              checked={isSelected}
              aria-label={`Select request ${clipped(row.sequence, 40)}`}
            />
          )}
          {cellOf(column.id, row)}
          {column.id === 'state' && row.gone ? (
            <span className="faint" title="No longer in the log service; kept in the index">
              {' '}
              No longer served
            </span>
          ) : null}
        </td>
      ))}
    </tr>
  );
});
