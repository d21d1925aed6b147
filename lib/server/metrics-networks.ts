import 'server-only';
import type { Collected } from './metrics-collector';
import { inSeconds, type ReadMetric, type Sample } from './metrics-reading';
import type { KeeperFigure, NetworkFigure } from './network-figures';

/** Figures per network and keeper, as the collector last found them. */
export function networkMetrics(collected: () => Collected | undefined): ReadMetric[] {
  return [
    ...ofNetworks(collected),
    ...ofKeepers(collected),
    {
      name: 'keeperscope_collector_running',
      help: 'Whether the loop behind the per-network figures runs: 1 or 0.',
      labelNames: [],
      read: () => one(Number(collected()?.state === 'running')),
    },
    {
      name: 'keeperscope_collector_runs_total',
      help: 'Runs of that loop.',
      labelNames: [],
      read: () => one(collected()?.runs ?? 0),
    },
    {
      name: 'keeperscope_collector_last_run_seconds',
      help: 'How long its last run took; absent before the first.',
      labelNames: [],
      read: () => {
        const ms = collected()?.lastRunMs;
        return ms === undefined ? [] : one(ms / 1000);
      },
    },
  ];
}

function ofNetworks(collected: () => Collected | undefined): ReadMetric[] {
  const each = (figureOf: (network: NetworkFigure) => number | undefined) => ({
    labelNames: ['keeper', 'network_id', 'network'],
    read: () =>
      (collected()?.figures?.networks ?? []).flatMap((network) => {
        const { keeper, networkId, name } = network;
        return sample({ keeper, network_id: networkId, network: name }, figureOf(network));
      }),
  });
  return [
    {
      name: 'keeperscope_network_pending_requests',
      help: 'Randomness requests of the network that are pending.',
      ...each(({ pending }) => pending),
    },
    {
      name: 'keeperscope_network_oldest_pending_timestamp_seconds',
      help: 'When the oldest pending request of the network was created, unix time; absent when none is pending.',
      ...each(({ oldestPendingMs }) => seconds(oldestPendingMs)),
    },
    {
      name: 'keeperscope_network_stuck_requests',
      help: 'Pending requests of the network that are stuck, counted as on the page for pending requests.',
      ...each(({ stuck }) => stuck),
    },
    {
      name: 'keeperscope_network_last_request_timestamp_seconds',
      help: 'When the newest logged request of the network was created, unix time.',
      ...each(({ lastRequestMs }) => seconds(lastRequestMs)),
    },
    {
      name: 'keeperscope_network_quiet',
      help: 'Whether nothing was logged for much longer than is usual for the network: 1 or 0; absent where that is not known.',
      ...each(({ isQuiet }) => (isQuiet === undefined ? undefined : Number(isQuiet))),
    },
  ];
}

function ofKeepers(collected: () => Collected | undefined): ReadMetric[] {
  const each = (figureOf: (figure: KeeperFigure) => number | undefined) => ({
    labelNames: ['keeper'],
    read: () =>
      (collected()?.figures?.keepers ?? []).flatMap((figure) =>
        sample({ keeper: figure.keeper }, figureOf(figure)),
      ),
  });
  return [
    {
      name: 'keeperscope_log_complete',
      help: 'Whether all that the figures need could be read from the log of the keeper at the last look: 1 or 0.',
      ...each(({ isWhole }) => Number(isWhole)),
    },
    {
      name: 'keeperscope_log_checked_timestamp_seconds',
      help: 'When the pending requests of the keeper were last read, unix time.',
      ...each(({ checkedAtMs }) => seconds(checkedAtMs)),
    },
    {
      name: 'keeperscope_log_pending_requests',
      help: 'Pending requests of the keeper that were read.',
      ...each(({ pending }) => pending),
    },
    {
      name: 'keeperscope_log_unseen_pending_requests',
      help: 'Pending requests of the keeper that the service counts and did not show, or that could not be read.',
      ...each(({ unseen }) => unseen),
    },
  ];
}

function sample(labels: Record<string, string>, value: number | undefined): Sample[] {
  return value === undefined ? [] : [{ labels, value }];
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : inSeconds(ms);
}

function one(value: number): Sample[] {
  return [{ labels: {}, value }];
}
