import { compareScaled } from '@/lib/core/numbers';
import { ParamReader } from '@/lib/core/param-reader';
import type { UrlProblem } from '@/lib/core/text';
import { parseIsoTime } from '@/lib/core/time';
import { readZone } from '@/lib/core/time-text';
import { COLUMN_IDS, DENSITIES, formatColumns, readColumns, readDensity } from './columns';
import {
  canonicalCell,
  cellParam,
  type ListFilter,
  onlyCell,
  RANGE_UNITS,
  readBounds,
  readHex,
  readNetwork,
  readState,
  scaled,
} from './filters';
import {
  type Cell,
  DEFAULT_RANGE,
  DEFAULT_SIZE,
  defaultRequestsView,
  PAGE_SIZES,
  RANGE_FILTERS,
  type RangeMember,
  REQUESTS_PATH,
  type RequestsView,
  rangeMs,
  type Sort,
  type TimeFilter,
} from './view';

const MAX_LIVE_S = 30;
/** Limit of page numbers. Beyond row 1,000,000 a page needs its cursor (`MAX_OFFSET` in listing.ts). */
const MAX_PAGE = 999_999_999;

function readCell(text: string): Cell | undefined {
  const [, name, value = ''] = /^([^:]*):([\s\S]*)$/.exec(text) ?? [];
  const column = COLUMN_IDS.find((id) => id === name);
  return column === undefined || value === '' ? undefined : canonicalCell({ column, value });
}

/** `undefined` and empty lists are neither read nor written. */
type Field = {
  params: readonly string[];
  read: (from: ParamReader) => Partial<RequestsView>;
  write: (view: RequestsView) => Record<string, readonly string[] | string | number | undefined>;
};

type OneParam = 'q' | 'page' | 'size' | 'sort' | 'asof' | 'open' | 'live' | 'zone' | 'expected';

/** The default of the field is not written. */
function singleField<K extends OneParam>(
  param: K,
  read: (text: string) => RequestsView[K] | undefined,
  message = '',
): Field {
  const { [param]: defaultValue } = defaultRequestsView();
  return {
    params: [param],
    read: (from) => {
      const value = from.once(param, read, message);
      return value === undefined ? {} : { [param]: value };
    },
    write: ({ [param]: value }) => ({ [param]: value === defaultValue ? undefined : value }),
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

/** Parameters in the order of links. */
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

/** Old links have `only=column:value` and `gas=min-max`. */
function withoutOldParams(params: URLSearchParams): URLSearchParams {
  const inPresentForm = ([name, text]: [string, string]): string[][] => {
    const isOld = name === 'only' || name === 'gas';
    if (isOld && text === '') return [];
    const cell = name === 'only' ? readCell(text) : undefined;
    const change = cell && onlyCell(cell);
    if (change !== undefined) return [...viewParams({ ...defaultRequestsView(), ...change })];
    const gas = name === 'gas' ? /^(\d*)-(\d*)$/.exec(text) : null;
    return [gas === null ? [name, text] : ['gas_limit', `${gas[1]}..${gas[2]}`]];
  };
  return new URLSearchParams([...params].flatMap(inPresentForm));
}

/** Meaningless values are reported and left out of the view. */
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

/** The URL of a view, without defaults. `parseRequestsUrl` reads the same view back. */
export function formatRequestsUrl(view: RequestsView): '/requests' | `/requests?${string}` {
  const query = viewParams(view);
  return query.size === 0 ? REQUESTS_PATH : `${REQUESTS_PATH}?${query}`;
}
