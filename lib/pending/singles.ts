import { groupedBy } from '@/lib/core/grouped';
import { bySeverity } from '@/lib/pending/rules/verdict';
import { type CauseGroup, MAX_GROUP_NETWORKS, type Single } from './pending-response';

/** Group id of a single request. It depends on the cause and on whether the request is parked. */
export function groupIdOf({
  rule,
  isParked,
  isSettled,
}: Pick<Single, 'rule' | 'isParked' | 'isSettled'>): string {
  return `${isParked ? 'parked-' : ''}${rule}${isSettled ? '-settled' : ''}`;
}

/**
 * Groups by cause, by newest request, parked groups last.
 * @param isAcknowledged by key
 */
export function causeGroups(
  singles: readonly Single[],
  isAcknowledged: (key: string) => boolean,
): CauseGroup[] {
  const groups = [...groupedBy(singles, groupIdOf)].map(([id, members]) =>
    causeGroup(id, members, isAcknowledged),
  );
  return groups.sort((a, b) => Number(a.isParked) - Number(b.isParked) || b.newestMs - a.newestMs);
}

function causeGroup(
  id: string,
  members: readonly Single[],
  isAcknowledged: (key: string) => boolean,
): CauseGroup {
  const [first] = members;
  if (first === undefined) throw new Error('a group has a member');
  const { rule, isParked, isSettled } = first;
  const networks = [...groupedBy(members, ({ networkId }) => networkId)];
  networks.sort(([, a], [, b]) => b.length - a.length);
  const times = members.map(({ sinceMs }) => sinceMs);
  return {
    id,
    rule,
    severity: members.map(({ severity }) => severity).toSorted(bySeverity)[0] ?? 'none',
    isParked,
    isSettled,
    size: members.length,
    acknowledged: members.filter(({ key }) => isAcknowledged(key)).length,
    senders: new Set(members.flatMap(({ sender }) => sender?.toLowerCase() ?? [])).size,
    networkIds: networks.slice(0, MAX_GROUP_NETWORKS).map(([networkId]) => networkId),
    networks: networks.length,
    sinceMs: times.reduce((earliest, ms) => Math.min(earliest, ms), Number.POSITIVE_INFINITY),
    newestMs: times.reduce((latest, ms) => Math.max(latest, ms), 0),
    ...(members.length === 1 ? { only: listedSingle(first) } : {}),
  };
}

/** A single request as lists have it, without verdicts. */
export function listedSingle(single: Single): Single {
  const { key, keeper, networkId, sequence, sender, sinceMs, rule, severity, isParked, isSettled } = single;
  return { key, keeper, networkId, sequence, sender, sinceMs, rule, severity, isParked, isSettled };
}
