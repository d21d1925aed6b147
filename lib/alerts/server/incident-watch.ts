import 'server-only';
import { randomUUID } from 'node:crypto';
import { chainsNow, isStillAcknowledged, stuckNow, targetKey } from '@/lib/alerts/acknowledge';
import {
  firstSeenMs,
  incidentChanges,
  leftAtClosing,
  NO_DETAILS,
  rowsByIncident,
  stillStuck,
} from '@/lib/alerts/history';
import { incidentNotices } from '@/lib/alerts/notices';
import { type Span, withExamination } from '@/lib/alerts/watched';
import type { Acknowledgement, IncidentEvent, IncidentRecord, Notice } from '@/lib/core/incident-record';
import { DAY_US, HOUR_MS, MINUTE_MS } from '@/lib/core/time';
import { type ChainState, MAX_STATE_AGE_MS } from '@/lib/onchain/network-state';
import { chainStates } from '@/lib/onchain/server/network-watch';
import { listedChain } from '@/lib/pending/server/chain-cache';
import { isPendingFresh } from '@/lib/pending/server/evidence';
import { type TriageNow, triageOf } from '@/lib/pending/server/triage';
import { log } from '@/lib/platform/log';
import { processWideOf } from '@/lib/platform/process-wide';
import { defaultRequestsView } from '@/lib/requests/view';
import { networksFor } from '@/lib/services/network-directory';
import { type Services, services, startedServices } from '@/lib/services/services';
import { IndexClosedError, IndexNotWritableError } from '@/lib/store/engine';
import { failureTotals } from '@/lib/store/queries/insights';
import type { IndexStore } from '@/lib/store/store';
import { recordDegraded } from './degraded-watch';
import { storedSpans, storeSpans } from './watched-spans';

/** Incidents are recorded even without viewers. */
const EVERY_MS = 15_000;

/** The chain no longer reports the wallet or provider of an acknowledgement, which then ends. */
const UNREPORTED_MS = HOUR_MS;

type Watch = {
  deps: Services;
  missing: Map<string, number>;
  /** Since when a reachable chain has not reported an acknowledged wallet or provider, by `targetKey`, unix ms. */
  unreported: Map<string, number>;
  underWay: Promise<TriageNow> | undefined;
  rows: ReturnType<typeof rowsByIncident>;
  /** Stored spans in which each keeper was examined. `epoch` is that of the index. */
  watched: { epoch: number; savedMs: number; spans: Map<string, Span[]> };
};

const SAVE_MS = MINUTE_MS;

const watchOf = processWideOf('incident-watch', (deps: Services): Watch => {
  const watched = { epoch: -1, savedMs: Number.NEGATIVE_INFINITY, spans: new Map() };
  return { deps, missing: new Map(), unreported: new Map(), underWay: undefined, rows: new Map(), watched };
});

/** Only the leader records. */
async function addExamination(
  index: IndexStore,
  watched: Watch['watched'],
  keepers: ReadonlySet<string>,
  nowMs: number,
) {
  if (watched.epoch !== index.epoch || !index.isLeader) {
    watched.spans.clear();
    watched.savedMs = Number.NEGATIVE_INFINITY;
  }
  watched.epoch = index.epoch;
  if (!index.isLeader) return;
  for (const keeper of keepers) {
    const before = watched.spans.get(keeper) ?? (await storedSpans(index, keeper, 'stuck'));
    // The recording begins with a keeper's first examination, which is therefore stored at once.
    if (!watched.spans.has(keeper)) watched.savedMs = Number.NEGATIVE_INFINITY;
    watched.spans.set(keeper, withExamination(before, nowMs));
  }
}

/** Stores examinations after the incidents found, so that no stored examination lacks its incidents. */
async function storeExaminations(index: IndexStore, watched: Watch['watched'], nowMs: number) {
  if (watched.spans.size === 0 || Math.abs(nowMs - watched.savedMs) < SAVE_MS) return;
  watched.savedMs = nowMs;
  await storeSpans(index, watched.spans, 'stuck');
}

/** The index reports itself that it is not writable. */
function ignoreUnwritable(error: unknown): void {
  if (!(error instanceof IndexNotWritableError)) throw error;
}

export function watchIncidents(): void {
  setTimeout(async () => {
    if (startedServices() === undefined) return;
    await recordIncidents().catch((error: unknown) => {
      if (error instanceof IndexClosedError) return;
      log().error({ error }, 'incident check failed, retrying');
    });
    watchIncidents();
  }, EVERY_MS).unref();
}

/** Concurrent calls share one run. */
export function recordIncidents(): Promise<TriageNow> {
  const watch = watchOf(services());
  watch.underWay ??= checkIncidents(watch).finally(() => {
    watch.underWay = undefined;
  });
  return watch.underWay;
}

async function checkIncidents(watch: Watch): Promise<TriageNow> {
  const { missing, unreported, rows, watched } = watch;
  const { index, incidents: store } = watch.deps;
  const now = await triageOf(index).now();
  const { atMs, triage } = now;
  const nowMs = Math.floor(atMs);
  const keepers = new Set(
    now.index.filter((status) => isPendingFresh(status, nowMs)).map(({ keeper }) => keeper),
  );
  const { openIncidents: open, acknowledgements } = store;
  await addExamination(index, watched, keepers, nowMs);
  // Comparing networks may take seconds, and stuck requests must not wait for that.
  void recordDegraded(keepers).catch((error: unknown) => {
    if (!(error instanceof IndexClosedError)) log().error({ error }, 'recording degraded networks failed');
  });
  const { incidents, events } = incidentChanges({
    open,
    // The record is by our clock, requests by that of their keeper.
    detected: triage.incidents.map((incident) => ({
      ...incident,
      sinceMs: incident.sinceMs - index.reads.clockAheadMs(incident.keeper),
    })),
    keepers,
    watched: watched.spans,
    nowMs,
    missing,
    newKey: randomUUID,
    left: (record: IncidentRecord) => {
      const sinceMs = record.sinceMs + index.reads.clockAheadMs(record.keeper);
      return remainderAtClosing({ ...record, sinceMs }, rows.get(record.id), now);
    },
  });
  const closed = incidents.filter(({ closedMs }) => closedMs !== null).map(({ id }) => id);
  watch.rows = rowsByIncident(rows, triage.incidents, open);
  const check = { triage, nowMs, keepers, unreported, open, closed, stuck: stuckNow(triage) };
  const end = await endedAcknowledgements(acknowledgements, check);
  events.push(...returnedEvents(end, check));
  // Several processes may share the index. Only the leader records.
  if (!index.isLeader) return now;
  // An acknowledgement that ends with its incident still silences the message about the closing.
  const silencing = acknowledgements.filter(
    (acknowledgement) => !end.includes(acknowledgement) || closed.includes(acknowledgement.id),
  );
  const notices = await noticesOf(events, [...incidents, ...open], silencing, now);
  await store.changeAsLeader({ incidents, events, end, notices }).catch(ignoreUnwritable);
  await storeExaminations(index, watched, nowMs);
  return now;
}

/** `closed`: ids of the incidents that the check closes. */
type Check = Pick<TriageNow, 'triage'> &
  Pick<Watch, 'unreported'> & {
    nowMs: number;
    keepers: ReadonlySet<string>;
    open: readonly IncidentRecord[];
    closed: readonly string[];
    stuck: ReturnType<typeof stuckNow>;
  };

/** Ends acknowledgements whose time is up, or whose subject is over, grew or changed its cause. */
async function endedAcknowledgements(
  acknowledgements: readonly Acknowledgement[],
  { triage, nowMs, keepers, unreported, closed, stuck }: Check,
): Promise<Acknowledgement[]> {
  const failures = await failuresOfDay(acknowledgements, nowMs);
  const chains = chainStates();
  const pending = new Set(triage.incidents.flatMap(({ rows }) => rows));
  const end = acknowledgements.filter((acknowledgement) => {
    const { kind, id, untilMs } = acknowledgement;
    if (untilMs !== null && nowMs >= untilMs) return true;
    if (kind === 'chain') return isChainOver(acknowledgement, chains, unreported, nowMs);
    const failed = { size: failures.get(id) ?? 0, cause: null };
    const current = kind === 'failure' ? failed : stuck.get(targetKey(acknowledgement));
    // While a keeper is being read, it may have more pending requests than are known.
    if (kind !== 'failure' && !keepers.has(id.split('/', 1)[0] ?? '')) return false;
    if (current !== undefined) return !isStillAcknowledged(acknowledgement, current, nowMs);
    return kind === 'incident' ? closed.includes(id) : !pending.has(id);
  });
  for (const acknowledgement of end) unreported.delete(targetKey(acknowledgement));
  return end;
}

/** Incidents that stay open but whose acknowledgement ended. */
function returnedEvents(
  end: readonly Acknowledgement[],
  { nowMs, open, closed, stuck }: Check,
): IncidentEvent[] {
  return end.flatMap((acknowledgement) => {
    const incident = open.find(({ id }) => acknowledgement.kind === 'incident' && id === acknowledgement.id);
    if (incident === undefined || closed.includes(acknowledgement.id)) return [];
    const size = stuck.get(targetKey(acknowledgement))?.size ?? 0;
    return [{ ...NO_DETAILS, incident: incident.key, atMs: nowMs, kind: 'returned' as const, size }];
  });
}

/** The incident's requests that are still stuck when it closes, and whether its keeper lost its log in between. */
function remainderAtClosing(
  record: IncidentRecord,
  rows: readonly string[] | undefined,
  { triage, index }: TriageNow,
) {
  const lost = index.find(({ keeper }) => keeper === record.keeper)?.lost;
  const isLost = lost != null && lost.sinceMs >= record.openedMs;
  return leftAtClosing(stillStuck(record, rows, triage), isLost);
}

/** @param unreported since when chains have not reported the subject */
function isChainOver(
  acknowledgement: Acknowledgement,
  chains: readonly ChainState[],
  unreported: Watch['unreported'],
  nowMs: number,
): boolean {
  const key = targetKey(acknowledgement);
  const current = chainsNow(chains, nowMs).get(key);
  if (current !== undefined) {
    unreported.delete(key);
    return !isStillAcknowledged(acknowledgement, current, nowMs);
  }
  const knowledge = chainKnowledge(acknowledgement.id, chains, nowMs);
  if (knowledge !== 'unreported') return knowledge === 'reported';
  return nowMs - firstSeenMs(unreported, key, nowMs) >= UNREPORTED_MS;
}

/** A problem that is no longer found is over only if its wallet or provider is `reported`. */
export function chainKnowledge(
  id: string,
  chains: readonly ChainState[],
  nowMs: number,
): 'reported' | 'unreported' | 'unknown' {
  const chain = chains.find(({ keeper, networkId }) => id.includes(`/${keeper}/${networkId}/`));
  if (chain === undefined || chain.failure !== null || nowMs - chain.atMs > MAX_STATE_AGE_MS)
    return 'unknown';
  const { wallets, providers } = chain;
  return [...wallets, ...providers].some(({ address }) => id.endsWith(`/${address}`))
    ? 'reported'
    : 'unreported';
}

async function noticesOf(
  events: readonly IncidentEvent[],
  incidents: readonly IncidentRecord[],
  acknowledgements: readonly Acknowledgement[],
  { triage, atMs }: TriageNow,
): Promise<Notice[]> {
  if (events.length === 0 || services().settings.alertWebhook === undefined) return [];
  const networks = networksFor([...new Set(incidents.map(({ networkId }) => networkId))]);
  return incidentNotices({
    events,
    incidents,
    detected: triage.incidents.map((incident) => ({ ...incident, ...listedChain(incident) })),
    acknowledgements,
    networkName: (id) => networks.find((network) => network.networkId === id)?.name ?? `Network ${id}`,
    nowMs: Math.floor(atMs),
    atMs: Date.now(),
  });
}

const MAX_GROUPS = 200;

/** Failures of the last day, by group. Queried only if a group is acknowledged. */
export async function failuresOfDay(
  acknowledged: readonly { kind: string }[],
  nowMs: number,
): Promise<Map<string, number>> {
  if (!acknowledged.some(({ kind }) => kind === 'failure')) return new Map();
  const { index } = services();
  const query = {
    view: defaultRequestsView(),
    keeperIds: index.keeperIds(),
    fromUs: Math.floor(nowMs * 1000 - DAY_US),
  };
  const { totals } = await index.engine.snapshot((from) => failureTotals(from, query, MAX_GROUPS));
  return new Map(totals.map(({ group, rows }) => [group, rows]));
}
