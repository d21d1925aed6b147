import 'server-only';
import type { DiagnosisAsked, MissingPiece } from '@/lib/contract/codec/triage-detail';
import {
  type Evidence,
  FINISHED_ROWS,
  missing,
  noEvidence,
  type Piece,
  type RowsFound,
  type RowsWindow,
  WINDOW_MS,
} from '@/lib/domain/diagnosis/evidence';
import { isPending } from '@/lib/domain/diagnosis/logged-row';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import {
  type EvidenceRows,
  finishedRows,
  rowsBetween,
  rowsOfSender,
  rowsOfSequence,
  rowsOfTransaction,
  wiresOfSequence,
} from '@/lib/store/queries/evidence';
import type { IndexStore } from '@/lib/store/store';
import { completeSinceMs, finishedPiece } from './keeper-evidence';
import { type ListedRecord, loggedRows, recordOfWire } from './logged-rows';
import { type TriageNow, triageOf } from './pending-triage';
import { notReached, reaches } from './reach';
import { type ServiceFilter, serviceQuery } from './service-query';

/** Rows looked at. Around a request on a busy network there may be more; then the rules reckon with what they don't see. */
const MOST = { window: 20_000, sender: 200, sequence: 100, transaction: 1000 } as const;

/** Which row it is that was asked for. `gone`: its keeper no longer serves it. */
export type FoundRequest =
  | { kind: 'one' | 'gone'; row: ListedRecord }
  | { kind: 'several' | 'none' | 'not-known' };

/** What the index has about one request. */
export type RequestEvidence = {
  revision: number;
  /** Unix ms: when the rows of its keeper were last read. */
  asOfMs: number;
  found: FoundRequest;
  /** How long requests of its network take. */
  finished: Evidence['finished'];
  /** Only of a request that was found. */
  evidence?: Evidence;
  missing: MissingPiece[];
};

/** E1 to E6 of one request of a keeper. */
export async function requestEvidence(
  index: IndexStore,
  keeper: string,
  asked: DiagnosisAsked,
): Promise<RequestEvidence> {
  const now = await triageOf(index).now();
  const place = placeOf(index, keeper, now);
  const found = await foundRequest(place, asked);
  const finished = await finishedOf(place, asked.networkId);
  const known = { revision: now.revision, asOfMs: place.asOfMs, found, finished };
  if (found.kind !== 'one') return { ...known, missing: [] };
  const evidence = await evidenceAround(place, found.row, finished, now);
  return { ...known, evidence, missing: missingOf(evidence, found.row) };
}

/** Where one keeper's rows are, and how far they reach. */
type Place = { index: IndexStore; keeper: string; keeperId: number; status: KeeperStatus; asOfMs: number };

function placeOf(index: IndexStore, keeper: string, { looks, index: statuses, atMs }: TriageNow): Place {
  const [keeperId = 0] = index.keeperIds([keeper]);
  const status = statuses.find((one) => one.keeper === keeper);
  if (status === undefined) throw new Error(`No index of keeper ${keeper}.`);
  const asOfMs = looks.find(({ evidence }) => evidence.keeper === keeper)?.asOfMs ?? atMs;
  return { index, keeper, keeperId, status, asOfMs };
}

async function foundRequest(
  { index, keeper, keeperId, status }: Place,
  { networkId, sequence, provider, tx }: DiagnosisAsked,
): Promise<FoundRequest> {
  const asked = { networkId, sequence, provider: provider?.toLowerCase(), tx: tx?.toLowerCase() };
  const wires = await wiresOfSequence(index.engine, keeperId, asked);
  const [one, ...others] = wires;
  if (others.length > 0) return { kind: 'several' };
  const row = one && recordOfWire(keeper, one.wire);
  if (one === undefined || row === undefined) return { kind: status.coversAll ? 'none' : 'not-known' };
  return { kind: one.gone ? 'gone' : 'one', row };
}

async function finishedOf(
  { index, keeper, keeperId, status, asOfMs }: Place,
  networkId: string,
): Promise<Evidence['finished']> {
  const rows = await finishedRows(index.engine, keeperId, networkId, FINISHED_ROWS);
  const finished = loggedRows(keeper, rows);
  const sinceMs = completeSinceMs(finished, FINISHED_ROWS);
  return finishedPiece(status, asOfMs, networkId, { rows: finished, completeSinceMs: sinceMs });
}

async function evidenceAround(
  place: Place,
  row: ListedRecord,
  finished: Evidence['finished'],
  { looks }: TriageNow,
): Promise<Evidence> {
  const { index, keeper, keeperId } = place;
  const { networkId, sequence, sender, requestTxHash: tx, createdAt } = row;
  const { engine } = index;
  const [fromMs, toMs] = [createdAt.ms - WINDOW_MS, createdAt.ms + WINDOW_MS];
  const [fromUs, toUs] = [fromMs * 1000, toMs * 1000 + 999];
  const ofKeeper = looks.find(({ evidence }) => evidence.keeper === keeper)?.evidence;
  const ofNetwork = ofKeeper?.networks.find((one) => one.networkId === networkId);
  const all = { filter: {}, fromMs: Number.NEGATIVE_INFINITY };
  const [around, ofSender, sameNumber, sameTransaction] = await Promise.all([
    piece(place, { filter: { networkId, fromMs, toMs }, fromMs, most: MOST.window }, () =>
      rowsBetween(engine, keeperId, networkId, fromUs, toUs, MOST.window),
    ),
    isSearchable(sender)
      ? piece(place, { ...all, filter: { query: sender }, most: MOST.sender }, () =>
          rowsOfSender(engine, keeperId, sender.toLowerCase(), MOST.sender),
        )
      : missing('the row names no sender'),
    piece(place, { ...all, filter: { networkId, query: sequence }, most: MOST.sequence }, () =>
      rowsOfSequence(engine, keeperId, networkId, sequence, MOST.sequence),
    ),
    isSearchable(tx)
      ? piece(place, { ...all, filter: { query: tx }, most: MOST.transaction }, () =>
          rowsOfTransaction(engine, keeperId, tx.toLowerCase(), MOST.transaction),
        )
      : missing('the row names no transaction'),
  ]);
  const { newest, lastDay } = ofNetwork ?? noEvidence('not synced yet');
  return {
    pending: ofKeeper?.pending ?? missing('not synced yet'),
    window: windowOf(around, fromMs, toMs),
    sender: ofSender,
    sameNumber,
    sameTransaction,
    newest,
    lastDay,
    finished,
  };
}

function windowOf(found: Piece<RowsFound>, fromMs: number, toMs: number): Piece<RowsWindow> {
  return found.kind === 'missing' ? found : { ...found, value: { ...found.value, fromMs, toMs } };
}

/** What the index has of it, if it reaches so far back. */
async function piece(
  { keeper, status, asOfMs }: Place,
  { filter, fromMs, most }: { filter: ServiceFilter; fromMs: number; most: number },
  ask: () => Promise<EvidenceRows>,
): Promise<Piece<RowsFound>> {
  if (!reaches(status, fromMs)) return notReached(status);
  const { rows, total } = await ask();
  const value = { rows: loggedRows(keeper, rows), missing: total - rows.length, unreadable: 0 };
  return { kind: 'known', value, query: serviceQuery(filter, most), atMs: asOfMs };
}

const LABELS: Record<keyof Evidence, string> = {
  pending: 'All pending requests',
  window: 'Requests around it',
  sender: 'Requests of its sender',
  sameNumber: 'Requests with its sequence',
  sameTransaction: 'Requests of its transaction',
  newest: 'Newest request of the network',
  lastDay: 'Requests of the last 24 hours',
  finished: 'Finished requests of the network',
};

/** What a diagnosis of this row may ask for and is not there. What the row itself does not name is not missed. */
function missingOf(evidence: Evidence, row: ListedRecord): MissingPiece[] {
  const names = (Object.keys(LABELS) as (keyof Evidence)[]).filter((name) => {
    if (name === 'pending') return isPending(row);
    if (name === 'sender') return isSearchable(row.sender);
    return name !== 'sameTransaction' || isSearchable(row.requestTxHash);
  });
  return names.flatMap((name): MissingPiece[] => {
    const one = evidence[name];
    return one.kind === 'missing' ? [{ what: LABELS[name], why: one.why }] : [];
  });
}

/** The service takes an address or a hash; what a stranger wrote instead is nothing to search for. */
function isSearchable(hex: string | undefined): hex is string {
  return hex !== undefined && /^0x([0-9a-f]{40}|[0-9a-f]{64})$/i.test(hex);
}
