import { type PendingSettings, pendingSettingsFrom } from '@/lib/core/pending-settings';
import 'server-only';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { quietOf, targetKey } from '@/lib/alerts/acknowledge';
import { groupedBy } from '@/lib/core/grouped';
import type { ClockSkew } from '@/lib/core/health';
import type { Acknowledgement } from '@/lib/core/incident-record';
import { networkActivity } from '@/lib/pending/activity';
import {
  type CauseGroup,
  type Incident,
  MAX_INCIDENTS,
  type TriageAnswer,
  type TriageStatus,
  type Verdict,
} from '@/lib/pending/answers';
import {
  byWeight,
  type FoundIncident,
  type FoundSingle,
  type NetworkTriage,
  singleOf,
  statusOf,
  type Triage,
  triageNetwork,
} from '@/lib/pending/incidents';
import { byMs, pendingNetwork } from '@/lib/pending/network';
import { distinctRows, isPending, type LoggedRow } from '@/lib/pending/rules/evidence';
import { caseOf, diagnose, type OfMany } from '@/lib/pending/rules/rules';
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
import { checkStretches, evidenceOf, isFresh, KeeperReader, type KeeperSnapshot } from './evidence';

/** The state of all pending requests as it was worked out at one moment, from one revision of the index. */
export type TriageNow = {
  revision: number;
  atMs: number;
  state: TriageAnswer['state'];
  index: KeeperStatus[];
  keepers: KeeperSnapshot[];
  triage: Triage;
  activity: TriageAnswer['activity'];
  status: TriageStatus;
  /** Pending rows that their service no longer serves: nothing is said of them but their number. */
  gone: number;
};

/** Ages go on while nothing new is known. */
const SAME_FOR_MS = 1000;
/** While much becomes known at once, it is not worked out anew more often, nor for more than a tenth of the time. */
const MIN_MS = 250;
const PAUSE_FACTOR = 9;
/** A reader waits so long for a new state, in milliseconds, before the last one is shown with its age. */
const PATIENCE_MS = 1500;
/** And no longer than this where the last one took as long to work out: it is known to be slow. */
const SLOW_MS = 300;

/**
 * A single case is looked at with all evidence so often, an old one after a hundredth of its age, as little becomes known of
 * it; and so many of them at a time. The others stay as they were.
 */
const SINGLE_MS = { least: 10_000, most: 60_000 };
const SINGLE_AGE_SHARE = 0.01;
const MAX_SINGLES = 20;
/** Single requests that are looked at with all evidence, the newest. */
const MAX_EXAMINED_SINGLES = 200;
/** Looks at single cases end after so long, and then rest, up to the least time between two looks at one. */
const SINGLES_MS = 250;
const SINGLES_PAUSE_FACTOR = 19;

/** Spans and ids that figures count stuck requests by, over all networks; of more of either kind, those are not counted. */
const MAX_STUCK_SPANS = 2000;
const MAX_STUCK_IDS = 2000;

/** All pending requests of a network that are examined, oldest first. */
type NetworkRows = {
  keeper: string;
  keeperId: number;
  networkId: string;
  rows: { key: string; ms: number }[];
};

/** A stuck request that belongs to no incident, and what it is looked at with. */
type Alone = NetworkTriage['singles'][number] & {
  snapshot: KeeperSnapshot;
  settings: PendingSettings;
  others: OfMany['others'];
};

const newestFirst = (one: LoggedRow, other: LoggedRow) =>
  other.createdAt.ms - one.createdAt.ms || (one.key < other.key ? -1 : 1);

/** Why the state of pending requests can't be worked out, since a moment in unix milliseconds. */
export type TriageFailure = { sinceMs: number; error: unknown };

type Last = { now: TriageNow; epoch: number; endedAt: number; tookMs: number };

/** Works the state of things out when somebody asks, once for all who ask at about the same time. */
export class PendingTriage {
  readonly #readers = new Map<string, KeeperReader>();
  readonly #singles = new Map<string, { atMs: number; single: FoundSingle }>();
  /** When single cases may be looked at again, by the clock of the store. */
  #singlesFrom = Number.NEGATIVE_INFINITY;
  /** The last one is also the memory of what was opened before, and under which cause. */
  #last: Last | undefined;
  #underWay: Promise<Last> | undefined;
  /** Since when no new state could be worked out, and why; undefined while that works. */
  #failure: TriageFailure | undefined;

  constructor(
    private readonly store: IndexStore,
    private readonly settingsOf: (networkId: string) => PendingSettings,
    private readonly acknowledgements: () => readonly Acknowledgement[] = () => [],
  ) {}

  async now(): Promise<TriageNow> {
    const last = this.#last;
    if (last !== undefined && this.#isGood(last)) return last.now;
    this.#underWay ??= this.#workOut()
      .catch((error: unknown) => {
        // Figures then count by age.
        this.store.stuckRows = undefined;
        this.#failure = { sinceMs: this.#failure?.sinceMs ?? this.store.now(), error };
        throw error;
      })
      .finally(() => {
        this.#underWay = undefined;
      });
    const { now, epoch } = await this.#underWay;
    // It began before everything was forgotten.
    return epoch === this.store.epoch ? now : this.now();
  }

  /**
   * The newest state that is there within a moment: what was worked out last where a new one takes longer or fails, its age
   * in `atMs`. Undefined while there is none at all.
   */
  async soon(): Promise<TriageNow | undefined> {
    const last = this.#last?.epoch === this.store.epoch ? this.#last : undefined;
    const isSlow = last !== undefined && last.tookMs >= SLOW_MS;
    const late = pause(isSlow ? SLOW_MS : PATIENCE_MS, undefined, { ref: false });
    const found = await Promise.race([this.now().catch(() => undefined), late]);
    return found ?? this.known();
  }

  /** What was worked out last, without waiting; a new state is begun where it is old. */
  known(): TriageNow | undefined {
    const last = this.#last?.epoch === this.store.epoch ? this.#last : undefined;
    if (last === undefined || !this.#isGood(last)) this.now().catch(() => undefined);
    return last?.now;
  }

  get failure(): TriageFailure | undefined {
    return this.#failure;
  }

  #isGood({ now, epoch, endedAt, tookMs }: Last): boolean {
    if (epoch !== this.store.epoch) return false;
    const keptMs = now.revision === this.store.revision ? SAME_FOR_MS : MIN_MS;
    return performance.now() - endedAt < Math.max(keptMs, PAUSE_FACTOR * tookMs);
  }

  async #workOut(): Promise<Last> {
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
      const reader = this.#readers.get(status.keeper) ?? new KeeperReader(this.store, status.keeper);
      this.#readers.set(status.keeper, reader);
      keepers.push(await reader.read(status, atMs));
    }
    const networkRows: NetworkRows[] = [];
    const triage = await this.#triage(keepers, before?.now.triage.incidents ?? [], networkRows);
    const isAcknowledged = acknowledgedBy(this.acknowledgements(), triage, atMs);
    this.store.stuckRows = this.#stuckRows(networkRows, triage, isAcknowledged);
    const state = stateOf(index, atMs);
    const pending = keepers.flatMap(({ counts }) => counts.filter((one) => one.state === 'pending'));
    const now: TriageNow = {
      revision,
      atMs,
      state,
      index,
      keepers,
      triage,
      activity: networkActivity(keepers, triage, isAcknowledged),
      status: honestStatus(triage, state, index, atMs),
      gone: pending.reduce((sum, { rows, live }) => sum + rows - live, 0),
    };
    const endedAt = performance.now();
    this.#failure = undefined;
    this.#last = { now, epoch, endedAt, tookMs: endedAt - beganAt };
    return this.#last;
  }

  async #triage(
    keepers: readonly KeeperSnapshot[],
    before: readonly FoundIncident[],
    networkRows: NetworkRows[],
  ): Promise<Triage> {
    const known = keepers.flatMap(({ pending }) => (pending.kind === 'known' ? [pending.atMs] : []));
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
      unchecked: keepers.flatMap(({ pending }) => (pending.kind === 'missing' ? pending.why : [])),
      checkedAtMs: known.length === 0 ? undefined : Math.min(...known),
    };
    const alone: Alone[] = [];
    for (const snapshot of keepers) {
      for (const one of await this.#addKeeper(triage, snapshot, before, networkRows)) alone.push(one);
    }
    alone.sort(({ row: one }, { row: other }) => newestFirst(one, other));
    const left = new Set(alone.map(({ row }) => row.key));
    for (const key of this.#singles.keys()) if (!left.has(key)) this.#singles.delete(key);
    const beganAt = performance.now();
    const mayBegin = this.store.now() >= this.#singlesFrom;
    let turns = mayBegin ? MAX_SINGLES : 0;
    const mayLook = () => turns > 0 && performance.now() - beganAt < SINGLES_MS;
    for (const [at, one] of alone.entries()) {
      const last = this.#singles.get(one.row.key);
      const isFresh = last !== undefined && one.snapshot.nowMs - last.atMs < singleKeptMs(one);
      // The network alone tells the likely cause of the others.
      if (at >= MAX_EXAMINED_SINGLES || isParked(one)) triage.singles.push(one.brief());
      else if (!isFresh && mayLook()) {
        turns -= 1;
        triage.singles.push(await this.#single(one));
      } else triage.singles.push(last?.single ?? one.known());
    }
    if (mayBegin) {
      const pauseMs = SINGLES_PAUSE_FACTOR * (performance.now() - beganAt);
      this.#singlesFrom = this.store.now() + Math.min(SINGLE_MS.least, pauseMs);
    }
    triage.incidents.sort(byWeight);
    return triage;
  }

  /** Network by network, with room for others between them. @returns stuck requests of no incident */
  async #addKeeper(
    triage: Triage,
    snapshot: KeeperSnapshot,
    before: readonly FoundIncident[],
    networkRows: NetworkRows[],
  ): Promise<Alone[]> {
    const { keeper, keeperId, pending, nowMs, networks, orphaned } = snapshot;
    const alone: Alone[] = [];
    if (pending.kind === 'missing') return alone;
    const rows = distinctRows(pending.value.rows).filter(isPending);
    const unexamined = [...snapshot.unexamined.values()].reduce((sum, count) => sum + count, 0);
    triage.pending += rows.length + unexamined;
    triage.unexamined += unexamined;
    triage.missing += snapshot.missing;
    triage.unreadable += snapshot.unreadable;
    const byNetwork = groupedBy(rows, ({ networkId }) => networkId);
    for (const evidence of networks) {
      await nextTurn();
      const { networkId } = evidence;
      const settings = this.settingsOf(networkId);
      const given = { keeper, networkId, settings, evidence, pending, nowMs, orphaned };
      const network = pendingNetwork(given, byNetwork.get(networkId) ?? []);
      const checked = await checkStretches(this.store, snapshot, network);
      const known = before.filter((one) => one.keeper === keeper && one.networkId === networkId);
      const found = triageNetwork(network, checked, known);
      for (const incident of found.incidents) triage.incidents.push(incident);
      const all = [...network.past, ...network.withinNormal, ...network.orphans].sort(byMs);
      networkRows.push({ keeper, keeperId, networkId, rows: all });
      triage.slow += found.slow;
      triage.withinNormal += found.withinNormal;
      triage.others.set(`${keeper}/${networkId}`, found.others);
      for (const one of found.singles) alone.push({ ...one, snapshot, settings, others: found.others });
    }
    return alone;
  }

  /** Rows that figures of other pages count as stuck. */
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
    const found = networks.map(({ keeper, keeperId, networkId, rows }) => {
      const { spans, keys } = stuckSpans(rows, (key) => stuck.has(key));
      for (const key of keys) ids.push(requestId(keeperId, { key: key.slice(keeper.length + 1) }));
      const newest = spansLeft === 0 ? [] : spans.slice(-spansLeft);
      spansLeft -= newest.length;
      const inUs = newest.map(({ fromMs, toMs }) => ({ fromUs: fromMs * 1000, toUs: toMs * 1000 + 999 }));
      return { keeperId, networkId, spans: inUs };
    });
    const atUs = (ageMs: number) => Math.floor((this.store.now() - ageMs) * 1000);
    const usual = { fromUs: atUs(PARKED_AFTER_MS), toUs: atUs(this.settingsOf('').retryBudgetS * 1000) };
    return { usual, networks: found, ids: ids.slice(0, MAX_STUCK_IDS) };
  }

  async #single({ row, snapshot, settings, others }: Alone): Promise<FoundSingle> {
    const { nowMs } = snapshot;
    const evidence = await evidenceOf(this.store, snapshot, row);
    const single = singleOf(row, diagnose(caseOf(row, evidence, settings, nowMs), { others }), nowMs);
    this.#singles.set(row.key, { atMs: nowMs, single });
    return single;
  }
}

const isParked = ({ row, snapshot }: Alone) => snapshot.nowMs - row.createdAt.ms > PARKED_AFTER_MS;

function singleKeptMs({ row, snapshot }: Alone): number {
  const ageMs = snapshot.nowMs - row.createdAt.ms;
  return Math.min(SINGLE_MS.most, Math.max(SINGLE_MS.least, ageMs * SINGLE_AGE_SHARE));
}

function stateOf(index: readonly KeeperStatus[], nowMs: number): TriageAnswer['state'] {
  if (!index.every((status) => isFresh(status, nowMs) || isBeginning(status))) return 'stale';
  return index.some(isBeginning) ? 'syncing' : 'complete';
}

/** Not read yet, and nothing has failed. */
function isBeginning({ syncedAtMs, pendingAtMs, failure }: KeeperStatus): boolean {
  return (syncedAtMs === null || pendingAtMs === null) && failure === null;
}

/** Calm is only said of rows that were read a moment ago. */
function honestStatus(
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
  const quiet = quietOf(triage, stored, atMs);
  return (kind, id) => quiet.has(targetKey({ kind, id }));
}

/** Whether an incident or a single request of this state is acknowledged now. */
export const acknowledgedNow = ({ triage, atMs }: TriageNow) =>
  acknowledgedBy(acknowledgements(), triage, atMs);

/** Counts and groups of a state, as somebody last asked for them. */
type Listed = { stored: readonly Acknowledgement[]; counts: StuckCounts; groups: CauseGroup[] };
const listed = new WeakMap<TriageNow, Listed>();

/** Worked out once for everybody, until another state or another acknowledgement: there may be tens of thousands of requests. */
function listedOf(now: TriageNow): Listed {
  const stored = acknowledgements();
  const known = listed.get(now);
  if (known?.stored === stored) return known;
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

/** An incident as lists have it. */
function listedIncident({ rows: _, heldAtMs: _heldAtMs, ...incident }: FoundIncident): Incident {
  return { ...incident, verdicts: incident.verdicts.map(withoutDetails) };
}

/** @param clocks that are off. @param most incidents, without activity; undefined: `MAX_INCIDENTS`, with it */
export function triageAnswer(
  now: TriageNow,
  settings: Pick<Settings, 'networks' | 'pending'>,
  clocks: ClockSkew[],
  most?: number,
): TriageAnswer {
  const { revision, atMs, state, index, triage, activity, status, gone, keepers } = now;
  const { incidents, singles, slow, withinNormal, pending, missing, unreadable, unexamined } = triage;
  const own = Object.keys(settings.networks).filter((id) => settings.networks[id]?.thresholds !== undefined);
  const { counts, groups } = listedOf(now);
  const oldest = keepers.flatMap((one) =>
    one.unexamined.size > 0 && one.pending.kind === 'known' ? (one.pending.value.rows[0] ?? []) : [],
  );
  return {
    revision,
    atMs,
    state,
    checkedAtMs: triage.unchecked.length > 0 ? undefined : triage.checkedAtMs,
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
      gone,
      incidents: incidents.length,
      singles: singles.filter((one) => !one.isParked).length,
    },
    incidents: incidents.slice(0, most ?? MAX_INCIDENTS).map(listedIncident),
    groups: most === undefined ? groups : [],
    ...(oldest.length === 0
      ? {}
      : { examinedFromMs: Math.max(...oldest.map(({ createdAt }) => createdAt.ms)) }),
    activity: most === undefined ? activity.map((one) => ({ ...one, quiet: withoutDetails(one.quiet) })) : [],
    settings: {
      others: pendingSettingsFrom(settings.pending),
      networks: Object.fromEntries(own.map((id) => [id, thresholdsOf(settings, id)])),
    },
  };
}

/**
 * What is known when a page is rendered; undefined when no log service is configured, or nothing is known yet: then the
 * browser asks. @param most as in `triageAnswer`
 */
export async function initialTriage(most?: number): Promise<TriageAnswer | undefined> {
  const { index, keepers } = services();
  const now = keepers.length === 0 ? undefined : await triageOf(index).soon();
  return now && triageAnswer(now, currentSettings(), skewedClocks(), most);
}

/** How many requests are pending and stuck, for the navigation of every page; null while nothing is known of them. */
export async function pendingCounts(index: IndexStore): Promise<PendingCounts | null> {
  const now = await triageOf(index).soon();
  return now === undefined ? null : countsOf(now);
}

/** What the navigation of a page begins with. It waits for no database: a page must come while one is busy or fails. */
export function knownIndex(): Pick<RevisionNews, 'index' | 'pending'> {
  const { index } = services();
  const now = triageOf(index).known();
  return { index: index.status(), pending: now === undefined ? null : countsOf(now) };
}

function countsOf(now: TriageNow): PendingCounts {
  const { pending, missing, unreadable } = now.triage;
  const complete = now.state === 'complete' && missing === 0 && unreadable === 0;
  return {
    atMs: now.atMs,
    pending,
    ...listedOf(now).counts,
    complete,
  };
}
