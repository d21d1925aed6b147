import { isFinished, type RequestRecord, requestDuration } from '@/lib/core/request-record';
import type { EvidenceUsed } from '@/lib/pending/pending-response';

/** `key` is unique over all keepers. */
export type LoggedRow = Pick<
  RequestRecord,
  | 'key'
  | 'networkId'
  | 'sequence'
  | 'createdAt'
  | 'updatedAt'
  | 'gasLimit'
  | 'provider'
  | 'sender'
  | 'requestBlock'
  | 'requestTxHash'
  | 'state'
> & { keeper: string };

/**
 * `query` is the query string of `/v1/logs` that repeats the query (first page). `atMs` is by the keeper's clock, like
 * the rows, which is `clockAheadMs` ahead of ours.
 */
export type Piece<T> =
  | { kind: 'known'; value: T; query: string; atMs: number; clockAheadMs?: number }
  | Missing;

export type Missing = { kind: 'missing'; why: string };

export type MatchingRows = {
  rows: readonly LoggedRow[];
  /** Further rows that were not read or are unreadable. */
  unseen: number;
};

export type FinishedRows = {
  rows: readonly LoggedRow[];
  /** Unix ms since which all finished rows are included; 0 for all time. */
  completeSinceMs: number;
};

export const WINDOW_MS = 15 * 60_000;
export const FINISHED_ROWS = 1000;

export type Evidence = {
  /** All pending rows of the keeper. */
  pending: Piece<MatchingRows>;
  /** Rows of the network around the request (`WINDOW_MS`), all states. */
  window: Piece<MatchingRows>;
  /** The newest rows of the sender, on any network. */
  sender: Piece<MatchingRows>;
  /** Rows of the network with the same sequence. */
  sameSequence: Piece<MatchingRows>;
  /** Rows of the same request transaction. */
  sameTransaction: Piece<MatchingRows>;
  /** Null if the network has no rows. */
  newest: Piece<LoggedRow | null>;
  /** Rows of the network created in the last 24 hours; if it is silent, in those up to its newest row. */
  lastDay: Piece<number>;
  /** Finished rows, for percentiles, gas and late recoveries. */
  finished: Piece<FinishedRows>;
};

export function missing(why: string): Missing {
  return { kind: 'missing', why };
}

/** The queries that were used, in order, each once, with times by our clock. */
export function queriesUsed(
  ...pieces: (readonly [keyof Evidence | 'others', Piece<unknown>])[]
): EvidenceUsed[] {
  const byQuery = new Map<string, EvidenceUsed>();
  for (const [name, piece] of pieces) {
    if (piece.kind === 'missing' || byQuery.has(piece.query)) continue;
    const id = name === 'others' ? name : PIECES[name].id;
    const { query, atMs, clockAheadMs = 0 } = piece;
    byQuery.set(query, { id, query, atMs: atMs - clockAheadMs });
  }
  return [...byQuery.values()];
}

/** `id` is on the wire and on screen. */
export const PIECES: Record<keyof Evidence, { id: EvidenceUsed['id']; name: string }> = {
  pending: { id: 'E1', name: 'All pending requests' },
  window: { id: 'E2', name: 'Requests around it' },
  sender: { id: 'E3', name: 'Requests of its sender' },
  sameSequence: { id: 'E4', name: 'Requests with its sequence' },
  sameTransaction: { id: 'E5', name: 'Requests of its transaction' },
  newest: { id: 'E6', name: 'Newest request of the network' },
  lastDay: { id: 'E6', name: 'Requests of its last 24 hours' },
  finished: { id: 'finished', name: 'Finished requests of the network' },
};

export function rowsOf(piece: Piece<{ rows: readonly LoggedRow[] }>): readonly LoggedRow[] {
  return piece.kind === 'known' ? piece.value.rows : [];
}

export function isPending(row: LoggedRow): boolean {
  return row.state.kind === 'pending';
}

/** Any callback outcome counts. A failed request shows that the keeper gave up, not that it works. */
export function isCompleted(row: LoggedRow): boolean {
  return row.state.kind === 'completed';
}

/** Age in ms; 0 if the service's clock is ahead. */
export function ageOf(row: Pick<LoggedRow, 'createdAt'>, nowMs: number): number {
  return Math.max(0, nowMs - row.createdAt.ms);
}

/** Undefined for unfinished rows and rows without an end time. */
export function finishedAfterMs(row: LoggedRow): number | undefined {
  return isFinished(row) ? requestDuration(row, row.createdAt.ms)?.ms : undefined;
}

/** Ignores case. Two absent texts are not equal. */
export function isSameHex(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && a.toLowerCase() === b?.toLowerCase();
}

/** A lane is a sequence counter: network and provider. */
export function isSameLane(a: LoggedRow, b: LoggedRow): boolean {
  return a.networkId === b.networkId && isSameHex(a.provider, b.provider);
}

/** Rows with distinct keys; of several the first one stays. */
export function distinctRows(...lists: (readonly LoggedRow[])[]): LoggedRow[] {
  const byKey = new Map<string, LoggedRow>();
  for (const rows of lists) for (const row of rows) if (!byKey.has(row.key)) byKey.set(row.key, row);
  return [...byKey.values()];
}

export function keysOf(rows: readonly Pick<LoggedRow, 'key'>[]): string[] {
  return rows.map(({ key }) => key);
}
