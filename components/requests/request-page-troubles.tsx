'use client';
import { FailureNotice } from '@/components/ui/failure-notice';
import { explainFailure, mayAskNow, nextAttemptMs } from '@/lib/client/explain-failure';
import type { RequestLook } from '@/lib/client/request-lookup';
import { useMomentWords } from '@/lib/client/time-style';
import { useTableClock } from './table-clock';

type Trouble = RequestLook['troubles'][number];

/** Why a keeper could not be asked, what is shown all the same, and when it is tried again. */
export function RequestTroubles({
  look,
  keepers,
  onRetry,
}: {
  look: RequestLook;
  keepers: readonly string[];
  onRetry: () => void;
}) {
  return look.troubles.map((trouble) => (
    <KeeperTrouble
      key={trouble.keeper}
      trouble={trouble}
      atMs={look.atMs}
      // Where there is one keeper only, its name says nothing.
      keeper={keepers.length > 1 ? trouble.keeper : undefined}
      onRetry={onRetry}
    />
  ));
}

function KeeperTrouble({
  trouble,
  atMs,
  keeper,
  onRetry,
}: {
  trouble: Trouble;
  atMs: number;
  keeper: string | undefined;
  onRetry: () => void;
}) {
  const nowMs = useTableClock();
  const { failure, attempts, rowsOfMs } = trouble;
  const words = explainFailure(failure, keeper);
  const waitMs = nextAttemptMs(failure, attempts, 0);
  const retryInS = waitMs === undefined ? undefined : Math.max(0, Math.ceil((atMs + waitMs - nowMs) / 1000));
  return (
    <FailureNotice
      title={words.title}
      said={words.said}
      kept={rowsOfMs === undefined ? 'So it is not known whether there is such a request.' : ''}
      todo={words.todo}
      retryInS={retryInS}
      onRetry={mayAskNow(failure) ? onRetry : undefined}
    >
      {rowsOfMs === undefined ? null : <StaleSince ms={rowsOfMs} />}
    </FailureNotice>
  );
}

function StaleSince({ ms }: { ms: number }) {
  return <span>What is shown is stale since {useMomentWords()(ms)}.</span>;
}
