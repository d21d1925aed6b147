'use client';
import { Group, Progress, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useNow } from '@/components/ui/clock';
import { FailureNotice } from '@/components/ui/failure-notice';
import { useSteadyWords } from '@/components/ui/time-style';
import { explainFailure } from '@/lib/core/explain-failure';
import { groupDigits } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import { formatUtcSeconds } from '@/lib/core/time';
import { formatRelative } from '@/lib/core/time-text';
import { useRevision } from '@/lib/requests/client/revision-stream';
import { beforeCoverage, isReadingHistory, startOfView } from '@/lib/requests/coverage';
import { type KeeperStatus, STALE_AFTER_MS } from '@/lib/requests/keeper-status';
import type { RequestsView } from '@/lib/requests/view';
import classes from './requests.module.css';

export type IndexProps = {
  keepers: readonly string[];
  /** State of the keepers when the rows were read, at `firstAtMs` (unix ms, by the keepers' clock). */
  first: readonly KeeperStatus[];
  firstAtMs: number | undefined;
};

/**
 * State of the index at the last update, else when the rows were read; `nowMs` by the keepers' clock. `isCutOff`: no
 * update for long, states unknown.
 */
export function useIndexStatus({ keepers, first, firstAtMs }: IndexProps) {
  const update = useRevision();
  const clockMs = useNow();
  const sinceFirstMs = useTimeSince(firstAtMs, clockMs);
  const reportedMs = update === undefined ? (firstAtMs ?? clockMs - sinceFirstMs) : update.nowMs;
  const ageMs = update === undefined ? sinceFirstMs : Math.max(0, clockMs - update.receivedAtMs);
  const statuses = (update?.index ?? first).filter(({ keeper }) => keepers.includes(keeper));
  return { statuses, nowMs: reportedMs + ageMs, isCutOff: ageMs > STALE_AFTER_MS };
}

/** Ms by this machine's clock; 0 in the first render. */
function useTimeSince(value: number | undefined, clockMs: number): number {
  const [changedMs, setChangedMs] = useState<number>();
  useEffect(() => {
    if (value !== undefined) setChangedMs(Date.now());
  }, [value]);
  return changedMs === undefined ? 0 : Math.max(0, clockMs - changedMs);
}

function syncedText({ syncedAtMs }: KeeperStatus, nowMs: number): string {
  return syncedAtMs === null ? 'not synced yet' : `synced ${formatRelative(syncedAtMs, nowMs)}`;
}

function reachText({ coversAll, coveredFromMs }: KeeperStatus): string {
  if (coveredFromMs === null) return 'Nothing indexed yet';
  return `${coversAll ? 'All since' : 'Since'} ${formatUtcSeconds(coveredFromMs).slice(0, 10)} UTC`;
}

const LATE = { none: '', dashboard: '. Dashboard is busy', keeper: '. Slow to answer' };

/** "All since 2026-02-01 UTC · synced 3 s ago". While history is read, a progress bar. */
export function IndexStatus(props: IndexProps) {
  const { statuses, nowMs, isCutOff } = useIndexStatus(props);
  if (statuses.length === 0) return null;
  // The shortest coverage and the oldest sync of all keepers.
  const maxBy = (figure: (status: KeeperStatus) => number) =>
    statuses.reduce((a, b) => (figure(b) > figure(a) ? b : a));
  const shortest = maxBy(({ coveredFromMs }) => coveredFromMs ?? Infinity);
  const oldest = maxBy(({ syncedAtMs }) => -(syncedAtMs ?? 0));
  const reading = statuses.filter(isReadingHistory);
  const isOld = isCutOff || oldest.state === 'stale' || oldest.state === 'failing';
  const details = statuses.map((status) => {
    const why =
      status.failure === null ? LATE[status.late ?? 'none'] : `. ${clipped(status.failure.detail, 200)}`;
    return `${status.keeper}: ${reachText(status)} · ${syncedText(status, nowMs)}${why}`;
  });
  return (
    <div
      className={classes.index}
      data-sync={isOld ? 'stale' : reading.length > 0 ? 'reading' : 'live'}
      title={details.join('\n')}
    >
      <span>{reachText(shortest)}</span>
      <span className={classes.age}>{syncedText(oldest, nowMs)}</span>
      {reading.length === 0 ? null : <Reading keepers={reading} isOfSeveral={statuses.length > 1} />}
    </div>
  );
}

type ReadingProps = { keepers: readonly KeeperStatus[]; isOfSeveral: boolean };

function Reading({ keepers, isOfSeveral }: ReadingProps) {
  const sum = (figure: 'done' | 'expected') =>
    keepers.reduce((all, { history }) => all + (history?.[figure] ?? 0), 0);
  const percent = Math.min(99, Math.floor((100 * sum('done')) / Math.max(1, sum('expected'))));
  const [first, ...more] = keepers;
  const name = more.length === 0 ? clipped(first?.keeper ?? '', 40) : `${keepers.length} keepers`;
  return (
    <Group component="span" gap={6} wrap="nowrap">
      <span className={classes.reading}>
        {isOfSeveral ? `Syncing history of ${name}` : 'Syncing history'}
      </span>
      <Progress value={percent} w={56} aria-label={`History of ${name}`} />
      {percent}%
    </Group>
  );
}

/**
 * Notices about keepers that can't be read, with the reason and since when, and parts of the view that are not indexed
 * yet.
 */
export function IndexNotices({ view, ...props }: IndexProps & { view: RequestsView }) {
  const { statuses, nowMs } = useIndexStatus(props);
  const moment = useSteadyWords();
  const failing = statuses.map(({ keeper, failure, syncedAtMs }) => {
    if (failure === null) return null;
    const { title, nextStep } = explainFailure({ ...failure, service: 'logs' });
    const { nextTryMs } = failure;
    return (
      <FailureNotice
        key={keeper}
        title={statuses.length > 1 && !title.includes(keeper) ? `${keeper}: ${title}` : title}
        shown={syncedAtMs === null ? 'Nothing synced yet.' : `Rows stale since ${moment(syncedAtMs)}.`}
        nextStep={nextStep}
        retryInS={nextTryMs === undefined ? undefined : Math.max(0, Math.ceil((nextTryMs - nowMs) / 1000))}
      />
    );
  });
  const fromMs = startOfView(view, nowMs);
  const missing = beforeCoverage(statuses, view, nowMs);
  const keepersText = statuses.length > 1 ? ` of ${missing.map(({ keeper }) => keeper).join(' and ')}` : '';
  const reached = Math.max(...missing.map(({ coveredFromMs }) => coveredFromMs ?? Infinity));
  return (
    <>
      {failing}
      {statuses.map(({ keeper, lost }) =>
        lost === null || (fromMs !== undefined && fromMs > lost.sinceMs) ? null : (
          <Text key={keeper} c="var(--ks-wait)">
            {statuses.length > 1 ? `${keeper}: the` : 'The'} keeper answered {groupDigits(lost.theirs)} of{' '}
            {groupDigits(lost.ours)} requests {moment(lost.sinceMs)}. What it served before is kept; some may
            be missing.
          </Text>
        ),
      )}
      {missing.length > 0 && (
        <Text c="var(--ks-wait)">
          {Number.isFinite(reached)
            ? `Index${keepersText} complete since ${moment(reached)}. Older requests are ${missing.some(isReadingHistory) ? 'still loading' : 'not kept'}.`
            : `Index${keepersText}: no requests yet.`}
        </Text>
      )}
    </>
  );
}
