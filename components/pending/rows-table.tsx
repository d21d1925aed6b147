'use client';
import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './pending.module.css';

export type Column<T> = {
  name: string;
  cell: (row: T) => ReactNode;
  /** `head` names its row; `figure` stands at the end; `cause` takes the room that is left; `icon` has no name on a phone. */
  kind?: 'head' | 'figure' | 'cause' | 'icon';
  /** Left out on a narrow screen. */
  isWide?: boolean;
  /** Names its cells for tests, and says that one is bad. */
  mark?: (row: T) => { 'data-figure'?: string; 'data-tone'?: 'bad' | undefined; title?: string };
};

/** A table that scrolls in its frame. @param rowProps its `key`, and what tells the row from others (`data-…`) */
export function RowsTable<T>({
  label,
  columns,
  rows,
  rowProps,
}: {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  rowProps: (row: T) => { key: string; [data: `data-${string}`]: string | undefined };
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls is reached by keyboard
    <section className={classes.scroller} aria-label={`${label}, scrollable`} tabIndex={0}>
      <Table className={classes.table} verticalSpacing={4} highlightOnHover aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ name, kind, isWide }) => (
              <Table.Th
                key={name}
                scope="col"
                className={classOf(kind)}
                visibleFrom={isWide ? 'sm' : undefined}
              >
                {kind === 'icon' ? <span className={classes.word}>{name}</span> : name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => {
            const { key, ...data } = rowProps(row);
            return (
              <Table.Tr key={key} {...data}>
                {columns.map(({ name, cell, kind, isWide, mark }) => {
                  const props = {
                    className: classOf(kind),
                    visibleFrom: isWide ? ('sm' as const) : undefined,
                    ...mark?.(row),
                  };
                  return kind === 'head' ? (
                    <Table.Th key={name} scope="row" {...props}>
                      {cell(row)}
                    </Table.Th>
                  ) : (
                    <Table.Td key={name} {...props}>
                      {cell(row)}
                    </Table.Td>
                  );
                })}
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function classOf(kind: Column<never>['kind']): string | undefined {
  if (kind === 'figure') return `${classes.figure} num`;
  return kind === 'cause' ? classes.cause : undefined;
}
