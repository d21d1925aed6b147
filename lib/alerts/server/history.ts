import 'server-only';
import { setTimeout as pause } from 'node:timers/promises';
import {
  axisOf,
  defaultRange,
  type HistoryRange,
  INCIDENT_HISTORY_MS,
  type IncidentHistory,
  incidentPeriods,
  timeSteps,
  unrecordedOnAxis,
  WEEK_MS,
  type Week,
  weekIncidents,
  without,
} from '@/lib/alerts/history';
import { isExamined, mergedSpans, type Span, type Unrecorded, unrecordedTimes } from '@/lib/alerts/watched';
import { groupedBy } from '@/lib/core/grouped';
import type { IncidentRecord } from '@/lib/core/incident-record';
import { answeredShare, callbacksOkShare } from '@/lib/core/span-figures';
import { DAY_MS } from '@/lib/core/time';
import { listedChain } from '@/lib/pending/server/chain-cache';
import { refreshListed } from '@/lib/pending/server/chain-evidence';
import { triageOf } from '@/lib/pending/server/triage';
import { stuckThresholds, thresholdsOf } from '@/lib/platform/network-settings';
import { currentSettings } from '@/lib/platform/settings';
import { type KeeperStatus, STALE_AFTER_MS } from '@/lib/requests/keeper-status';
import { defaultRequestsView } from '@/lib/requests/view';
import { networksFor } from '@/lib/services/network-directory';
import { services } from '@/lib/services/services';
import { totalsOverTime } from '@/lib/store/queries/insights';
import { longWaits } from '@/lib/store/queries/long-waits';
import type { IndexStore } from '@/lib/store/store';
import { incidentsFromLog, stuckTogether } from './from-log';
import { recordIncidents } from './incident-watch';
import { storedSpans } from './watched-spans';

const MAX_WAIT_MS = 300;
const FIRST_MONDAY_MS = 4 * DAY_MS;
const WEEKS = 13;
const MAX_INCIDENTS = 1000;

/** Oldest first, from Mondays. `ofWeek` is undefined if there are no requests. */
async function totalsOfWeeks(
  index: IndexStore,
  { keepers, networks }: { keepers: readonly string[]; networks: string[] },
  nowMs: number,
) {
  const fromMs =
    Math.floor((nowMs - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS - (WEEKS - 1) * WEEK_MS;
  const query = {
    view: { ...defaultRequestsView(), networks },
    keeperIds: index.keeperIds(keepers),
    fromUs: fromMs * 1000,
    toUs: nowMs * 1000,
  };
  const buckets = { fromUs: fromMs * 1000, bucketUs: WEEK_MS * 1000, count: WEEKS };
  const weekTotals = await index.engine.snapshot((from) => totalsOverTime(from, query, buckets));
  const byBucket = new Map(weekTotals.map((total) => [total.bucket, total]));
  return Array.from({ length: WEEKS }, (_, bucket) => {
    return { beginMs: fromMs + bucket * WEEK_MS, ofWeek: byBucket.get(bucket) };
  });
}

type WeekTotals = Awaited<ReturnType<typeof totalsOfWeeks>>[number];

/** The chosen filters. If `range` is absent, `defaultRange` applies. */
type Chosen = {
  network?: string | undefined;
  keeper?: string | undefined;
  range?: HistoryRange | undefined;
};

/** When the last of the keepers began to be examined; null if one was not yet. @param spans of each keeper */
function examinedSince(spans: readonly (readonly Span[])[]): number | null {
  const begins = spans.flatMap(([first]) => first?.fromMs ?? []);
  return begins.length < spans.length || begins.length === 0 ? null : Math.max(...begins);
}

/** Incidents are recorded every 15 s anyway, so the page waits only briefly for an update. */
async function waitForRecording(): Promise<void> {
  await Promise.race([
    recordIncidents().catch(() => undefined),
    pause(MAX_WAIT_MS, undefined, { ref: false }),
  ]);
}

function weekFigures({ beginMs, ofWeek }: WeekTotals) {
  return {
    fromMs: beginMs,
    requests: ofWeek?.requests ?? 0,
    answered: ofWeek === undefined ? null : answeredShare(ofWeek),
    callbacksOk: ofWeek === undefined ? null : callbacksOkShare(ofWeek),
    p95Us: ofWeek?.p95Us ?? null,
  };
}

const isCoveredFrom = ({ coversAll, coveredFromMs }: KeeperStatus, ms: number) =>
  coversAll || (coveredFromMs !== null && coveredFromMs <= ms);

/**
 * Newest first, without leading weeks that have neither requests nor coverage. While history syncs, the index also has
 * rows that are older than its gapless part.
 */
function listedWeeks(weeks: readonly Week[], indexedFromMs: number): Week[] {
  const isListed = (week: Week) => week.requests > 0 || week.fromMs + WEEK_MS > indexedFromMs;
  return weeks.slice(weeks.findIndex(isListed)).reverse();
}

function stepFigures(steps: IncidentHistory['steps']) {
  const sumOf = (part: 'affectedMs' | 'calmMs' | 'reconstructedMs') =>
    steps.reduce((sum, step) => sum + step[part], 0);
  const affectedMs = sumOf('affectedMs');
  const knownMs = affectedMs + sumOf('calmMs');
  return { steps, affectedMs, knownMs, reconstructedMs: sumOf('reconstructedMs') };
}

type LogContext = {
  index: IndexStore;
  selected: readonly KeeperStatus[];
  networks: readonly string[];
  recorded: readonly IncidentRecord[];
  nowMs: number;
};

const MAX_LONG_WAITS = 20_000;

/** Reconstructs unrecorded times of which the index has every row of the keepers. */
async function fromLog(
  unrecorded: Unrecorded,
  { index, selected, networks, recorded, nowMs }: LogContext,
): Promise<{ unrecorded: Unrecorded; reconstructed: IncidentRecord[] }> {
  const covered = coveredSpan(selected, nowMs);
  const lost = selected.flatMap(({ lost }) => (lost === null ? [] : { ...lost, toMs: lost.sinceMs }));
  const spans =
    covered === undefined
      ? []
      : mergedSpans(unrecorded.all, covered).flatMap((span) => without(span, mergedSpans(lost, span)));
  const [fromMs, toMs] = [spans[0]?.fromMs, spans.at(-1)?.toMs];
  if (fromMs === undefined || toMs === undefined) return { unrecorded, reconstructed: [] };
  const settings = currentSettings();
  const budgetMsOf = (networkId: string) => thresholdsOf(settings, networkId).retryBudgetS * 1000;
  const { fallback, networks: budgets } = stuckThresholds(settings);
  const chosen = {
    keeperIds: index.keeperIds(selected.map(({ keeper }) => keeper)),
    networks,
    minUs: Math.min(fallback, ...Object.values(budgets)) * 1_000_000,
    limit: MAX_LONG_WAITS,
  };
  const waits = await longWaits(index.engine, chosen, { fromUs: fromMs * 1000, toUs: toMs * 1000 });
  const isWhole = waits.length < MAX_LONG_WAITS;
  const readFromMs = isWhole ? fromMs : (waits.at(-1)?.createdUs ?? 0) / 1000;
  const logged = mergedSpans(spans, { fromMs: readFromMs, toMs });
  const reconstructed = incidentsFromLog(stuckTogether(waits, budgetMsOf, nowMs), {
    logged,
    recorded,
    keeperName: (keeperId) => index.keeperName(keeperId),
    clockAheadMs: (keeper) => index.reads.clockAheadMs(keeper),
  }).slice(0, MAX_INCIDENTS);
  return {
    unrecorded: {
      all: mergedSpans(unrecorded.all, { fromMs: 0, toMs: nowMs }).flatMap((span) => without(span, logged)),
      logged,
      degraded: [...unrecorded.degraded, ...logged],
    },
    reconstructed,
  };
}

/** The span of which the index has all rows of all keepers, from the first row; undefined if there is none. */
function coveredSpan(selected: readonly KeeperStatus[], nowMs: number): Span | undefined {
  const begins = selected.flatMap(({ coveredFromMs }) => coveredFromMs ?? []);
  const isKnown = selected.every(({ coversAll, coveredFromMs, vanished }) => {
    return (coversAll || coveredFromMs !== null) && (vanished?.left ?? 0) === 0;
  });
  if (!isKnown || begins.length === 0) return undefined;
  const partial = selected.flatMap(({ coversAll, coveredFromMs }) =>
    coversAll ? [] : (coveredFromMs ?? []),
  );
  // Between two reads no time counts as unknown.
  const readMs = selected.map(({ syncedAtMs }) => (syncedAtMs ?? 0) + STALE_AFTER_MS);
  const fromMs = Math.max(Math.min(...begins), ...partial, nowMs - INCIDENT_HISTORY_MS);
  const toMs = Math.min(nowMs, ...readMs);
  return toMs > fromMs ? { fromMs, toMs } : undefined;
}

export async function incidentHistory(chosen: Chosen): Promise<IncidentHistory> {
  const { index, incidents: store } = services();
  await waitForRecording();
  const latest = triageOf(index).cached();
  const { atMs = index.now(), activity = [], index: status = index.status() } = latest ?? {};
  const triaged = new Map(latest?.triage.incidents.map((incident) => [incident.id, incident]));
  // The chain's answer appears in the next response, as on `/pending`.
  void refreshListed([...triaged.values()]);
  const keepers = chosen.keeper === undefined ? [] : [chosen.keeper];
  const networks = chosen.network === undefined ? [] : [chosen.network];
  const selected = status.filter(({ keeper }) => keepers.length === 0 || keepers.includes(keeper));
  // Read before the incidents, because an examination is stored after the incidents that it found.
  const names = selected.map(({ keeper }) => keeper);
  const stuck = await Promise.all(names.map((keeper) => storedSpans(index, keeper, 'stuck')));
  const degraded = await Promise.all(names.map((keeper) => storedSpans(index, keeper, 'degraded')));
  const period = { keepers, networks, sinceMs: Math.floor(atMs) - INCIDENT_HISTORY_MS, limit: MAX_INCIDENTS };
  const { incidents: recorded, events } = await store.history(period);
  // Degraded networks may have been recorded after the last triage.
  const moments = recorded.map(({ openedMs, closedMs }) => closedMs ?? openedMs);
  const nowMs = moments.reduce((a, b) => Math.max(a, b), Math.floor(atMs));
  const byIncident = groupedBy(events, ({ incident }) => incident);
  const begins = selected.flatMap(({ coveredFromMs }) => coveredFromMs ?? []);
  const indexedFromMs = begins.length === 0 ? null : Math.min(...begins);
  const recordedFromMs = examinedSince(stuck);
  const isWhole = recorded.length < MAX_INCIDENTS;
  // The time before the oldest listed incident counts as unknown.
  const listedFromMs = isWhole ? recordedFromMs : (recorded.at(-1)?.openedMs ?? recordedFromMs);
  const { unrecorded, reconstructed } = await fromLog(
    unrecordedTimes({ stuck, degraded }, listedFromMs, nowMs),
    { index, selected, networks, recorded, nowMs },
  );
  const listed = [...recorded, ...reconstructed];
  const totals = await totalsOfWeeks(index, { keepers, networks }, nowMs);
  const weeks = totals.map((total): Week => {
    return {
      ...weekFigures(total),
      ...weekIncidents(listed, total.beginMs, nowMs, unrecorded),
      isCovered: selected.every((status) => isCoveredFrom(status, total.beginMs)),
    };
  });
  const loggedFromMs = unrecorded.logged[0]?.fromMs ?? recordedFromMs;
  const range = chosen.range ?? defaultRange(loggedFromMs, nowMs);
  const axis = axisOf(range, nowMs);
  const incidents = listed.filter(({ closedMs }) => closedMs === null || closedMs > axis.fromMs);
  const ids = [...activity, ...recorded].map(({ networkId }) => networkId);
  return {
    nowMs,
    isRecording: stuck.length > 0 && stuck.every((spans) => isExamined(spans, nowMs)),
    recordedFromMs,
    degradedFromMs: examinedSince(degraded),
    range,
    axis,
    ...stepFigures(timeSteps(incidents, axis, nowMs, unrecorded)),
    unrecorded: unrecordedOnAxis(unrecorded, axis, nowMs),
    periods: incidentPeriods(incidents),
    incidents: incidents.map((incident) => {
      const now = incident.closedMs === null ? triaged.get(incident.id) : undefined;
      const clockAheadMs = index.reads.clockAheadMs(incident.keeper);
      return {
        ...incident,
        ...(now && listedChain(now)),
        ...(clockAheadMs === 0 ? {} : { clockAheadMs }),
        events: byIncident.get(incident.key) ?? [],
      };
    }),
    isWhole,
    weeks: listedWeeks(weeks, indexedFromMs ?? nowMs),
    indexedFromMs,
    networks: networksFor([...new Set(ids)]).sort((a, b) => a.name.localeCompare(b.name, 'en')),
  };
}
