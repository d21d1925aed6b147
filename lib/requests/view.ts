import { DAY_MS, HOUR_MS, MINUTE_MS, parseIsoTime, SECOND_MS } from '@/lib/core/time';
import type { Zone } from '@/lib/core/time-text';
import type { ColumnId, ColumnLayout } from './columns';

/**
 * Filter on the creation time: a range back from now or from `asof`, or ISO times as written (UTC without a zone), with
 * either side open.
 */
export type TimeFilter =
  | { kind: 'last'; range: string }
  | { kind: 'all' }
  | { kind: 'between'; from?: string; to?: string };

export type RequestsView = {
  /** Network ids, decimal digits. */
  networks: string[];
  /** Our words, or the wire name of a state for which we have no word. */
  states: string[];
  keepers: string[];
  /** The trimmed search text as typed; empty for none. */
  q: string;
  time: TimeFilter;
  page: number;
  size: number;
  sort: Sort;
  /** Addresses in lower-case hex. A row matches any of them. */
  senders: string[];
  providers: string[];
  /** Failure groups. A row matches any of them. */
  failures: string[];
  /** Rows with one of these values are excluded. */
  not: Cell[];
  /** ISO time of a snapshot. Later rows are left out and ranges end here, so that pages do not shift. */
  asof?: string;
  open?: string;
  /** Live mode: seconds between two refreshes, 1 to 30; absent if it is off. */
  live?: number;
  /** Columns and time style of a link; absent for the settings of this browser. */
  columns?: ColumnLayout;
  zone?: Zone;
  /** The total on the sender's screen, in decimal digits. */
  expected?: string;
} & { [Member in RangeMember]?: Bounds };

export type Sort = `${ColumnId}.${'asc' | 'desc'}`;
/** Inclusive bounds in decimal digits. At least one side is set. */
export type Bounds = { min?: string; max?: string };
/** A value of a column, never empty. */
export type Cell = { column: ColumnId; value: string };

export const REQUESTS_PATH = '/requests';
export const DEFAULT_RANGE = '24h';
export const PAGE_SIZES = [25, 50, 100, 250, 500, 1000];
export const DEFAULT_SIZE = 50;

/** The table without any parameter: the last 24 hours, newest first. */
export function defaultRequestsView(): RequestsView {
  return {
    networks: [],
    states: [],
    keepers: [],
    q: '',
    time: { kind: 'last', range: DEFAULT_RANGE },
    page: 1,
    size: DEFAULT_SIZE,
    sort: 'created.desc',
    senders: [],
    providers: [],
    failures: [],
    not: [],
  };
}

/**
 * Columns with a range filter, with their members of a view and their parameters. Seconds have up to three decimals.
 */
export const RANGE_FILTERS = [
  { column: 'duration', member: 'duration', param: 'duration', unit: 'seconds' },
  { column: 'gas-limit', member: 'gasLimit', param: 'gas_limit', unit: 'count' },
  { column: 'gas-used', member: 'gasUsed', param: 'gas_used', unit: 'count' },
  { column: 'block', member: 'block', param: 'block', unit: 'count' },
] as const;
export type RangeMember = (typeof RANGE_FILTERS)[number]['member'];
export type RangeUnit = (typeof RANGE_FILTERS)[number]['unit'];

const UNIT_MS: Record<string, number> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** Milliseconds of `30s`, `45m`, `1h`, `2d`; undefined for anything else, for 0, and beyond 100 years. */
export function rangeMs(range: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,10})([smhd])$/.exec(range) ?? [];
  const ms = Number(digits) * (UNIT_MS[unit] ?? Number.NaN);
  return ms > 0 && ms <= 36_500 * DAY_MS ? ms : undefined;
}

export function omit<K extends keyof RequestsView>(view: RequestsView, ...names: K[]): Omit<RequestsView, K> {
  const rest = { ...view };
  for (const name of names) delete rest[name];
  return rest;
}

/** The view with this request open, or none. */
export const withOpen = (view: RequestsView, open: string | undefined): RequestsView => {
  return { ...omit(view, 'open'), ...(open !== undefined && { open }) };
};

/** End of ranges: `asof` of a pinned view, otherwise the present. Unix ms. */
export function viewNowMs(view: RequestsView, nowMs: number): number {
  return parseIsoTime(view.asof ?? '') ?? nowMs;
}
