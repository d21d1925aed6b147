'use client';
import { FailureNotice } from '@/components/ui/failure-notice';
import { explainFailure, mayAskNow } from '@/lib/client/explain-failure';
import type { LoadedRequests, Trouble } from '@/lib/client/requests';
import { useSteadyWords } from '@/lib/client/time-style';
import { useTableClock } from './table-clock';

function keptWords(
  page: LoadedRequests | undefined,
  viewKey: string,
  momentWords: (ms: number) => string,
): string {
  if (page === undefined) return 'There are no rows to show.';
  const since = `stale since ${momentWords(page.atMs)}`;
  return page.viewKey === viewKey
    ? `The rows shown are ${since}.`
    : `The rows shown are those of the view before, ${since}.`;
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
  return (
    <FailureNotice
      title={words.title}
      said={words.said}
      kept={keptWords(page, viewKey, useSteadyWords())}
      todo={words.todo}
      retryInS={retryInS}
      onRetry={mayAskNow(failure) ? onRetry : undefined}
    />
  );
}
