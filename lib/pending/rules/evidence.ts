import { type RequestRecord, requestDuration } from '@/lib/core/request-record';
import type { EvidenceUsed } from '@/lib/pending/answers';

/** What diagnosis reads of a row; `key` tells it from all others of all keepers. */
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

/** What was asked, with the query string of `/v1/logs` that repeats it (its first page), or why there is no answer. */
export type Piece<T> = { kind: 'known'; value: T; query: string; atMs: number } | Missing;

export type Missing = { kind: 'missing'; why: string };

export type RowsFound = {
  rows: readonly LoggedRow[];
  /** How many more there are, that nobody has seen or could read. 0: complete. */
  unseen: number;
};

/** The last finished rows of a network. */
export type FinishedRows = {
  rows: readonly LoggedRow[];
  /** Unix ms: every finished row of the network that was created then or later is here. 0: all there are. */
  completeSinceMs: number;
};

export const WINDOW_MS = 15 * 60_000;
export const FINISHED_ROWS = 1000;
export const DAY_MS = 24 * 60 * 60_000;

/** All that the rules may look at for one request. */
export type Evidence = {
  /** E1: all pending rows of the keeper. */
  pending: Piece<RowsFound>;
  /** E2: the network around the request (`WINDOW_MS`), all states. */
  window: Piece<RowsFound>;
  /** E3: the newest rows of the sender, on any network. */
  sender: Piece<RowsFound>;
  /** E4: rows of the network with the same sequence. */
  sameSequence: Piece<RowsFound>;
  /** E5: rows of the same request transaction. */
  sameTransaction: Piece<RowsFound>;
  /** E6: the newest row of the network; null when it has none. */
  newest: Piece<LoggedRow | null>;
  /** E6: how many rows the network has that were created in the last 24 hours. */
  lastDay: Piece<number>;
  /** For percentiles, gas, late recoveries. */
  finished: Piece<FinishedRows>;
};

export function missing(why: string): Missing {
  return { kind: 'missing', why };
}

/** The references to those pieces that are known, in order, each query once. */
export function used(...pieces: (readonly [EvidenceUsed['id'], Piece<unknown>])[]): EvidenceUsed[] {
  const byQuery = new Map<string, EvidenceUsed>();
  for (const [id, piece] of pieces) {
    if (piece.kind === 'missing' || byQuery.has(piece.query)) continue;
    byQuery.set(piece.query, { id, query: piece.query, atMs: piece.atMs });
  }
  return [...byQuery.values()];
}

/** What each piece is called, and its number. */
export const PIECES: Record<keyof Evidence, { id: EvidenceUsed['id']; name: string }> = {
  pending: { id: 'E1', name: 'All pending requests' },
  window: { id: 'E2', name: 'Requests around it' },
  sender: { id: 'E3', name: 'Requests of its sender' },
  sameSequence: { id: 'E4', name: 'Requests with its sequence' },
  sameTransaction: { id: 'E5', name: 'Requests of its transaction' },
  newest: { id: 'E6', name: 'Newest request of the network' },
  lastDay: { id: 'E6', name: 'Requests of the last 24 hours' },
  finished: { id: 'finished', name: 'Finished requests of the network' },
};

export function rowsOf(piece: Piece<{ rows: readonly LoggedRow[] }>): readonly LoggedRow[] {
  return piece.kind === 'known' ? piece.value.rows : [];
}

export function isPending(row: LoggedRow): boolean {
  return row.state.kind === 'pending';
}

/** Completed (whatever its callback did) or failed. A state we don't know is neither finished nor pending. */
export function isFinished(row: LoggedRow): boolean {
  return row.state.kind === 'completed' || row.state.kind === 'failed';
}

/** Answered, whatever its callback did. A failed one shows that the keeper gave up, not that it works. */
export function isCompleted(row: LoggedRow): boolean {
  return row.state.kind === 'completed';
}

/** In ms, 0 when the service's clock is ahead. */
export function ageOf(row: Pick<LoggedRow, 'createdAt'>, nowMs: number): number {
  return Math.max(0, nowMs - row.createdAt.ms);
}

/** How long a finished request took, in ms; undefined for others, and when the service does not tell the end. */
export function finishedAfterMs(row: LoggedRow): number | undefined {
  return isFinished(row) ? requestDuration(row, row.createdAt.ms)?.ms : undefined;
}

/** In any case. Two that are absent are not the same: nobody knows what they are. */
export function isSameHex(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && one.toLowerCase() === other?.toLowerCase();
}

/** Whether both count their sequences together: network and provider. */
export function isSameLane(one: LoggedRow, other: LoggedRow): boolean {
  return one.networkId === other.networkId && isSameHex(one.provider, other.provider);
}

/** Each row once, the first of a key. */
export function distinctRows(...lists: (readonly LoggedRow[])[]): LoggedRow[] {
  const byKey = new Map<string, LoggedRow>();
  for (const rows of lists) for (const row of rows) if (!byKey.has(row.key)) byKey.set(row.key, row);
  return [...byKey.values()];
}

export function keysOf(rows: readonly Pick<LoggedRow, 'key'>[]): string[] {
  return rows.map(({ key }) => key);
}
