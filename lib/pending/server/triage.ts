import 'server-only';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { acknowledgedOf, targetKey } from '@/lib/alerts/acknowledge';
import { groupedBy } from '@/lib/core/grouped';
import type { ClockSkew } from '@/lib/core/health';
import type { Acknowledgement } from '@/lib/core/incident-record';
import { type PendingSettings, pendingSettingsFrom } from '@/lib/core/pending-settings';
import { networkActivity } from '@/lib/pending/activity';
import {
  byWeight,
  type JudgedSingle,
  type KeyedIncident,
  type NetworkTriage,
  singleOf,
  statusOf,
  type Triage,
  triageNetwork,
} from '@/lib/pending/incidents';
import { byMs, pendingNetwork } from '@/lib/pending/network';
import {
  type CauseGroup,
  type Incident,
  MAX_INCIDENTS,
  type TriageAnswer,
  type TriageStatus,
  type Verdict,
} from '@/lib/pending/pending-response';
import { diagnose, type GroupVerdicts } from '@/lib/pending/rules/diagnose';
import { distinctRows, isPending, type LoggedRow } from '@/lib/pending/rules/evidence';
import { caseOf } from '@/lib/pending/rules/rule';
import { causeGroups } from '@/lib/pending/singles';
import { type IsAcknowledged, type StuckCounts, stuckCounts, stuckSpans } from '@/lib/pending/stuck-counts';
import { thresholdsOf } from '@/lib/platform/network-settings';
import { processWideOf } from '@/lib/platform/process-wide';
import { currentSettings, type Settings } from '@/lib/platform/settings';
import {
  type KeeperStatus,
  PARKED_AFTER_MS,
  type PendingCounts,
  type RevisionNews,
} from '@/lib/requests/keeper-status';
import { services, skewedClocks, startedServices } from '@/lib/services/services';
import type { StuckRows } from '@/lib/store/queries/insights';
import { requestId } from '@/lib/store/record-row';
import type { IndexStore } from '@/lib/store/store';
import { listedChain } from './chain-cache';
import { checkStretches, evidenceOf, isFresh, KeeperReader, type KeeperSnapshot } from './evidence';

/** State of all pending requests, computed at one moment from one revision of the index. */
export type TriageNow = {
  revision: number;
  atMs: number;
  state: TriageAnswer['state'];
  index: KeeperStatus[];
  keepers: KeeperSnapshot[];
  triage: Triage;
  activity: TriageAnswer['activity'];
  status: TriageStatus;
  /** Number of pending rows that their service no longer serves. */
  gone: number;
};

/** Lifetime of a state if there are no new data. Only ages change meanwhile. */
const REUSE_MS = 1000;
/** Minimum interval between computations of the state. The factor limits them to a tenth of the time. */
const MIN_COMPUTE_INTERVAL_MS = 250;
const PAUSE_FACTOR = 9;
/** Longest time for which a caller waits for a new state, ms. After that it gets the last one with its age. */
const MAX_WAIT_MS = 1500;
/** Duration of a computation, ms, from which callers wait only this long instead of `MAX_WAIT_MS`. */
const SLOW_MS = 300;

/**
 * Interval between diagnoses of a single request with all evidence: a hundredth of its age, within these bounds,
 * because old requests rarely change. In between, the last diagnosis is repeated.
 */
const SINGLE_INTERVAL_MS = { min: 10_000, max: 60_000 };
const SINGLE_AGE_SHARE = 0.01;
const MAX_SINGLES = 20;
/** Number of single requests, newest first, that are diagnosed with all evidence. */
const MAX_EXAMINED_SINGLES = 200;
/** Time limit of a round of such diagnoses. The next round follows after a pause. */
const SINGLES_MS = 250;
const SINGLES_PAUSE_FACTOR = 19;

/**
 * Limits of the spans and of the ids by which SQL counts stuck requests, over all networks. Requests beyond them are
 * not counted.
 */
const MAX_STUCK_SPANS = 2000;
const MAX_STUCK_IDS = 2000;

/** The examined pending requests of a network, oldest first. */
type NetworkRows = {
  keeper: string;
  keeperId: number;
  networkId: string;
  rows: { key: string; ms: number }[];
};

/** A stuck request outside of incidents, with the context of its diagnosis. */
type SingleCase = NetworkTriage['singles'][number] & {
  snapshot: KeeperSnapshot;
  settings: PendingSettings;
  others: GroupVerdicts['others'];
};

const newestFirst = (a: LoggedRow, b: LoggedRow) =>
  b.createdAt.ms - a.createdAt.ms || (a.key < b.key ? -1 : 1);

/** A failure to compute the state, with its start in unix milliseconds. */
type TriageFailure = { sinceMs: number; error: unknown };

type TriageResult = { now: TriageNow; epoch: number; endedAt: number; tookMs: number };

/** Computes the state on request, once for all concurrent callers. */
export class PendingTriage {
  readonly #readers = new Map<string, KeeperReader>();
  readonly #singles = new Map<string, { atMs: number; single: JudgedSingle }>();
  /** Earliest time of the next round of diagnoses, by the clock of the store. */
  #singlesFrom = Number.NEGATIVE_INFINITY;
  /** The last state. It also remembers open incidents and their causes. */
  #last: TriageResult | undefined;
  #underWay: Promise<TriageResult> | undefined;
  /** The current failure; undefined while states can be computed. */
  #failure: TriageFailure | undefined;

  constructor(
    private readonly store: IndexStore,
    private readonly settingsOf: (networkId: string) => PendingSettings,
    private readonly acknowledgements: () => readonly Acknowledgement[] = () => [],
  ) {}

  async now(): Promise<TriageNow> {
    const last = this.#last;
    if (last !== undefined && this.#isUsable(last)) return last.now;
    this.#underWay ??= this.#compute()
      .catch((error: unknown) => {
        // Without a state, stuck requests are counted by age.
        this.store.stuckRows = undefined;
        this.#failure = { sinceMs: this.#failure?.sinceMs ?? this.store.now(), error };
        throw error;
      })
      .finally(() => {
        this.#underWay = undefined;
      });
    const { now, epoch } = await this.#underWay;
    // If the index was cleared during the computation, the computation is repeated.
    return epoch === this.store.epoch ? now : this.now();
  }

  /**
   * The newest state that is available within a short wait. If a new one takes longer or fails, it is the last one,
   * with its time in `atMs`. Undefined if there is none.
   */
  async soon(): Promise<TriageNow | undefined> {
    const last = this.#last?.epoch === this.store.epoch ? this.#last : undefined;
    const isSlow = last !== undefined && last.tookMs >= SLOW_MS;
    const late = pause(isSlow ? SLOW_MS : MAX_WAIT_MS, undefined, { ref: false });
    const latest = await Promise.race([this.now().catch(() => undefined), late]);
    return latest ?? this.cached();
  }

  /** The last state, without waiting. If it is old, a new computation starts. */
  cached(): TriageNow | undefined {
    const last = this.#last?.epoch === this.store.epoch ? this.#last : undefined;
    if (last === undefined || !this.#isUsable(last)) this.now().catch(() => undefined);
    return last?.now;
  }

  get failure(): TriageFailure | undefined {
    return this.#failure;
  }

  #isUsable({ now, epoch, endedAt, tookMs }: TriageResult): boolean {
    if (epoch !== this.store.epoch) return false;
    const reuseMs = now.revision === this.store.revision ? REUSE_MS : MIN_COMPUTE_INTERVAL_MS;
    return performance.now() - endedAt < Math.max(reuseMs, PAUSE_FACTOR * tookMs);
  }

  async #compute(): Promise<TriageResult> {
    const beganAt = performance.now();
    const { epoch, revision } = this.store;
    const index = this.store.status();
    const atMs = this.store.now();
    const before = this.#last?.epoch === epoch ? this.#last : undefined;
    if (before === undefined) {
      this.store.stuckRows = undefined;
      this.#readers.clear();
      this.#singles.clear();
    }
    const keepers: KeeperSnapshot[] = [];
    for (const status of index) {
      const reader = this.#readers.get(status.keeper) ?? this.#newReader(status.keeper);
      this.#readers.set(status.keeper, reader);
      keepers.push(await reader.read(status, atMs));
    }
    const networkRows: NetworkRows[] = [];
    const triage = await this.#triage(keepers, before?.now.triage.incidents ?? [], networkRows);
    const isAcknowledged = acknowledgedBy(this.acknowledgements(), triage, atMs);
    this.store.stuckRows = this.#stuckRows(networkRows, triage, isAcknowledged);
    const state = stateOf(index, atMs);
    const pending = keepers.flatMap(({ counts }) => counts.filter((count) => count.state === 'pending'));
    const now: TriageNow = {
      revision,
      atMs,
      state,
      index,
      keepers,
      triage,
      activity: networkActivity(keepers, triage, isAcknowledged),
      status: statusIfFresh(triage, state, index, atMs),
      gone: pending.reduce((sum, { rows, live }) => sum + rows - live, 0),
    };
    const endedAt = performance.now();
    this.#failure = undefined;
    this.#last = { now, epoch, endedAt, tookMs: endedAt - beganAt };
    return this.#last;
  }

  #newReader(keeper: string): KeeperReader {
    return new KeeperReader(this.store, keeper, (networkId) => this.settingsOf(networkId).retryBudgetS);
  }

  async #triage(
    keepers: readonly KeeperSnapshot[],
    before: readonly KeyedIncident[],
    networkRows: NetworkRows[],
  ): Promise<Triage> {
    const readMoments = keepers.flatMap(({ pending, clockAheadMs }) =>
      pending.kind === 'known' ? [pending.atMs - clockAheadMs] : [],
    );
    const triage: Triage = {
      incidents: [],
      singles: [],
      others: new Map(),
      slow: 0,
      withinNormal: 0,
      pending: 0,
      unexamined: 0,
      missing: 0,
      unreadable: 0,
      unknownState: 0,
      unchecked: keepers.flatMap(({ pending }) => (pending.kind === 'missing' ? pending.why : [])),
      checkedAtMs: readMoments.length === 0 ? undefined : Math.min(...readMoments),
    };
    const alone: SingleCase[] = [];
    for (const snapshot of keepers) {
      for (const single of await this.#addKeeper(triage, snapshot, before, networkRows)) alone.push(single);
    }
    alone.sort(({ row: a }, { row: b }) => newestFirst(a, b));
    const left = new Set(alone.map(({ row }) => row.key));
    for (const key of this.#singles.keys()) if (!left.has(key)) this.#singles.delete(key);
    const beganAt = performance.now();
    const mayBegin = this.store.now() >= this.#singlesFrom;
    let turns = mayBegin ? MAX_SINGLES : 0;
    const mayExamine = () => turns > 0 && performance.now() - beganAt < SINGLES_MS;
    for (const [at, single] of alone.entries()) {
      const last = this.#singles.get(single.row.key);
      const isFresh = last !== undefined && single.snapshot.nowMs - last.atMs < maxSingleAgeMs(single);
      // The other requests get their likely cause from the data of the network alone.
      if (at >= MAX_EXAMINED_SINGLES || isParked(single)) triage.singles.push(single.brief());
      else if (!isFresh && mayExamine()) {
        turns -= 1;
        triage.singles.push(await this.#single(single));
      } else triage.singles.push(last?.single ?? single.fromKnown());
    }
    if (mayBegin) {
      const pauseMs = SINGLES_PAUSE_FACTOR * (performance.now() - beganAt);
      this.#singlesFrom = this.store.now() + Math.min(SINGLE_INTERVAL_MS.min, pauseMs);
    }
    triage.incidents.sort(byWeight);
    return triage;
  }

  /** Adds a keeper, network by network, and yields in between. @returns stuck requests outside of incidents */
  async #addKeeper(
    triage: Triage,
    snapshot: KeeperSnapshot,
    before: readonly KeyedIncident[],
    networkRows: NetworkRows[],
  ): Promise<SingleCase[]> {
    const { keeper, keeperId, pending, nowMs, networks, orphaned } = snapshot;
    const alone: SingleCase[] = [];
    if (pending.kind === 'missing') return alone;
    const rows = distinctRows(pending.value.rows).filter(isPending);
    const unexamined = [...snapshot.unexamined.values()].reduce((sum, count) => sum + count, 0);
    triage.pending += rows.length + unexamined;
    triage.unexamined += unexamined;
    triage.missing += snapshot.missing;
    triage.unreadable += snapshot.unreadable;
    triage.unknownState += snapshot.unknownState;
    const byNetwork = groupedBy(rows, ({ networkId }) => networkId);
    for (const evidence of networks) {
      await nextTurn();
      const { networkId } = evidence;
      const settings = this.settingsOf(networkId);
      const input = { keeper, networkId, settings, evidence, pending, nowMs, orphaned };
      const network = pendingNetwork(input, byNetwork.get(networkId) ?? []);
      const checked = await checkStretches(this.store, snapshot, network);
      const openIncidents = before.filter(
        (incident) => incident.keeper === keeper && incident.networkId === networkId,
      );
      const networkTriage = triageNetwork(network, checked, openIncidents);
      for (const incident of networkTriage.incidents) triage.incidents.push(incident);
      const all = [...network.past, ...network.withinNormal, ...network.orphans].sort(byMs);
      networkRows.push({ keeper, keeperId, networkId, rows: all });
      triage.slow += networkTriage.slow;
      triage.withinNormal += networkTriage.withinNormal;
      triage.others.set(`${keeper}/${networkId}`, networkTriage.others);
      for (const single of networkTriage.singles)
        alone.push({ ...single, snapshot, settings, others: networkTriage.others });
    }
    return alone;
  }

  /** The rows that figures on other pages count as stuck. */
  #stuckRows(
    networks: readonly NetworkRows[],
    { incidents, singles }: Triage,
    isAcknowledged: IsAcknowledged,
  ): StuckRows {
    const stuck = new Set([
      ...incidents.flatMap(({ id, rows }) => (isAcknowledged('incident', id) ? [] : rows)),
      ...singles.flatMap(({ key, isParked }) => (isParked || isAcknowledged('request', key) ? [] : [key])),
    ]);
    let spansLeft = MAX_STUCK_SPANS;
    const ids: string[] = [];
    const batches = networks.map(({ keeper, keeperId, networkId, rows }) => {
      const { spans, keys } = stuckSpans(rows, (key) => stuck.has(key));
      for (const key of keys) ids.push(requestId(keeperId, { key: key.slice(keeper.length + 1) }));
      const newest = spansLeft === 0 ? [] : spans.slice(-spansLeft);
      spansLeft -= newest.length;
      const inUs = newest.map(({ fromMs, toMs }) => ({ fromUs: fromMs * 1000, toUs: toMs * 1000 + 999 }));
      return { keeperId, networkId, spans: inUs };
    });
    const atUs = (ageMs: number) => Math.floor((this.store.now() - ageMs) * 1000);
    const fallback = { fromUs: atUs(PARKED_AFTER_MS), toUs: atUs(this.settingsOf('').retryBudgetS * 1000) };
    return { fallback, networks: batches, ids: ids.slice(0, MAX_STUCK_IDS) };
  }

  async #single({ row, snapshot, settings, others }: SingleCase): Promise<JudgedSingle> {
    const { nowMs } = snapshot;
    const evidence = await evidenceOf(this.store, snapshot, row);
    const single = singleOf(row, diagnose(caseOf(row, evidence, settings, nowMs), { others }), nowMs);
    this.#singles.set(row.key, { atMs: nowMs, single });
    return single;
  }
}

const isParked = ({ row, snapshot }: SingleCase) => snapshot.nowMs - row.createdAt.ms > PARKED_AFTER_MS;

function maxSingleAgeMs({ row, snapshot }: SingleCase): number {
  const ageMs = snapshot.nowMs - row.createdAt.ms;
  return Math.min(SINGLE_INTERVAL_MS.max, Math.max(SINGLE_INTERVAL_MS.min, ageMs * SINGLE_AGE_SHARE));
}

function stateOf(index: readonly KeeperStatus[], nowMs: number): TriageAnswer['state'] {
  if (!index.every((status) => isFresh(status, nowMs) || isBeginning(status))) return 'stale';
  return index.some(isBeginning) ? 'syncing' : 'complete';
}

/** The value of `syncedAtMs` in the answer. */
function syncedAtOf(index: readonly KeeperStatus[], nowMs: number): number | undefined {
  const moments = index.map((status) => {
    const [syncedAtMs, pendingAtMs] = [status.syncedAtMs ?? Number.NaN, status.pendingAtMs ?? Number.NaN];
    return Math.min(nowMs, isFresh(status, nowMs) ? syncedAtMs : Math.min(syncedAtMs, pendingAtMs));
  });
  const oldestMs = Math.min(...moments);
  return Number.isFinite(oldestMs) ? oldestMs : undefined;
}

/** Whether a keeper has not been read yet and has not failed either. */
function isBeginning({ syncedAtMs, pendingAtMs, failure }: KeeperStatus): boolean {
  return (syncedAtMs === null || pendingAtMs === null) && failure === null;
}

/** The status. It is calm only if the rows were read recently. */
function statusIfFresh(
  triage: Triage,
  state: TriageAnswer['state'],
  index: readonly KeeperStatus[],
  nowMs: number,
): TriageStatus {
  const status = statusOf(triage);
  if (status.kind !== 'nothing-stuck' || state === 'complete') return status;
  const old = index.find((status) => !isFresh(status, nowMs));
  const why = old?.failure?.detail.replace(/\.$/, '') ?? `Keeper ${old?.keeper} is not synced`;
  return { kind: 'not-known', why };
}

const NONE: readonly Acknowledgement[] = [];
const acknowledgements = () => startedServices()?.incidents.acknowledgements ?? NONE;

export const triageOf = processWideOf(
  'pending-triage',
  (index: IndexStore) =>
    new PendingTriage(index, (networkId) => thresholdsOf(currentSettings(), networkId), acknowledgements),
);

function acknowledgedBy(stored: readonly Acknowledgement[], triage: Triage, atMs: number): IsAcknowledged {
  const quiet = acknowledgedOf(triage, stored, atMs);
  return (kind, id) => quiet.has(targetKey({ kind, id }));
}

/** Returns a predicate: whether an incident or single request is currently acknowledged. */
export const acknowledgedNow = ({ triage, atMs }: TriageNow) =>
  acknowledgedBy(acknowledgements(), triage, atMs);

/** Cached counts and groups of a state, with the acknowledgements that they were computed with. */
type Listed = { stored: readonly Acknowledgement[]; counts: StuckCounts; groups: CauseGroup[] };
const listed = new WeakMap<TriageNow, Listed>();

/**
 * Counts and groups. They are cached until the state or the acknowledgements change, because there may be tens of
 * thousands of requests.
 */
function listedOf(now: TriageNow): Listed {
  const stored = acknowledgements();
  const cached = listed.get(now);
  if (cached?.stored === stored) return cached;
  const isAcknowledged = acknowledgedNow(now);
  const { triage } = now;
  const made = {
    stored,
    counts: stuckCounts(triage, isAcknowledged, triage.unexamined),
    groups: causeGroups(triage.singles, (key) => isAcknowledged('request', key)),
  };
  listed.set(now, made);
  return made;
}

const withoutDetails = (verdict: Verdict): Verdict => ({ ...verdict, figures: [], proof: [], evidence: [] });

/** An incident in the form that lists use. */
function listedIncident({ rows: _, confirmedAtMs: _confirmedAtMs, ...incident }: KeyedIncident): Incident {
  return { ...incident, verdicts: incident.verdicts.map(withoutDetails), ...listedChain(incident) };
}

/** A group with the chain's answer about its request, if it has only one. */
function withChain({ only, ...group }: CauseGroup): CauseGroup {
  if (only === undefined) return group;
  return { ...group, only: { ...only, ...listedChain({ ...only, id: only.key, size: 1 }) } };
}

/**
 * @param clocks keepers whose clocks differ from ours @param maxIncidents limit of incidents; without it,
 * `MAX_INCIDENTS` applies and the activity of networks is included
 */
export function triageAnswer(
  now: TriageNow,
  settings: Pick<Settings, 'networks' | 'pending'>,
  clocks: ClockSkew[],
  maxIncidents?: number,
): TriageAnswer {
  const { revision, atMs, state, index, triage, activity, status, gone, keepers } = now;
  const { incidents, singles, slow, withinNormal, pending, missing, unreadable, unknownState, unexamined } =
    triage;
  const ownNetworks = Object.keys(settings.networks).filter(
    (id) => settings.networks[id]?.thresholds !== undefined,
  );
  const { counts, groups } = listedOf(now);
  const oldest = keepers.flatMap((snapshot) =>
    snapshot.unexamined.size > 0 && snapshot.pending.kind === 'known'
      ? (snapshot.pending.value.rows[0] ?? [])
      : [],
  );
  return {
    revision,
    atMs,
    state,
    checkedAtMs: triage.unchecked.length > 0 ? undefined : triage.checkedAtMs,
    syncedAtMs: triage.unchecked.length > 0 ? undefined : syncedAtOf(index, atMs),
    index,
    clocks,
    status,
    counts: {
      ...counts,
      pending,
      unexamined,
      slow,
      withinNormal,
      missing,
      unreadable,
      unknownState,
      gone,
      incidents: incidents.length,
      singles: singles.filter((single) => !single.isParked).length,
    },
    incidents: incidents.slice(0, maxIncidents ?? MAX_INCIDENTS).map(listedIncident),
    groups: maxIncidents === undefined ? groups.map(withChain) : [],
    ...(oldest.length === 0
      ? {}
      : { examinedFromMs: Math.max(...oldest.map(({ createdAt }) => createdAt.ms)) }),
    activity:
      maxIncidents === undefined
        ? activity.map((network) => ({ ...network, quiet: withoutDetails(network.quiet) }))
        : [],
    settings: {
      others: pendingSettingsFrom(settings.pending),
      networks: Object.fromEntries(ownNetworks.map((id) => [id, thresholdsOf(settings, id)])),
    },
  };
}

/**
 * The state for rendering a page. Undefined without a log service, or before the first state, which the browser then
 * requests. @param maxIncidents as in `triageAnswer`
 */
export async function initialTriage(maxIncidents?: number): Promise<TriageAnswer | undefined> {
  const { index, keepers } = services();
  const now = keepers.length === 0 ? undefined : await triageOf(index).soon();
  return now && triageAnswer(now, currentSettings(), skewedClocks(), maxIncidents);
}

/** Counts of pending and stuck requests for the navigation; null while unknown. */
export async function pendingCounts(index: IndexStore): Promise<PendingCounts | null> {
  const now = await triageOf(index).soon();
  return now === undefined ? null : countsOf(now);
}

/**
 * Initial state of the navigation. It does not wait for the database, so that pages render while that is busy or
 * failing.
 */
export function renderedIndex(): Pick<RevisionNews, 'index' | 'pending'> {
  const { index } = services();
  const now = triageOf(index).cached();
  return { index: index.status(), pending: now === undefined ? null : countsOf(now) };
}

/** Counts of a state for the navigation. */
export function countsOf(now: TriageNow): PendingCounts {
  const { pending, missing, unreadable, unknownState } = now.triage;
  const complete = now.state === 'complete' && missing + unreadable + unknownState === 0;
  return {
    atMs: now.atMs,
    pending,
    ...listedOf(now).counts,
    complete,
  };
}
