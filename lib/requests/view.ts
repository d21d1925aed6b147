import { compareScaled, formatScaled, parseDecimal } from '@/lib/core/numbers';
import { ParamReader } from '@/lib/core/param-reader';
import { WIRE_STATE } from '@/lib/core/request-record';
import type { UrlProblem } from '@/lib/core/text';
import { DAY_MS, HOUR_MS, MINUTE_MS, parseIsoTime, SECOND_MS } from '@/lib/core/time';
import { readZone, type Zone } from '@/lib/core/time-text';
import {
  COLUMN_IDS,
  type ColumnId,
  type ColumnLayout,
  DENSITIES,
  formatColumns,
  readColumns,
  readDensity,
} from './columns';
import { unsignedDigits } from './request-address';

/**
 * Filter on creation time: a range back from now or `asof`, or ISO times as written (UTC without a zone), either side
 * open.
 */
export type TimeFilter =
  | { kind: 'last'; range: string }
  | { kind: 'all' }
  | { kind: 'between'; from?: string; to?: string };

export type RequestsView = {
  /** Network ids, decimal digits. */
  networks: string[];
  /** Our words, or a wire name without a word of ours. */
  states: string[];
  keepers: string[];
  /** The search text as typed, trimmed; empty for none. */
  q: string;
  time: TimeFilter;
  page: number;
  size: number;
  sort: Sort;
  /** Lower-case hex; a row matches any of them. */
  senders: string[];
  providers: string[];
  /** Failure groups; a row matches any of them. */
  failures: string[];
  /** Rows with one of these values are excluded. */
  not: Cell[];
  /** ISO time of a snapshot: later rows are left out and ranges end here, so that pages do not shift. */
  asof?: string;
  open?: string;
  /** Live mode: seconds between two refreshes, 1 to 30; absent when off. */
  live?: number;
  /** Columns and time style of a link; absent for the settings of this browser. */
  columns?: ColumnLayout;
  zone?: Zone;
  /** The total on the sender's screen, decimal digits. */
  expected?: string;
} & { [Member in RangeMember]?: Bounds };

export type Sort = `${ColumnId}.${'asc' | 'desc'}`;
/** Inclusive, decimal digits; at least one side is set. */
export type Bounds = { min?: string; max?: string };
/** A value of a column, never empty. */
export type Cell = { column: ColumnId; value: string };

export const REQUESTS_PATH = '/requests';
const DEFAULT_RANGE = '24h';
export const PAGE_SIZES = [25, 50, 100, 250, 500, 1000];
const DEFAULT_SIZE = 50;
const MAX_LIVE_S = 30;
/** Largest page number of a URL. Beyond row 1,000,000 a page needs its cursor (`MAX_OFFSET` in listing.ts). */
const MAX_PAGE = 999_999_999;

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

/** A filter that lists values; a row matches with any of them. */
export type ListFilter = 'networks' | 'states' | 'keepers' | (typeof MORE_LISTS)[number]['list'];

const FILTERS_OF_COLUMNS: Partial<Record<ColumnId, ListFilter>> = {
  network: 'networks',
  state: 'states',
  keeper: 'keepers',
  sender: 'senders',
  provider: 'providers',
  failure: 'failures',
};

/** List filters without a select of their own. */
export const MORE_LISTS = [
  { column: 'sender', list: 'senders' },
  { column: 'provider', list: 'providers' },
  { column: 'failure', list: 'failures' },
] as const;

/** Columns with a range filter, the members of a view and their parameters. Seconds have up to three decimals. */
export const RANGE_FILTERS = [
  { column: 'duration', member: 'duration', param: 'duration', unit: 'seconds' },
  { column: 'gas-limit', member: 'gasLimit', param: 'gas_limit', unit: 'count' },
  { column: 'gas-used', member: 'gasUsed', param: 'gas_used', unit: 'count' },
  { column: 'block', member: 'block', param: 'block', unit: 'count' },
] as const;
type RangeMember = (typeof RANGE_FILTERS)[number]['member'];
type RangeUnit = (typeof RANGE_FILTERS)[number]['unit'];

const UNIT_MS: Record<string, number> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** Milliseconds of `30s`, `45m`, `1h`, `2d`; undefined for anything else, for 0, and beyond 100 years. */
export function rangeMs(range: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,10})([smhd])$/.exec(range) ?? [];
  const ms = Number(digits) * (UNIT_MS[unit] ?? Number.NaN);
  return ms > 0 && ms <= 36_500 * DAY_MS ? ms : undefined;
}

const readNetwork = (text: string) => unsignedDigits(text, 63n);

const readState = (text: string) =>
  Object.entries(WIRE_STATE).find(([, wireName]) => wireName === text)?.[0] ?? text;

/** Lower-cases hex, so that an address has one spelling; other texts stay as they are. */
const readHex = (text: string) => (/^0x[0-9a-f]+$/i.test(text) ? text.toLowerCase() : text);

const WHOLE = /^\d{1,38}$/;
/** Form of a bound in a URL, and an example for its message. */
const RANGE_UNITS: Record<RangeUnit, { form: RegExp; example: string }> = {
  seconds: { form: /^\d{1,12}(?:\.\d{1,3})?$/, example: '1.5..10' },
  count: { form: WHOLE, example: '100000..500000' },
};

/** `min..max`, either side open, or one value for both. */
function readBounds(text: string, unit: RangeUnit): Bounds | undefined {
  const [min = '', max = min, ...more] = text.split('..');
  const sides = Object.entries({ min, max }).filter(([, side]) => side !== '');
  const { form } = RANGE_UNITS[unit];
  if (more.length > 0 || sides.length === 0 || sides.some(([, side]) => !form.test(side))) return undefined;
  const canonical = (digits: string) => formatScaled(scaled(digits), { decimals: 'trimmed' });
  return Object.fromEntries(sides.map(([name, side]) => [name, canonical(side)]));
}

const scaled = (digits: string) => parseDecimal(digits) ?? { mantissa: 0n, expo: 0 };

/** The cell in the spelling of a view; undefined for an impossible value. */
export function canonicalCell({ column, value }: Cell): Cell | undefined {
  const read = column === 'state' ? readState : column === 'network' ? readNetwork : readHex;
  const canonical = read(value);
  return canonical === undefined ? undefined : { column, value: canonical };
}

export const isSameCell = (a: Cell, b: Cell) => cellParam(a) === cellParam(b);

const cellParam = ({ column, value }: Cell) => `${column}:${value}`;

function readCell(text: string): Cell | undefined {
  const [, name, value = ''] = /^([^:]*):([\s\S]*)$/.exec(text) ?? [];
  const column = COLUMN_IDS.find((id) => id === name);
  return column === undefined || value === '' ? undefined : canonicalCell({ column, value });
}

/** A group of parameters, read into and written from a view; `undefined` and empty lists are omitted on both sides. */
type Field = {
  params: readonly string[];
  read: (from: ParamReader) => Partial<RequestsView>;
  write: (view: RequestsView) => Record<string, readonly string[] | string | number | undefined>;
};

type OneParam = 'q' | 'page' | 'size' | 'sort' | 'asof' | 'open' | 'live' | 'zone' | 'expected';

/** A parameter that may occur once. Its default is not written. */
function singleField<K extends OneParam>(
  param: K,
  read: (text: string) => RequestsView[K] | undefined,
  message = '',
): Field {
  const { [param]: usual } = defaultRequestsView();
  return {
    params: [param],
    read: (from) => {
      const value = from.once(param, read, message);
      return value === undefined ? {} : { [param]: value };
    },
    write: ({ [param]: value }) => ({ [param]: value === usual ? undefined : value }),
  };
}

function list(
  param: string,
  filter: ListFilter,
  read: (text: string) => string | undefined,
  message = '',
): Field {
  return {
    params: [param],
    read: (from) => ({ [filter]: from.each(param, read, message) }),
    write: (view) => ({ [param]: view[filter] }),
  };
}

function bounds({ param, member, unit }: (typeof RANGE_FILTERS)[number]): Field {
  const message = `Use a minimum and a maximum, like ${RANGE_UNITS[unit].example}; either may be left out.`;
  const reversed = 'Highest is below lowest: nothing can match.';
  return {
    params: [param],
    read: (from) => {
      const value = from.once(param, (text) => readBounds(text, unit), message);
      if (value === undefined) return {};
      const { min = '0', max = min } = value;
      if (compareScaled(scaled(min), scaled(max)) > 0) from.report(param, `${min}..${max}`, reversed, true);
      return { [member]: value };
    },
    write: ({ [member]: value }) => ({ [param]: value && `${value.min ?? ''}..${value.max ?? ''}` }),
  };
}

const isoTime = (text: string) => (parseIsoTime(text) === undefined ? undefined : text);
const NO_TIME = 'Use an ISO 8601 time, like 2026-11-20T08:00:00Z.';

function readTime(params: ParamReader): TimeFilter {
  const from = params.once('from', isoTime, NO_TIME);
  const to = params.once('to', isoTime, NO_TIME);
  const range = params.once('range', String);
  if (from !== undefined || to !== undefined) {
    if (range !== undefined) params.report('range', range, 'A range has no effect beside from or to.');
    if (from !== undefined && to !== undefined && (parseIsoTime(from) ?? 0) > (parseIsoTime(to) ?? 0)) {
      params.report('to', to, 'Ends before it begins: nothing can match.', true);
    }
    return { kind: 'between', ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  }
  if (range === 'all') return { kind: 'all' };
  if (rangeMs(range ?? DEFAULT_RANGE) === undefined) {
    const message = `Use a number and s, m, h or d, like 45m, or all. Showing ${DEFAULT_RANGE}.`;
    params.report('range', range ?? '', message);
  } else if (range !== undefined) return { kind: 'last', range: range.replace(/^0+/, '') };
  return { kind: 'last', range: DEFAULT_RANGE };
}

function readLayout(params: ParamReader): Partial<RequestsView> {
  const text = params.once('cols', String);
  const wanted = params.once('density', String);
  const density = wanted === undefined ? undefined : readDensity(wanted);
  const report = (part: string, message: string) => params.report('cols', part, message);
  const columns = text === undefined ? [] : readColumns(text, report);
  if (wanted !== undefined && density === undefined) {
    params.report('density', wanted, `Density: use one of ${DENSITIES.join(', ')}.`);
  } else if (wanted !== undefined && columns.length === 0) {
    params.report('density', wanted, 'A density has no effect without columns (cols).');
  }
  return columns.length === 0 ? {} : { columns: { columns, density: density ?? 'normal' } };
}

function wholeUpTo(max: number) {
  return (text: string) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
    return number >= 1 && number <= max ? number : undefined;
  };
}

const SORTS = COLUMN_IDS.flatMap((id): Sort[] => [`${id}.asc`, `${id}.desc`]);

const RANGE_FIELDS = Object.fromEntries(
  RANGE_FILTERS.map((range) => [range.member, bounds(range)]),
) as Record<RangeMember, Field>;

/** Parameters of each member of a view, in the order of links. */
const FIELDS = {
  networks: list('network', 'networks', readNetwork, 'Use a numeric network id, like 42161.'),
  states: list('state', 'states', readState),
  keepers: list('keeper', 'keepers', String),
  q: singleField('q', (text) => text.trim()),
  time: {
    params: ['range', 'from', 'to'],
    read: (params) => ({ time: readTime(params) }),
    write: ({ time }) => {
      if (time.kind === 'between') return { from: time.from, to: time.to };
      const range = time.kind === 'all' ? 'all' : time.range;
      return { range: range === DEFAULT_RANGE ? undefined : range };
    },
  },
  page: singleField('page', wholeUpTo(MAX_PAGE), `Use a page from 1 to ${MAX_PAGE}. Showing the first.`),
  size: singleField(
    'size',
    (size) => PAGE_SIZES.find((offered) => String(offered) === size),
    `Rows per page: use one of ${PAGE_SIZES.join(', ')}. Showing ${DEFAULT_SIZE}.`,
  ),
  sort: singleField(
    'sort',
    // A column may be spelled like its filter: `gas_limit`.
    (sort) => SORTS.find((value) => value === sort.replaceAll('_', '-')),
    'Use a column with asc or desc, like state.asc. Showing newest first.',
  ),
  senders: list('sender', 'senders', readHex),
  providers: list('provider', 'providers', readHex),
  failures: list('failure', 'failures', String),
  ...RANGE_FIELDS,
  not: {
    params: ['not'],
    read: (params) => ({
      not: params.each('not', readCell, 'Use a column and a value, like sender:0x….', cellParam),
    }),
    write: ({ not }) => ({ not: not.map(cellParam) }),
  },
  asof: singleField('asof', isoTime, NO_TIME),
  open: singleField('open', String),
  live: singleField('live', wholeUpTo(MAX_LIVE_S), `Live: use 1 to ${MAX_LIVE_S} seconds. Live is off.`),
  columns: {
    params: ['cols', 'density'],
    read: readLayout,
    write: ({ columns: layout }) => ({
      cols: layout && formatColumns(layout.columns),
      density: layout?.density === 'normal' ? undefined : layout?.density,
    }),
  },
  zone: singleField('zone', readZone, 'Use utc, local or relative. Showing your last choice.'),
  expected: singleField(
    'expected',
    (total) => (/^\d{1,40}$/.test(total) ? BigInt(total).toString() : undefined),
    'Use digits: the shared total can’t be compared.',
  ),
} satisfies Record<keyof RequestsView, Field>;
const ALL_FIELDS: readonly Field[] = Object.values(FIELDS);

const NEW_PARAMS = ALL_FIELDS.flatMap(({ params }) => params);
export const REQUESTS_PARAMS = [...NEW_PARAMS, 'only', 'gas'];

/** Translates `only=column:value` and `gas=min-max` of old links into the present parameters. */
function withoutOldParams(params: URLSearchParams): URLSearchParams {
  const inPresentForm = ([name, text]: [string, string]): string[][] => {
    const isOld = name === 'only' || name === 'gas';
    if (isOld && text === '') return [];
    const cell = name === 'only' ? readCell(text) : undefined;
    const only = cell && onlyCell(cell);
    if (only !== undefined) return [...viewParams({ ...defaultRequestsView(), ...only })];
    const gas = name === 'gas' ? /^(\d*)-(\d*)$/.exec(text) : null;
    return [gas === null ? [name, text] : ['gas_limit', `${gas[1]}..${gas[2]}`]];
  };
  return new URLSearchParams([...params].flatMap(inPresentForm));
}

/** Reads the query of the table. Meaningless values are reported and left out of the view. */
export function parseRequestsUrl(params: URLSearchParams): { view: RequestsView; problems: UrlProblem[] } {
  const reader = new ParamReader(withoutOldParams(params), NEW_PARAMS);
  const view: RequestsView = Object.assign(
    defaultRequestsView(),
    ...ALL_FIELDS.map(({ read }) => read(reader)),
  );
  return { view, problems: reader.problems };
}

function viewParams(view: RequestsView): URLSearchParams {
  const fields = ALL_FIELDS.flatMap(({ write }) => Object.entries(write(view)));
  return new URLSearchParams(
    fields.flatMap(([name, value]) => [value ?? []].flat().map((item) => [name, String(item)])),
  );
}

/** The address of a view without defaults. `parseRequestsUrl` reads the same view back. */
export function formatRequestsUrl(view: RequestsView): '/requests' | `/requests?${string}` {
  const query = viewParams(view);
  return query.size === 0 ? REQUESTS_PATH : `${REQUESTS_PATH}?${query}`;
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

/**
 * A changed filter leads to the first page of the newest rows: page, snapshot, open row and total belonged to another
 * list.
 */
export function withFilter(view: RequestsView, change: Partial<Omit<RequestsView, 'page'>>): RequestsView {
  return { ...omit(view, 'asof', 'open', 'expected'), ...change, page: 1 };
}

/** End of ranges: `asof` of a pinned view, otherwise now. Unix ms. */
export function viewNowMs(view: RequestsView, nowMs: number): number {
  return parseIsoTime(view.asof ?? '') ?? nowMs;
}

/** Filters that leave only rows with this value; undefined where none can. Durations in whole ms, as in cells. */
export function onlyCell(cell: Cell): Partial<Omit<RequestsView, 'page'>> | undefined {
  const { column } = cell;
  const value = canonicalCell(cell)?.value;
  if (value === undefined) return undefined;
  const filter = FILTERS_OF_COLUMNS[column];
  if (filter !== undefined) return { [filter]: [value] };
  if (['sequence', 'request-tx', 'reveal-tx'].includes(column)) return { q: value.trim() };
  const range = RANGE_FILTERS.find((range) => range.column === column);
  if (range === undefined || !WHOLE.test(value)) return undefined;
  const seconds = value.padStart(4, '0').replace(/\d{3}$/, '.$&');
  return { [range.member]: readBounds(range.unit === 'seconds' ? seconds : value, range.unit) };
}

/** The view with only the rows of this value, where such a filter is. */
export function applyOnly(view: RequestsView, cell: Cell): RequestsView {
  const change = onlyCell(cell);
  if (change === undefined) return view;
  const not = view.not.filter(({ column }) => column !== cell.column);
  return withFilter(view, { ...change, not });
}

/** The view without the rows of this value: taken out of those chosen of its column, else excluded. */
export function applyNot(view: RequestsView, cell: Cell): RequestsView {
  const out = canonicalCell(cell);
  if (out === undefined) return view;
  const filter = FILTERS_OF_COLUMNS[out.column];
  const left = filter === undefined ? [] : view[filter].filter((value) => value !== out.value);
  if (filter === undefined || left.length === 0) {
    return withFilter(view, { not: [...view.not.filter((other) => !isSameCell(other, out)), out] });
  }
  return withFilter(view, { [filter]: left });
}

/** Columns that are filtered and have no field of their own, a column for each value; the two ends of a range are one. */
export function filteredColumns(view: RequestsView): ColumnId[] {
  return [
    ...MORE_LISTS.flatMap(({ column, list }) => view[list].map(() => column)),
    ...view.not.map(({ column }) => column),
    ...RANGE_FILTERS.flatMap(({ column, member }) => (view[member] === undefined ? [] : column)),
  ];
}

/** The view without filters; order, columns and page size stay. */
export function withoutFilters(view: RequestsView): RequestsView {
  const { size: _size, sort: _sort, ...none } = defaultRequestsView();
  return withFilter({ ...omit(view, ...RANGE_FILTERS.map(({ member }) => member)), ...none }, {});
}
