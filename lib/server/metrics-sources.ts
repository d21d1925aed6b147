import 'server-only';
import type { Registry } from 'prom-client';
import { callerOfFetch, PEER_HEADER } from '@/lib/access/caller';
import { LoginThrottle, mustWait } from '@/lib/access/login-throttle';
import { enter, isSameText } from '@/lib/access/principal';
import { acknowledgedRequests } from '@/lib/alerts/acknowledge';
import type { FeedEntry } from '@/lib/core/feed';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { problem, problemOf } from '@/lib/core/problem';
import { builtInNetwork } from '@/lib/core/registry';
import { isStateWord } from '@/lib/core/request-record';
import { isTrading } from '@/lib/feeds/feed-cadence';
import { feedDirectory, knownFeeds } from '@/lib/feeds/server/feed-directory';
import type { FeedHub } from '@/lib/feeds/server/hub';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import type { NetworkActivity } from '@/lib/pending/answers';
import { isFresh, type KeeperSnapshot } from '@/lib/pending/server/evidence';
import { type TriageNow, triageOf } from '@/lib/pending/server/triage';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import type { HostStatus } from '@/lib/upstream/http-service';
import { log } from './log';
import { addSource, type Labels, metrics, type Source } from './metrics';
import { addRequestMetrics, readFinishedRequests } from './metrics-requests';
import { processWide } from './process-wide';
import { problemReply, textReply } from './reply';
import { type KnownHost, knownHosts } from './service-report';
import { startedServices } from './services';
import { currentSettings, type Settings } from './settings';
import { bufferedBytes, openHub, streamSources } from './streams';

const kept = processWide<TriageNow>('metrics-pending');
const added = processWide<'added'>('metrics-sources');

export async function readMetrics(): Promise<{ text: string; contentType: string }> {
  const { registry } = metrics();
  if (added.get() === undefined) addSources(registry);
  added.set('added');
  kept.set(await pendingNow());
  // Never fails, and is kept for minutes.
  if (startedServices() !== undefined) void feedDirectory();
  return { text: await registry.metrics(), contentType: registry.contentType };
}

/** What the page for pending requests says; undefined where that can't be worked out, which is no reason to tell nothing. */
async function pendingNow(): Promise<TriageNow | undefined> {
  const index = startedServices()?.index;
  if (index === undefined) return undefined;
  try {
    const now = await triageOf(index).now();
    await readFinishedRequests(index, now, placeOf);
    return now;
  } catch (error) {
    log().error({ error }, 'could not read metrics of the index');
    return undefined;
  }
}

function addSources(registry: Registry): void {
  addSource(registry, SERVICES);
  addSource(registry, UPSTREAM_STREAMS);
  addSource(registry, NETWORKS);
  addSource(registry, KEEPERS);
  addSource(registry, INDEX);
  addSource(registry, PROCESS);
  addFeedMetrics(registry);
  addRequestMetrics(registry);
}

const inSeconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000);

type Host = KnownHost & {
  status: HostStatus;
  /** Keepers on one host share a budget, which is told once, by the first of them. */
  budget?: HostStatus['budget'];
  /** Log services and the router have none. */
  streams?: HostStatus['streams'];
};

function hosts(): [Labels, Host][] {
  const all = startedServices();
  const budgets = new Set<string>();
  return (all ? knownHosts(all) : []).map((host) => {
    const status = host.http.status();
    const place = `${host.service} ${status.address.origin}`;
    const budget = budgets.has(place) ? undefined : status.budget;
    budgets.add(place);
    const streams = ['updates', 'upgraded'].includes(host.service) ? status.streams : undefined;
    return [{ service: host.label }, { ...host, status, budget, streams }];
  });
}

/** One word of ours each: nothing that a service wrote is a label. */
const SERVICES: Source<Host> = {
  labelNames: ['service'],
  all: hosts,
  metrics: {
    service_up: ['Last call succeeded; absent before the first.', ({ http }) => http.lastCall().ok],
    service_last_success_timestamp_seconds: [
      'Time of the last successful call.',
      ({ status }) => inSeconds(status.calls.lastOkAtMs),
    ],
    service_key_refused: [
      'API key rejected, or unusable; absent while unknown.',
      ({ status: { key, verdict } }) => key === 'unusable' || (verdict && verdict.verdict === 'refused'),
    ],
    service_clock_offset_seconds: [
      'Least proven lead of the service’s clock over ours; negative: behind.',
      ({ status }) => inSeconds(status.clock?.offByMs),
    ],
    service_pause_end_timestamp_seconds: [
      'End of the pause in calls: rate limit, Retry-After, rejected key. Absent without one.',
      ({ status: { pause } }) =>
        pause ? { [pause.kind]: Math.round(Date.now() / 1000) + pause.retryAfterS } : {},
      'kind',
    ],
    service_budget_calls_per_second: ['Call budget of the host.', ({ budget }) => budget?.callsPerSecond],
    service_budget_burst_calls: ['Burst of the call budget.', ({ budget }) => budget?.burst],
    service_budget_used_calls: ['Calls of the burst in use.', ({ budget }) => budget?.used],
    service_budget_waiting_calls: [
      'Calls waiting for the budget, by priority.',
      ({ budget }) => ({ ...budget?.waiting }),
      'priority',
    ],
    service_budget_refused_total: ['Calls refused by the call budget.', ({ budget }) => budget?.refused],
    service_streams: ['Open streams from the service.', ({ streams }) => streams?.open.length],
    service_streams_opened_total: ['Streams opened to the service.', ({ streams }) => streams?.opened],
    service_stream_ends_total: [
      'Ends of streams from the service, by how they ended.',
      ({ streams }) =>
        Object.fromEntries(
          Object.entries(streams?.ends ?? {}).map(([end, count]) => [end.replaceAll('-', '_'), count]),
        ),
      'end',
    ],
    service_stream_last_byte_timestamp_seconds: [
      'Last byte received on an open stream; absent without one.',
      ({ status }) => {
        const times = status.streams.open.flatMap(({ lastByteAtMs }) => lastByteAtMs ?? []);
        return times.length === 0 ? undefined : Math.max(...times) / 1000;
      },
    ],
  },
};

const UPSTREAM_STREAMS: Source<{ upstreamStreams: number; losses: number }> = {
  labelNames: ['stream'],
  all: () => Object.entries(streamSources() ?? {}).map(([stream, { stats }]) => [{ stream }, stats]),
  metrics: {
    upstream_streams: [
      'Open upstream streams; stream=feeds is shared by all pages.',
      ({ upstreamStreams }) => upstreamStreams,
    ],
    upstream_stream_losses_total: ['Lost upstream streams, without planned closes.', ({ losses }) => losses],
  },
};

/** States that no contract names are told as one: their names are a stranger's. */
const OTHER_STATE = 'other';

type NetworkNow = {
  activity?: NetworkActivity;
  requests: Record<string, number>;
  oldestPendingUs?: number;
  acknowledged: number;
};

/** Networks of each keeper, in the words of the page for pending requests: what is stuck is decided there. */
function networks(): [Labels, NetworkNow][] {
  const now = kept.get();
  if (now === undefined) return [];
  const found = new Map<string, [Labels, NetworkNow]>();
  const at = (keeper: string, networkId: string) => {
    const key = `${keeper}/${networkId}`;
    const known = found.get(key)?.[1];
    if (known !== undefined) return known;
    const network: NetworkNow = { requests: {}, acknowledged: 0 };
    found.set(key, [placeOf(keeper, networkId), network]);
    return network;
  };
  for (const { keeper, counts } of now.keepers) {
    for (const { networkId, state, rows, oldestLiveUs } of counts) {
      const network = at(keeper, networkId);
      const word = isStateWord(state) ? state : OTHER_STATE;
      network.requests[word] = (network.requests[word] ?? 0) + rows;
      if (state === 'pending' && oldestLiveUs !== null) network.oldestPendingUs = oldestLiveUs;
    }
  }
  const stored = startedServices()?.incidents.acknowledgements ?? [];
  for (const activity of now.activity) {
    const network = at(activity.keeper, activity.networkId);
    network.activity = activity;
    const isOwn = (one: { keeper: string; networkId: string }) =>
      one.keeper === activity.keeper && one.networkId === activity.networkId;
    const { incidents, singles } = now.triage;
    const own = { incidents: incidents.filter(isOwn), singles: singles.filter(isOwn) };
    network.acknowledged = acknowledgedRequests(own, stored, now.atMs);
  }
  return [...found.values()];
}

function placeOf(keeper: string, networkId: string): Record<string, string> {
  const name = currentSettings().networks[networkId]?.name ?? builtInNetwork(networkId).name;
  return { keeper, network_id: networkId, network: name };
}

const NETWORKS: Source<NetworkNow> = {
  labelNames: ['keeper', 'network_id', 'network'],
  all: networks,
  metrics: {
    network_requests: ['Requests in the index by state.', ({ requests }) => requests, 'state'],
    network_pending_requests: ['Pending requests.', ({ activity }) => activity?.pending],
    network_oldest_pending_timestamp_seconds: [
      'Creation of the oldest pending request; absent without one.',
      ({ oldestPendingUs: us }) => (us === undefined ? undefined : Math.floor(us / 1000) / 1000),
    ],
    network_stuck_requests: ['Stuck requests, as on the Pending page.', ({ activity }) => activity?.stuck],
    network_acknowledged_requests: [
      'Acknowledged stuck requests.',
      ({ activity, acknowledged }) => (activity ? acknowledged : undefined),
    ],
    network_last_request_timestamp_seconds: [
      'Creation of the newest request.',
      ({ activity }) => inSeconds(activity?.lastRequestMs),
    ],
    network_quiet: [
      'No request for much longer than the typical interval; absent while unknown.',
      ({ activity: { quiet } = { quiet: { holds: 'unknown' as const } } }) =>
        quiet.holds === 'unknown' ? undefined : quiet.holds === 'yes',
    ],
  },
};

type KeeperNow = KeeperSnapshot & { isComplete: boolean };

function keepers(): [Labels, KeeperNow][] {
  const { keepers: all = [], index = [], atMs = 0 } = kept.get() ?? {};
  return all.map((one) => {
    const { keeper, pending } = one;
    const status = index.find((known) => known.keeper === keeper);
    const isRead = pending.kind !== 'missing' && pending.value.unseen === 0;
    return [{ keeper }, { ...one, isComplete: isRead && status !== undefined && isFresh(status, atMs) }];
  });
}

const KEEPERS: Source<KeeperNow> = {
  labelNames: ['keeper'],
  all: keepers,
  metrics: {
    log_complete: [
      'All pending requests are known, readable and up to date.',
      ({ isComplete }) => isComplete,
    ],
    log_checked_timestamp_seconds: [
      'Time of the last complete check of pending requests.',
      ({ pending }) => (pending.kind === 'known' ? pending.atMs / 1000 : undefined),
    ],
    log_pending_requests: [
      'Pending requests of the keeper.',
      ({ pending }) => (pending.kind === 'known' ? pending.value.rows.length : undefined),
    ],
    log_unseen_pending_requests: [
      'Pending requests that are unreadable or over the limit.',
      ({ pending }) => (pending.kind === 'known' ? pending.value.unseen : undefined),
    ],
  },
};

const INDEX: Source<KeeperStatus & { nowMs: number }> = {
  labelNames: ['keeper'],
  all: () => {
    const index = startedServices()?.index;
    const nowMs = index?.now() ?? 0;
    return (index?.status() ?? []).map((one) => [{ keeper: one.keeper }, { ...one, nowMs }]);
  },
  metrics: {
    index_rows: ['Rows of the keeper in the index.', ({ rows }) => rows],
    index_gone_rows: ['Rows in the index that the service no longer serves.', ({ gone }) => gone],
    index_unreadable_rows: ['Unreadable rows, stored as received.', ({ unreadable }) => unreadable],
    index_sync_age_seconds: [
      'Age of the newest sync; absent before the first.',
      ({ syncedAtMs, nowMs }) => (syncedAtMs === null ? undefined : Math.max(0, nowMs - syncedAtMs) / 1000),
    ],
    index_history_rows: ['History rows read; absent once complete.', ({ history }) => history?.done],
    index_history_expected_rows: [
      'History rows in total, as the service counts; absent once complete.',
      ({ history }) => history?.expected,
    ],
    index_audit_difference_rows: [
      'Rows in the index less the service’s count, at the last audit.',
      ({ audit }) => (audit === null ? undefined : audit.ours - audit.theirs),
    ],
  },
};

const PROCESS: Source<undefined> = {
  labelNames: [],
  all: () => [[{}, undefined]],
  metrics: {
    index_storage: [
      'Where the index lives: 1 for file, postgres, memory (lost on exit) or read-only.',
      () => {
        const storage = startedServices()?.index.storage;
        const modes = storage === undefined ? [] : ['file', 'postgres', 'memory', 'read-only'];
        return Object.fromEntries(modes.map((mode) => [mode, mode === storage]));
      },
      'mode',
    ],
    index_leader: [
      '1 where this instance is the one that syncs the index.',
      () => (startedServices()?.index.isLeader === true ? 1 : 0),
    ],
    stream_buffered_bytes: ['Bytes waiting for slow readers of our streams.', bufferedBytes],
    feed_history_bytes: ['Bytes of price updates held for charts.', () => openHub()?.stats.historyBytes],
    feed_updates_total: [
      'Price updates received for the pages: passed, or dropped as duplicate, older or unreadable.',
      () => {
        const { updates: passed, duplicates: duplicate, older, unreadable } = openHub()?.stats ?? {};
        return { passed, duplicate, older, unreadable };
      },
      'fate',
    ],
  },
};

/** Feeds that are told: as many as a hub watches at most. */
const MOST_FEEDS = 500;
const MOST_SYMBOL_CHARACTERS = 100;
/** A market opens to the minute, and its schedule costs a little to read. */
const MARKET_KEPT_MS = 30_000;

type WatchedFeed = { latest: CompactFeed; entry?: FeedEntry };

/** A feed is told while somebody watches it, and for as long as the process lives where FEEDS names it. */
export function addFeedMetrics(
  registry: Registry,
  hub: () => FeedHub | undefined = openHub,
  directory: () => readonly FeedEntry[] = knownFeeds,
  now: () => number = Date.now,
): void {
  const isOpen = marketsAsOf(now);
  addSource<WatchedFeed>(registry, {
    labelNames: ['feed', 'symbol'],
    all: () => watchedFeeds(hub(), directory()),
    metrics: {
      feed_last_publish_timestamp_seconds: [
        'Publish time of the last update, by the clock of the service.',
        ({ latest }) => latest.t,
      ],
      feed_last_receive_timestamp_seconds: [
        'Time of the last update, by our clock.',
        ({ latest }) => latest.r / 1000,
      ],
      feed_market_open: [
        'Prices are expected: 0 while the market is closed or the feed is not published; absent while unknown.',
        ({ entry }) => entry && isOpen(entry),
      ],
    },
  });
  addSource(registry, {
    labelNames: [],
    all: () => [[{}, hub()]],
    metrics: {
      feed_stream_up: ['Dashboard stream connected and alive; absent while no feed is watched.', streamUp],
    },
  });
  addSource(registry, {
    labelNames: ['version', 'source'],
    all: () => {
      const { version = 'unknown', source = 'none' } = startedServices() ?? {};
      return [[{ version, source }, 1]];
    },
    metrics: { build_info: ['Version and data source; always 1.', (one: number) => one] },
  });
}

function watchedFeeds(hub: FeedHub | undefined, directory: readonly FeedEntry[]): [Labels, WatchedFeed][] {
  const texts = [...(hub?.lastTexts ?? [])].slice(0, MOST_FEEDS);
  const wanted = new Set<string>(texts.map(([id]) => id));
  const entries = new Map(directory.filter(({ id }) => wanted.has(id)).map((one) => [one.id, one]));
  return texts.map(([id, text]) => {
    const entry = entries.get(id);
    const symbol = entry?.symbol.slice(0, MOST_SYMBOL_CHARACTERS) ?? '';
    return [
      { feed: id, symbol },
      { latest: JSON.parse(text) as CompactFeed, entry },
    ];
  });
}

function marketsAsOf(now: () => number): (entry: FeedEntry) => boolean | undefined {
  let known = new WeakMap<FeedEntry, { open: boolean | undefined }>();
  let asOfMs = Number.NEGATIVE_INFINITY;
  return (entry) => {
    if (Math.abs(now() - asOfMs) >= MARKET_KEPT_MS) {
      known = new WeakMap();
      asOfMs = now();
    }
    const found = known.get(entry) ?? { open: isTrading(entry, now()) };
    known.set(entry, found);
    return found.open;
  };
}

/** While it is first opened nothing is wrong yet; without a feed nothing is to be open. */
function streamUp(hub: FeedHub | undefined): boolean | undefined {
  const { connection, stats } = hub ?? {};
  if (connection === undefined || stats?.feeds === 0 || connection.state === 'connecting') return undefined;
  const { state, failure } = connection;
  return (state === 'live' || state === 'quiet') && failure === undefined;
}

/** Long for whoever guesses, short for a monitoring whose token has just been put right. */
const LONGEST_WAIT_S = 60;

const waits = processWide<LoginThrottle>('metrics-token-waits');

export async function replyWithMetrics(request: Request): Promise<Response> {
  const allowed = await mayReadMetrics(request.headers, currentSettings());
  if (!allowed.ok) return problemReply(problemOf(allowed.failure));
  if (!allowed.value) {
    const detail =
      'Metrics need a signed-in caller, Authorization: Bearer with the METRICS_TOKEN, or a call from this machine.';
    return problemReply(problem('not-signed-in', detail), { 'www-authenticate': 'Bearer' });
  }
  const { text, contentType } = await readMetrics();
  return textReply(text, contentType);
}

/**
 * With loopback access every caller is local; else the caller sits on this machine, brings the token or is signed in.
 * Where anyone may come in, the figures still are the operator's. Fails with `too-many` while the caller's address has
 * to wait for its wrong tokens, or for having asked too often without one.
 */
export async function mayReadMetrics(
  headers: Headers,
  { access, metricsToken }: Settings,
): Promise<Outcome<boolean>> {
  if (access.kind === 'local' || headers.get(PEER_HEADER) === 'local') return ok(true);
  const caller = callerOfFetch({ headers });
  const [, given] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  if (given !== undefined) return isToken(given, metricsToken?.(), caller.address);
  const entry = await enter(caller, access);
  if (!entry.ok && entry.problem.kind === 'too-many') return failed({ ...entry.problem, kind: 'too-many' });
  return ok(access.kind !== 'open' && entry.ok);
}

/** The right token waits too: an answer at once would tell whoever guesses that it is right. */
function isToken(given: string, token: string | undefined, address: string): Outcome<boolean> {
  const guesses = waits.ensure(() => new LoginThrottle(LONGEST_WAIT_S));
  const waitS = guesses.waitS(address);
  if (waitS > 0) return failed(mustWait('Too many wrong tokens.', waitS));
  if (token !== undefined && isSameText(given, token)) {
    guesses.forgive(address);
    return ok(true);
  }
  guesses.count(address);
  return ok(false);
}
