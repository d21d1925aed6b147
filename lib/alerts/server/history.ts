import 'server-only';
import { setTimeout as pause } from 'node:timers/promises';
import {
  axisOf,
  beganMs,
  HISTORY_MS,
  type History,
  type HistoryRange,
  incidentPeriods,
  rangeMs,
  timeSteps,
  WEEK_MS,
  type Week,
  weekIncidents,
} from '@/lib/alerts/history';
import { holesIn } from '@/lib/alerts/watched';
import { groupedBy } from '@/lib/core/grouped';
import { answeredShare, callbacksOkShare } from '@/lib/core/span-figures';
import { DAY_MS } from '@/lib/core/time';
import { refreshListed } from '@/lib/pending/server/chain-evidence';
import { listedChain } from '@/lib/pending/server/known-chain';
import { triageOf } from '@/lib/pending/server/triage';
import { processWideOf } from '@/lib/platform/process-wide';
import { defaultRequestsView } from '@/lib/requests/view';
import { networksFor } from '@/lib/services/network-directory';
import { services } from '@/lib/services/services';
import { firstSeenUs, totalsOverTime } from '@/lib/store/queries/insights';
import type { IndexStore } from '@/lib/store/store';
import { recordIncidents, watchedSpans } from './incident-watch';

const MAX_WAIT_MS = 300;
/** First Monday of unix time, UTC. */
const MONDAY_MS = 4 * DAY_MS;
const WEEKS = 13;
/** Most incidents of an answer. */
const MAX_INCIDENTS = 1000;

/** Time at which the first row was read, unix ms by this machine's clock, for each content of the index. */
const recordedOf = processWideOf('recorded-since', (_: IndexStore) => ({
  epoch: -1,
  ms: null as number | null,
}));

async function recordedSince(index: IndexStore): Promise<number | null> {
  const cached = recordedOf(index);
  if (cached.epoch === index.epoch && cached.ms !== null) return cached.ms;
  const { epoch } = index;
  const us = await firstSeenUs(index.engine);
  Object.assign(cached, { epoch, ms: us === null ? null : Math.floor(us / 1000) });
  return cached.ms;
}

/** Totals of the requests of each week, oldest first. Weeks begin on Monday; `ofWeek` is undefined without requests. */
async function totalsOfWeeks(
  index: IndexStore,
  { keepers, networks }: { keepers: readonly string[]; networks: string[] },
  nowMs: number,
) {
  const fromMs = Math.floor((nowMs - MONDAY_MS) / WEEK_MS) * WEEK_MS + MONDAY_MS - (WEEKS - 1) * WEEK_MS;
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

type Chosen = { network?: string | undefined; keeper?: string | undefined; range: HistoryRange };

/** Incidents and degraded networks of a range, and figures of the last weeks. */
export async function incidentHistory(chosen: Chosen): Promise<History> {
  const { index, incidents: store } = services();
  // Incidents are recorded every 15 s anyway, so the page waits only briefly for an update.
  await Promise.race([
    recordIncidents().catch(() => undefined),
    pause(MAX_WAIT_MS, undefined, { ref: false }),
  ]);
  const latest = triageOf(index).cached();
  const { atMs = index.now(), activity = [], index: status = index.status() } = latest ?? {};
  const triaged = new Map(latest?.triage.incidents.map((incident) => [incident.id, incident]));
  // The answer of the chain appears in the next response, as on `/pending`.
  void refreshListed([...triaged.values()]);
  const nowMs = Math.floor(atMs);
  const keepers = chosen.keeper === undefined ? [] : [chosen.keeper];
  const networks = chosen.network === undefined ? [] : [chosen.network];
  const period = { keepers, networks, sinceMs: nowMs - HISTORY_MS, limit: MAX_INCIDENTS };
  const { incidents: recorded, events } = await store.history(period);
  const rangeFromMs = nowMs - rangeMs(chosen.range);
  const incidents = recorded.filter(({ closedMs }) => closedMs === null || closedMs > rangeFromMs);
  const byIncident = groupedBy(events, ({ incident }) => incident);
  const selected = status.filter(({ keeper }) => keepers.length === 0 || keepers.includes(keeper));
  const begins = selected.flatMap(({ coveredFromMs }) => coveredFromMs ?? []);
  const indexedFromMs = begins.length === 0 ? null : Math.min(...begins);
  const recordedFromMs = await recordedSince(index);
  const isWhole = recorded.length < MAX_INCIDENTS;
  // Of many incidents only the newest are listed; time before the oldest of them is unknown too.
  const listedFromMs = isWhole ? recordedFromMs : (recorded.at(-1)?.openedMs ?? recordedFromMs);
  // Nothing is known of a time in which one of the keepers was not examined.
  const spans = await Promise.all(selected.map(({ keeper }) => watchedSpans(index, keeper)));
  const holes = spans.flatMap((span) => holesIn(span, nowMs));
  const totals = await totalsOfWeeks(index, { keepers, networks }, nowMs);
  const weeks = totals.map(({ beginMs, ofWeek }): Week => {
    return {
      fromMs: beginMs,
      requests: ofWeek?.requests ?? 0,
      answered: ofWeek === undefined ? null : answeredShare(ofWeek),
      callbacksOk: ofWeek === undefined ? null : callbacksOkShare(ofWeek),
      p95Us: ofWeek?.p95Us ?? null,
      ...weekIncidents(recorded, beginMs, nowMs, listedFromMs, holes),
      isCovered: selected.every(
        ({ coversAll, coveredFromMs }) => coversAll || (coveredFromMs !== null && coveredFromMs <= beginMs),
      ),
    };
  });
  const knownFromMs = Math.min(listedFromMs ?? nowMs, ...incidents.map(beganMs));
  const axis = axisOf(chosen.range, nowMs, knownFromMs);
  const all = { fromMs: rangeFromMs, stepMs: rangeMs(chosen.range), count: 1 };
  const [whole] = timeSteps(incidents, all, nowMs, listedFromMs, holes);
  const ids = [...activity, ...recorded].map(({ networkId }) => networkId);
  return {
    nowMs,
    recordedFromMs,
    range: chosen.range,
    axis,
    steps: timeSteps(incidents, axis, nowMs, listedFromMs, holes),
    affectedMs: whole?.affectedMs ?? 0,
    knownMs: (whole?.affectedMs ?? 0) + (whole?.calmMs ?? 0),
    periods: incidentPeriods(incidents),
    incidents: incidents.map((incident) => {
      const now = incident.closedMs === null ? triaged.get(incident.id) : undefined;
      return { ...incident, ...(now && listedChain(now)), events: byIncident.get(incident.key) ?? [] };
    }),
    isWhole,
    // While history syncs, the index holds rows older than its gapless part.
    weeks: weeks
      .slice(weeks.findIndex((week) => week.requests > 0 || week.fromMs + WEEK_MS > (indexedFromMs ?? nowMs)))
      .reverse(),
    indexedFromMs,
    networks: networksFor([...new Set(ids)]).sort((a, b) => a.name.localeCompare(b.name, 'en')),
  };
}
