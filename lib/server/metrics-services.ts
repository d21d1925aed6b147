import 'server-only';
import type { HostStanding } from '@/lib/upstream/http-service';
import { inSeconds, type ReadMetric, type Sample, sharedInTurn } from './metrics-reading';
import { type KnownHost, knownHosts } from './service-report';
import type { Services } from './services';

type Host = KnownHost & { standing: HostStanding };

/** What each host has to say for itself, in one word of ours each: nothing that a service wrote is a label. */
export function serviceMetrics(all: () => Services | undefined): ReadMetric[] {
  const hosts = sharedInTurn(() => hostsOf(all()));
  const each = eachOf(hosts);
  // Keepers on one host share a budget, which is told once, by the first of them.
  const eachBudget = eachOf(() => firstOfHost(hosts()));
  return [...callMetrics(each), ...budgetMetrics(eachBudget), ...streamMetrics(each)];
}

type Each = (labelNames: string[], samplesOf: (host: Host) => Sample[]) => Omit<ReadMetric, 'name' | 'help'>;

function eachOf(hosts: () => readonly Host[]): Each {
  return (labelNames, samplesOf) => ({
    labelNames: ['service', ...labelNames],
    read: () =>
      hosts().flatMap((host) =>
        samplesOf(host).map((sample) => ({ ...sample, labels: { service: host.label, ...sample.labels } })),
      ),
  });
}

function hostsOf(all: Services | undefined): Host[] {
  if (all === undefined) return [];
  return knownHosts(all).map((host) => ({ ...host, standing: host.http.standing() }));
}

function callMetrics(each: Each): ReadMetric[] {
  return [
    {
      name: 'keeperscope_service_up',
      help: 'Whether the last call to the service that went out worked: 1 or 0; absent before the first.',
      ...each([], ({ http }) => flag(http.lastCall().ok)),
    },
    {
      name: 'keeperscope_service_last_success_timestamp_seconds',
      help: 'When the last call to the service succeeded, unix time.',
      ...each([], ({ standing }) => moment(standing.calls.lastOkAtMs)),
    },
    {
      name: 'keeperscope_service_key_refused',
      help: 'Whether the service refused the key that is in use, or the key cannot be sent: 1 or 0; absent while nothing is known.',
      ...each([], ({ standing: { key, verdict } }) =>
        key === 'unusable' ? value(1) : flag(verdict && verdict.verdict === 'refused'),
      ),
    },
    {
      name: 'keeperscope_service_clock_offset_seconds',
      help: 'How far the dates of its answers are ahead of our clock at least, negative: behind; 0 where no difference is proved; absent before the first date.',
      ...each([], ({ standing: { clock } }) => (clock === undefined ? [] : value(clock.offByMs / 1000))),
    },
    {
      name: 'keeperscope_service_pause_end_timestamp_seconds',
      help: 'Until when no call goes out to the service, unix time: its rate limit, a pause it asked for, a refused key.',
      ...each(['kind'], ({ standing: { pause } }) =>
        pause === undefined
          ? []
          : [{ labels: { kind: pause.kind }, value: Math.round(Date.now() / 1000) + pause.retryAfterS }],
      ),
    },
  ];
}

function budgetMetrics(each: Each): ReadMetric[] {
  return [
    {
      name: 'keeperscope_service_budget_calls_per_second',
      help: 'Calls per second that our own budget grants for the service host.',
      ...each([], ({ standing: { budget } }) => value(budget.callsPerSecond)),
    },
    {
      name: 'keeperscope_service_budget_burst_calls',
      help: 'Calls that may go out at once after a rest.',
      ...each([], ({ standing: { budget } }) => value(budget.burst)),
    },
    {
      name: 'keeperscope_service_budget_used_calls',
      help: 'Calls of the burst that are used now.',
      ...each([], ({ standing: { budget } }) => value(budget.used)),
    },
    {
      name: 'keeperscope_service_budget_waiting_calls',
      help: 'Calls that wait for their turn: of users, and in the background.',
      ...each(['priority'], ({ standing: { budget } }) => [
        { labels: { priority: 'user' }, value: budget.waiting.user },
        { labels: { priority: 'background' }, value: budget.waiting.background },
      ]),
    },
    {
      name: 'keeperscope_service_budget_refused_total',
      help: 'Calls for which the budget had no room in time.',
      ...each([], ({ standing: { budget } }) => value(budget.refused)),
    },
  ];
}

function streamMetrics(each: Each): ReadMetric[] {
  return [
    {
      name: 'keeperscope_service_streams',
      help: 'Streams of the service that stand.',
      ...each([], (host) => (hasStreams(host) ? value(host.standing.streams.standing.length) : [])),
    },
    {
      name: 'keeperscope_service_streams_opened_total',
      help: 'Streams of the service that were opened.',
      ...each([], (host) => (hasStreams(host) ? value(host.standing.streams.opened) : [])),
    },
    {
      name: 'keeperscope_service_stream_ends_total',
      help: 'Ends of streams of the service: closed here, ended by the service in good order, or broken.',
      ...each(['end'], (host) =>
        hasStreams(host)
          ? Object.entries(host.standing.streams.ends).map(([end, count]) => ({
              labels: { end: end.replaceAll('-', '_') },
              value: count,
            }))
          : [],
      ),
    },
    {
      name: 'keeperscope_service_stream_last_byte_timestamp_seconds',
      help: 'When the last byte came on a stream that stands, unix time; absent when none stands.',
      ...each([], ({ standing }) => moment(lastByteOf(standing))),
    },
  ];
}

/** Log services and the router have none. */
function hasStreams({ service }: Host): boolean {
  return service === 'updates' || service === 'upgraded';
}

function lastByteOf({ streams: { standing } }: HostStanding): number | undefined {
  const times = standing.flatMap(({ lastByteAtMs }) => lastByteAtMs ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}

function firstOfHost(hosts: readonly Host[]): Host[] {
  const placeOf = ({ service, standing }: Host) => `${service} ${standing.address.origin}`;
  const seen = new Set<string>();
  return hosts.filter((host) => !seen.has(placeOf(host)) && seen.add(placeOf(host)));
}

function value(number: number): Sample[] {
  return [{ labels: {}, value: number }];
}

function flag(holds: boolean | null | undefined): Sample[] {
  return holds === null || holds === undefined ? [] : value(Number(holds));
}

function moment(ms: number | undefined): Sample[] {
  return ms === undefined ? [] : value(inSeconds(ms));
}
