'use client';
import { useMounted } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useTicking } from '@/components/ui/clock';
import { readTriage, type TriageAnswer, triageAddress } from '@/lib/pending/pending-response';
import { useRevision } from '@/lib/requests/client/revision-stream';
import { followedQuery } from '@/lib/requests/client/use-followed';
import type { KeeperStatus, PendingCounts, RevisionUpdate } from '@/lib/requests/keeper-status';
import { isWhole } from './use-triage';

export type RenderedIndex = Pick<RevisionUpdate, 'index' | 'pending'>;

/** `isWhole` is false if there may be more. `unconfigured`: no request log service. */
export type StuckCount =
  | ({ kind: 'stuck'; isWhole: boolean } & Pick<PendingCounts, 'stuck' | 'worst' | 'acknowledged' | 'parked'>)
  | { kind: 'nothing-stuck'; acknowledged: number; parked: number }
  | { kind: 'not-known' | 'syncing' | 'unconfigured' };

/** Silence after which the stream counts as dead. It exceeds the poll interval of `/pending`. */
const MAX_SILENT_MS = 90_000;

/** The newest count of the stream and of the page of pending requests. */
export function useStuckCount(first: RenderedIndex): StuckCount {
  const update = useRevision();
  const { index, pending } = update ?? first;
  const { data: answer, dataUpdatedAt } = useQuery({
    ...followedQuery(triageAddress(), readTriage),
    enabled: false,
  });
  const isCutOff = useTicking((clockMs) => {
    const receivedAtMs = Math.max(update?.receivedAtMs ?? performance.timeOrigin, dataUpdatedAt);
    return Number(clockMs - receivedAtMs > MAX_SILENT_MS);
  });
  // The first render must match the server's, whose navigation renders before the page has its answer.
  const isHydrated = useMounted();
  const counts = newestCounts(pending, isHydrated && answer ? countsOf(answer) : undefined);
  return stuckCountOf(index, counts, isHydrated && isCutOff === 1 ? 'cut-off' : 'connected');
}

function countsOf(answer: TriageAnswer): PendingCounts {
  const { stuck, worst, acknowledged, parked, pending } = answer.counts;
  const complete = isWhole({ answer, trouble: undefined });
  return { atMs: answer.atMs, pending, stuck, worst, acknowledged, parked, complete };
}

function newestCounts(...counts: (PendingCounts | null | undefined)[]): PendingCounts | undefined {
  return counts.flatMap((count) => count ?? []).toSorted((a, b) => b.atMs - a.atMs)[0];
}

/** @param link if `cut-off`, stuck requests stay on screen, but a count of zero becomes unknown */
export function stuckCountOf(
  index: readonly KeeperStatus[],
  counts: PendingCounts | undefined,
  link: 'connected' | 'cut-off',
): StuckCount {
  if (index.length === 0) return { kind: 'unconfigured' };
  const isSyncing = ({ syncedAtMs, pendingAtMs }: KeeperStatus) =>
    syncedAtMs === null || pendingAtMs === null;
  const hasFailed = index.some(({ failure }) => failure !== null);
  const unknown = { kind: index.some(isSyncing) && !hasFailed ? 'syncing' : 'not-known' } as const;
  if (counts === undefined) return unknown;
  const { stuck, worst, acknowledged, parked, complete } = counts;
  if (stuck > 0) return { kind: 'stuck', stuck, worst, acknowledged, parked, isWhole: complete };
  if (link === 'cut-off') return { kind: 'not-known' };
  return complete ? { kind: 'nothing-stuck', acknowledged, parked } : unknown;
}
