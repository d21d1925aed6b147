'use client';
import { type ReactNode, Suspense, use } from 'react';
import { answerAfter, type RequestsAnswer, type RequestsText, viewKeyOf } from '@/lib/client/requests';
import type { RequestsView } from '@/lib/contract/codec/requests-url';
import type { LogRow } from '@/lib/domain/request-record';
import { EmptyResult } from './empty-result';
import { RequestsTable, RequestsTableSkeleton } from './requests-table';
import classes from './results.module.css';
import type { ShowView } from './use-requests-view';

const NO_ROWS: LogRow[] = [];

type Props = {
  /** What the browser knows so far. */
  answer: RequestsAnswer | undefined;
  view: RequestsView;
  show: ShowView;
  /** Why there are no rows, where that is so. */
  notice: ReactNode;
};

function Rows({ answer, view, show, notice }: Props) {
  const page = answer?.page;
  if (answer === undefined || (page === undefined && answer.trouble === undefined)) {
    return <RequestsTableSkeleton />;
  }
  const isBusy = page !== undefined && page.viewKey !== viewKeyOf(view);
  const below = page?.rows.length === 0 ? <EmptyResult page={page} show={show} /> : notice;
  return (
    <RequestsTable
      rows={page?.rows ?? NO_ROWS}
      busy={isBusy}
      below={below === null ? undefined : <div className={classes.below}>{below}</div>}
    />
  );
}

function LateRows({ first, answer, ...props }: Props & { first: Promise<RequestsText> }) {
  const known = answer ?? answerAfter(props.view, use(first), undefined, 0);
  return <Rows answer={known} {...props} />;
}

/**
 * The rows, or what stands in for them. Where the server still waits for the first ones they follow in the same response,
 * within a boundary of their own; only then, as React sends a large one as its fallback first, even when it is complete.
 */
export function ResultRows({
  first,
  ...props
}: Props & { first: RequestsText | Promise<RequestsText> | undefined }) {
  return first !== undefined && 'then' in first ? (
    <Suspense fallback={<RequestsTableSkeleton />}>
      <LateRows first={first} {...props} />
    </Suspense>
  ) : (
    <Rows {...props} />
  );
}
