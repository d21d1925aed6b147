import { groupedBy } from '@/lib/core/grouped';
import { interpolatedPercentile } from '@/lib/core/percentile';
import { HOUR_MS } from '@/lib/core/time';
import { meanGapMs, silenceVerdict } from '@/lib/pending/rules/network-rules';
import type { Triage } from './incidents';
import type { NetworkEvidence } from './network';
import type { NetworkActivity } from './pending-response';
import { type FinishedRows, isCompleted, isPending, type MatchingRows, type Piece } from './rules/evidence';
import { finishedDurations } from './rules/thresholds';
import { type IsAcknowledged, stuckCounts } from './stuck-counts';

export type KeeperEvidence = {
  keeper: string;
  /** Unix ms at which the keeper's pending rows were read; ages are judged by it. */
  nowMs: number;
  pending: Piece<MatchingRows>;
  networks: readonly NetworkEvidence[];
  /** Requests older than a day beyond the limit of examination, by network. They are only counted. */
  unexamined: ReadonlyMap<string, number>;
};

/** One row per network of each keeper, silent networks first. */
export function networkActivity(
  keepers: readonly KeeperEvidence[],
  triage: Pick<Triage, 'incidents' | 'singles'>,
  isAcknowledged: IsAcknowledged = () => false,
): NetworkActivity[] {
  const rows = keepers.flatMap(({ keeper, nowMs, pending, networks, unexamined }) => {
    const pendingRows = pending.kind === 'known' ? pending.value.rows.filter(isPending) : undefined;
    const byNetwork = pendingRows && groupedBy(pendingRows, ({ networkId }) => networkId);
    return networks.map(({ networkId, newest, lastDay, finished }): NetworkActivity => {
      const isHere = (subject: { keeper: string; networkId: string }) =>
        subject.keeper === keeper && subject.networkId === networkId;
      const counted = unexamined.get(networkId) ?? 0;
      const counts = pendingRows && stuckCounts(triage, isAcknowledged, counted, isHere);
      const gap = (name: string, piece: Piece<unknown>) =>
        piece.kind === 'missing' ? [`${name}: ${piece.why}`] : [];
      return {
        keeper,
        networkId,
        quiet: silenceVerdict({ newest, lastDay }),
        lastRequestMs: newest.kind === 'known' ? newest.value?.createdAt.ms : undefined,
        usualGapMs: lastDay.kind === 'known' ? meanGapMs(lastDay.value) : undefined,
        pending: byNetwork && (byNetwork.get(networkId)?.length ?? 0) + counted,
        stuck: counts?.stuck,
        acknowledged: counts?.acknowledged,
        parked: counts?.parked,
        lastHour: finished.kind === 'known' ? lastHourOf(finished.value, nowMs) : undefined,
        missing: [
          ...[...gap('Last request', newest), ...gap('Interval', lastDay)],
          ...[...gap('Pending', pending), ...gap('Last hour', finished)],
        ],
      };
    });
  });
  const isQuiet = ({ quiet }: NetworkActivity) => Number(quiet.holds === 'yes');
  return rows.sort((a, b) => isQuiet(b) - isQuiet(a) || (b.stuck ?? 0) - (a.stuck ?? 0));
}

/** Counts and percentiles defined as on the overview (`spanTotals`). */
function lastHourOf({ rows, completeSinceMs }: FinishedRows, nowMs: number): NetworkActivity['lastHour'] {
  const sinceMs = nowMs - HOUR_MS;
  const recent = rows.filter(({ createdAt }) => createdAt.ms >= sinceMs);
  const answered = recent.filter(isCompleted);
  const durations = finishedDurations(answered);
  const percentileMs = (percent: number) => {
    const ms = interpolatedPercentile(durations, percent);
    return ms === undefined ? undefined : Math.round(ms);
  };
  const callbackFailed = answered.filter(
    ({ state }) => state.kind === 'completed' && state.callback === 'failed',
  ).length;
  return {
    completed: answered.length - callbackFailed,
    callbackFailed,
    failed: recent.filter(({ state }) => state.kind === 'failed').length,
    p50Ms: percentileMs(50),
    p95Ms: percentileMs(95),
    isWhole: completeSinceMs <= sinceMs,
  };
}
