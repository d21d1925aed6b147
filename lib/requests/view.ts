import { DAY_MS, HOUR_MS, MINUTE_MS, parseIsoTime, SECOND_MS } from '@/lib/core/time';
import type { Zone } from '@/lib/core/time-text';
import type { ColumnId, ColumnLayout } from './columns';

/** A range back from now or from `asof`, or ISO times as written (UTC without a zone), with either side open. */
export type TimeFilter =
  | { kind: 'last'; range: string }
  | { kind: 'all' }
  | { kind: 'between'; from?: string; to?: string };

export type RequestsView = {
  /** Decimal digits. */
  networks: string[];
  /** Our words, or wire names of states for which we have no word. */
  states: string[];
  keepers: string[];
  /** Trimmed, as typed. */
  q: string;
  time: TimeFilter;
  page: number;
  size: number;
  sort: Sort;
  /** Lower-case hex; a row matches any of them. */
  senders: string[];
  providers: string[];
  /** A row matches any of these failure groups. */
  failures: string[];
  /** Rows with any of these values are excluded. */
  not: Cell[];
  /** ISO time. Later rows are left out and ranges end here, so that pages do not shift. */
  asof?: string;
  open?: string;
  /** Live mode: seconds between two refreshes, 1 to 30. */
  live?: number;
  /** Absent for the settings of this browser. */
  columns?: ColumnLayout;
  zone?: Zone;
  /** Rows on the sender's screen, decimal digits. */
  expected?: string;
} & { [Member in RangeMember]?: Bounds };

export type Sort = `${ColumnId}.${'asc' | 'desc'}`;
/** Bounds in decimal digits, both inclusive, at least one side. */
export type Bounds = { min?: string; max?: string };
/** The value is never empty. */
export type Cell = { column: ColumnId; value: string };

export const REQUESTS_PATH = '/requests';
export const DEFAULT_RANGE = '24h';
export const PAGE_SIZES = [25, 50, 100, 250, 500, 1000];
export const DEFAULT_SIZE = 50;

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

/** Seconds have up to three decimals. */
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

export const withOpen = (view: RequestsView, open: string | undefined): RequestsView => {
  return { ...omit(view, 'open'), ...(open !== undefined && { open }) };
};

/** `asof` of a pinned view, otherwise the present. */
export function viewNowMs(view: RequestsView, nowMs: number): number {
  return parseIsoTime(view.asof ?? '') ?? nowMs;
}
