'use client';
import { Group, Progress, Text } from '@mantine/core';
import { useNow } from '@/components/ui/clock';
import { FailureNotice } from '@/components/ui/failure-notice';
import { useSteadyWords } from '@/components/ui/time-style';
import { explainFailure } from '@/lib/core/explain-failure';
import { clipped } from '@/lib/core/text';
import { formatUtcSeconds, parseIsoTime } from '@/lib/core/time';
import { formatRelative } from '@/lib/core/time-text';
import { type KeeperStatus, statusAt } from '@/lib/requests/keeper-status';
import { useRevision } from '@/lib/requests/use-revision';
import { type RequestsView, rangeMs, viewNowMs } from '@/lib/requests/view';
import classes from './requests.module.css';

/** How far the index reaches and how old it is, of the keepers of a view, and their clock (unix milliseconds). */
type IndexState = { keepers: KeeperStatus[]; nowMs: number };

export type IndexProps = {
  view: RequestsView;
  allKeepers: readonly string[];
  /** What came with the rows, at `firstAt` (ISO, of the keepers' clock). */
  first: readonly KeeperStatus[];
  firstAt: string | undefined;
  /** Unix milliseconds. */
  renderedAtMs: number;
};

/** The status of the keepers in view: what the stream of revisions told last, and before it what came with the rows. */
export function useIndexStatus({ view, allKeepers, first, firstAt, renderedAtMs }: IndexProps): IndexState {
  const news = useRevision();
  const clockMs = useNow(renderedAtMs);
  const nowMs =
    news === undefined
      ? (parseIsoTime(firstAt ?? '') ?? clockMs)
      : news.nowMs + Math.max(0, clockMs - news.receivedAtMs);
  const chosen = view.keepers.length === 0 ? allKeepers.slice(0, 1) : view.keepers;
  const known = (news?.index ?? first).filter(({ keeper }) => chosen.includes(keeper));
  return { keepers: known.map((status) => statusAt(status, nowMs)), nowMs };
}

const dayOf = (ms: number) => formatUtcSeconds(ms).slice(0, 10);

/** `3 s ago`; undefined before the first sync. */
function syncedText(status: KeeperStatus, nowMs: number): string {
  return status.syncedAtMs === null ? 'not synced yet' : `synced ${formatRelative(status.syncedAtMs, nowMs)}`;
}

function reachText({ coversAll, coveredFromMs }: KeeperStatus): string {
  if (coveredFromMs === null) return 'Nothing indexed yet';
  return `${coversAll ? 'All since' : 'Since'} ${dayOf(coveredFromMs)}`;
}

function detailsOf(status: KeeperStatus, nowMs: number): string {
  const failure = status.failure === null ? '' : `. ${clipped(status.failure.detail, 200)}`;
  return `${status.keeper}: ${reachText(status)} · ${syncedText(status, nowMs)}${failure}`;
}

/** Always there and small: "All since 2026-02-01 · synced 3 s ago"; a bar for each keeper whose history is being read. */
export function IndexStatus(props: IndexProps) {
  const { keepers, nowMs } = useIndexStatus(props);
  const [first] = keepers;
  if (first === undefined) return null;
  // Of several the one that reaches least far and the one that is oldest: what is shown is no better.
  const shortest = keepers.reduce(
    (a, b) => ((b.coveredFromMs ?? Infinity) > (a.coveredFromMs ?? Infinity) ? b : a),
    first,
  );
  const oldest = keepers.reduce((a, b) => ((b.syncedAtMs ?? 0) < (a.syncedAtMs ?? 0) ? b : a), first);
  const reading = keepers.filter(({ history }) => history !== null);
  const isOld = oldest.state === 'stale' || oldest.state === 'failing';
  return (
    <div
      className={classes.index}
      data-sync={isOld ? 'stale' : reading.length > 0 ? 'reading' : 'live'}
      title={keepers.map((status) => detailsOf(status, nowMs)).join('\n')}
    >
      <span>{reachText(shortest)}</span>
      <span className={classes.age}>{syncedText(oldest, nowMs)}</span>
      {reading.map(({ keeper, history }) => {
        const percent = Math.floor((100 * (history?.done ?? 0)) / Math.max(1, history?.expected ?? 1));
        return (
          <Group component="span" key={keeper} gap={6}>
            {keepers.length > 1 ? `Reading history of ${keeper}` : 'Reading history'}
            <Progress value={Math.min(100, percent)} w={56} aria-label={`History of ${keeper}`} />
            {Math.min(99, percent)}%
          </Group>
        );
      })}
    </div>
  );
}

function secondsTo(ms: number | undefined, nowMs: number): number | undefined {
  return ms === undefined ? undefined : Math.max(0, Math.ceil((ms - nowMs) / 1000));
}

/** Which keepers can't be read, why, and since when their rows are old. */
export function SyncNotice(props: IndexProps) {
  const { keepers, nowMs } = useIndexStatus(props);
  const words = useSteadyWords();
  return keepers.map(({ keeper, failure, syncedAtMs }) => {
    if (failure === null) return null;
    const { title, todo } = explainFailure({ ...failure, service: 'logs' });
    return (
      <FailureNotice
        key={keeper}
        title={keepers.length > 1 ? `${keeper}: ${title}` : title}
        kept={
          syncedAtMs === null
            ? 'Nothing was read yet.'
            : `The rows shown are stale since ${words(syncedAtMs)}.`
        }
        todo={todo}
        retryInS={secondsTo(failure.nextTryMs, nowMs)}
        onRetry={undefined}
      />
    );
  });
}

/** Says that a view reaches beyond what is indexed, where it does. */
export function BeyondNote(props: IndexProps) {
  const { keepers, nowMs } = useIndexStatus(props);
  const text = beyondText(props.view, { keepers, nowMs }, useSteadyWords());
  return text === undefined ? null : <Text c="var(--ks-wait)">{text}</Text>;
}

function beyondText(
  view: RequestsView,
  { keepers, nowMs }: IndexState,
  words: (ms: number) => string,
): string | undefined {
  const short = keepers.filter(({ coversAll }) => !coversAll);
  const fromMs = startOf(view, nowMs);
  const missing = short.filter(
    ({ coveredFromMs }) => coveredFromMs === null || fromMs === undefined || fromMs < coveredFromMs,
  );
  if (missing.length === 0) return undefined;
  const of = keepers.length > 1 ? ` of ${missing.map(({ keeper }) => keeper).join(' and ')}` : '';
  const reached = Math.max(...missing.map(({ coveredFromMs }) => coveredFromMs ?? Infinity));
  return Number.isFinite(reached)
    ? `The index${of} reaches back to ${words(reached)}. Older requests are missing here while history is read.`
    : `The index${of} holds no requests yet.`;
}

/** The earliest creation time that a view asks for, unix milliseconds; undefined for all time. */
function startOf(view: RequestsView, nowMs: number): number | undefined {
  const { time } = view;
  if (time.kind === 'last') return viewNowMs(view, nowMs) - (rangeMs(time.range) ?? 0);
  return time.kind === 'between' ? parseIsoTime(time.from ?? '') : undefined;
}
