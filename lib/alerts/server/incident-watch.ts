import 'server-only';
import { randomUUID } from 'node:crypto';
import { causeOf, isStillQuiet } from '@/lib/alerts/acknowledge';
import { happenedSince, NOTHING_SAID } from '@/lib/alerts/history';
import { incidentNotices } from '@/lib/alerts/notices';
import type { Acknowledgement, IncidentEvent, KeptIncident, Notice } from '@/lib/core/incident-record';
import { isFresh } from '@/lib/pending/server/evidence';
import { type TriageNow, triageOf } from '@/lib/pending/server/triage';
import { defaultRequestsView } from '@/lib/requests/view';
import { log } from '@/lib/server/log';
import { networksFor } from '@/lib/server/network-directory';
import { processWideOf } from '@/lib/server/process-wide';
import { type Services, services, startedServices } from '@/lib/server/services';
import { IndexClosedError, IndexNotWritableError } from '@/lib/store/engine';
import type { IncidentStore } from '@/lib/store/incident-store';
import { failureTotals } from '@/lib/store/queries/insights';

/** How often incidents are looked at, also when nobody else does. */
const EVERY_MS = 15_000;

type Watch = { of: Services; missing: Map<string, number>; underWay: Promise<TriageNow> | undefined };

const watchOf = processWideOf('incident-watch', (of: Services): Watch => {
  return { of, missing: new Map(), underWay: undefined };
});

export function watchIncidents(): void {
  setTimeout(async () => {
    if (startedServices() === undefined) return;
    await lookAtIncidents().catch((error: unknown) => {
      if (error instanceof IndexClosedError) return;
      log().error({ error }, 'incident check failed, retrying');
    });
    watchIncidents();
  }, EVERY_MS).unref();
}

/** Writes down what has become of incidents by now; once for all who ask at the same time. */
export function lookAtIncidents(): Promise<TriageNow> {
  const watch = watchOf(services());
  watch.underWay ??= look(watch).finally(() => {
    watch.underWay = undefined;
  });
  return watch.underWay;
}

async function look({ of: { index, incidents: store }, missing }: Watch): Promise<TriageNow> {
  const now = await triageOf(index).now();
  const { atMs, triage } = now;
  const nowMs = Math.floor(atMs);
  const keepers = new Set(
    now.index.filter((status) => isFresh(status, nowMs)).map((status) => status.keeper),
  );
  const { openIncidents: open } = store;
  const happened = happenedSince({
    ...{ open, found: triage.incidents, keepers, nowMs, missing },
    newKey: randomUUID,
  });
  const closed = happened.incidents.filter(({ closedMs }) => closedMs !== null).map(({ id }) => id);
  const failures = await failuresOfDay(store.acknowledgements, nowMs);
  const pending = new Set([
    ...triage.singles.map(({ key }) => key),
    ...triage.incidents.flatMap(({ rows }) => rows),
  ]);
  const isOver = (one: Acknowledgement): boolean => {
    if (one.untilMs !== null && nowMs >= one.untilMs) return true;
    switch (one.kind) {
      case 'incident': {
        const found = triage.incidents.find(({ id }) => id === one.id);
        if (found === undefined) return closed.includes(one.id);
        // What is known of a keeper that is just being read may be less than there is.
        if (!keepers.has(found.keeper)) return false;
        return !isStillQuiet(one, { size: found.size, cause: causeOf(found.rule) }, nowMs);
      }
      case 'request':
        return !pending.has(one.id) && keepers.has(keeperOfKey(one.id));
      default:
        return !isStillQuiet(one, { size: failures.get(one.id) ?? 0, cause: null }, nowMs);
    }
  };
  const end = store.acknowledgements.filter(isOver);
  const returned = end.flatMap((one): IncidentEvent[] => {
    const incident = store.openIncidents.find(({ id }) => one.kind === 'incident' && id === one.id);
    if (incident === undefined || closed.includes(one.id)) return [];
    const found = triage.incidents.find(({ id }) => id === one.id);
    return [
      { ...NOTHING_SAID, incident: incident.key, atMs: nowMs, kind: 'returned', size: found?.size ?? 0 },
    ];
  });
  const events = [...happened.events, ...returned];
  // Where several processes have the index, one of them writes it down.
  if (!index.isLeader) return now;
  const { incidents } = happened;
  const notices = await noticesOf({ events, incidents, end, now, store });
  await store.changeAsLeader({ incidents, events, end, notices }).catch((error: unknown) => {
    // That nothing can be written is told once, by the index.
    if (!(error instanceof IndexNotWritableError)) throw error;
  });
  return now;
}

async function noticesOf(given: {
  events: readonly IncidentEvent[];
  incidents: readonly KeptIncident[];
  end: readonly Acknowledgement[];
  now: TriageNow;
  store: IncidentStore;
}): Promise<Notice[]> {
  const { events, now, store, end } = given;
  if (events.length === 0 || services().settings.alertWebhook === undefined) return [];
  const closed = given.incidents.filter(({ closedMs }) => closedMs !== null).map(({ id }) => id);
  const incidents = [...given.incidents, ...store.openIncidents];
  const networks = await networksFor([...new Set(incidents.map(({ networkId }) => networkId))]);
  return incidentNotices({
    events,
    incidents,
    found: now.triage.incidents,
    // One that ends with its incident has kept it quiet to the last.
    acknowledgements: store.acknowledgements.filter((one) => !end.includes(one) || closed.includes(one.id)),
    networkName: (id) => networks.find((one) => one.networkId === id)?.name ?? `Network ${id}`,
    nowMs: Math.floor(now.atMs),
    atMs: Date.now(),
  });
}

function keeperOfKey(key: string): string {
  return key.slice(0, key.indexOf('/'));
}

const DAY_US = 86_400_000_000;
/** So many groups of failures are ever told apart. */
const MOST_GROUPS = 200;

/** Rows of the last 24 hours by failure group; none where no group is acknowledged. */
export async function failuresOfDay(
  asked: readonly { kind: string }[],
  nowMs: number,
): Promise<Map<string, number>> {
  if (!asked.some(({ kind }) => kind === 'failure')) return new Map();
  const { index } = services();
  const query = {
    view: defaultRequestsView(),
    keeperIds: index.keeperIds(),
    fromUs: Math.floor(nowMs * 1000 - DAY_US),
  };
  const { found } = await index.engine.snapshot((from) => failureTotals(from, query, MOST_GROUPS));
  return new Map(found.map(({ group, rows }) => [group, rows]));
}
