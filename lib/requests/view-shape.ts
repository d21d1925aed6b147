import type { Zone } from '@/lib/core/time-text';
import type { ColumnId, ColumnLayout } from './columns';

/** Which rows by their creation time. A range is counted back from now, or from `asof`. */
export type TimeFilter =
  | { kind: 'last'; range: string }
  | { kind: 'all' }
  /** ISO times as the person wrote them (no zone is UTC); either side may be open. */
  | { kind: 'between'; from?: string; to?: string };

/** All state of the log table that a link carries. */
export type RequestsView = {
  /** Network ids, decimal digits. */
  networks: string[];
  /** Our words, or a wire name that has no word of ours. */
  states: string[];
  keepers: string[];
  /** The search text as typed, without blanks at its ends; empty for none. */
  q: string;
  time: TimeFilter;
  /** 1 is the first page. */
  page: number;
  size: number;
  /** Of all that match. */
  sort: Sort;
  /** Lower-case hex; any of them. */
  senders: string[];
  providers: string[];
  /** Groups of failures, any of them. */
  failures: string[];
  /** Seconds, with three decimals at most. */
  duration?: Bounds;
  gasLimit?: Bounds;
  gasUsed?: Bounds;
  block?: Bounds;
  /** Rows that have one of these values are left out. */
  not: Cell[];
  /** ISO time: rows made later are left out, and ranges count from here, so that pages do not shift. */
  asof?: string;
  /** Key of the row that is opened. */
  open?: string;
  /** Seconds between two questions while new rows are followed, 1 to 30; absent while they are not. */
  live?: number;
  /** The columns of the link; absent for what this browser remembers. */
  columns?: ColumnLayout;
  /** How times are shown in the link; absent for what this browser remembers. */
  zone?: Zone;
  /** The total that the sender of the link saw, decimal digits. */
  expected?: string;
};

export type Sort = `${ColumnId}.${'asc' | 'desc'}`;

/** Inclusive, decimal digits; at least one side is there. */
export type Bounds = { min?: string; max?: string };
/** A value of a column, never empty. */
export type Cell = { column: ColumnId; value: string };
