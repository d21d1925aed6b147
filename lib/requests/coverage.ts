import { parseIsoTime } from '@/lib/core/time';
import { type KeeperStatus, STALE_AFTER_MS } from './keeper-status';
import { type RequestsView, rangeMs, viewNowMs } from './view';

/** If false, the index does not keep older requests (`HISTORY_DAYS`). */
export const isReadingHistory = ({ history }: Pick<KeeperStatus, 'history'>): boolean => history !== null;

/** Keepers indexed only from a time after the start of the view. */
export function beforeCoverage<T extends Pick<KeeperStatus, 'coversAll' | 'coveredFromMs'>>(
  statuses: readonly T[],
  view: RequestsView,
  nowMs: number,
): T[] {
  const fromMs = startOfView(view, nowMs);
  return statuses.filter(
    ({ coversAll, coveredFromMs }) =>
      !coversAll && (coveredFromMs === null || fromMs === undefined || fromMs < coveredFromMs),
  );
}

/** Keepers last read before the end of the view: newer requests of theirs are unknown. */
export function keepersBehind<T extends Pick<KeeperStatus, 'syncedAtMs'>>(
  statuses: readonly T[],
  view: RequestsView,
  nowMs: number,
): T[] {
  const to = view.time.kind === 'between' ? parseIsoTime(view.time.to ?? '') : undefined;
  const endMs = Math.min(viewNowMs(view, nowMs), to ?? Number.POSITIVE_INFINITY);
  return statuses.filter(({ syncedAtMs }) => syncedAtMs === null || syncedAtMs < endMs - STALE_AFTER_MS);
}

/** The last read of keepers of which none was read up to the end of the view; unix ms. */
export function lastReadMs(
  statuses: readonly Pick<KeeperStatus, 'syncedAtMs'>[],
  view: RequestsView,
  nowMs: number,
): number | undefined {
  const reads = statuses.flatMap(({ syncedAtMs }) => syncedAtMs ?? []);
  const isBehind = keepersBehind(statuses, view, nowMs).length === statuses.length;
  return isBehind && reads.length > 0 ? Math.max(...reads) : undefined;
}

/** Unix ms; undefined for all time. */
export function startOfView(view: RequestsView, nowMs: number): number | undefined {
  const { time } = view;
  if (time.kind === 'last') return viewNowMs(view, nowMs) - (rangeMs(time.range) ?? 0);
  return time.kind === 'between' ? parseIsoTime(time.from ?? '') : undefined;
}
