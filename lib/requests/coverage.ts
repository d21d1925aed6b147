import { parseIsoTime } from '@/lib/core/time';
import type { KeeperStatus } from './keeper-status';
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

/** Unix ms; undefined for all time. */
export function startOfView(view: RequestsView, nowMs: number): number | undefined {
  const { time } = view;
  if (time.kind === 'last') return viewNowMs(view, nowMs) - (rangeMs(time.range) ?? 0);
  return time.kind === 'between' ? parseIsoTime(time.from ?? '') : undefined;
}
