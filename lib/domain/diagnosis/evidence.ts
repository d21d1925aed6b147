import type { RequestRecord } from '@/lib/domain/request-record';

/** What diagnosis reads of a row, and the keeper that logged it; `key` tells it from all others of all keepers. */
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

/** Something that was asked, or why there is no answer. */
export type Piece<T> =
  | {
      kind: 'known';
      value: T;
      /** The query string of `/v1/logs` behind it, without question mark; of the first page, when it took several. */
      query: string;
      /** Unix ms: when the service answered. */
      atMs: number;
    }
  /** `why` continues the words "not known: ". */
  | { kind: 'missing'; why: string };

export type RowsFound = {
  rows: readonly LoggedRow[];
  /** How many more the service counts that are not here. 0: complete. */
  missing: number;
  /** How many came and could not be read. */
  unreadable: number;
};

/** Rows of one network, all states, that were created in a stretch of time. Both ends included, unix ms. */
export type RowsWindow = RowsFound & { fromMs: number; toMs: number };

/** The last finished rows of a network. Rows that are not finished may be among them, and are left out. */
export type FinishedRows = {
  rows: readonly LoggedRow[];
  /** Unix ms: every finished row of the network that was created then or later is here. 0: all there are. */
  completeSinceMs: number;
};

/** How many rows of all states a network has that were created in a stretch of time, both ends included. */
export type WindowCount = { fromMs: number; toMs: number; total: number };

/** How far E2 reaches to either side of the request. */
export const WINDOW_MS = 15 * 60_000;

/** How many finished rows of a network are looked at. */
export const FINISHED_ROWS = 1000;

export const DAY_MS = 24 * 60 * 60_000;

/** All that the rules may look at for one request. Whatever has not come (yet) is a missing piece. */
export type Evidence = {
  /** E1: all pending rows of the keeper. */
  pending: Piece<RowsFound>;
  /** E2: the network around the request, all states. */
  window: Piece<RowsWindow>;
  /** E3: the newest rows of the sender, on any network. */
  sender: Piece<RowsFound>;
  /** E4: rows of the network with the same sequence number. */
  sameNumber: Piece<RowsFound>;
  /** E5: rows of the same request transaction. */
  sameTransaction: Piece<RowsFound>;
  /** E6: the newest row of the network; null when it has none. */
  newest: Piece<LoggedRow | null>;
  /** E6: how many rows the network has that were created in the last 24 hours. */
  lastDay: Piece<number>;
  /** For percentiles, the median of gas, late recoveries. */
  finished: Piece<FinishedRows>;
};

/** `count`: of a stretch, for R6 in a first view. */
export type EvidenceId = 'E1' | 'E2' | 'E3' | 'E4' | 'E5' | 'E6' | 'finished' | 'count';

/** A piece that a verdict rests on, with the query that repeats it. */
export type EvidenceUsed = { id: EvidenceId; query: string; atMs: number };

/** The references to those pieces that are known, in order, each query once. */
export function used(...pieces: [EvidenceId, Piece<unknown>][]): EvidenceUsed[] {
  const known = pieces.flatMap(([id, piece]) =>
    piece.kind === 'known' ? [{ id, query: piece.query, atMs: piece.atMs }] : [],
  );
  return known.filter((one, index) => known.findIndex(({ query }) => query === one.query) === index);
}

/** How many rows a rule must reckon with that it can't see. */
export function unseen(found: RowsFound): number {
  return found.missing + found.unreadable;
}

export function missing(why: string): { kind: 'missing'; why: string } {
  return { kind: 'missing', why };
}

/** Evidence of which nothing has come. */
export function noEvidence(why: string): Evidence {
  const nothing = missing(why);
  return {
    pending: nothing,
    window: nothing,
    sender: nothing,
    sameNumber: nothing,
    sameTransaction: nothing,
    newest: nothing,
    lastDay: nothing,
    finished: nothing,
  };
}
