'use client';
import { FailureNotice } from '@/components/ui/failure-notice';
import { explainFailure, mayPassByItself } from '@/lib/client/explain-failure';
import { formatMoment } from '@/lib/client/human-time';
import type { LoadedRequests, Trouble } from '@/lib/client/requests';
import { useTableClock } from './table-clock';

function keptWords(page: LoadedRequests | undefined, viewKey: string, nowMs: number): string {
  if (page === undefined) return 'There are no rows to show.';
  const since = `stale since ${formatMoment(page.atMs, nowMs)}`;
  return page.viewKey === viewKey
    ? `The rows shown are ${since}.`
    : `The rows shown are those of the filters before, ${since}.`;
}

/** Why the last attempt failed, and what the rows below it are worth. */
export function TroubleNotice({
  trouble,
  page,
  viewKey,
  keeper,
  onRetry,
}: {
  trouble: Trouble;
  page: LoadedRequests | undefined;
  viewKey: string;
  /** Where several exist, the one that was asked. */
  keeper: string | undefined;
  onRetry: () => void;
}) {
  const nowMs = useTableClock();
  const { failure, retryAtMs } = trouble;
  const words = explainFailure(failure, keeper);
  const retryInS = retryAtMs === undefined ? undefined : Math.max(0, Math.ceil((retryAtMs - nowMs) / 1000));
  // A service that named a time is not asked before it, however often somebody presses.
  const mayAskNow = mayPassByItself(failure) && failure.retryAfterS === undefined;
  return (
    <FailureNotice
      title={words.title}
      said={words.said}
      kept={keptWords(page, viewKey, nowMs)}
      todo={words.todo}
      retryInS={retryInS}
      onRetry={mayAskNow ? onRetry : undefined}
    />
  );
}
