import 'server-only';
import { setTimeout as pause } from 'node:timers/promises';
import { callerOfFetch, PEER_HEADER } from '@/lib/access/caller';
import { LoginThrottle, tooManyFailure } from '@/lib/access/login-throttle';
import { admitWithLimits } from '@/lib/access/principal';
import { problemReply, textReply } from '@/lib/access/reply';
import { isEqualInConstantTime } from '@/lib/access/session';
import type { FeedEntry } from '@/lib/core/feed';
import { groupedBy } from '@/lib/core/grouped';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { failureProblem, problemDetails } from '@/lib/core/problem';
import { builtInNetwork } from '@/lib/core/registry';
import { isStateWord } from '@/lib/core/request-record';
import { isTrading } from '@/lib/feeds/feed-cadence';
import type { CompactFeed } from '@/lib/feeds/price-update';
import { cachedFeeds, feedDirectory, receivedDirectory } from '@/lib/feeds/server/feed-directory';
import type { FeedHub } from '@/lib/feeds/server/hub';
import { openHub } from '@/lib/feeds/server/process-hub';
import { cadenceFloors, type JudgedFeed, judgedFeeds } from '@/lib/feeds/server/stale-feeds';
import {
  type ChainState,
  hangingTransactions,
  hasOldHead,
  MAX_STATE_AGE_MS,
} from '@/lib/onchain/network-state';
import { chainStates } from '@/lib/onchain/server/network-watch';
import { isPendingFresh } from '@/lib/pending/server/evidence';
import { type TriageNow, triageOf } from '@/lib/pending/server/triage';
import { log } from '@/lib/platform/log';
import { type FigureList, metrics, registerFigures } from '@/lib/platform/metrics';
import { processWide } from '@/lib/platform/process-wide';
import { currentSettings, type Settings } from '@/lib/platform/settings';
import { type Services, startedServices } from '@/lib/services/services';
import { finishedFigures } from './metrics-requests';
import { bufferedBytes, streamSources } from './streams';

const HELPS = {
  service_up: 'Last call succeeded; absent before the first.',
  service_last_success_timestamp_seconds: 'Time of the last successful call.',
  service_key_refused: 'API key rejected, or unusable; absent while unknown.',
  service_clock_offset_seconds: 'Least proven lead of the service’s clock over ours; negative: behind.',
  service_pause_end_timestamp_seconds:
    'End of the pause in calls: rate limit, Retry-After, rejected key. Absent without one.',
  service_budget_calls_per_second: 'Call budget of the host.',
  service_budget_burst_calls: 'Burst of the call budget.',
  service_budget_used_calls: 'Calls of the burst in use.',
  service_budget_waiting_calls: 'Calls waiting for the budget, by priority.',
  service_budget_refused_total: 'Calls refused by the call budget.',
  service_streams: 'Open streams from the service.',
  service_streams_opened_total: 'Streams opened to the service.',
  service_stream_ends_total: 'Ends of streams from the service, by how they ended.',
  service_stream_last_byte_timestamp_seconds: 'Last byte received on an open stream; absent without one.',
  upstream_streams: 'Open upstream streams; stream=feeds is shared by all pages.',
  upstream_stream_losses_total: 'Lost upstream streams, without planned closes.',
  network_requests: 'Requests in the index by state.',
  network_pending_requests: 'Pending requests.',
  network_oldest_pending_timestamp_seconds: 'Creation of the oldest pending request; absent without one.',
  network_stuck_requests: 'Stuck requests, as on the Pending page, acknowledged ones too.',
  network_acknowledged_requests: 'Acknowledged stuck requests.',
  network_parked_requests:
    'Pending requests older than a day that belong to no incident, not counted as stuck.',
  network_last_request_timestamp_seconds: 'Creation of the newest request.',
  network_quiet: 'No request for much longer than the typical interval; absent while unknown.',
  network_finished_requests_total: 'Requests finished since this process started, by outcome.',
  log_complete: 'All pending requests are known, readable and up to date.',
  log_checked_timestamp_seconds: 'Time of the last complete check of pending requests.',
  log_pending_requests: 'Pending requests of the keeper.',
  log_unseen_pending_requests: 'Pending requests that are unreadable or over the limit.',
  index_rows: 'Rows of the keeper in the index.',
  index_gone_rows: 'Rows in the index that the service no longer serves.',
  index_unreadable_rows: 'Unreadable rows, stored as received.',
  index_sync_age_seconds: 'Age of the newest sync; absent before the first.',
  index_history_rows: 'History rows read; absent once complete.',
  index_history_expected_rows:
    'History rows in total, as the service counts; absent until it reports them, and once complete.',
  index_audit_difference_rows: 'Rows in the index less the service’s count, at the last audit.',
  index_audit_age_seconds: 'Age of the last audit; absent before the first.',
  index_storage: 'Where the index lives: 1 for file, postgres, memory (lost on exit) or read-only.',
  index_out_of_memory_total: 'Questions to the index that failed for lack of memory (STORE_MEMORY_MB).',
  index_up: 'Figures of the index were computed within 5 s; at 0 they are absent.',
  index_leader: '1 where this instance is the one that syncs the index.',
  stream_buffered_bytes: 'Bytes waiting for slow readers of our streams.',
  wallet_balance_wei: 'Balance of the keeper’s wallets on a network with an RPC.',
  wallet_days_left:
    'Days until the first of them is empty, at the spending of up to 7 days; absent before 20 h are logged.',
  wallet_nonce_gap: 'Transactions of the keeper’s wallets that were sent and are not mined.',
  random_numbers_left: 'Random numbers left, of the provider that has fewest.',
  random_numbers_days_left:
    'Days until they are used up, at the requests of up to 7 days; absent before 20 h are logged.',
  chain_head_age_seconds: 'Age of the newest block when the chain was last queried.',
  feed_history_bytes: 'Bytes of price updates held for charts.',
  feed_updates_total:
    'Price updates received for the pages: passed, or dropped as duplicate, older or unreadable, or misdated.',
  feed_last_publish_timestamp_seconds: 'Publish time of the last update, by the clock of the service.',
  feed_last_receive_timestamp_seconds: 'Time of the last update, by our clock.',
  feed_market_open:
    'Prices are expected: 0 while the market is closed or the feed is not published; absent while unknown.',
  feed_stale:
    'No update for longer than its rhythm and its market explain, as on screen; absent while unknown.',
  feed_stream_up: 'Every dashboard stream connected and alive; absent while no feed is watched.',
  build_info: 'Version and data source; always 1.',
};

type Figures = FigureList<keyof typeof HELPS>;

async function readMetrics(): Promise<{ text: string; contentType: string }> {
  const { registry } = metrics();
  const started = startedServices();
  const ofIndex = started && (await figuresOfIndex(started));
  registerFigures(registry, HELPS, [
    ...(started ? serviceFigures(started) : []),
    ...Object.entries(streamSources()).map(([stream, { stats }]): Figures[number] => [
      { stream },
      { upstream_streams: stats.upstreamStreams, upstream_stream_losses_total: stats.losses },
    ]),
    ...(ofIndex ?? []),
    ...(started ? syncFigures(started, ofIndex !== undefined) : []),
    ...feedFigures(openHub(), cachedFeeds(), judgedNow(started), Date.now()),
    ...(started ? chainFigures(started) : []),
    processFigures(started),
    [{}, { index_up: started && ofIndex !== undefined }],
    [{ version: started?.version ?? 'unknown', source: started?.source ?? 'none' }, { build_info: 1 }],
  ]);
  // The directory is loaded for the next scrape. This never fails, and the result is cached for minutes.
  if (started !== undefined) void feedDirectory();
  return { text: await registry.metrics(), contentType: registry.contentType };
}

const inSeconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000);

/** Labels are our own words, never those of a service. */
function serviceFigures({ hosts }: Services): Figures {
  const reported = new Set<string>();
  return hosts.map((http) => {
    const { service, label } = http.options;
    const { key, verdict, calls, clock, pause, ...status } = http.status();
    // A budget that keepers on a host share is exported once.
    const place = `${service} ${http.address.origin}`;
    const budget = reported.has(place) ? undefined : status.budget;
    reported.add(place);
    // Log services and the router have no streams.
    const streams = service === 'updates' || service === 'upgraded' ? status.streams : undefined;
    const { 'closed-here': closed_here, 'ended-by-service': ended_by_service, broken } = streams?.ends ?? {};
    const lastBytes = (streams?.open ?? []).flatMap(({ lastByteAtMs }) => lastByteAtMs ?? []);
    const pauseEndS = Math.round(Date.now() / 1000) + (pause?.retryAfterS ?? 0);
    return [
      { service: label },
      {
        service_up: http.lastCall().ok,
        service_last_success_timestamp_seconds: inSeconds(calls.lastOkAtMs),
        service_key_refused: key === 'unusable' || (verdict && verdict.verdict === 'refused'),
        service_clock_offset_seconds: inSeconds(clock?.offByMs),
        service_pause_end_timestamp_seconds: pause && { kind: { [pause.kind]: pauseEndS } },
        service_budget_calls_per_second: budget?.callsPerSecond,
        service_budget_burst_calls: budget?.burst,
        service_budget_used_calls: budget?.used,
        service_budget_waiting_calls: budget && { priority: budget.waiting },
        service_budget_refused_total: budget?.refused,
        service_streams: streams?.open.length,
        service_streams_opened_total: streams?.opened,
        service_stream_ends_total: { end: { closed_here, ended_by_service, broken } },
        service_stream_last_byte_timestamp_seconds:
          lastBytes.length === 0 ? undefined : Math.max(...lastBytes) / 1000,
      },
    ];
  });
}

/** A scrape usually waits 10 s, so figures that take longer are left out. */
const INDEX_MS = 5000;

/** Undefined if the index's database takes too long. */
async function figuresOfIndex(started: Services): Promise<Figures | undefined> {
  const late = pause(INDEX_MS, undefined, { ref: false });
  return Promise.race([pendingFigures(started), late]);
}

async function pendingFigures(started: Services): Promise<Figures | undefined> {
  try {
    const now = await triageOf(started.index).now();
    const finished = await finishedFigures(started.index, now, placeOf);
    return [...stateFigures(now), ...activityFigures(now), ...keeperFigures(now), ...finished];
  } catch (error) {
    log().error({ error }, 'could not read metrics of the index');
    return undefined;
  }
}

function stateFigures({ keepers }: TriageNow): Figures {
  return keepers.flatMap(({ keeper, counts }) =>
    [...groupedBy(counts, ({ networkId }) => networkId)].map(([networkId, ofNetwork]): Figures[number] => {
      const requests: Record<string, number> = {};
      for (const { state, rows } of ofNetwork) {
        // Names of unknown states come from a service.
        const word = isStateWord(state) ? state : 'other';
        requests[word] = (requests[word] ?? 0) + rows;
      }
      const oldestUs = ofNetwork.find(({ state }) => state === 'pending')?.oldestLiveUs ?? undefined;
      const oldestS = oldestUs && Math.floor(oldestUs / 1000) / 1000;
      return [
        placeOf(keeper, networkId),
        { network_requests: { state: requests }, network_oldest_pending_timestamp_seconds: oldestS },
      ];
    }),
  );
}

function activityFigures({ activity }: TriageNow): Figures {
  return activity.map(({ keeper, networkId, pending, stuck, acknowledged, parked, lastRequestMs, quiet }) => [
    placeOf(keeper, networkId),
    {
      network_pending_requests: pending,
      // Includes acknowledged requests, unlike the figure on screen. The alert rules subtract them.
      network_stuck_requests: stuck === undefined ? undefined : stuck + (acknowledged ?? 0),
      network_acknowledged_requests: acknowledged,
      network_parked_requests: parked,
      network_last_request_timestamp_seconds: inSeconds(lastRequestMs),
      network_quiet: quiet.holds === 'unknown' ? undefined : quiet.holds === 'yes',
    },
  ]);
}

function placeOf(keeper: string, networkId: string) {
  const name = currentSettings().networks[networkId]?.name ?? builtInNetwork(networkId).name;
  return { keeper, network_id: networkId, network: name };
}

function keeperFigures({ keepers, index, atMs }: TriageNow): Figures {
  return keepers.map(({ keeper, pending, unknownState, clockAheadMs }) => {
    const status = index.find((status) => status.keeper === keeper);
    const isRead = pending.kind !== 'missing' && pending.value.unseen + unknownState === 0;
    const read = pending.kind === 'known' ? pending : undefined;
    return [
      { keeper },
      {
        log_complete: isRead && status !== undefined && isPendingFresh(status, atMs),
        // Evidence is dated by the keeper's clock.
        log_checked_timestamp_seconds: inSeconds(read && read.atMs - clockAheadMs),
        log_pending_requests: read?.value.rows.length,
        log_unseen_pending_requests: read?.value.unseen,
      },
    ];
  });
}

/** @param isUp false while the database is down; outdated counts of the index are then left out */
function syncFigures({ index }: Services, isUp: boolean): Figures {
  const nowMs = index.now();
  return index.status().map(({ keeper, rows, gone, unreadable, syncedAtMs, history, audit }) => [
    { keeper },
    {
      ...(isUp && { index_rows: rows, index_gone_rows: gone, index_unreadable_rows: unreadable }),
      index_sync_age_seconds: syncedAtMs === null ? undefined : Math.max(0, nowMs - syncedAtMs) / 1000,
      index_history_rows: history?.done,
      index_history_expected_rows: history?.expected,
      index_audit_difference_rows: audit === null ? undefined : audit.ours - audit.theirs,
      index_audit_age_seconds: audit === null ? undefined : Math.max(0, nowMs - audit.atMs) / 1000,
    },
  ]);
}

/** The smallest of the known figures; undefined if none is known. */
const smallest = (values: readonly (number | null)[]) => {
  const numbers = values.filter((value) => value !== null);
  return numbers.length === 0 ? undefined : Math.min(...numbers);
};

/** Figures of the chain in the last minutes; of an old block only its age. An address never becomes a label. */
function chainFigures(started: Services): Figures {
  const nowMs = started.index.now();
  const states = chainStates(started).filter(({ atMs }) => nowMs - atMs <= MAX_STATE_AGE_MS);
  return states.map((state) => {
    const { keeper, networkId, headMs, atMs } = state;
    const ageFigure = { chain_head_age_seconds: Math.max(0, atMs - headMs) / 1000 };
    return [
      placeOf(keeper, networkId),
      hasOldHead(state) ? ageFigure : { ...accountFigures(state), ...ageFigure },
    ];
  });
}

function accountFigures(state: ChainState): Figures[number][1] {
  const { wallets, providers } = state;
  return {
    wallet_balance_wei:
      wallets.length === 0
        ? undefined
        : Number(wallets.reduce((sum, { balanceWei }) => sum + BigInt(balanceWei), 0n)),
    wallet_days_left: smallest(wallets.map(({ daysLeft }) => daysLeft)),
    wallet_nonce_gap: hangingTransactions(state),
    random_numbers_left: smallest(providers.map(({ numbersLeft }) => Number(numbersLeft))),
    random_numbers_days_left: smallest(providers.map(({ daysLeft }) => daysLeft)),
  };
}

function processFigures(started: Services | undefined): Figures[number] {
  const storage = started?.index.storage;
  const modes = storage === undefined ? [] : ['file', 'postgres', 'memory', 'read-only'];
  const { historyBytes, updates: passed, duplicate, older, misdated, unreadable } = openHub()?.stats ?? {};
  return [
    {},
    {
      index_storage: { mode: Object.fromEntries(modes.map((mode) => [mode, mode === storage])) },
      index_leader: started?.index.isLeader === true,
      index_out_of_memory_total: started?.index.engine.memoryFailures.count,
      stream_buffered_bytes: bufferedBytes(),
      feed_history_bytes: historyBytes,
      feed_updates_total: { fate: { passed, duplicate, older, misdated, unreadable } },
    },
  ];
}

function judgedNow(started: Services | undefined): JudgedFeed[] {
  return started ? judgedFeeds(openHub(), receivedDirectory(), cadenceFloors(started.settings)) : [];
}

/** Limit of feeds: as many as a hub watches. */
const MAX_FEEDS = 500;
const MAX_SYMBOL_LENGTH = 100;

export function feedFigures(
  hub: FeedHub | undefined,
  directory: readonly FeedEntry[],
  judged: readonly Pick<JudgedFeed, 'id' | 'staleSinceMs'>[],
  nowMs: number,
): Figures {
  const isStale = new Map(judged.map(({ id, staleSinceMs }) => [id, staleSinceMs !== undefined]));
  const entries = new Map(directory.map((entry) => [entry.id, entry]));
  const feeds = [...(hub?.lastTexts ?? [])].slice(0, MAX_FEEDS).map(([feed, text]): Figures[number] => {
    const entry = entries.get(feed);
    const { t, r } = JSON.parse(text) as CompactFeed;
    return [
      { feed, symbol: entry?.symbol.slice(0, MAX_SYMBOL_LENGTH) ?? '' },
      {
        feed_last_publish_timestamp_seconds: t,
        feed_last_receive_timestamp_seconds: r / 1000,
        feed_market_open: entry && isTrading(entry, nowMs),
        feed_stale: isStale.get(feed),
      },
    ];
  });
  return [...feeds, [{}, { feed_stream_up: streamUp(hub) }]];
}

/** Undefined while the first connection is opening, and without a watched feed. */
function streamUp(hub: FeedHub | undefined): boolean | undefined {
  const { connection, stats } = hub ?? {};
  if (connection === undefined || stats?.feeds === 0 || connection.state === 'connecting') return undefined;
  const { state, failure } = connection;
  return (state === 'live' || state === 'quiet') && failure === undefined;
}

/** Longest wait after wrong tokens: long for a guesser, short for monitoring whose token was just corrected. */
const MAX_WAIT_S = 60;

const tokenThrottle = processWide<LoginThrottle>('metrics-token-waits');

export async function replyWithMetrics(request: Request): Promise<Response> {
  const allowed = await mayReadMetrics(request.headers, currentSettings());
  if (!allowed.ok) return problemReply(failureProblem(allowed.failure));
  if (!allowed.value) {
    const detail =
      'Metrics need a signed-in caller, Authorization: Bearer with the METRICS_TOKEN, or a call from this machine.';
    return problemReply(problemDetails('not-signed-in', detail), { 'www-authenticate': 'Bearer' });
  }
  const { text, contentType } = await readMetrics();
  return textReply(text, contentType);
}

/** Callers on this machine, with the token or signed in. `too-many` while the address has to wait. */
export async function mayReadMetrics(
  headers: Headers,
  { access, metricsToken }: Settings,
): Promise<Outcome<boolean>> {
  if (access.kind === 'local' || headers.get(PEER_HEADER) === 'local') return ok(true);
  const caller = callerOfFetch({ headers });
  const [, token] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  if (token !== undefined) return isToken(token, metricsToken?.(), caller.address);
  const entry = await admitWithLimits(caller, access);
  if (!entry.ok && entry.problem.kind === 'too-many') return failed({ ...entry.problem, kind: 'too-many' });
  return ok(access.kind !== 'open' && entry.ok);
}

/** A correct token has to wait too, because an immediate answer would confirm it to a guesser. */
function isToken(candidate: string, token: string | undefined, address: string): Outcome<boolean> {
  const guesses = tokenThrottle.ensure(() => new LoginThrottle(MAX_WAIT_S));
  const waitS = guesses.waitS(address);
  if (waitS > 0) return failed(tooManyFailure('Too many wrong tokens.', waitS));
  if (token !== undefined && isEqualInConstantTime(candidate, token)) {
    guesses.forgive(address);
    return ok(true);
  }
  guesses.count(address);
  return ok(false);
}
