import 'server-only';
import type { DiagnosisSettings } from '@/lib/domain/diagnosis/diagnosis-settings';
import {
  DAY_MS,
  type FinishedRows,
  type LoggedRow,
  missing,
  type Piece,
  type RowsFound,
  type WindowCount,
} from '@/lib/domain/diagnosis/evidence';
import { groupedBy } from '@/lib/domain/diagnosis/grouped';
import type { KeeperEvidence, NetworkEvidence } from '@/lib/domain/diagnosis/incident';
import { distinctRows, isFinished } from '@/lib/domain/diagnosis/logged-row';
import { stretchesToCount } from '@/lib/domain/diagnosis/network-incident';
import { WIRE_STATE } from '@/lib/domain/request-record';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import {
  countBetween,
  finishedRows,
  newestRows,
  pendingRows,
  type StateCount,
  stateCounts,
  unreadablePending,
} from '@/lib/store/queries/evidence';
import { BEGINNING_US } from '@/lib/store/schema';
import type { IndexStore } from '@/lib/store/store';
import { loggedRows } from './logged-rows';
import { notReached, reaches } from './reach';
import { serviceQuery } from './service-query';
import { nextTurn } from './turns';

/** One keeper as its index stands. */
export type KeeperLook = {
  evidence: KeeperEvidence;
  /** Unix ms: as of when its pending rows are known. Nothing is older than it was then, whatever the time is now. */
  asOfMs: number;
  /** Rows by network and state, by network. */
  counts: StateCount[];
};

/** Newest rows of a network that a first view looks at, beside as many as are pending. */
const NEWEST = 300;
const MOST_NEWEST = 1000;
/** So few finished ones among them say little about how long requests take: finished ones are read for themselves. */
const FEW_FINISHED = 100;
/** More than this is not triage any more: the rest is only counted. */
const MOST_PENDING = 100_000;
/** More networks than this nobody serves: those with most rows. */
const MOST_NETWORKS = 300;

const PENDING_QUERY = serviceQuery({ state: WIRE_STATE.pending });

/** What was read of a network last, and of which state of it: the same counts and revision, the same rows. */
type Sample = { of: string; newest: LoggedRow | null; finished: FinishedRows };

/** One network of a keeper, by the counts of its states. */
type NetworkTotals = { networkId: string; rows: number; lastDay: number; rev: number };

/** Reads E1 and E6 of one keeper from its index; rows of networks in which nothing has changed are kept. */
export class KeeperReader {
  readonly #samples = new Map<string, Sample>();

  constructor(
    private readonly store: Pick<IndexStore, 'engine'>,
    private readonly keeperId: number,
    private readonly settingsOf: (networkId: string) => DiagnosisSettings,
  ) {}

  /** @param nowMs unix milliseconds by the clock of the services */
  async look(status: KeeperStatus, nowMs: number): Promise<KeeperLook> {
    const { keeper, syncedAtMs, pendingAtMs } = status;
    if (syncedAtMs === null || pendingAtMs === null) {
      return { evidence: unknownKeeper(status), asOfMs: nowMs, counts: [] };
    }
    const asOfMs = Math.min(nowMs, syncedAtMs, pendingAtMs);
    const [counts, pending] = await Promise.all([
      stateCounts(this.store.engine, this.keeperId, (asOfMs - DAY_MS) * 1000),
      this.#pending(keeper),
    ]);
    const ofPending = groupedBy(pending.rows, ({ networkId }) => networkId);
    const networks: NetworkEvidence[] = [];
    for (const totals of totalsOf(counts)) {
      const rows = ofPending.get(totals.networkId) ?? [];
      networks.push(await this.#network(status, asOfMs, totals, rows));
    }
    const known: Piece<RowsFound> = { kind: 'known', value: pending, query: PENDING_QUERY, atMs: asOfMs };
    return { evidence: { keeper, pending: known, networks }, asOfMs, counts };
  }

  async #pending(keeper: string): Promise<RowsFound> {
    const [found, unreadable] = await Promise.all([
      pendingRows(this.store.engine, this.keeperId, MOST_PENDING),
      unreadablePending(this.store.engine, this.keeperId),
    ]);
    const rows = loggedRows(keeper, found.rows);
    const odd = found.rows.length - rows.length;
    return { rows, missing: found.total - found.rows.length, unreadable: unreadable + odd };
  }

  async #network(
    status: KeeperStatus,
    asOfMs: number,
    totals: NetworkTotals,
    pending: readonly LoggedRow[],
  ): Promise<NetworkEvidence> {
    const { networkId } = totals;
    const sample = await this.#sample(status.keeper, asOfMs, totals, pending.length);
    const evidence: NetworkEvidence = {
      networkId,
      newest: newestPiece(status, asOfMs, networkId, sample),
      lastDay: lastDayPiece(status, asOfMs, totals),
      finished: finishedPiece(status, asOfMs, networkId, sample.finished),
      counts: [],
    };
    return { ...evidence, counts: await this.#counts(status, asOfMs, evidence, pending) };
  }

  async #sample(
    keeper: string,
    asOfMs: number,
    { networkId, rows, lastDay, rev }: NetworkTotals,
    pending: number,
  ): Promise<Sample> {
    const known = this.#samples.get(networkId);
    const of = `${rev}/${rows}`;
    if (known?.of === of) return known;
    const limit = Math.min(MOST_NEWEST, NEWEST + pending);
    // Twice as many: pending ones that are no longer served were counted, and are not among these.
    const sinceMs = lastDay >= 2 * limit ? asOfMs - DAY_MS : undefined;
    const sinceUs = sinceMs === undefined ? BEGINNING_US : sinceMs * 1000;
    const found = await newestRows(this.store.engine, this.keeperId, networkId, sinceUs, limit);
    const newest = loggedRows(keeper, found);
    const isEnough = found.length < limit || newest.filter(isFinished).length >= FEW_FINISHED;
    const more = isEnough ? [] : await finishedRows(this.store.engine, this.keeperId, networkId, NEWEST);
    const sample: Sample = {
      of,
      newest: newest[0] ?? null,
      finished: {
        rows: distinctRows(newest, loggedRows(keeper, more)),
        completeSinceMs: Math.max(sinceMs ?? 0, completeSinceMs(newest, limit)),
      },
    };
    this.#samples.set(networkId, sample);
    return sample;
  }

  /** What R6 wants to know of stretches that the finished rows don't reach back to. */
  async #counts(
    status: KeeperStatus,
    asOfMs: number,
    evidence: NetworkEvidence,
    pending: readonly LoggedRow[],
  ): Promise<Piece<WindowCount>[]> {
    if (pending.length === 0) return [];
    await nextTurn();
    const stretches = stretchesToCount(pending, [evidence], this.settingsOf, asOfMs);
    return Promise.all(
      stretches.map(async ({ networkId, fromMs, toMs }): Promise<Piece<WindowCount>> => {
        if (!reaches(status, fromMs)) return notReached(status);
        const [fromUs, toUs] = [fromMs * 1000, toMs * 1000 + 999];
        const total = await countBetween(this.store.engine, this.keeperId, networkId, fromUs, toUs);
        const query = serviceQuery({ networkId, fromMs, toMs }, 1);
        return { kind: 'known', value: { fromMs, toMs, total }, query, atMs: asOfMs };
      }),
    );
  }
}

/** Nothing of it has been read: for want of time, or because its service fails. */
function unknownKeeper({ keeper, failure }: KeeperStatus): KeeperEvidence {
  const why = failure === null ? 'not synced yet' : failure.detail.replace(/\.$/, '');
  return { keeper, pending: missing(why), networks: [] };
}

/** Those with most rows first. */
function totalsOf(counts: readonly StateCount[]): NetworkTotals[] {
  const byNetwork = new Map<string, NetworkTotals>();
  for (const { networkId, rows, lastDay, rev } of counts) {
    const before = byNetwork.get(networkId) ?? { networkId, rows: 0, lastDay: 0, rev: 0 };
    byNetwork.set(networkId, {
      networkId,
      rows: before.rows + rows,
      lastDay: before.lastDay + lastDay,
      rev: Math.max(before.rev, rev),
    });
  }
  const totals = [...byNetwork.values()].sort((one, other) => other.rows - one.rows);
  return totals.slice(0, MOST_NETWORKS);
}

/** Rows that are not read yet may be newer than one from before the covered time. */
function newestPiece(
  status: KeeperStatus,
  asOfMs: number,
  networkId: string,
  { newest }: Sample,
): Piece<LoggedRow | null> {
  if (!reaches(status, newest?.createdAt.ms ?? Number.NEGATIVE_INFINITY)) return notReached(status);
  return { kind: 'known', value: newest, query: serviceQuery({ networkId }, 1), atMs: asOfMs };
}

function lastDayPiece(
  status: KeeperStatus,
  asOfMs: number,
  { networkId, lastDay }: NetworkTotals,
): Piece<number> {
  const fromMs = asOfMs - DAY_MS;
  if (!reaches(status, fromMs)) return notReached(status);
  return { kind: 'known', value: lastDay, query: serviceQuery({ networkId, fromMs }, 1), atMs: asOfMs };
}

/** Of rows, newest first, of which so many were asked for: since when all are there. Of the oldest moment there may be more. */
export function completeSinceMs(rows: readonly LoggedRow[], limit: number): number {
  return rows.length < limit ? 0 : (rows.at(-1)?.createdAt.ms ?? 0) + 1;
}

/** The finished rows of a network, complete as far as the index reaches. */
export function finishedPiece(
  status: KeeperStatus,
  asOfMs: number,
  networkId: string,
  finished: FinishedRows,
): Piece<FinishedRows> {
  if (!status.coversAll && status.coveredFromMs === null) return notReached(status);
  const coveredMs = status.coversAll ? 0 : (status.coveredFromMs ?? 0);
  const value = { ...finished, completeSinceMs: Math.max(coveredMs, finished.completeSinceMs) };
  return { kind: 'known', value, query: serviceQuery({ networkId }), atMs: asOfMs };
}
