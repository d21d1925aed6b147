import 'server-only';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { acknowledgedCases, targetKey } from '@/lib/alerts/acknowledge';
import { groupedBy } from '@/lib/core/grouped';
import type { Acknowledgement } from '@/lib/core/incident-record';
import type { PendingSettings } from '@/lib/core/pending-settings';
import { networkActivity } from '@/lib/pending/activity';
import {
  byWeight,
  type JudgedSingle,
  type KeyedIncident,
  type NetworkTriage,
  type RecordedIncident,
  type Triage,
  triageNetwork,
  triageStatus,
} from '@/lib/pending/incidents';
import { byMs, pendingNetwork } from '@/lib/pending/network';
import type { TriageAnswer, TriageStatus } from '@/lib/pending/pending-response';
import { distinctRows, isPending } from '@/lib/pending/rules/evidence';
import { type IsAcknowledged, stuckSpans } from '@/lib/pending/stuck-counts';
import { stuckThresholds, thresholdsOf } from '@/lib/platform/network-settings';
import { processWideOf } from '@/lib/platform/process-wide';
import { currentSettings } from '@/lib/platform/settings';
import { type KeeperStatus, MAX_UNREAD_MS, PARKED_AFTER_MS } from '@/lib/requests/keeper-status';
import { services, startedServices } from '@/lib/services/services';
import { type StuckRows, stuckByAge } from '@/lib/store/queries/insights';
import { requestId } from '@/lib/store/record-row';
import type { IndexStore } from '@/lib/store/store';
import { checkStretches, isPendingFresh, KeeperReader, type KeeperSnapshot } from './evidence';
import { type SingleCase, SingleDiagnoses } from './single-diagnoses';

/** Computed at one moment from one revision of the index. */
export type TriageNow = {
  revision: number;
  atMs: number;
  state: TriageAnswer['state'];
  /** Time since when a keeper is read, but not its pending requests, unix ms. */
  pendingUnreadSinceMs: number | undefined;
  index: KeeperStatus[];
  keepers: KeeperSnapshot[];
  triage: Triage;
  activity: TriageAnswer['activity'];
  status: TriageStatus;
  /** Pending rows that their service no longer serves. */
  gone: number;
};

/** State without new data is reused for this long, because only ages change. */
const REUSE_MS = 1000;
/** The factor limits computations to a tenth of the time. */
const MIN_COMPUTE_INTERVAL_MS = 250;
const PAUSE_FACTOR = 9;
/** Time after which a caller gets the last state with its age. */
const MAX_WAIT_MS = 1500;
/** Duration of a computation from which callers wait only this long instead of `MAX_WAIT_MS`. */
const SLOW_MS = 300;

/** Spans over all networks. SQL does not count stuck requests beyond these. */
const MAX_STUCK_SPANS = 2000;
const MAX_STUCK_IDS = 2000;

/** `rows`: examined pending requests, oldest first. */
type JudgedNetwork = {
  snapshot: KeeperSnapshot;
  networkId: string;
  settings: PendingSettings;
  triage: NetworkTriage;
  rows: { key: string; ms: number }[];
};

/** `pending` includes requests beyond the limit of examination. */
type JudgedKeeper = { snapshot: KeeperSnapshot; pending: number; networks: JudgedNetwork[] };

type TriageFailure = { sinceMs: number; error: unknown };

type TriageResult = { answer: TriageNow; epoch: number; endedAt: number; tookMs: number };

/** Computes once for all concurrent callers. */
export class PendingTriage {
  readonly #readers = new Map<string, KeeperReader>();
  #pendingUnread: ReadonlyMap<string, number> = new Map();
  readonly #singles: SingleDiagnoses;
  /** The triage of the process. It also remembers open incidents and their causes. */
  #last: TriageResult | undefined;
  #underWay: Promise<TriageResult> | undefined;
  #failure: TriageFailure | undefined;
  #stuckRows: StuckRows | undefined;

  constructor(
    private readonly store: IndexStore,
    private readonly settingsOf: (networkId: string) => PendingSettings,
    private readonly acknowledgements: () => readonly Acknowledgement[] = () => [],
    private readonly recorded: () => readonly RecordedIncident[] = () => [],
  ) {
    this.#singles = new SingleDiagnoses(store);
  }

  async now(): Promise<TriageNow> {
    const last = this.#last;
    if (last !== undefined && this.#isUsable(last)) return last.answer;
    this.#underWay ??= this.#compute()
      .catch((error: unknown) => {
        // Without a state, SQL counts stuck requests by age.
        this.#stuckRows = undefined;
        this.#failure = { sinceMs: this.#failure?.sinceMs ?? this.store.now(), error };
        throw error;
      })
      .finally(() => {
        this.#underWay = undefined;
      });
    const { answer, epoch } = await this.#underWay;
    // The index was cleared meanwhile.
    return epoch === this.store.epoch ? answer : this.now();
  }

  /** Waits only briefly. If a new state takes longer or fails, the last one, with its time in `atMs`. */
  async soon(): Promise<TriageNow | undefined> {
    const last = this.#last?.epoch === this.store.epoch ? this.#last : undefined;
    const isSlow = last !== undefined && last.tookMs >= SLOW_MS;
    const late = pause(isSlow ? SLOW_MS : MAX_WAIT_MS, undefined, { ref: false });
    const latest = await Promise.race([this.now().catch(() => undefined), late]);
    return latest ?? this.cached();
  }

  /** Does not wait. An old state starts a new computation. */
  cached(): TriageNow | undefined {
    const last = this.#last?.epoch === this.store.epoch ? this.#last : undefined;
    if (last === undefined || !this.#isUsable(last)) this.now().catch(() => undefined);
    return last?.answer;
  }

  /** Stuck rows for SQL by the last triage. Undefined before the first one and after a failure. */
  get stuckRows(): StuckRows | undefined {
    return this.#stuckRows;
  }

  get failure(): TriageFailure | undefined {
    return this.#failure;
  }

  #isUsable({ answer, epoch, endedAt, tookMs }: TriageResult): boolean {
    if (epoch !== this.store.epoch) return false;
    const reuseMs = answer.revision === this.store.revision ? REUSE_MS : MIN_COMPUTE_INTERVAL_MS;
    return performance.now() - endedAt < Math.max(reuseMs, PAUSE_FACTOR * tookMs);
  }

  async #compute(): Promise<TriageResult> {
    const beganAt = performance.now();
    const { epoch, revision } = this.store;
    const index = this.store.status();
    const atMs = this.store.now();
    const before = this.#last?.epoch === epoch ? this.#last : undefined;
    if (before === undefined) {
      this.#stuckRows = undefined;
      this.#readers.clear();
      this.#singles.clear();
    }
    const keepers = await this.#readKeepers(index, atMs);
    const judged: JudgedKeeper[] = [];
    for (const snapshot of keepers)
      judged.push(...(await this.#judgeKeeper(snapshot, before?.answer.triage.incidents ?? [])));
    const networks = judged.flatMap((keeper) => keeper.networks);
    const singles = await this.#singles.judge(networks.flatMap(singleCases));
    const triage = triageOfAll(keepers, judged, singles);
    const isAcknowledged = acknowledgedBy(this.acknowledgements(), triage, atMs);
    this.#stuckRows = this.#findStuckRows(networks, triage, isAcknowledged);
    const pendingUnreadSinceMs = this.#unreadSince(index, atMs);
    const isLate = pendingUnreadSinceMs !== undefined && atMs - pendingUnreadSinceMs >= MAX_UNREAD_MS;
    const state = stateOf(index, atMs, isLate);
    const pending = keepers.flatMap(({ counts }) => counts.filter((count) => count.state === 'pending'));
    const now: TriageNow = {
      revision,
      atMs,
      state,
      pendingUnreadSinceMs,
      index,
      keepers,
      triage,
      activity: networkActivity(keepers, triage, isAcknowledged),
      status: statusIfFresh(triage, state, index, atMs),
      gone: pending.reduce((sum, { rows, live }) => sum + rows - live, 0),
    };
    const endedAt = performance.now();
    this.#failure = undefined;
    this.#last = { answer: now, epoch, endedAt, tookMs: endedAt - beganAt };
    return this.#last;
  }

  /** A service may refuse to list pending requests, while its other rows are read. */
  #unreadSince(index: readonly KeeperStatus[], atMs: number): number | undefined {
    const before = this.#pendingUnread;
    const unread = index.filter(({ syncedAtMs, pendingAtMs }) => syncedAtMs !== null && pendingAtMs === null);
    this.#pendingUnread = new Map(unread.map(({ keeper }) => [keeper, before.get(keeper) ?? atMs]));
    return unread.length === 0 ? undefined : Math.min(...this.#pendingUnread.values());
  }

  #newReader(keeper: string): KeeperReader {
    return new KeeperReader(this.store, keeper, (networkId) => this.settingsOf(networkId).retryBudgetS);
  }

  async #readKeepers(index: readonly KeeperStatus[], atMs: number): Promise<KeeperSnapshot[]> {
    const keepers: KeeperSnapshot[] = [];
    for (const status of index) {
      const reader = this.#readers.get(status.keeper) ?? this.#newReader(status.keeper);
      this.#readers.set(status.keeper, reader);
      keepers.push(await reader.read(status, atMs));
    }
    return keepers;
  }

  /** Yields between networks. Empty without the keeper's pending requests. */
  async #judgeKeeper(snapshot: KeeperSnapshot, before: readonly KeyedIncident[]): Promise<JudgedKeeper[]> {
    const { keeper, pending, networks, unexamined } = snapshot;
    if (pending.kind === 'missing') return [];
    const rows = distinctRows(pending.value.rows).filter(isPending);
    const byNetwork = groupedBy(rows, ({ networkId }) => networkId);
    const judged: JudgedNetwork[] = [];
    // The record is by our clock, and compared with times of requests.
    const recorded = this.recorded().map(({ id, openedMs }) => {
      return { id, openedMs: openedMs + snapshot.clockAheadMs };
    });
    for (const evidence of networks) {
      await nextTurn();
      const { networkId } = evidence;
      const settings = this.settingsOf(networkId);
      const { nowMs, orphaned } = snapshot;
      const input = { keeper, networkId, settings, evidence, pending, nowMs, orphaned };
      const network = pendingNetwork(input, byNetwork.get(networkId) ?? []);
      const checked = await checkStretches(this.store, snapshot, network);
      const open = before.filter(
        (incident) => incident.keeper === keeper && incident.networkId === networkId,
      );
      const all = [...network.past, ...network.withinNormal, ...network.orphans].sort(byMs);
      const triage = triageNetwork(network, checked, open, recorded);
      judged.push({ snapshot, networkId, settings, triage, rows: all });
    }
    return [{ snapshot, pending: rows.length + sumOf([...unexamined.values()]), networks: judged }];
  }

  #findStuckRows(
    networks: readonly JudgedNetwork[],
    { incidents, singles }: Triage,
    isAcknowledged: IsAcknowledged,
  ): StuckRows {
    const stuck = new Set([
      ...incidents.flatMap(({ id, rows }) => (isAcknowledged('incident', id) ? [] : rows)),
      ...singles.flatMap(({ key, isParked }) => (isParked || isAcknowledged('request', key) ? [] : [key])),
    ]);
    let spansLeft = MAX_STUCK_SPANS;
    const ids: string[] = [];
    const batches = networks.map(({ snapshot: { keeper, keeperId }, networkId, rows }) => {
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
}

/** @param singles diagnosed requests outside of incidents */
function triageOfAll(
  keepers: readonly KeeperSnapshot[],
  judged: readonly JudgedKeeper[],
  singles: JudgedSingle[],
): Triage {
  const networks = judged.flatMap((keeper) => keeper.networks);
  const readMoments = keepers.flatMap(({ pending, clockAheadMs }) =>
    pending.kind === 'known' ? [pending.atMs - clockAheadMs] : [],
  );
  return {
    incidents: networks.flatMap(({ triage }) => triage.incidents).sort(byWeight),
    singles,
    others: new Map(
      networks.map(({ snapshot, networkId, triage }) => [`${snapshot.keeper}/${networkId}`, triage.others]),
    ),
    slow: sumOf(networks.map(({ triage }) => triage.slow)),
    withinNormal: sumOf(networks.map(({ triage }) => triage.withinNormal)),
    pending: sumOf(judged.map(({ pending }) => pending)),
    unexamined: sumOf(judged.flatMap(({ snapshot }) => [...snapshot.unexamined.values()])),
    missing: sumOf(judged.map(({ snapshot }) => snapshot.missing)),
    unreadable: sumOf(judged.map(({ snapshot }) => snapshot.unreadable)),
    unknownState: sumOf(judged.map(({ snapshot }) => snapshot.unknownState)),
    unchecked: keepers.flatMap(({ pending }) => (pending.kind === 'missing' ? pending.why : [])),
    checkedAtMs: readMoments.length === 0 ? undefined : Math.min(...readMoments),
  };
}

function singleCases({ snapshot, settings, triage: { singles, others } }: JudgedNetwork): SingleCase[] {
  return singles.map((single) => ({ ...single, snapshot, settings, others }));
}

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

/** @param isLate a keeper's pending requests have not been read for too long after its first read */
function stateOf(index: readonly KeeperStatus[], nowMs: number, isLate: boolean): TriageAnswer['state'] {
  if (isLate) return 'stale';
  if (!index.every((status) => isPendingFresh(status, nowMs) || isBeginning(status))) return 'stale';
  return index.some(isBeginning) ? 'syncing' : 'complete';
}

/** Whether a keeper was neither read yet nor failed. */
function isBeginning({ syncedAtMs, pendingAtMs, failure }: KeeperStatus): boolean {
  return (syncedAtMs === null || pendingAtMs === null) && failure === null;
}

/** Calm only if the rows were read recently. */
export function statusIfFresh(
  triage: Triage,
  state: TriageAnswer['state'],
  index: readonly KeeperStatus[],
  nowMs: number,
): TriageStatus {
  const status = triageStatus(triage);
  if (status.kind !== 'nothing-stuck' || state === 'complete') return status;
  const old = index.find((status) => !isPendingFresh(status, nowMs));
  const isUnlisted = old?.pendingAtMs === null && old.syncedAtMs !== null;
  const lack = isUnlisted ? 'has not listed its pending requests yet' : 'is not synced';
  const why = old?.failure?.detail.replace(/\.$/, '') ?? `Keeper ${old?.keeper} ${lack}`;
  return { kind: 'not-known', why };
}

const NONE: readonly never[] = [];
export const acknowledgements = (): readonly Acknowledgement[] =>
  startedServices()?.incidents.acknowledgements ?? NONE;
const recordedIncidents = () => startedServices()?.incidents.openIncidents ?? NONE;

export const triageOf = processWideOf(
  'pending-triage',
  (index: IndexStore) =>
    new PendingTriage(
      index,
      (networkId) => thresholdsOf(currentSettings(), networkId),
      acknowledgements,
      recordedIncidents,
    ),
);

/** Stuck rows as all figures count them: those of the last triage, or by age at `momentMs` before the first one. */
export function stuckRowsAt(momentMs: number): StuckRows {
  return triageOf(services().index).stuckRows ?? stuckByAge(stuckThresholds(currentSettings()), momentMs);
}

function acknowledgedBy(stored: readonly Acknowledgement[], triage: Triage, atMs: number): IsAcknowledged {
  const acknowledged = acknowledgedCases(triage, stored, atMs);
  return (kind, id) => acknowledged.has(targetKey({ kind, id }));
}

export const acknowledgedNow = ({ triage, atMs }: TriageNow) =>
  acknowledgedBy(acknowledgements(), triage, atMs);
