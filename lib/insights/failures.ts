import { groupCause } from '@/lib/core/failure-cause';
import { groupedBy } from '@/lib/core/grouped';
import { readRowText } from '@/lib/core/request-record';
import type { FailureTotal } from '@/lib/core/span-figures';
import { type BucketRows, seriesOf } from './figures';
import type { FailureInsights } from './insights-response';

/** Failures by group (`failureGroup` in `lib/core/failure.ts`), as in an error tracker. */

/** Maximum number of listed groups; the others are only counted. */
export const MAX_GROUPS = 200;

/** Failure groups of a span, as the index returns them; times in unix microseconds. */
export type GroupedFailures = {
  totals: readonly FailureTotal[];
  /** Number of all groups, listed or not. */
  groups: number;
  rows: number;
  /** Failed rows of the groups as received, by which the groups are judged. */
  members: readonly { group: string; wire: string }[];
  byNetwork: readonly { group: string; networkId: string; rows: number }[];
  overTime: readonly ({ group: string } & BucketRows)[];
  /** Groups with rows in the seven days before the span; undefined while the index does not hold all of these days. */
  earlierGroups: ReadonlySet<string> | undefined;
};

const groupOf = ({ group }: { group: string }) => group;

/** Groups with their networks and trend. @param buckets number of buckets */
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
      isNew: grouped.earlierGroups === undefined ? null : !grouped.earlierGroups.has(failure.group),
    })),
    rows: grouped.rows,
    others: { groups: grouped.groups - shown.length, rows: grouped.rows - rows },
  };
}

/** Trend of a group: the rows of the later half of a span compared with those of the earlier half. */
type Trend = 'rising' | 'falling' | 'steady';

/** Minimum number of rows for a trend. */
const MIN_ROWS = 6;

/**
 * Trend of a group. It rises if its later half has at least twice the rows of the earlier one, and falls at half or
 * fewer.
 */
export function trendOf(overTime: readonly number[]): Trend {
  const half = overTime.length / 2;
  // If the number of buckets is odd, the middle one belongs to neither half.
  const sum = (part: readonly number[]) => part.reduce((all, rows) => all + rows, 0);
  const earlier = sum(overTime.slice(0, Math.floor(half)));
  const later = sum(overTime.slice(Math.ceil(half)));
  if (earlier + later < MIN_ROWS) return 'steady';
  if (later >= 2 * earlier) return 'rising';
  return earlier >= 2 * later ? 'falling' : 'steady';
}
