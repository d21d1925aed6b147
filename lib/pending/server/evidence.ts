import 'server-only';
import { groupedBy } from '@/lib/core/grouped';
import {
  isStateWord,
  type RequestState,
  readRowText,
  WIRE_STATE,
  type WireTime,
} from '@/lib/core/request-record';
import { DAY_MS, formatIsoMillis, formatUtcSeconds, MINUTE_MS } from '@/lib/core/time';
import type { KeeperEvidence } from '@/lib/pending/activity';
import { type CheckedStretch, stretchesToCheck } from '@/lib/pending/groups';
import type { NetworkEvidence, PendingNetwork } from '@/lib/pending/network';
import type { DiagnosisAnswer, DiagnosisLocator } from '@/lib/pending/pending-response';
import {
  type Evidence,
  FINISHED_ROWS,
  isPending,
  type LoggedRow,
  type MatchingRows,
  type Missing,
  missing,
  PIECES,
  type Piece,
  WINDOW_MS,
} from '@/lib/pending/rules/evidence';
import { SILENCE } from '@/lib/pending/rules/network-rules';
import { TWIN_BLOCKS, TWIN_MS } from '@/lib/pending/rules/sequence-life';
import { log } from '@/lib/platform/log';
import { type KeeperStatus, STALE_AFTER_MS } from '@/lib/requests/keeper-status';
import type { ListedRecord } from '@/lib/requests/requests-response';
import { listedRow } from '@/lib/requests/requests-response';
import { IndexClosedError } from '@/lib/store/engine';
import {
  type EvidenceFilter,
  type EvidenceRow,
  evidenceRows,
  finishedRows,
  newestPending,
  newestRow,
  orphanedRequests,
  othersBetween,
  pendingWires,
  type RequestIdentity,
  rowsSince,
  type StateCount,
  stateCounts,
  wiresOfSequence,
} from '@/lib/store/queries/evidence';
import { stuckByAge, stuckInStates } from '@/lib/store/queries/insights';
import { requestId } from '@/lib/store/record-row';
import { BEGINNING_US } from '@/lib/store/schema';
import type { IndexStore } from '@/lib/store/store';
import { UnreadablePending } from './unreadable-pending';

export type KeeperSnapshot = KeeperEvidence & {
  keeperId: number;
  status: KeeperStatus;
  /** Keeper's clock minus ours, ms. `nowMs` and all rows are by the keeper's. */
  clockAheadMs: number;
  /** Pending rows neither examined nor known to be stuck. */
  missing: number;
  unreadable: number;
  /** Rows of the last day, old enough to be stuck, in states that this version doesn't know. */
  unknownState: number;
  counts: StateCount[];
  /** Keys of requests, as in `PendingNetwork`. */
  orphaned: ReadonlySet<string>;
};

/** Requests per keeper, newest first. Older ones are only counted. */
const MAX_EXAMINED = 20_000;
/** Networks per keeper; those with the most rows are used. */
const MAX_NETWORKS = 300;
/** A busy network may have more rows; the rules treat them as unseen. */
const MAX_EVIDENCE_ROWS = { window: 20_000, sender: 200, sequence: 100, transaction: 1000 } as const;
/** Age from which twins are searched for. A lower setting for slow requests finds them a little later. */
const MIN_SLOW_MS = MINUTE_MS;
/** Minimum interval between searches of the whole log; the factor limits them to a hundredth of the time. */
const ORPHANS_MS = 10_000;
const ORPHANS_PAUSE_FACTOR = 99;
const NEAR_TWIN = { us: TWIN_MS * 1000, blocks: TWIN_BLOCKS };
const MAX_SERVICE_ROWS = 1000;

/** The latest rows of a network. `version` combines counts and revision. */
type Sample = {
  version: string;
  newest: LoggedRow | null;
  finished: LoggedRow[];
  sinceMs: number;
  /** Rows of the 24 hours up to the newest one; undefined until the network is silent. */
  lastDay?: number;
};

type Network = { networkId: string; counts: readonly StateCount[]; lastDay: number; asOfMs: number };

/** Pending, newest and last rows of a keeper from the index. Networks that have not changed are cached. */
export class KeeperReader {
  readonly #keeperId: number;
  readonly #unreadable: UnreadablePending;
  readonly #samples = new Map<string, Sample>();
  #orphaned = { nextMs: -Infinity, keys: new Set<string>() };

  constructor(
    private readonly store: IndexStore,
    private readonly keeper: string,
    private readonly retryBudgetS: (networkId: string) => number,
  ) {
    this.#keeperId = store.keeperIds([keeper])[0] ?? 0;
    this.#unreadable = new UnreadablePending(store.engine, this.#keeperId);
  }

  /** @param nowMs by our clock; the snapshot is by the keeper's */
  async read(status: KeeperStatus, nowMs: number): Promise<KeeperSnapshot> {
    const { syncedAtMs, pendingAtMs } = status;
    const clockAheadMs = this.store.reads.clockAheadMs(this.keeper);
    const shared = { keeper: this.keeper, keeperId: this.#keeperId, status, clockAheadMs };
    if (syncedAtMs === null || pendingAtMs === null) {
      return { ...shared, ...unreadEvidence(status), nowMs: nowMs + clockAheadMs };
    }
    const asOfMs = Math.min(nowMs, syncedAtMs, pendingAtMs) + clockAheadMs;
    const [counts, stored, unreadable] = await Promise.all([
      stateCounts(this.store.engine, this.#keeperId, (asOfMs - DAY_MS) * 1000),
      newestPending(this.store.engine, this.#keeperId, MAX_EXAMINED),
      this.#unreadable.count(),
    ]);
    const rows = loggedRows(this.keeper, stored).reverse();
    const networks: NetworkEvidence[] = [];
    for (const [networkId, networkCounts] of largestNetworks(counts)) {
      const lastDay = networkCounts.reduce((sum, count) => sum + count.lastDay, 0);
      networks.push(await this.#network(status, { networkId, counts: networkCounts, lastDay, asOfMs }));
    }
    if (rows.some(({ createdAt }) => asOfMs - createdAt.ms > MIN_SLOW_MS)) await this.#findOrphans(asOfMs);
    const unusable = unreadable + stored.length - rows.length;
    const beyond = stored.length < MAX_EXAMINED ? new Map<string, number>() : unlistedCounts(stored, counts);
    const unseen = [...beyond.values()].reduce((sum, count) => sum + count, 0);
    // Rows beyond the limit are older than the oldest of these.
    const isOld = asOfMs - (rows[0]?.createdAt.ms ?? asOfMs) > DAY_MS;
    return {
      ...shared,
      nowMs: asOfMs,
      networks,
      counts,
      orphaned: this.#orphaned.keys,
      missing: isOld ? 0 : unseen,
      unexamined: isOld ? beyond : new Map(),
      unreadable: unusable,
      unknownState: await this.#unknownState(counts, asOfMs),
      pending: knownPiece({ rows, unseen: unseen + unusable }, serviceQuery({ isPending: true }), {
        atMs: asOfMs,
        clockAheadMs,
      }),
    };
  }

  /** An updated keeper may have named a new step, so unknown states may be pending. */
  async #unknownState(counts: readonly StateCount[], asOfMs: number): Promise<number> {
    const unknown = counts.filter(({ state, live }) => live > 0 && !isStateWord(state));
    if (unknown.length === 0) return 0;
    const networks = unknown.map(({ networkId }) => [networkId, this.retryBudgetS(networkId)] as const);
    const thresholds = { fallback: this.retryBudgetS(''), networks: Object.fromEntries(networks) };
    const states = [...new Set(unknown.map(({ state }) => state))];
    return stuckInStates(this.store.engine, this.#keeperId, states, stuckByAge(thresholds, asOfMs));
  }

  /** A failed search only delays twins, and must not fail the rest. */
  async #findOrphans(asOfMs: number): Promise<void> {
    if (asOfMs < this.#orphaned.nextMs) return;
    const beganAt = performance.now();
    let { keys } = this.#orphaned;
    try {
      const orphans = await orphanedRequests(this.store.engine, this.#keeperId, MAX_EXAMINED, NEAR_TWIN);
      keys = new Set(orphans.map((identity) => keyOf(this.keeper, identity)));
    } catch (error) {
      if (error instanceof IndexClosedError) throw error;
      log().error({ error }, 'looking for reorged requests failed');
    }
    const pauseMs = Math.max(ORPHANS_MS, ORPHANS_PAUSE_FACTOR * (performance.now() - beganAt));
    this.#orphaned = { nextMs: asOfMs + pauseMs, keys };
  }

  async #network(status: KeeperStatus, network: Network): Promise<NetworkEvidence> {
    const { networkId, asOfMs } = network;
    const sample = await this.#sample(network);
    const { newest, finished, sinceMs } = sample;
    // The rhythm of a silent network is that of the day before its silence.
    const isSilent = newest !== null && asOfMs - newest.createdAt.ms > SILENCE.minMs;
    const dayMs = (isSilent ? newest.createdAt.ms : asOfMs) - DAY_MS;
    if (isSilent) {
      const key = { keeperId: this.#keeperId, networkId };
      sample.lastDay ??= await rowsSince(this.store.engine, key, dayMs * 1000);
    }
    const lastDay = (isSilent ? sample.lastDay : undefined) ?? network.lastDay;
    const moment = { atMs: asOfMs, clockAheadMs: this.store.reads.clockAheadMs(this.keeper) };
    const piece = <T>(value: T, fromMs: number, query: string): Piece<T> =>
      reaches(status, fromMs) ? knownPiece(value, query, moment) : notReached(status);
    const coveredMs = status.coversAll ? 0 : (status.coveredFromMs ?? Infinity);
    const rows = { rows: finished, completeSinceMs: Math.max(coveredMs, sinceMs) };
    return {
      networkId,
      newest: piece(newest, newest?.createdAt.ms ?? -Infinity, serviceQuery({ networkId }, 1)),
      lastDay: piece(lastDay, dayMs, serviceQuery({ networkId, fromUs: dayMs * 1000 }, 1)),
      finished: piece(rows, Infinity, serviceQuery({ networkId })),
    };
  }

  async #sample({ networkId, counts, lastDay, asOfMs }: Network): Promise<Sample> {
    const before = this.#samples.get(networkId);
    const version = counts.map(({ rows, rev }) => `${rev}/${rows}`).join();
    if (before?.version === version) return before;
    const { engine } = this.store;
    const network = { keeperId: this.#keeperId, networkId };
    // The last day is enough for a busy network.
    const sinceMs = lastDay >= 2 * FINISHED_ROWS ? asOfMs - DAY_MS : undefined;
    const sinceUs = sinceMs === undefined ? BEGINNING_US : sinceMs * 1000;
    const [newest, evidenceRows] = await Promise.all([
      newestRow(engine, network, Math.max(...counts.map((count) => count.newestUs))),
      finishedRows(engine, network, sinceUs, FINISHED_ROWS),
    ]);
    const finished = loggedRows(this.keeper, evidenceRows);
    const oldestMs = evidenceRows.length < FINISHED_ROWS ? undefined : finished.at(-1)?.createdAt.ms;
    const sample: Sample = {
      version,
      finished,
      newest: loggedRows(this.keeper, newest)[0] ?? null,
      // Rows of the oldest moment may be incomplete, so the sample begins after that moment.
      sinceMs: Math.max(sinceMs ?? 0, oldestMs === undefined ? 0 : oldestMs + 1),
    };
    this.#samples.set(networkId, sample);
    return sample;
  }
}

function unreadEvidence({ failure }: KeeperStatus) {
  const why = failure === null ? 'not synced yet' : failure.detail.replace(/\.$/, '');
  return {
    pending: missing(why),
    missing: 0,
    unreadable: 0,
    unknownState: 0,
    unexamined: new Map<string, number>(),
    networks: [],
    counts: [],
    orphaned: new Set<string>(),
  };
}

function unlistedCounts(rows: readonly EvidenceRow[], counts: readonly StateCount[]): Map<string, number> {
  const seen = groupedBy(rows, ({ networkId }) => networkId);
  const left = counts.flatMap(({ networkId, state, live }): [string, number][] => {
    const count = state === 'pending' ? live - (seen.get(networkId)?.length ?? 0) : 0;
    return count > 0 ? [[networkId, count]] : [];
  });
  return new Map(left);
}

function largestNetworks(counts: readonly StateCount[]): [string, StateCount[]][] {
  const rowsOf = (networkCounts: readonly StateCount[]) =>
    networkCounts.reduce((sum, { rows }) => sum + rows, 0);
  const networks = [...groupedBy(counts, ({ networkId }) => networkId)];
  return networks.sort(([, a], [, b]) => rowsOf(b) - rowsOf(a)).slice(0, MAX_NETWORKS);
}

export function checkStretches(
  store: Pick<IndexStore, 'engine'>,
  { keeperId, status, clockAheadMs }: KeeperSnapshot,
  network: PendingNetwork,
): Promise<CheckedStretch[]> {
  const { networkId } = network;
  return Promise.all(
    stretchesToCheck(network).map(async (stretch): Promise<CheckedStretch> => {
      const { fromMs, toMs, maxOthers } = stretch;
      if (!reaches(status, fromMs)) return { stretch, others: notReached(status) };
      const [fromUs, toUs] = [fromMs * 1000, toMs * 1000 + 999];
      const between = await othersBetween(store.engine, { keeperId, networkId }, fromUs, toUs, maxOthers);
      const times = between.map((us) => Math.floor(us / 1000));
      return {
        stretch,
        others: knownPiece(times, serviceQuery({ networkId, fromUs, toUs }, 1), {
          atMs: network.nowMs,
          clockAheadMs,
        }),
      };
    }),
  );
}

/** `gone`: its keeper no longer serves it. */
type RequestLookup = { kind: 'one' | 'gone'; row: ListedRecord } | { kind: 'several' | 'none' | 'not-known' };

export async function findRequest(
  store: Pick<IndexStore, 'engine'>,
  { keeper, keeperId, status }: KeeperSnapshot,
  { networkId, sequence, provider, tx }: DiagnosisLocator,
): Promise<RequestLookup> {
  const hex = { provider: provider?.toLowerCase(), tx: tx?.toLowerCase() };
  const [stored, ...others] = await wiresOfSequence(store.engine, { keeperId, networkId, sequence, ...hex });
  if (others.length > 0) return { kind: 'several' };
  const row = stored && recordOfWire(keeper, stored.wire);
  if (stored === undefined || row === undefined) return { kind: status.coversAll ? 'none' : 'not-known' };
  return { kind: stored.gone ? 'gone' : 'one', row };
}

export async function gatherEvidence(
  { engine }: Pick<IndexStore, 'engine'>,
  snapshot: KeeperSnapshot,
  row: LoggedRow,
): Promise<Evidence> {
  const { keeper, keeperId, status, nowMs, clockAheadMs, pending, networks } = snapshot;
  const { networkId, sequence, sender, requestTxHash: tx, createdAt } = row;
  const fetchRows = async (filter: EvidenceFilter, limit: number): Promise<Piece<MatchingRows>> => {
    if (!reaches(status, filter.fromUs === undefined ? -Infinity : filter.fromUs / 1000)) {
      return notReached(status);
    }
    const { rows, total } = await evidenceRows(engine, keeperId, filter, limit);
    const logged = { rows: loggedRows(keeper, rows), unseen: total - rows.length };
    return knownPiece(logged, serviceQuery(filter, limit), { atMs: nowMs, clockAheadMs });
  };
  const [fromUs, toUs] = [(createdAt.ms - WINDOW_MS) * 1000, (createdAt.ms + WINDOW_MS) * 1000 + 999];
  const [window, ofSender, sameSequence, sameTransaction] = await Promise.all([
    fetchRows({ networkId, fromUs, toUs }, MAX_EVIDENCE_ROWS.window),
    isHex(sender)
      ? fetchRows({ sender: sender.toLowerCase() }, MAX_EVIDENCE_ROWS.sender)
      : missing('the row has no sender'),
    fetchRows({ networkId, sequence }, MAX_EVIDENCE_ROWS.sequence),
    isHex(tx)
      ? fetchRows({ requestTx: tx.toLowerCase() }, MAX_EVIDENCE_ROWS.transaction)
      : missing('the row has no transaction'),
  ]);
  const nothing = missing('not synced yet');
  const ofNetwork = networks.find((network) => network.networkId === networkId);
  const { newest = nothing, lastDay = nothing, finished = nothing } = ofNetwork ?? {};
  return { pending, window, sender: ofSender, sameSequence, sameTransaction, newest, lastDay, finished };
}

/** Evidence about fields that the row does not have is not missing. */
export function missingEvidence(evidence: Evidence, row: LoggedRow): DiagnosisAnswer['missing'] {
  const isWanted: Partial<Record<keyof Evidence, boolean>> = {
    pending: isPending(row),
    sender: isHex(row.sender),
    sameTransaction: isHex(row.requestTxHash),
  };
  return (Object.keys(PIECES) as (keyof Evidence)[]).flatMap((name) => {
    const piece = evidence[name];
    return piece.kind === 'known' || isWanted[name] === false
      ? []
      : [{ what: PIECES[name].name, why: piece.why }];
  });
}

/** The service searches only by addresses and hashes. */
function isHex(text: string | undefined): text is string {
  return text !== undefined && /^0x([0-9a-f]{40}|[0-9a-f]{64})$/i.test(text);
}

/** Pending rows are read less often than new ones, and the more there are, the less often. */
const PENDING_STALE_MS = 300_000;

export function isPendingFresh({ syncedAtMs, pendingAtMs }: KeeperStatus, nowMs: number): boolean {
  if (syncedAtMs === null || pendingAtMs === null) return false;
  return nowMs - syncedAtMs <= STALE_AFTER_MS && nowMs - pendingAtMs <= PENDING_STALE_MS;
}

function reaches({ coversAll, coveredFromMs }: KeeperStatus, fromMs: number): boolean {
  return coversAll || (coveredFromMs !== null && coveredFromMs <= fromMs);
}

function notReached({ coveredFromMs }: KeeperStatus): Missing {
  if (coveredFromMs === null) return missing('not synced yet');
  return missing(`not synced before ${formatUtcSeconds(coveredFromMs)}`);
}

type KeeperMoment = { atMs: number; clockAheadMs: number };

function knownPiece<T>(value: T, query: string, moment: KeeperMoment): Piece<T> {
  return { kind: 'known', value, query, ...moment };
}

/** Rows with an unusable sequence are left out. */
function loggedRows(keeper: string, rows: readonly EvidenceRow[]): LoggedRow[] {
  return rows.flatMap((row): LoggedRow[] => {
    const { networkId, sequence, provider, sender, requestTx, requestBlock, gasLimit } = row;
    if (sequence === null) return [];
    return [
      {
        keeper,
        key: keyOf(keeper, row),
        networkId,
        sequence,
        createdAt: wireTime(row.createdUs),
        updatedAt: row.updatedUs === null ? undefined : wireTime(row.updatedUs),
        state: stateOf(row.state),
        provider: provider ?? undefined,
        sender: sender ?? undefined,
        requestTxHash: requestTx ?? undefined,
        requestBlock: requestBlock ?? undefined,
        gasLimit: gasLimit ?? undefined,
      },
    ];
  });
}

function keyOf(keeper: string, { networkId, provider, sequence, requestTx }: RequestIdentity): string {
  return `${keeper}/${networkId}/${provider ?? ''}/${sequence}/${requestTx ?? ''}`;
}

function recordOfWire(keeper: string, wire: string): ListedRecord | undefined {
  const row = readRowText(wire);
  return row.kind === 'record' ? listedRow(row, keeper) : undefined;
}

/** Records that are still pending, as the service wrote them. @param keys begin with the keeper's name */
export async function pendingRecords(
  index: IndexStore,
  keeper: string,
  keys: readonly string[],
): Promise<ListedRecord[]> {
  const [keeperId = 0] = index.keeperIds([keeper]);
  const ids = keys.map((key) => requestId(keeperId, { key: key.slice(keeper.length + 1) }));
  const wires = await pendingWires(index.engine, ids);
  return wires.flatMap((wire) => recordOfWire(keeper, wire) ?? []);
}

function wireTime(micros: number): WireTime {
  const ms = Math.floor(micros / 1000);
  return { ms, text: formatIsoMillis(ms) };
}

function stateOf(word: string): RequestState {
  if (word === 'pending' || word === 'failed') return { kind: word };
  if (word === 'completed') return { kind: word, callback: 'ok' };
  return word === 'callback-failed'
    ? { kind: 'completed', callback: 'failed' }
    : { kind: 'unknown', wireName: word };
}

/** A query of `/v1/logs`, without question mark, so that a person can check the rows. */
function serviceQuery(filter: EvidenceFilter & { isPending?: boolean }, limit = MAX_SERVICE_ROWS): string {
  const { isPending, networkId, sender, requestTx, sequence, fromUs, toUs } = filter;
  const isoOf = (us: number | undefined) => us && formatIsoMillis(Math.floor(us / 1000));
  const params = {
    network_id: networkId,
    state: isPending && WIRE_STATE.pending,
    query: sender ?? requestTx ?? sequence,
    min_timestamp: isoOf(fromUs),
    max_timestamp: isoOf(toUs),
    limit: Math.min(limit, MAX_SERVICE_ROWS),
    offset: '0',
  };
  const named = Object.entries(params).flatMap(([name, value]) => (value ? [[name, `${value}`]] : []));
  return new URLSearchParams(named).toString();
}
