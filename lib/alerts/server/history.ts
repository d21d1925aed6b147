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
} from '@/lib/alerts/history';
import { isExamined, type Span, unrecordedTimes } from '@/lib/alerts/watched';
import { groupedBy } from '@/lib/core/grouped';
import { answeredShare, callbacksOkShare } from '@/lib/core/span-figures';
import { DAY_MS } from '@/lib/core/time';
import { listedChain } from '@/lib/pending/server/chain-cache';
import { refreshListed } from '@/lib/pending/server/chain-evidence';
import { triageOf } from '@/lib/pending/server/triage';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import { defaultRequestsView } from '@/lib/requests/view';
import { networksFor } from '@/lib/services/network-directory';
import { services } from '@/lib/services/services';
import { totalsOverTime } from '@/lib/store/queries/insights';
import type { IndexStore } from '@/lib/store/store';
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
  const unrecorded = unrecordedTimes({ stuck, degraded }, listedFromMs, nowMs);
  const totals = await totalsOfWeeks(index, { keepers, networks }, nowMs);
  const weeks = totals.map((total): Week => {
    return {
      ...weekFigures(total),
      ...weekIncidents(recorded, total.beginMs, nowMs, unrecorded),
      isCovered: selected.every((status) => isCoveredFrom(status, total.beginMs)),
    };
  });
  const range = chosen.range ?? defaultRange(recordedFromMs, nowMs);
  const axis = axisOf(range, nowMs);
  const incidents = recorded.filter(({ closedMs }) => closedMs === null || closedMs > axis.fromMs);
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
