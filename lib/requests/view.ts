import { isStateWord, WIRE_STATE } from '@/lib/core/request-record';
import type { UrlProblem } from '@/lib/core/text';
import { parseIsoTime } from '@/lib/core/time';
import type { Zone } from '@/lib/core/time-text';
import {
  COLUMN_IDS,
  type ColumnId,
  type ColumnLayout,
  DENSITIES,
  formatColumns,
  readColumns,
} from './columns';

/** The view of the log table: its type, its address, and what choosing a filter changes in it. */

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

/** Where the log table lives. */
export const REQUESTS_PATH = '/requests';
export const REQUESTS_PARAMS =
  'network state keeper q range from to page size sort sender provider failure duration gas_limit gas_used block not only gas asof open live cols density zone expected'.split(
    ' ',
  );
/** How far back the table looks, where the URL does not say. */
const DEFAULT_RANGE = '24h';
/** What the control offers; the service takes up to 1000. */
export const PAGE_SIZES = [25, 50, 100, 250, 500, 1000];
/** Rows on a page, where the URL does not say. */
export const DEFAULT_SIZE = 50;
/** The order of the service: newest first. */
const DEFAULT_SORT: Sort = 'created.desc';
/** Slowest pace at which new rows are followed, in seconds; the fastest is 1. */
export const MAX_LIVE_S = 30;

/** The table as it stands without any parameter: the last 24 hours, newest first. */
export function defaultRequestsView(): RequestsView {
  return {
    networks: [],
    states: [],
    keepers: [],
    q: '',
    time: { kind: 'last', range: DEFAULT_RANGE },
    page: 1,
    size: DEFAULT_SIZE,
    sort: DEFAULT_SORT,
    senders: [],
    providers: [],
    failures: [],
    not: [],
  };
}

type ListFilter = 'networks' | 'states' | 'keepers' | 'senders' | 'providers' | 'failures';
type RangeFilter = 'duration' | 'gasLimit' | 'gasUsed' | 'block';

/** Columns that are filtered by any of several values. */
export const LIST_FILTERS: Partial<Record<ColumnId, ListFilter>> = {
  network: 'networks',
  state: 'states',
  keeper: 'keepers',
  sender: 'senders',
  provider: 'providers',
  failure: 'failures',
};

/** Columns that are filtered by a lowest and a highest value, and their parameters. */
export const RANGE_FILTERS: readonly { column: ColumnId; filter: RangeFilter; param: string }[] = [
  { column: 'duration', filter: 'duration', param: 'duration' },
  { column: 'gas-limit', filter: 'gasLimit', param: 'gas_limit' },
  { column: 'gas-used', filter: 'gasUsed', param: 'gas_used' },
  { column: 'block', filter: 'block', param: 'block' },
];

/** Columns whose values are what the search is for. */
const SEARCHED: readonly ColumnId[] = ['sequence', 'request-tx', 'reveal-tx'];

/** Longest range that can be asked for: 100 years, far inside what ISO text can name. */
const MAX_RANGE_MS = 36_500 * 86_400_000;
const UNIT_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** `network_id` is an int64. */
const MAX_NETWORK_ID = 2n ** 63n - 1n;

/** Milliseconds of `30s`, `45m`, `1h`, `2d`; undefined for anything else, for 0, and for more than 100 years. */
export function rangeMs(range: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,10})([smhd])$/.exec(range) ?? [];
  const ms = Number(digits) * (UNIT_MS[unit] ?? Number.NaN);
  return ms > 0 && ms <= MAX_RANGE_MS ? ms : undefined;
}

/** Canonical digits of a network id. */
function readNetwork(text: string): string | undefined {
  const id = /^\d{1,40}$/.test(text) ? BigInt(text) : undefined;
  return id === undefined || id > MAX_NETWORK_ID ? undefined : id.toString();
}

function readState(text: string): string {
  return Object.keys(WIRE_STATE).find((key) => isStateWord(key) && WIRE_STATE[key] === text) ?? text;
}

/** Hex in lower case, so that one address is one value; what is no hex stays as it is. */
function readHex(text: string): string {
  return /^0x[0-9a-f]+$/i.test(text) ? text.toLowerCase() : text;
}

/** Digits are bounded, so that no pasted megabyte reaches BigInt. */
const WHOLE = /^\d{1,38}$/;
const SECONDS = /^\d{1,12}(?:\.\d{1,3})?$/;

function readBounds(low: string, high: string, filter: RangeFilter): Bounds | undefined {
  const form = filter === 'duration' ? SECONDS : WHOLE;
  const given = [low, high].filter((side) => side !== '');
  if (given.length === 0 || given.some((side) => !form.test(side))) return undefined;
  return {
    ...(low === '' ? {} : { min: canonicalDigits(low) }),
    ...(high === '' ? {} : { max: canonicalDigits(high) }),
  };
}

/** Without zeros that say nothing. */
function canonicalDigits(digits: string): string {
  const [whole = '', fraction = ''] = digits.split('.');
  const rest = fraction.replace(/0{1,3}$/, '');
  return `${BigInt(whole)}${rest === '' ? '' : `.${rest}`}`;
}

function isReversed({ min, max }: Bounds): boolean {
  const thousandths = (digits: string) => {
    const [whole = '', fraction = ''] = digits.split('.');
    return BigInt(`${whole}${fraction.padEnd(3, '0')}`);
  };
  return min !== undefined && max !== undefined && thousandths(min) > thousandths(max);
}

/** The cell as a view holds it: states by our words, networks by their digits, hex in lower case; undefined where it can't be. */
export function canonicalCell({ column, value }: Cell): Cell | undefined {
  const read = column === 'state' ? readState : column === 'network' ? readNetwork : readHex;
  const canonical = read(value);
  return canonical === undefined ? undefined : { column, value: canonical };
}

/** Whether two cells name the same value of the same column. */
export function isSameCell(a: Cell, b: Cell): boolean {
  return a.column === b.column && a.value === b.value;
}

function readCell(text: string): Cell | undefined {
  const colon = text.indexOf(':');
  const column = COLUMN_IDS.find((id) => id === text.slice(0, Math.max(0, colon)));
  const value = text.slice(colon + 1);
  return column === undefined || value === '' ? undefined : canonicalCell({ column, value });
}

/**
 * The filters that leave only the rows with this value, of a view that has none on the column; undefined where no filter
 * is on this column, or not on such a value. Durations are whole milliseconds, as cells have them.
 */
export function onlyCell(cell: Cell): Partial<Omit<RequestsView, 'page'>> | undefined {
  const { column } = cell;
  const value = canonicalCell(cell)?.value;
  if (value === undefined) return undefined;
  const list = LIST_FILTERS[column];
  if (list !== undefined) return { [list]: [value] };
  if (SEARCHED.includes(column)) return { q: value.trim() };
  const filter = RANGE_FILTERS.find((range) => range.column === column)?.filter;
  if (filter === undefined || !WHOLE.test(value)) return undefined;
  const seconds = value.padStart(4, '0').replace(/\d{3}$/, '.$&');
  const exact = canonicalDigits(filter === 'duration' ? seconds : value);
  return { [filter]: { min: exact, max: exact } };
}

const SORTS = COLUMN_IDS.flatMap((id): Sort[] => [`${id}.asc`, `${id}.desc`]);
const ZONES: readonly Zone[] = ['utc', 'local', 'relative'];
/** Keeps the offset of the last page within what the service's int64 and our numbers hold. */
const MAX_PAGE = 999_999_999;

/**
 * Reads the parameters of `/requests`. An empty value says nothing (a form sends those); everything else that cannot be
 * read, is given twice, or has no meaning here is reported and left out of the view.
 */
export function parseRequestsUrl(params: URLSearchParams): { view: RequestsView; problems: UrlProblem[] } {
  const reader = new ParamReader(params);
  const { once, each } = reader;
  const text = (value: string) => value;
  const read: RequestsView = {
    networks: each('network', readNetwork, 'A network is given by its numeric id, such as 42161.'),
    states: each('state', readState),
    keepers: each('keeper', text),
    q: once('q', text)?.trim() ?? '',
    time: reader.time(),
    page: once('page', pageOf, `A page is a number from 1 to ${MAX_PAGE}: this shows the first.`) ?? 1,
    size:
      once(
        'size',
        (size) => PAGE_SIZES.find((offered) => String(offered) === size),
        `Rows per page are one of ${PAGE_SIZES.join(', ')}: this shows ${DEFAULT_SIZE}.`,
      ) ?? DEFAULT_SIZE,
    // A column may be written as its filter is called: `gas_limit`.
    sort:
      once(
        'sort',
        (sort) => SORTS.find((known) => known === sort.replaceAll('_', '-')),
        'An order is a column and asc or desc, such as state.asc: this shows newest first.',
      ) ?? DEFAULT_SORT,
    senders: each('sender', readHex),
    providers: each('provider', readHex),
    failures: each('failure', text),
    not: [],
  };
  const optional = {
    ...Object.fromEntries(RANGE_FILTERS.map(({ filter, param }) => [filter, reader.bounds(param, filter)])),
    not: reader.cells('not'),
    asof: reader.iso('asof'),
    open: once('open', text),
    live: once(
      'live',
      liveOf,
      `New rows are followed every 1 to ${MAX_LIVE_S} seconds: they are not followed now.`,
    ),
    columns: reader.columns(),
    zone: once(
      'zone',
      (zone) => ZONES.find((known) => known === zone),
      'Times are shown in one of utc, local and relative: this shows them as you last did.',
    ),
    expected: once(
      'expected',
      (total) => (/^\d{1,40}$/.test(total) ? BigInt(total).toString() : undefined),
      'The total that the sender saw is given by its digits: it cannot be compared.',
    ),
  };
  // What is undefined is absent, also for who counts or compares the members.
  const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined));
  const view = reader.withOldFilters({ ...read, ...given });
  for (const name of new Set(params.keys())) {
    if (!REQUESTS_PARAMS.includes(name))
      reader.report(name, params.get(name) ?? '', 'This page has no such parameter.');
  }
  return { view, problems: reader.problems };
}

function pageOf(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) && Number(text) >= 1 ? Number(text) : undefined;
}

function liveOf(text: string): number | undefined {
  const seconds = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  return seconds >= 1 && seconds <= MAX_LIVE_S ? seconds : undefined;
}

/** Reads parameters one by one, and collects what it could not read. */
class ParamReader {
  readonly problems: UrlProblem[] = [];

  constructor(private readonly params: URLSearchParams) {}

  report = (param: string, value: string, message: string, used?: true): void => {
    this.problems.push({ param, value, message, ...(used ? { used } : {}) });
  };

  #all(name: string): string[] {
    return this.params.getAll(name).filter((value) => value !== '');
  }

  /** A parameter that may stand once: its first value. */
  once = <T>(name: string, read: (text: string) => T | undefined, message = ''): T | undefined => {
    const [first, ...more] = this.#all(name);
    for (const value of more) {
      this.report(name, value, `${name} can be given only once: the first one is used.`);
    }
    if (first === undefined) return undefined;
    const value = read(first);
    if (value === undefined) this.report(name, first, message);
    return value;
  };

  /** Every readable value of a repeatable parameter, each once. */
  each = (name: string, read: (text: string) => string | undefined, message = ''): string[] => {
    const values = new Set<string>();
    for (const text of this.#all(name)) {
      const value = read(text);
      if (value === undefined) this.report(name, text, message);
      else values.add(value);
    }
    return [...values];
  };

  /** A time as it was written, when it is one. */
  iso(name: string): string | undefined {
    const read = (text: string) => (parseIsoTime(text) === undefined ? undefined : text);
    return this.once(name, read, 'This is not an ISO 8601 time, such as 2026-11-20T08:00:00Z.');
  }

  /** `from` and `to`, else `range`, else the default range. */
  time(): TimeFilter {
    const [from, to] = [this.iso('from'), this.iso('to')];
    const range = this.once('range', (text) => text);
    if (from !== undefined || to !== undefined) {
      if (range !== undefined) this.report('range', range, 'A range has no effect beside from or to.');
      if (from !== undefined && to !== undefined && (parseIsoTime(from) ?? 0) > (parseIsoTime(to) ?? 0)) {
        this.report('to', to, 'The end lies before the beginning, so nothing can be found.', true);
      }
      return {
        kind: 'between',
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
      };
    }
    if (range === 'all') return { kind: 'all' };
    if (range !== undefined && rangeMs(range) !== undefined) {
      return { kind: 'last', range: range.replace(/^0+/, '') };
    }
    if (range !== undefined) {
      const message = `A range is a number and s, m, h or d, such as 45m, or all: this shows ${DEFAULT_RANGE}.`;
      this.report('range', range, message);
    }
    return { kind: 'last', range: DEFAULT_RANGE };
  }

  /** `min..max`, either side open, or one value for both. */
  bounds(param: string, filter: RangeFilter): Bounds | undefined {
    const example = filter === 'duration' ? '1.5..10' : '100000..500000';
    const read = (text: string) => {
      const [low = '', high = low, ...more] = text.split('..');
      return more.length > 0 ? undefined : readBounds(low, high, filter);
    };
    const message = `This is a lowest and a highest value, such as ${example}; either may be left out.`;
    const bounds = this.once(param, read, message);
    if (bounds !== undefined && isReversed(bounds)) {
      const text = this.#all(param)[0] ?? '';
      this.report(param, text, 'The highest value is below the lowest, so nothing can be found.', true);
    }
    return bounds;
  }

  /** `column:value`, repeatable. */
  cells(name: 'only' | 'not'): Cell[] {
    const cells: Cell[] = [];
    for (const text of this.#all(name)) {
      const cell = readCell(text);
      if (cell === undefined) this.report(name, text, 'This is a column and a value, such as sender:0x….');
      else if (!cells.some((known) => isSameCell(known, cell))) cells.push(cell);
    }
    return cells;
  }

  /** `cols` and `density`; undefined when no column is named. */
  columns(): ColumnLayout | undefined {
    const text = this.once('cols', (names) => names);
    const wanted = this.once('density', (name) => name);
    const density = DENSITIES.find((known) => known === wanted);
    const columns =
      text === undefined ? [] : readColumns(text, (part, message) => this.report('cols', part, message));
    if (wanted !== undefined && density === undefined) {
      this.report('density', wanted, `Rows are ${DENSITIES.join(', ')}.`);
    } else if (wanted !== undefined && columns.length === 0) {
      this.report('density', wanted, 'A density has no effect without columns (cols).');
    }
    return columns.length === 0 ? undefined : { columns, density: density ?? 'normal' };
  }

  /** What links of earlier versions call `only=column:value` and `gas=min-max`, as the filters of the view. */
  withOldFilters(view: RequestsView): RequestsView {
    let next = view;
    for (const cell of this.cells('only')) {
      const change = alsoCell(next, cell);
      const text = `${cell.column}:${cell.value}`;
      if (change !== undefined) next = { ...next, ...change };
      else this.report('only', text, 'This can’t be joined with the other filters, or is none.');
    }
    const read = (text: string) => {
      const [low = '', high, ...more] = text.split('-');
      return high === undefined || more.length > 0 ? undefined : readBounds(low, high, 'gasLimit');
    };
    const gas = 'Gas limits are given as gas_limit=100000..500000, 100000.. or ..500000.';
    const bounds = this.once('gas', read, gas);
    if (bounds === undefined) return next;
    if (isReversed(bounds)) {
      const message = 'The highest gas limit is below the lowest, so nothing can be found.';
      this.report('gas', this.#all('gas')[0] ?? '', message, true);
    }
    return { ...next, gasLimit: next.gasLimit ?? bounds };
  }
}

function alsoCell(view: RequestsView, cell: Cell): Partial<RequestsView> | undefined {
  const list = LIST_FILTERS[cell.column];
  if (list !== undefined) return { [list]: [...new Set([...view[list], cell.value])] };
  const change = onlyCell(cell);
  const isFree = Object.keys(change ?? {}).every((name) =>
    name === 'q' ? view.q === '' : view[name as RangeFilter] === undefined,
  );
  return isFree ? change : undefined;
}

/** The address of a view, defaults left out: `/requests` or `/requests?…`. `parseRequestsUrl` reads it back as it was. */
export function formatRequestsUrl(view: RequestsView): '/requests' | `/requests?${string}` {
  const { time, columns } = view;
  const between = time.kind === 'between' ? time : undefined;
  const range = time.kind === 'all' ? 'all' : time.kind === 'last' ? time.range : DEFAULT_RANGE;
  const other = <T>(value: T, usual: T) => (value === usual ? undefined : value);
  const pairs: [string, readonly string[] | string | number | undefined][] = [
    ['network', view.networks],
    ['state', view.states],
    ['keeper', view.keepers],
    ['q', other(view.q, '')],
    ['range', other(range, DEFAULT_RANGE)],
    ['from', between?.from],
    ['to', between?.to],
    ['page', other(view.page, 1)],
    ['size', other(view.size, DEFAULT_SIZE)],
    ['sort', other(view.sort, DEFAULT_SORT)],
    ['sender', view.senders],
    ['provider', view.providers],
    ['failure', view.failures],
    ...RANGE_FILTERS.map(({ filter, param }): [string, string | undefined] => {
      const bounds = view[filter];
      return [param, bounds && `${bounds.min ?? ''}..${bounds.max ?? ''}`];
    }),
    ['not', view.not.map(({ column, value }) => `${column}:${value}`)],
    ['asof', view.asof],
    ['open', view.open],
    ['live', view.live],
    // A layout without columns says nothing.
    ['cols', columns && (formatColumns(columns.columns) || undefined)],
    ['density', columns && columns.columns.length > 0 ? other(columns.density, 'normal') : undefined],
    ['zone', view.zone],
    ['expected', view.expected],
  ];
  const params = new URLSearchParams();
  for (const [name, value] of pairs) {
    for (const one of [value ?? []].flat()) params.append(name, String(one));
  }
  const text = params.toString();
  return text === '' ? REQUESTS_PATH : `${REQUESTS_PATH}?${text}`;
}

/**
 * The view after a filter was changed: the first page of the newest rows, with no row opened, since page, snapshot, row
 * and the sender's total belonged to another list; of these, what `change` names stays.
 */
export function withFilter(view: RequestsView, change: Partial<Omit<RequestsView, 'page'>>): RequestsView {
  const { asof: _asof, open: _open, expected: _expected, ...kept } = view;
  return { ...kept, ...change, page: 1 };
}

/** The moment that ranges count from: `asof` when the view is pinned, else now. Unix milliseconds. */
export function viewNowMs(view: RequestsView, nowMs: number): number {
  return (view.asof === undefined ? undefined : parseIsoTime(view.asof)) ?? nowMs;
}
