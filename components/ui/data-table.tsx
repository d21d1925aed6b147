'use client';
import { Anchor, Group, Table, type TableProps } from '@mantine/core';
import { type CSSProperties, Fragment, type MouseEvent, type ReactNode, useState } from 'react';
import { groupDigits } from '@/lib/core/numbers';
import classes from './data-table.module.css';
import { sortedBy } from './sorted-by';
import { SmallButton } from './text';

type Data = { [data: `data-${string}`]: string | undefined };

export type Column<Row> = {
  name: string;
  /** Beside its name. */
  hint?: string;
  cell: (row: Row) => ReactNode;
  /** `head` names its row; `figure` stands at the end; `rest` takes the room that is left; of `icon` a phone shows no name; `unnamed`: for the ear only. */
  kind?: 'head' | 'figure' | 'rest' | 'icon' | 'unnamed';
  /** Left out on a phone; of `md` on a tablet, too. */
  isWide?: boolean | 'md';
  /** What its header sorts by, if it does. */
  value?: (row: Row) => number | null;
  /** Tells a cell from others, and says how bad it is (`data-tone`). */
  mark?: (row: Row) => Data & { title?: string };
};

type Sort = { by: string; order: 'descending' | 'ascending' };

type Props<Row> = {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** A row's `key`, and what tells it from others. */
  rowProps: (row: Row, at: number) => Data & { key: string; 'aria-rowindex'?: number };
  /** One cell instead of the columns, where it is defined. */
  whole?: (row: Row) => ReactNode;
  /** What unfolds under a row. */
  below?: (row: Row) => ReactNode;
  /** By a click anywhere on it; a control in the row does the same for the keyboard. */
  onRow?: ((row: Row) => void) | undefined;
  /** So many rows at first, and what they are: `networks`. */
  first?: { count: number; of: string };
  /** What the order of `rows` is called, to return to it. */
  unsorted?: string;
  /** `text`: cells may have several lines. `plain`: without a frame. */
  look?: 'text' | 'plain';
  /** On a phone a row is a card of two lines: its head, then its cells, figures with the names of their columns. */
  hasCards?: boolean;
} & Pick<TableProps, 'verticalSpacing' | 'miw' | 'mah' | 'layout' | 'className' | 'aria-rowcount'>;

/** It scrolls by itself, so the keyboard must be able to reach it. */
const REACHED_BY_KEYS = { tabIndex: 0 };

/** A table that scrolls in its frame. Its cells are plain elements: a page has hundreds of them. */
export function DataTable<Row>(props: Props<Row>) {
  const {
    label,
    columns,
    rows,
    rowProps,
    whole,
    below,
    onRow,
    first,
    unsorted,
    look,
    mah,
    miw,
    hasCards,
    ...table
  } = props;
  const [sort, setSort] = useState<Sort>();
  const [isAll, setAll] = useState(false);
  const value = columns.find(({ name }) => name === sort?.by)?.value;
  const sorted = sort === undefined || value === undefined ? rows : sortedBy(rows, value, sort.order);
  const isCut = first !== undefined && !isAll && rows.length > first.count;
  const across = { colSpan: columns.length };
  return (
    <>
      <section
        className={classes.scroller}
        data-look={look}
        data-cards={hasCards}
        aria-label={`${label}, scrollable`}
        style={
          {
            maxHeight: mah as string,
            '--min-width': typeof miw === 'number' ? `${miw}px` : miw,
          } as CSSProperties
        }
        {...REACHED_BY_KEYS}
      >
        <Table
          verticalSpacing={4}
          aria-label={label}
          {...table}
          className={`${classes.table} ${table.className ?? ''}`}
        >
          <thead data-sticky={mah === undefined ? undefined : ''}>
            <tr>
              {columns.map((column) => (
                <HeadCell key={column.name} column={column} sort={sort} onSort={setSort} />
              ))}
            </tr>
          </thead>
          <tbody>
            {(isCut ? sorted.slice(0, first.count) : sorted).map((row, at) => {
              const { key, ...data } = rowProps(row, at);
              const [only, more] = [whole?.(row), below?.(row)];
              return (
                <Fragment key={key}>
                  <tr
                    {...data}
                    data-opens={onRow && ''}
                    onClick={onRow && ((event) => isOfRow(event) && onRow(row))}
                  >
                    {only === undefined ? (
                      columns.map((column) => <Cell key={column.name} column={column} row={row} />)
                    ) : (
                      <td {...across}>{only}</td>
                    )}
                  </tr>
                  {more ? (
                    <tr className={classes.below}>
                      <td {...across}>{more}</td>
                    </tr>
                  ) : null}
                </Fragment>
              );
            })}
          </tbody>
        </Table>
      </section>
      {isCut || (sort && unsorted) ? (
        <Group gap="xs" mt="xs">
          {isCut ? (
            <SmallButton onClick={() => setAll(true)}>
              All {groupDigits(rows.length)} {first.of}
            </SmallButton>
          ) : null}
          {sort && unsorted ? <SmallButton onClick={() => setSort(undefined)}>{unsorted}</SmallButton> : null}
        </Group>
      ) : null}
    </>
  );
}

/** Not a click on a control, nor the end of selecting text. */
const isOfRow = ({ target }: MouseEvent) =>
  target instanceof Element &&
  target.closest('a, button, input, label, summary') === null &&
  window.getSelection()?.isCollapsed !== false;

const looksOf = <Row,>({ name, kind, isWide }: Column<Row>) => ({
  'data-kind': kind,
  'data-name': name,
  className: isWide ? `mantine-visible-from-${isWide === 'md' ? isWide : 'sm'}` : undefined,
});

type HeadProps<Row> = { column: Column<Row>; sort: Sort | undefined; onSort: (sort: Sort) => void };

function HeadCell<Row>({ column, sort, onSort }: HeadProps<Row>) {
  const { name, hint, kind, value } = column;
  const order = sort?.by === name ? sort.order : undefined;
  const next = order === 'descending' ? 'ascending' : 'descending';
  return (
    <th scope="col" aria-sort={value && (order ?? 'none')} {...looksOf(column)}>
      {value ? (
        <Anchor component="button" inherit c="inherit" onClick={() => onSort({ by: name, order: next })}>
          {name}{' '}
          <span aria-hidden="true" style={{ opacity: order ? 1 : 0 }}>
            {order === 'ascending' ? '↑' : '↓'}
          </span>
        </Anchor>
      ) : (
        <span className={kind === 'unnamed' ? 'sr-only' : undefined} data-word="">
          {name}
          {hint && <small> {hint}</small>}
        </span>
      )}
    </th>
  );
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const props = { ...looksOf(column), ...column.mark?.(row), children: column.cell(row) };
  return column.kind === 'head' ? <th scope="row" {...props} /> : <td {...props} />;
}
