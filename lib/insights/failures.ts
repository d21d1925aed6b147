import { groupedBy } from '@/lib/core/grouped';
import type { FailureTotal } from '@/lib/core/span-figures';
import type { FailureInsights } from './answer';
import { type BucketRows, seriesOf } from './figures';

/** Failures by group (`failureGroup` in `lib/core/failure.ts`), as an error tracker shows them. */

/** Groups that are told singly; the rest are counted. */
export const MOST_GROUPS = 200;

/** What the index tells of groups of failures in a span; moments in unix microseconds. */
export type GroupedFailures = {
  found: readonly FailureTotal[];
  /** Of all groups, also those that are not found singly. */
  groups: number;
  rows: number;
  byNetwork: readonly { group: string; networkId: string; rows: number }[];
  overTime: readonly ({ group: string } & BucketRows)[];
  /** Groups with rows in the seven days before the span; undefined while the index does not hold all of these days. */
  known: ReadonlySet<string> | undefined;
};

const groupOf = ({ group }: { group: string }) => group;

/** The groups with their networks and their trend. @param buckets how many there are */
export function failureInsights(grouped: GroupedFailures, buckets: number): FailureInsights {
  const networks = groupedBy(grouped.byNetwork, groupOf);
  const trends = groupedBy(grouped.overTime, groupOf);
  const shown = grouped.found.slice(0, MOST_GROUPS);
  const rows = shown.reduce((sum, one) => sum + one.rows, 0);
  return {
    groups: shown.map((one) => ({
      ...one,
      networks: (networks.get(one.group) ?? [])
        .map(({ networkId, rows: count }) => ({ networkId, rows: count }))
        .sort((a, b) => b.rows - a.rows || (a.networkId < b.networkId ? -1 : 1)),
      overTime: seriesOf(trends.get(one.group) ?? [], buckets),
      isNew: grouped.known === undefined ? null : !grouped.known.has(one.group),
    })),
    rows: grouped.rows,
    others: { groups: grouped.groups - shown.length, rows: grouped.rows - rows },
  };
}

/** Rising, falling or neither: the rows of the later half of a span against those of the earlier half. */
export type Trend = 'rising' | 'falling' | 'steady';

/** Fewer rows than this have no trend. */
const ENOUGH_ROWS = 6;

/** A group rises when the later half of its span has at least twice the rows of the earlier one, and falls likewise. */
export function trendOf(overTime: readonly number[]): Trend {
  const half = overTime.length / 2;
  // The bucket in the middle of an odd number belongs to neither half.
  const sum = (part: readonly number[]) => part.reduce((all, rows) => all + rows, 0);
  const [earlier, later] = [sum(overTime.slice(0, Math.floor(half))), sum(overTime.slice(Math.ceil(half)))];
  if (earlier + later < ENOUGH_ROWS) return 'steady';
  if (later >= 2 * earlier) return 'rising';
  return earlier >= 2 * later ? 'falling' : 'steady';
}

/** What to do about failures, by the error that their group is named after. */
const ADVICE: Readonly<Record<string, string>> = {
  InsufficientGas:
    'Raise the gas limit of the callback where the contract requests randomness, then retry the callback.',
  OutOfRandomness:
    'Register a new chain of commitments for the provider: no request can be answered until then.',
  UpdateTooOld:
    'A later commitment is already revealed: check whether another replica of the keeper answered.',
  InvalidRevealCall: 'Check the keeper’s version: it calls the wrong reveal function for this request.',
  Unauthorized: 'Check the keeper’s account and its permissions at the contract.',
  InsufficientFee: 'Compare the provider’s fee with what the sender pays.',
  MaxGasLimitExceeded: 'The sender must request less gas: a retry won’t help.',
  BlockhashUnavailable: 'The block is too old to look up: this request can’t be answered.',
  IncorrectRevelation: 'Check the provider’s secret and chain: the reveal doesn’t match the commitment.',
  LastRevealedTooOld: 'Advance the provider’s commitment, so fewer hashes are needed.',
  NoSuchRequest: 'Most likely reorged or already answered: look up the transaction on chain.',
  NoSuchProvider: 'Register the provider on this network.',
  AssertionFailure: 'An invariant of the contract is broken: report an example to its maintainers.',
};

/** The next step for failures of a group; a group is a stranger's text, and is only compared. */
export function failureAdvice(group: string): string {
  if (Object.hasOwn(ADVICE, group)) return ADVICE[group] ?? '';
  if (/out of gas|gas/i.test(group)) {
    return 'Compare gas used with the limit in the rows. Near the limit: the sender must raise it, then retry the callback.';
  }
  if (/^Panic/.test(group)) return 'A bug in the sender’s contract: send its owner an example.';
  if (/^0x[0-9a-f…]+$/i.test(group)) {
    return 'Unknown error: look up the selector in the source of the sender’s contract.';
  }
  if (/^(No reason|Callback reverted, no return value) logged$/.test(group))
    return 'Look up the request in the keeper’s own log.';
  return 'The sender’s contract reverts with this text: send its owner an example, then retry the callback.';
}
