import 'server-only';
import { builtInNetwork } from '@/lib/core/registry';
import { isStateWord } from '@/lib/core/request-record';
import type { NetworkActivity } from '@/lib/pending/answers';
import { isFresh, type KeeperSnapshot } from '@/lib/pending/server/evidence';
import type { TriageNow } from '@/lib/pending/server/triage';
import { currentSettings } from './current-settings';
import { inSeconds, type ReadMetric, type Sample } from './metrics-reading';

/** States that no contract names are told as one: their names are a stranger's. */
const OTHER_STATE = 'other';
const OF_NETWORK = ['keeper', 'network_id', 'network'];

/** Figures per network and keeper, in the words of the page for pending requests: who is stuck is decided there. */
export function networkMetrics(now: () => TriageNow | undefined): ReadMetric[] {
  return [...ofNetworks(now), ...ofKeepers(now)];
}

function ofNetworks(now: () => TriageNow | undefined): ReadMetric[] {
  const each = (figureOf: (row: NetworkActivity) => number | undefined) => ({
    labelNames: OF_NETWORK,
    read: () =>
      (now()?.activity ?? []).flatMap((row) => sample(placeOf(row.keeper, row.networkId), figureOf(row))),
  });
  return [
    {
      name: 'keeperscope_network_requests',
      help: 'Requests of the network in the index, by state; those that the service no longer serves among them.',
      labelNames: [...OF_NETWORK, 'state'],
      read: () => (now()?.keepers ?? []).flatMap(requestsByState),
    },
    {
      name: 'keeperscope_network_pending_requests',
      help: 'Randomness requests of the network that are pending.',
      ...each(({ pending }) => pending),
    },
    {
      name: 'keeperscope_network_oldest_pending_timestamp_seconds',
      help: 'When the oldest pending request of the network was created, unix time; absent when none is pending.',
      labelNames: OF_NETWORK,
      read: () => (now()?.keepers ?? []).flatMap(oldestPending),
    },
    {
      name: 'keeperscope_network_stuck_requests',
      help: 'Pending requests of the network that are stuck, counted as on the page for pending requests.',
      ...each(({ stuck }) => stuck),
    },
    {
      name: 'keeperscope_network_last_request_timestamp_seconds',
      help: 'When the newest logged request of the network was created, unix time.',
      ...each(({ lastRequestMs }) => (lastRequestMs === undefined ? undefined : inSeconds(lastRequestMs))),
    },
    {
      name: 'keeperscope_network_quiet',
      help: 'Whether nothing was logged for much longer than is usual for the network: 1 or 0; absent where that is not known.',
      ...each(({ quiet }) => (quiet.holds === 'unknown' ? undefined : Number(quiet.holds === 'yes'))),
    },
  ];
}

function requestsByState({ keeper, counts }: KeeperSnapshot): Sample[] {
  const samples = new Map<string, Sample>();
  for (const { networkId, state, rows } of counts) {
    const word = isStateWord(state) ? state : OTHER_STATE;
    const key = `${networkId}/${word}`;
    const labels = { ...placeOf(keeper, networkId), state: word };
    samples.set(key, { labels, value: (samples.get(key)?.value ?? 0) + rows });
  }
  return [...samples.values()];
}

function oldestPending({ keeper, counts }: KeeperSnapshot): Sample[] {
  return counts.flatMap(({ networkId, state, oldestLiveUs }) =>
    state === 'pending' && oldestLiveUs !== null
      ? sample(placeOf(keeper, networkId), inSeconds(Math.floor(oldestLiveUs / 1000)))
      : [],
  );
}

function placeOf(keeper: string, networkId: string): Record<string, string> {
  const name = currentSettings().networks[networkId]?.name ?? builtInNetwork(networkId).name;
  return { keeper, network_id: networkId, network: name };
}

function ofKeepers(now: () => TriageNow | undefined): ReadMetric[] {
  const each = (figureOf: (look: KeeperSnapshot, now: TriageNow) => number | undefined) => ({
    labelNames: ['keeper'],
    read: () => {
      const known = now();
      if (known === undefined) return [];
      return known.keepers.flatMap((look) => sample({ keeper: look.keeper }, figureOf(look, known)));
    },
  });
  return [
    {
      name: 'keeperscope_log_complete',
      help: 'Whether all pending requests of the keeper are known as of a moment ago, and could be read: 1 or 0.',
      ...each((look, known) => Number(isWhole(look, known))),
    },
    {
      name: 'keeperscope_log_checked_timestamp_seconds',
      help: 'As of when the pending requests of the keeper are known, unix time.',
      ...each(({ pending }) => (pending.kind === 'known' ? inSeconds(pending.atMs) : undefined)),
    },
    {
      name: 'keeperscope_log_pending_requests',
      help: 'Pending requests of the keeper.',
      ...each(({ pending }) => (pending.kind === 'known' ? pending.value.rows.length : undefined)),
    },
    {
      name: 'keeperscope_log_unseen_pending_requests',
      help: 'Pending requests of the keeper that can’t be read, or are more than can be looked at.',
      ...each(({ pending }) => (pending.kind === 'known' ? pending.value.unseen : undefined)),
    },
  ];
}

function isWhole({ keeper, pending }: KeeperSnapshot, { index, atMs }: TriageNow): boolean {
  const status = index.find((one) => one.keeper === keeper);
  if (pending.kind === 'missing' || status === undefined) return false;
  return pending.value.unseen === 0 && isFresh(status, atMs);
}

function sample(labels: Record<string, string>, value: number | undefined): Sample[] {
  return value === undefined ? [] : [{ labels, value }];
}
