import 'server-only';
import { groupedBy } from '@/lib/core/grouped';
import type { LatencyHistory, SpanTotals } from '@/lib/core/span-figures';
import { DAY_US, HOUR_MS, HOUR_US } from '@/lib/core/time';
import {
  anomaliesOf,
  byAnomaly,
  type NetworkPast,
  networkBaseline,
  problemStart,
  startLimits,
  weekP95Us,
} from '@/lib/insights/baseline';
import { failureInsights, MAX_GROUPS } from '@/lib/insights/failures';
import { noTotals, pendingOverTime, seriesOf, sumOfPending } from '@/lib/insights/figures';
import type {
  Anomaly,
  FailureInsights,
  NetworkInsight,
  PanelName,
  PendingNow,
  SenderInsights,
  SpanFigures,
} from '@/lib/insights/insights-response';
import { quietAfterMs } from '@/lib/pending/rules/network-rules';
import { log } from '@/lib/platform/log';
import { RETIRED_AFTER_MS } from '@/lib/requests/keeper-status';
import { IndexClosedError, type Reader } from '@/lib/store/engine';
import {
  failedMembers,
  failuresByNetwork,
  failuresOverTime,
  failureTotals,
  groupsWithRows,
  type NetworkKey,
  networkBaselines,
  networksOverTime,
  pendingByNetwork,
  pendingFlow,
  rowsByProblem,
  type StuckRows,
  type TimeBuckets,
  topSenders,
  totals,
  totalsByNetwork,
  totalsOfSenders,
  totalsOverTime,
  withTime,
} from '@/lib/store/queries/insights';
import type { RowQuery } from '@/lib/store/queries/view-filter';
import type { IndexStore } from '@/lib/store/store';

/** Rows of some networks and keepers at one moment. Unix µs. */
export type PanelInput = {
  store: IndexStore;
  /** Query without a time range, because each figure adds its own. */
  query: RowQuery;
  /** Start of the span, and end of the previous one. Without an end, the span includes the latest rows. */
  fromUs: number;
  toUs?: number;
  /** Start of the previous span. */
  beforeUs: number;
  buckets: TimeBuckets;
  /** The index has all rows of the span, of the previous one, and of the seven days before the span. */
  covered: { span: boolean; before: boolean; week: boolean };
  keepers: readonly PanelKeeper[];
  stuck: StuckRows;
};

export type PanelKeeper = {
  keeperId: number;
  /** Time of the last read; later rows are unknown. */
  syncedUs: number;
  /** Last read by our clock, if that is longer ago than `STALE_AFTER_MS`. */
  staleReadUs: number | null;
  /** Start of the gapless part of the index; null if it has all rows. */
  coveredFromUs: number | null;
  /** Creation of the first request of its log; null if older ones are unread. */
  logBeginsUs: number | null;
};

const WEEK_US = 7 * DAY_US;
/** Senders on each of the two lists. */
const MAX_SENDERS = 10;

/** All figures of a panel are of one moment of the index. */
export const MAKE_PANEL: { [Name in PanelName]: (input: PanelInput) => Promise<object> } = {
  figures: figuresOf,
  networks: networksOf,
  failures: failuresOf,
  senders: sendersOf,
};

function spanOf({ query, fromUs, toUs }: PanelInput): RowQuery {
  return withTime(query, toUs === undefined ? { fromUs } : { fromUs, toUs });
}

function spanBefore({ query, fromUs, beforeUs }: PanelInput): RowQuery {
  return withTime(query, { fromUs: beforeUs, toUs: fromUs - 1 });
}

async function figuresOf(input: PanelInput): Promise<SpanFigures> {
  const { store, query, fromUs, buckets, covered } = input;
  return store.engine.snapshot(async (from) => {
    const flow = await pendingFlow(from, query, fromUs, buckets);
    const inBuckets = await totalsOverTime(from, spanOf(input), buckets);
    const overTime = Array.from({ length: buckets.count }, noTotals);
    for (const { bucket, ...counted } of inBuckets) overTime[bucket] = counted;
    return {
      now: await totals(from, spanOf(input)),
      before: covered.before ? await totals(from, spanBefore(input)) : null,
      pending: sumOfPending(await pendingByNetwork(from, query, input.stuck)),
      pendingAtStart: covered.before ? flow.atStart : null,
      overTime,
      pendingOverTime: pendingOverTime(flow, buckets.count),
    };
  });
}

/** Includes networks with pending requests only. Unusual networks come first, then those with stuck requests. */
async function networksOf(input: PanelInput): Promise<NetworkInsight[]> {
  const { store, query, buckets, covered, keepers } = input;
  const pasts = new Map<NetworkInsight, PastOfKeeper>();
  const rows = await store.engine.snapshot(async (from) => {
    const totals = byKey(await totalsByNetwork(from, spanOf(input)));
    const totalsBefore = byKey(covered.before ? await totalsByNetwork(from, spanBefore(input)) : []);
    const pending = byKey(await pendingByNetwork(from, query, input.stuck));
    const overTime = groupedBy(await networksOverTime(from, spanOf(input), buckets), keyOf);
    const insights: NetworkInsight[] = [];
    for (const past of await pastsOf(from, query, keepers)) {
      const key = keyOf(past);
      const counted = totals.get(key);
      if (past.hours.length === 0 && counted === undefined && !pending.has(key)) continue;
      const baseline = networkBaseline(past);
      const series = overTime.get(key) ?? [];
      const network: NetworkInsight = {
        keeper: store.keeperName(past.keeperId),
        networkId: past.networkId,
        now: totalsAlone(counted),
        before: covered.before ? totalsAlone(totalsBefore.get(key)) : null,
        pending: pendingAlone(pending.get(key)),
        firstUs: past.firstUs,
        lastUs: past.lastUs,
        isQuiet: isQuiet(past),
        usual: baseline,
        unusual: anomaliesOf(past, baseline).map((anomaly) =>
          past.staleReadUs === null ? anomaly : { ...anomaly, hourEndUs: past.staleReadUs },
        ),
        weekP95Us: weekP95Us(past.latency),
        overTime: seriesOf(
          series.map(({ bucket, requests }) => ({ bucket, rows: requests })),
          buckets.count,
        ),
      };
      pasts.set(network, past);
      insights.push(network);
    }
    return insights;
  });
  const name = ({ keeper, networkId }: NetworkInsight) => `${networkId} ${keeper}`;
  rows.sort(
    (a, b) =>
      byAnomaly(a, b) ||
      Number(b.pending.stuck > 0) - Number(a.pending.stuck > 0) ||
      b.now.requests - a.now.requests ||
      (name(a) < name(b) ? -1 : 1),
  );
  await addParticulars(input, rows, pasts);
  return rows;
}

/** Worst networks first. */
const MAX_EXAMINED = 20;
const EXAMINE_LIMIT_MS = 6000;

/** Each network has its own snapshot, so that a slow one, or many at once, don't affect the other figures. */
async function addParticulars(
  { store, query }: PanelInput,
  networks: readonly NetworkInsight[],
  pasts: ReadonlyMap<NetworkInsight, NetworkKey & NetworkPast>,
): Promise<void> {
  const untilMs = performance.now() + EXAMINE_LIMIT_MS;
  let examined = 0;
  for (const network of networks) {
    const past = pasts.get(network);
    if (past === undefined || !network.unusual.some(isRowProblem)) continue;
    const mayExamine = examined < MAX_EXAMINED && performance.now() < untilMs;
    examined += 1;
    const dated = mayExamine && (await examine(store, query, past, network.unusual));
    network.unusual =
      dated ||
      network.unusual.map((anomaly) => (isRowProblem(anomaly) ? { ...anomaly, undated: true } : anomaly));
  }
}

/** Undefined if the index fails. @throws IndexClosedError */
async function examine(
  store: IndexStore,
  query: RowQuery,
  past: NetworkKey & NetworkPast,
  anomalies: Anomaly[],
): Promise<Anomaly[] | undefined> {
  try {
    return await store.engine.snapshot((from) => withParticulars(from, query, past, anomalies));
  } catch (error) {
    if (error instanceof IndexClosedError) throw error;
    log().error({ error }, 'looking into an unusual network failed');
    return undefined;
  }
}

/** Whole days before today in which the start of a problem is searched for. A longer problem becomes the baseline. */
const SEARCH_DAYS = 3;
const MAX_PROBLEM_ROWS = 20_000;
/** If a contract has this share of a network's failures, it is named. */
const MIN_DOMINANT_SHARE = 0.8;

/** Adds starts, and the contract that has nearly all of the failures. */
async function withParticulars(
  from: Reader,
  query: RowQuery,
  { keeperId, networkId, nowUs, hours }: NetworkKey & NetworkPast,
  anomalies: Anomaly[],
): Promise<Anomaly[]> {
  const networkQuery = { ...query, keeperIds: [keeperId], view: { ...query.view, networks: [networkId] } };
  // Begins at a midnight. If it moved with the clock, each search would return another start.
  const fromUs = (Math.floor(nowUs / DAY_US) - SEARCH_DAYS) * DAY_US;
  const week = await totals(from, withTime(networkQuery, { fromUs: fromUs - WEEK_US, toUs: fromUs - 1 }));
  const lastHour = withTime(networkQuery, { fromUs: nowUs - HOUR_US });
  const { byFailures } = await topSenders(from, lastHour, MAX_SENDERS);
  const senders = await totalsOfSenders(from, lastHour, byFailures);
  const begin = async (kind: RowProblemKind, baseline: number): Promise<number | null> => {
    const { share, slowUs } = startLimits({ kind, baseline }, week);
    const rows = await rowsByProblem(
      from,
      withTime(networkQuery, { fromUs }),
      { kind, slowUs },
      MAX_PROBLEM_ROWS,
    );
    // If there are more rows than are read, the problem is assumed to last.
    const untilUs = rows.length < MAX_PROBLEM_ROWS ? nowUs : (rows.at(-1)?.us ?? nowUs);
    const startUs = problemStart(rows, share, untilUs);
    // A problem that starts at the very beginning of the search may be older.
    const isOlder = startUs !== undefined && week.requests > 0 && startUs < fromUs + HOUR_US;
    return isOlder ? null : (startUs ?? null);
  };
  const begins = new Map<Anomaly, number | null>();
  for (const anomaly of anomalies)
    if (isRowProblem(anomaly)) begins.set(anomaly, await begin(anomaly.kind, anomaly.usual));
  return anomalies.map((anomaly) => {
    const sinceUs = begins.get(anomaly);
    if (sinceUs === undefined) return anomaly;
    const failureKind = anomaly.kind === 'failing' ? 'failed' : 'callbackFailed';
    // The share is of all failures of the hour, because the listed senders may have only few of them.
    const sum = hours.find(({ hour }) => hour === 0)?.[failureKind] ?? 0;
    const dominant = senders.find((sender) => sum > 0 && sender[failureKind] >= MIN_DOMINANT_SHARE * sum);
    return { ...anomaly, sinceUs, sender: anomaly.kind === 'slow' ? null : (dominant?.sender ?? null) };
  });
}

/** Single rows show these problems, so their start is searched for. */
const ROW_PROBLEM_KINDS = ['failing', 'callbacks-failing', 'slow'] as const;
type RowProblemKind = (typeof ROW_PROBLEM_KINDS)[number];
const isRowProblem = (anomaly: Anomaly): anomaly is Anomaly & { kind: RowProblemKind } =>
  ROW_PROBLEM_KINDS.some((kind) => kind === anomaly.kind);

type PastOfKeeper = NetworkKey & NetworkPast & Pick<PanelKeeper, 'staleReadUs'>;

/** Keepers are judged as of their last read. */
async function pastsOf(
  from: Reader,
  query: RowQuery,
  keepers: readonly PanelKeeper[],
): Promise<PastOfKeeper[]> {
  const pasts: PastOfKeeper[] = [];
  for (const { keeperId, syncedUs: nowUs, staleReadUs, coveredFromUs } of keepers) {
    const { hours, latency, past } = await networkBaselines(from, { ...query, keeperIds: [keeperId] }, nowUs);
    const [hoursOf, latencyOf] = [groupedBy(hours, keyOf), byKey(latency)];
    for (const network of past) {
      const key = keyOf(network);
      const networkLatency = latencyOf.get(key) ?? NO_LATENCY;
      pasts.push({
        ...network,
        hours: hoursOf.get(key) ?? [],
        latency: networkLatency,
        nowUs,
        staleReadUs,
        coveredFromUs,
      });
    }
  }
  return pasts;
}

/** Whether a network is quiet by the rule that explains pending requests (`RULE.networkQuiet`). */
function isQuiet({ hours, lastUs, nowUs }: NetworkPast): boolean {
  const silentMs = (nowUs - lastUs) / 1000;
  const lastHour = Math.floor(silentMs / HOUR_MS);
  const ofDay = hours.filter(({ hour }) => hour >= lastHour && hour < lastHour + 24);
  const limitMs = quietAfterMs(ofDay.reduce((sum, { requests }) => sum + requests, 0));
  return limitMs !== undefined && silentMs > limitMs && silentMs <= RETIRED_AFTER_MS;
}

const NO_LATENCY: LatencyHistory = {
  nowCalled: 0,
  nowP95Us: null,
  hourCalled: 0,
  hourP95Us: null,
  weekCalled: 0,
  weekP95Us: null,
};

const keyOf = ({ keeperId, networkId }: NetworkKey) => `${keeperId} ${networkId}`;

function byKey<T extends NetworkKey>(rows: readonly T[]): Map<string, T> {
  return new Map(rows.map((row) => [keyOf(row), row]));
}

function totalsAlone(row: (NetworkKey & SpanTotals) | undefined): SpanTotals {
  if (row === undefined) return noTotals();
  const { keeperId: _keeper, networkId: _network, ...counted } = row;
  return counted;
}

function pendingAlone(row: (NetworkKey & PendingNow) | undefined): PendingNow {
  return row === undefined ? sumOfPending([]) : sumOfPending([row]);
}

async function failuresOf(input: PanelInput): Promise<FailureInsights> {
  const { store, query, fromUs, buckets, covered, keepers } = input;
  const weekUs = fromUs - WEEK_US;
  const week = withTime(query, { fromUs: weekUs, toUs: fromUs - 1 });
  const judged = keepers.filter(({ logBeginsUs }) => logBeginsUs === null || logBeginsUs <= weekUs);
  const ofJudged = { ...spanOf(input), keeperIds: judged.map(({ keeperId }) => keeperId) };
  return store.engine.snapshot(async (from) => {
    const counted = await failureTotals(from, spanOf(input), MAX_GROUPS);
    const groups = counted.totals.map(({ group }) => group);
    return failureInsights(
      {
        ...counted,
        members: await failedMembers(from, spanOf(input), groups),
        byNetwork: await failuresByNetwork(from, spanOf(input), groups),
        overTime: await failuresOverTime(from, spanOf(input), groups, buckets),
        earlierGroups: covered.week ? await groupsWithRows(from, week, groups) : undefined,
        judgedGroups:
          judged.length === keepers.length ? new Set(groups) : await groupsWithRows(from, ofJudged, groups),
      },
      buckets.count,
    );
  });
}

async function sendersOf(input: PanelInput): Promise<SenderInsights> {
  return input.store.engine.snapshot(async (from) => {
    const { byRequests, byFailures, count } = await topSenders(from, spanOf(input), MAX_SENDERS);
    const figures = await totalsOfSenders(from, spanOf(input), [...new Set([...byRequests, ...byFailures])]);
    const bySender = new Map(figures.map((figures) => [figures.sender, figures]));
    const listed = (senders: readonly string[]) => senders.flatMap((sender) => bySender.get(sender) ?? []);
    return { count, byRequests: listed(byRequests), byFailures: listed(byFailures) };
  });
}
