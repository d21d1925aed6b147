'use client';
import { Anchor, Group } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type CSSProperties, type MouseEvent, type ReactNode, useState } from 'react';
import { groupDigits } from '@/lib/core/numbers';
import classes from './data-table.module.css';
import { sortedBy } from './sorted-by';
import { SmallButton } from './text';

type Data = { [data: `data-${string}`]: string | undefined };

/** The present order of a column that the caller sorts, and the action for a press on its header. */
export type ColumnSort = {
  readonly order: 'ascending' | 'descending' | undefined;
  readonly onSort: () => void;
};

export type Column<Row> = {
  /** Selects a column in code, because its name may change. */
  id?: string;
  name: string;
  /** Small text after the name. */
  hint?: string;
  head?: ReactNode;
  cell: (row: Row) => ReactNode;
  /** `head`: row header; `figure`: right-aligned; `rest`: takes the remaining width; `icon`: no text on a phone; `unnamed`: header for assistive technology only. */
  kind?: 'head' | 'figure' | 'rest' | 'icon' | 'unnamed';
  /** Hidden on a phone; `md`: on a tablet too. */
  isWide?: boolean | 'md';
  /** The sort key of a row. Columns that have none do not sort. */
  value?: (row: Row) => number | null;
  /** Replaces `value` for rows that are not all loaded. */
  sort?: ColumnSort;
  /** Data attributes of a cell, such as its tone (`data-tone`). */
  mark?: (row: Row) => Data & { title?: string };
};

type Sort = { by: string; order: 'descending' | 'ascending' };

type Props<Row> = {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowProps: (row: Row, at: number) => Data & { key: string; 'aria-rowindex'?: number };
  /** Takes the place of all columns, if it returns something. */
  whole?: (row: Row) => ReactNode;
  below?: (row: Row) => ReactNode;
  /** A control in the row must offer the same action to the keyboard. */
  onRow?: ((row: Row) => void) | undefined;
  /** Rows shown before "Show all", and their noun, such as `networks`. */
  first?: { count: number; noun: string };
  /** Name of the default order, which the head of the row headers shows, and a button restores. */
  unsorted?: string;
  /** `text`: cells may have several lines. `plain`: without a frame. */
  variant?: 'text' | 'plain';
  /** On a phone, each row is a card with the column names beside figures. */
  hasCards?: boolean;
  /** CSS pixels above and below a cell. */
  verticalSpacing?: number;
  /** CSS lengths; numbers are CSS pixels. */
  miw?: number | string;
  mah?: number | string;
  /** `fixed`: the widths of columns don't depend on their texts. */
  layout?: 'fixed';
  className?: string | undefined;
  'aria-rowcount'?: number;
};

const REACHED_BY_KEYS = { tabIndex: 0 };

/** Plain elements: a page has hundreds of cells, and Mantine's table would add 25 kB of script. */
export function DataTable<Row>(props: Props<Row>) {
  const { label, columns, rows, rowProps, first, unsorted, variant, mah, miw, hasCards, layout } = props;
  const { verticalSpacing = 4, className = '' } = props;
  const [sort, setSort] = useState<Sort>();
  const [isAll, setAll] = useState(false);
  const value = columns.find(({ name }) => name === sort?.by)?.value;
  const sorted = sort === undefined || value === undefined ? rows : sortedBy(rows, value, sort.order);
  const isCut = first !== undefined && !isAll && rows.length > first.count;
  const minWidth = typeof miw === 'number' ? `${miw}px` : miw;
  return (
    <>
      <section
        className={classes.scroller}
        data-variant={variant}
        data-cards={hasCards}
        aria-label={`${label}, scrollable`}
        style={{ maxHeight: mah, '--min-width': minWidth } as CSSProperties}
        {...REACHED_BY_KEYS}
      >
        <table
          aria-label={label}
          aria-rowcount={props['aria-rowcount']}
          className={`${classes.table} ${className}`}
          data-layout={layout}
          style={{ '--cell-padding': `${verticalSpacing}px` } as CSSProperties}
        >
          <thead data-sticky={mah === undefined ? undefined : ''}>
            <tr>
              {columns.map((column) => (
                <HeadCell
                  key={column.name}
                  column={column}
                  order={sort === undefined ? unsorted : undefined}
                  sort={sort}
                  onSort={setSort}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {(isCut ? sorted.slice(0, first.count) : sorted).map((row, index) => {
              const { key, ...data } = rowProps(row, index);
              return <BodyRow key={key} {...props} row={row} data={data} />;
            })}
          </tbody>
        </table>
      </section>
      {isCut || (sort && unsorted) ? (
        <Group gap="xs" mt="xs">
          {isCut ? (
            <SmallButton onClick={() => setAll(true)}>
              All {groupDigits(rows.length)} {first.noun}
            </SmallButton>
          ) : null}
          {sort && unsorted ? <SmallButton onClick={() => setSort(undefined)}>{unsorted}</SmallButton> : null}
        </Group>
      ) : null}
    </>
  );
}

type RowProps<Row> = Pick<Props<Row>, 'columns' | 'whole' | 'below' | 'onRow'> & {
  row: Row;
  data: Data & { 'aria-rowindex'?: number };
};

function BodyRow<Row>({ columns, whole, below, onRow, row, data }: RowProps<Row>) {
  const [only, more] = [whole?.(row), below?.(row)];
  return (
    <>
      <tr {...data} data-opens={onRow && ''} onClick={onRow && ((event) => isOfRow(event) && onRow(row))}>
        {only === undefined ? (
          columns.map((column) => <Cell key={column.name} column={column} row={row} />)
        ) : (
          <WholeCell columns={columns}>{only}</WholeCell>
        )}
      </tr>
      {more ? (
        <tr className={classes.below}>
          <WholeCell columns={columns}>{more}</WholeCell>
        </tr>
      ) : null}
    </>
  );
}

type WholeProps<Row> = { columns: readonly Column<Row>[]; children: ReactNode };

/**
 * Spans the columns on screen. One that spans more would widen the table by columns that don't exist. The screen is
 * measured here, so that no other cell is rendered again for it.
 */
function WholeCell<Row>({ columns, children }: WholeProps<Row>) {
  const isPhone = useMediaQuery('(max-width: 47.99em)');
  const isTablet = useMediaQuery('(max-width: 61.99em)');
  const shown = columns.filter(({ isWide }) => !(isWide === 'md' ? isTablet : isWide && isPhone));
  return <td colSpan={shown.length}>{children}</td>;
}

/**
 * Whether a click is of the row: not on a control in it, in a popover (elsewhere in the document), or at the end of a
 * text selection.
 */
const isOfRow = ({ target, currentTarget }: MouseEvent) =>
  target instanceof Element &&
  currentTarget.contains(target) &&
  target.closest('a, button, input, label, summary') === null &&
  window.getSelection()?.isCollapsed !== false;

const looksOf = <Row,>({ name, kind, isWide }: Column<Row>) => ({
  'data-kind': kind,
  'data-name': name,
  className: isWide ? `mantine-visible-from-${isWide === 'md' ? isWide : 'sm'}` : undefined,
});

type HeadProps<Row> = {
  column: Column<Row>;
  /** The default order, while the rows have it. */
  order: string | undefined;
  sort: Sort | undefined;
  onSort: (sort: Sort) => void;
};

function HeadCell<Row>({ column, order: initial, sort, onSort }: HeadProps<Row>) {
  const { name, hint, head, kind, value, sort: outer } = column;
  const order = outer ? outer.order : sort?.by === name ? sort.order : undefined;
  const next = order === 'descending' ? 'ascending' : 'descending';
  const isSortable = value !== undefined || outer !== undefined;
  return (
    <th scope="col" aria-sort={isSortable ? (order ?? 'none') : undefined} {...looksOf(column)}>
      {isSortable ? (
        <Anchor
          component="button"
          inherit
          c="inherit"
          onClick={outer ? outer.onSort : () => onSort({ by: name, order: next })}
        >
          {name} {/* In the padding, so that it takes no width from the column. */}
          <span aria-hidden="true" style={{ position: 'absolute' }}>
            {order === undefined ? '' : order === 'ascending' ? '↑' : '↓'}
          </span>
        </Anchor>
      ) : (
        <span className={kind === 'unnamed' ? 'sr-only' : undefined} data-word="">
          {name}
          {hint && <small> {hint}</small>}
          {kind === 'head' && initial && <small> · {initial.toLowerCase()}</small>}
        </span>
      )}
      {head}
    </th>
  );
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const props = { ...looksOf(column), ...column.mark?.(row), children: column.cell(row) };
  return column.kind === 'head' ? <th scope="row" {...props} /> : <td {...props} />;
}
