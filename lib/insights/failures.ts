import { groupedBy } from '@/lib/core/grouped';
import { groupCause } from '@/lib/core/request-failure-cause';
import { readRowText } from '@/lib/core/request-record';
import type { FailureTotal } from '@/lib/core/span-figures';
import { type BucketRows, seriesOf } from './figures';
import type { FailureInsights, Insights } from './insights-response';

/** The other groups are only counted. */
export const MAX_GROUPS = 200;

/** Groups of failures as the index returns them; times in unix µs. */
export type GroupedFailures = {
  totals: readonly FailureTotal[];
  /** Listed or not. */
  groups: number;
  rows: number;
  /** Failed rows as received, by which groups are judged. */
  members: readonly { group: string; wire: string }[];
  byNetwork: readonly { group: string; networkId: string; rows: number }[];
  overTime: readonly ({ group: string } & BucketRows)[];
  /** Groups of the seven days before the span; undefined while the index does not have all of these days. */
  earlierGroups: ReadonlySet<string> | undefined;
  /** Groups of the span in logs that began before these days; other groups may be older than their log. */
  judgedGroups: ReadonlySet<string>;
};

const groupOf = ({ group }: { group: string }) => group;

export function failureInsights(grouped: GroupedFailures, buckets: number): FailureInsights {
  const networks = groupedBy(grouped.byNetwork, groupOf);
  const trends = groupedBy(grouped.overTime, groupOf);
  const members = groupedBy(grouped.members, groupOf);
  const recordsOf = ({ group }: FailureTotal) =>
    (members.get(group) ?? []).flatMap(({ wire }) => {
      const row = readRowText(wire);
      return row.kind === 'record' ? row : [];
    });
  const shown = grouped.totals.slice(0, MAX_GROUPS);
  const rows = shown.reduce((sum, total) => sum + total.rows, 0);
  return {
    groups: shown.map((failure) => ({
      ...failure,
      cause: groupCause(failure, recordsOf(failure)),
      networks: (networks.get(failure.group) ?? [])
        .map(({ networkId, rows: count }) => ({ networkId, rows: count }))
        .sort((a, b) => b.rows - a.rows || (a.networkId < b.networkId ? -1 : 1)),
      overTime: seriesOf(trends.get(failure.group) ?? [], buckets),
      isNew: isNew(failure.group, grouped),
    })),
    rows: grouped.rows,
    others: { groups: grouped.groups - shown.length, rows: grouped.rows - rows },
  };
}

function isNew(group: string, { earlierGroups, judgedGroups }: GroupedFailures): boolean | null {
  if (earlierGroups === undefined) return null;
  if (earlierGroups.has(group)) return false;
  return judgedGroups.has(group) ? true : null;
}

/** The later half of a span compared with the earlier one. */
type Trend = 'rising' | 'falling' | 'steady';

const MIN_ROWS = 6;

/** Rises at twice the rows of the earlier half, and falls at half or fewer. None where the log began in the span. */
export function failureTrend(
  overTime: readonly number[],
  { startMs, logBeginsMs }: Pick<Insights, 'startMs' | 'logBeginsMs'>,
): Trend | undefined {
  if (logBeginsMs !== null && logBeginsMs > startMs) return undefined;
  const half = overTime.length / 2;
  // The middle one of an odd number of buckets belongs to neither half.
  const sum = (part: readonly number[]) => part.reduce((all, rows) => all + rows, 0);
  const earlier = sum(overTime.slice(0, Math.floor(half)));
  const later = sum(overTime.slice(Math.ceil(half)));
  if (earlier + later < MIN_ROWS) return 'steady';
  if (later >= 2 * earlier) return 'rising';
  return earlier >= 2 * later ? 'falling' : 'steady';
}
