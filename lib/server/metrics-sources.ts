import 'server-only';
import { callerOfFetch, PEER_HEADER } from '@/lib/access/caller';
import { LoginThrottle, mustWait } from '@/lib/access/login-throttle';
import { enter, isSameText } from '@/lib/access/principal';
import { acknowledgedRequests } from '@/lib/alerts/acknowledge';
import type { FeedEntry } from '@/lib/core/feed';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { problem, problemOf } from '@/lib/core/problem';
import { builtInNetwork } from '@/lib/core/registry';
import { isStateWord } from '@/lib/core/request-record';
import { isPublished } from '@/lib/feeds/feed-cadence';
import { type MarketState, marketStateAt, parseMarketSchedule } from '@/lib/feeds/market-schedule';
import { feedDirectory, knownFeeds } from '@/lib/feeds/server/feed-directory';
import type { FeedHub } from '@/lib/feeds/server/hub';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import type { NetworkActivity } from '@/lib/pending/answers';
import { isFresh, type KeeperSnapshot } from '@/lib/pending/server/evidence';
import { type TriageNow, triageOf } from '@/lib/pending/server/triage';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import type { IndexStore, StorageKind } from '@/lib/store/store';
import type { HostStatus } from '@/lib/upstream/http-service';
import { log } from './log';
import { addReadMetrics, inSeconds, metrics, type ReadMetric, type Sample, sharedInTurn } from './metrics';
import { addRequestMetrics, readFinishedRequests } from './metrics-requests';
import { processWide } from './process-wide';
import { problemReply, textReply } from './reply';
import { type KnownHost, knownHosts } from './service-report';
import { type Services, startedServices } from './services';
import { currentSettings, type Settings } from './settings';
import { bufferedBytes, openHub, type StreamSources, streamSources } from './streams';

const kept = processWide<TriageNow>('metrics-pending');
const added = processWide<'added'>('metrics-sources');

/** All metrics as Prometheus text. */
export async function readMetrics(): Promise<{ text: string; contentType: string }> {
  const { registry } = metrics();
  if (added.get() === undefined) {
    addReadMetrics(registry, sources());
    addRequestMetrics(registry);
  }
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
    log().error({ error }, 'reading metrics of the index met an error of ours');
    return undefined;
  }
}

function sources(): ReadMetric[] {
  return [
    ...serviceMetrics(startedServices),
    ...feedMetrics(openHub),
    ...ownStreamMetrics(streamSources),
    ...networkMetrics(kept.get),
    ...indexMetrics(() => startedServices()?.index),
    {
      name: 'keeperscope_stream_buffered_bytes',
      help: 'Bytes that wait for readers of our streams who do not take them.',
      labelNames: [],
      read: () => [{ labels: {}, value: bufferedBytes() }],
    },
    {
      name: 'keeperscope_build_info',
      help: 'The version that runs, and whether real services stand behind it: always 1.',
      labelNames: ['version', 'source'],
      read: () => {
        const { version = 'unknown', source = 'none' } = startedServices() ?? {};
        return [{ labels: { version, source }, value: 1 }];
      },
    },
  ];
}

type Host = KnownHost & { standing: HostStatus };

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

function lastByteOf({ streams: { standing } }: HostStatus): number | undefined {
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
      name: 'keeperscope_network_acknowledged_requests',
      help: 'Stuck requests of the network that somebody has acknowledged: they are quiet until they change.',
      labelNames: OF_NETWORK,
      read: () => acknowledged(now()),
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

function acknowledged(now: TriageNow | undefined): Sample[] {
  if (now === undefined) return [];
  const { incidents, singles } = now.triage;
  const stored = startedServices()?.incidents.acknowledgements ?? [];
  return now.activity.map(({ keeper, networkId }) => {
    const isOwn = (one: { keeper: string; networkId: string }) =>
      one.keeper === keeper && one.networkId === networkId;
    const own = { incidents: incidents.filter(isOwn), singles: singles.filter(isOwn) };
    return {
      labels: placeOf(keeper, networkId),
      value: acknowledgedRequests(own, stored, now.atMs),
    };
  });
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

const STORAGE: readonly StorageKind[] = ['file', 'memory', 'read-only'];

/** How far the index of each keeper reaches and how old it is, and where it lives. */
export function indexMetrics(indexOf: () => IndexStore | undefined): ReadMetric[] {
  const each = (figureOf: (status: KeeperStatus, nowMs: number) => number | undefined) => ({
    labelNames: ['keeper'],
    read: () => {
      const index = indexOf();
      if (index === undefined) return [];
      return index.status().flatMap((status) => {
        const value = figureOf(status, index.now());
        return value === undefined ? [] : [{ labels: { keeper: status.keeper }, value }];
      });
    },
  });
  return [
    {
      name: 'keeperscope_index_rows',
      help: 'Rows of the keeper in the index, those that its service no longer serves among them.',
      ...each(({ rows }) => rows),
    },
    {
      name: 'keeperscope_index_gone_rows',
      help: 'Rows in the index that the service of the keeper no longer serves.',
      ...each(({ gone }) => gone),
    },
    {
      name: 'keeperscope_index_unreadable_rows',
      help: 'Rows of the keeper that can’t be read, kept as they came.',
      ...each(({ unreadable }) => unreadable),
    },
    {
      name: 'keeperscope_index_sync_age_seconds',
      help: 'How long ago the newest rows of the keeper were read; absent before the first time.',
      ...each(({ syncedAtMs }, nowMs) =>
        syncedAtMs === null ? undefined : Math.max(0, nowMs - syncedAtMs) / 1000,
      ),
    },
    {
      name: 'keeperscope_index_history_rows',
      help: 'Rows of the keeper’s history that are read; absent once all are.',
      ...each(({ history }) => history?.done),
    },
    {
      name: 'keeperscope_index_history_expected_rows',
      help: 'Rows of the keeper’s history in all, as its service counts; absent once all are read.',
      ...each(({ history }) => history?.expected),
    },
    {
      name: 'keeperscope_index_audit_difference_rows',
      help: 'Rows in the index less rows that the service counts, at the last comparison; absent before the first.',
      ...each(({ audit }) => (audit === null ? undefined : audit.ours - audit.theirs)),
    },
    {
      name: 'keeperscope_index_storage',
      help: 'Where the index lives: 1 for file, memory (lost at the end of the process) or read-only.',
      labelNames: ['mode'],
      read: () => {
        const index = indexOf();
        if (index === undefined) return [];
        return STORAGE.map((mode) => ({ labels: { mode }, value: Number(index.storage === mode) }));
      },
    },
  ];
}

/** Feeds that are told: as many as a hub watches at most. */
const MOST_FEEDS = 500;
/** Symbols come from services. */
const MOST_SYMBOL_CHARACTERS = 100;

/** A market opens to the minute, and its schedule costs a little to read. */
const MARKET_KEPT_MS = 30_000;

type WatchedFeed = { labels: { feed: string; symbol: string }; latest: CompactFeed; entry?: FeedEntry };

/**
 * When the watched feeds were last published and received, and how the pages' stream is. A feed is told while somebody
 * watches it, and for as long as the process lives where FEEDS names it.
 */
export function feedMetrics(
  hub: () => FeedHub | undefined,
  directory: () => readonly FeedEntry[] = knownFeeds,
  now: () => number = Date.now,
): ReadMetric[] {
  const feeds = sharedInTurn(() => watchedFeeds(hub(), directory()));
  const isOpen = marketsAsOf(now);
  const each = (samplesOf: (feed: WatchedFeed) => number | undefined) => ({
    labelNames: ['feed', 'symbol'],
    read: () =>
      feeds().flatMap((feed): Sample[] => {
        const value = samplesOf(feed);
        return value === undefined ? [] : [{ labels: feed.labels, value }];
      }),
  });
  return [
    {
      name: 'keeperscope_feed_last_publish_timestamp_seconds',
      help: 'Publish time of the last update of a watched feed, unix time by the clock of the service.',
      ...each(({ latest }) => latest.t),
    },
    {
      name: 'keeperscope_feed_last_receive_timestamp_seconds',
      help: 'When the last update of a watched feed came here, unix time.',
      ...each(({ latest }) => inSeconds(latest.r)),
    },
    {
      name: 'keeperscope_feed_market_open',
      help: 'Whether prices are to be expected: 1, or 0 while the market is closed or the feed is not published; absent where the directory does not say.',
      ...each(({ entry }) => {
        const open = entry && isOpen(entry);
        return open === undefined ? undefined : Number(open);
      }),
    },
    {
      name: 'keeperscope_feed_stream_up',
      help: 'Whether the stream of our pages stands and gives signs of life: 1 or 0; absent while nobody watches a feed.',
      labelNames: [],
      read: () => streamUp(hub()),
    },
  ];
}

function watchedFeeds(hub: FeedHub | undefined, directory: readonly FeedEntry[]): WatchedFeed[] {
  const texts = [...(hub?.lastTexts ?? [])].slice(0, MOST_FEEDS);
  if (texts.length === 0) return [];
  const wanted = new Set<string>(texts.map(([id]) => id));
  const entries = new Map(directory.filter(({ id }) => wanted.has(id)).map((one) => [one.id, one]));
  return texts.map(([id, text]) => {
    const entry = entries.get(id);
    const symbol = entry?.symbol.slice(0, MOST_SYMBOL_CHARACTERS) ?? '';
    return { labels: { feed: id, symbol }, latest: JSON.parse(text) as CompactFeed, entry };
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
function streamUp(hub: FeedHub | undefined): Sample[] {
  const connection = hub?.connection;
  if (hub === undefined || connection === undefined || hub.stats.feeds === 0) return [];
  const { state, failure } = connection;
  if (state === 'connecting') return [];
  return [{ labels: {}, value: Number((state === 'live' || state === 'quiet') && failure === undefined) }];
}

const MINUTE_MS = 60_000;
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+/-]{1,47}$/;

/**
 * Whether prices of a feed are to be expected at a moment: not while its market is closed, nor where nobody publishes it.
 * Undefined where the directory says nothing of either.
 * @param atMs unix milliseconds
 */
export function isTrading({ schedule, state }: FeedEntry, atMs: number): boolean | undefined {
  if (!isPublished(state)) return false;
  const market = schedule === undefined ? undefined : marketAt(schedule, atMs);
  return market && market.kind === 'open';
}

function marketAt(text: string, atMs: number): MarketState | undefined {
  const schedule = parseMarketSchedule(text);
  const format = schedule && wallClock(schedule.timeZone);
  if (schedule === undefined || format === undefined) return undefined;
  return marketStateAt(schedule, atMs, (ms) => offsetMs(format, ms));
}

function wallClock(timeZone: string): Intl.DateTimeFormat | undefined {
  // The name comes from a service.
  if (!ZONE_NAME.test(timeZone)) return undefined;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
}

/** How far the clocks of the zone are ahead of UTC, from `GMT-05:00`, or `GMT` for none. */
function offsetMs(format: Intl.DateTimeFormat, atMs: number): number {
  const text = format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0'] = /^GMT([+-])(\d{2}):(\d{2})/.exec(text) ?? [];
  const ms = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  return sign === '-' ? -ms : ms;
}

/** Long for whoever guesses, short for a monitoring whose token has just been put right. */
const LONGEST_WAIT_S = 60;

const waits = processWide<LoginThrottle>('metrics-token-waits');

/** The metrics as Prometheus text, for those who may read them. */
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
  const guesses = waits.get() ?? new LoginThrottle(LONGEST_WAIT_S);
  waits.set(guesses);
  const waitS = guesses.waitS(address);
  if (waitS > 0) return failed(mustWait('Too many wrong tokens.', waitS));
  if (token !== undefined && isSameText(given, token)) {
    guesses.forgive(address);
    return ok(true);
  }
  guesses.count(address);
  return ok(false);
}

/** What the streams know about themselves; nothing before the first reader. */
function ownStreamMetrics(streams: () => StreamSources | undefined): ReadMetric[] {
  const perStream = (count: (stats: { upstreamStreams: number; losses: number }) => number) => ({
    labelNames: ['stream'],
    read: () =>
      Object.entries(streams() ?? {}).map(([stream, { stats }]) => ({
        labels: { stream },
        value: count(stats),
      })),
  });
  const ofHub = (samplesOf: (hub: FeedHub) => Sample[]) => {
    const hub = streams()?.feeds;
    return hub === undefined ? [] : samplesOf(hub);
  };
  return [
    {
      name: 'keeperscope_upstream_streams',
      help: 'Streams of the services that are open now: feeds is shared by all pages, the others by programs.',
      ...perStream(({ upstreamStreams }) => upstreamStreams),
    },
    {
      name: 'keeperscope_upstream_stream_losses_total',
      help: 'Streams of the services that were lost, planned closes not counted.',
      ...perStream(({ losses }) => losses),
    },
    {
      name: 'keeperscope_feed_history_bytes',
      help: 'Bytes of price updates that are remembered for charts.',
      labelNames: [],
      read: () => ofHub(({ stats }) => [{ labels: {}, value: stats.historyBytes }]),
    },
    {
      name: 'keeperscope_feed_updates_total',
      help: 'Price updates received for the pages: passed on, or dropped as duplicate, older or unreadable.',
      labelNames: ['fate'],
      read: () => ofHub(fates),
    },
  ];
}

function fates({ stats }: FeedHub): Sample[] {
  const { updates, duplicates, older, unreadable } = stats;
  const counts = { passed: updates, duplicate: duplicates, older, unreadable };
  return Object.entries(counts).map(([fate, value]) => ({ labels: { fate }, value }));
}
