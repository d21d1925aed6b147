'use client';
import dynamic from 'next/dynamic';
import { type ReactNode, Suspense, use, useEffect, useState } from 'react';
import { orNotice } from '@/components/ui/part-not-loaded';
import {
  answerAfter,
  type LoadedRequests,
  type RequestsAnswer,
  type RequestsText,
  viewKeyOf,
} from '@/lib/client/requests';
import type { ListedRow } from '@/lib/contract/codec/listing';
import type { RequestsView } from '@/lib/requests/view';
import { ALL_DRAWN } from './first-slots';
import { RequestsTable, type RequestsTableProps, RequestsTableSkeleton } from './requests-table';
import classes from './results.module.css';
import type { ShowView } from './use-requests-view';
import { askForWindowedRows } from './windowed-part';

const EmptyResult = dynamic(() => orNotice(import('./empty-result').then((part) => part.EmptyResult)));

const NO_ROWS: ListedRow[] = [];

type Props = {
  /** What the browser knows so far. */
  answer: RequestsAnswer | undefined;
  view: RequestsView;
  /** All that there are, the default one first. */
  keepers: readonly string[];
  show: ShowView;
  /** Why there are no rows, where that is so. */
  notice: ReactNode;
  table: Omit<RequestsTableProps, 'rows' | 'rowsKey' | 'busy' | 'below'>;
};

/** Why no row is shown, where that is so. */
function emptyWords(page: LoadedRequests, { keepers, show }: Pick<Props, 'keepers' | 'show'>): ReactNode {
  return page.rows.length === 0 ? <EmptyResult page={page} keepers={keepers} show={show} /> : undefined;
}

function Rows({ answer, view, keepers, show, notice, table }: Props) {
  const page = answer?.page;
  const { size } = view;
  useEffect(() => {
    if (size > ALL_DRAWN) askForWindowedRows();
  }, [size]);
  if (answer === undefined || (page === undefined && answer.trouble === undefined)) {
    return <RequestsTableSkeleton layout={table.layout} />;
  }
  const isBusy = page !== undefined && page.viewKey !== viewKeyOf(view);
  const below = page === undefined ? notice : (emptyWords(page, { keepers, show }) ?? notice);
  return (
    <RequestsTable
      {...table}
      rows={page?.rows ?? NO_ROWS}
      rowsKey={page?.viewKey ?? ''}
      busy={isBusy}
      below={below === null ? undefined : <div className={classes.below}>{below}</div>}
    />
  );
}

type First = RequestsText | Promise<RequestsText> | undefined;

function isLate(first: First): first is Promise<RequestsText> {
  return first !== undefined && 'then' in first;
}

function LateRows({ first, answer, ...props }: Props & { first: First }) {
  const known = answer ?? (isLate(first) ? answerAfter(props.view, use(first), undefined, 0) : undefined);
  return <Rows answer={known} {...props} />;
}

/**
 * The rows, or what stands in for them. Where the server still waits for the first ones they follow in the same response,
 * within a boundary of their own; only then, as React sends a large one as its fallback first, even when it is complete.
 */
export function ResultRows({ first, ...props }: Props & { first: First }) {
  // Decided once: within another boundary the table would be another one, without the reader's focus and place.
  const [boundary] = useState(() => (isLate(first) ? 'own' : 'none'));
  if (boundary === 'none') return <Rows {...props} />;
  return (
    <Suspense fallback={<RequestsTableSkeleton layout={props.table.layout} />}>
      <LateRows first={first} {...props} />
    </Suspense>
  );
}
