import { formatScaled, parseDecimal } from '@/lib/core/numbers';
import { WIRE_STATE } from '@/lib/core/request-record';
import type { ColumnId } from './columns';
import { unsignedDigits } from './request-address';
import {
  type Bounds,
  type Cell,
  defaultRequestsView,
  omit,
  RANGE_FILTERS,
  type RangeUnit,
  type RequestsView,
} from './view';

/** Filters of a view: lists of values, ranges, and values of cells. This file normalises, adds and removes them. */

/** A filter that lists values. A row matches with any of them. */
export type ListFilter = 'networks' | 'states' | 'keepers' | (typeof MORE_LISTS)[number]['list'];

const FILTERS_OF_COLUMNS: Partial<Record<ColumnId, ListFilter>> = {
  network: 'networks',
  state: 'states',
  keeper: 'keepers',
  sender: 'senders',
  provider: 'providers',
  failure: 'failures',
};

/** List filters without a separate select. */
export const MORE_LISTS = [
  { column: 'sender', list: 'senders' },
  { column: 'provider', list: 'providers' },
  { column: 'failure', list: 'failures' },
] as const;

export const readNetwork = (text: string) => unsignedDigits(text, 63n);

export const readState = (text: string) =>
  Object.entries(WIRE_STATE).find(([, wireName]) => wireName === text)?.[0] ?? text;

/** Changes hex to lower case, so that an address has one spelling. Other texts stay unchanged. */
export const readHex = (text: string) => (/^0x[0-9a-f]+$/i.test(text) ? text.toLowerCase() : text);

const WHOLE = /^\d{1,38}$/;
/** Form of a bound in a URL, and an example for the message. */
export const RANGE_UNITS: Record<RangeUnit, { form: RegExp; example: string }> = {
  seconds: { form: /^\d{1,12}(?:\.\d{1,3})?$/, example: '1.5..10' },
  count: { form: WHOLE, example: '100000..500000' },
};

/** Reads `min..max`, with either side open, or one value for both. */
export function readBounds(text: string, unit: RangeUnit): Bounds | undefined {
  const [min = '', max = min, ...more] = text.split('..');
  const sides = Object.entries({ min, max }).filter(([, side]) => side !== '');
  const { form } = RANGE_UNITS[unit];
  if (more.length > 0 || sides.length === 0 || sides.some(([, side]) => !form.test(side))) return undefined;
  const canonical = (digits: string) => formatScaled(scaled(digits), { decimals: 'trimmed' });
  return Object.fromEntries(sides.map(([name, side]) => [name, canonical(side)]));
}

export const scaled = (digits: string) => parseDecimal(digits) ?? { mantissa: 0n, expo: 0 };

/** The cell in the spelling of a view; undefined for an impossible value. */
export function canonicalCell({ column, value }: Cell): Cell | undefined {
  const read = column === 'state' ? readState : column === 'network' ? readNetwork : readHex;
  const canonical = read(value);
  return canonical === undefined ? undefined : { column, value: canonical };
}

export const isSameCell = (a: Cell, b: Cell) => cellParam(a) === cellParam(b);

export const cellParam = ({ column, value }: Cell) => `${column}:${value}`;

/**
 * The view with changed filters. It returns to the first page of the newest rows, because page, snapshot, open row and
 * total belonged to another list.
 */
export function withFilter(view: RequestsView, change: Partial<Omit<RequestsView, 'page'>>): RequestsView {
  return { ...omit(view, 'asof', 'open', 'expected'), ...change, page: 1 };
}

/**
 * Filters that leave only rows with this value; undefined if there is no such filter. Durations are in whole ms, as in
 * cells.
 */
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

/** The view with only the rows of this value, if such a filter exists. */
export function applyOnly(view: RequestsView, cell: Cell): RequestsView {
  const change = onlyCell(cell);
  if (change === undefined) return view;
  const not = view.not.filter(({ column }) => column !== cell.column);
  return withFilter(view, { ...change, not });
}

/**
 * The view without the rows of this value. The value is removed from the selected ones of its column; if it is not
 * selected, it is excluded.
 */
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

/** Filtered columns that have no separate field. Each value is one entry, and the two ends of a range are one entry. */
export function filteredColumns(view: RequestsView): ColumnId[] {
  return [
    ...MORE_LISTS.flatMap(({ column, list }) => view[list].map(() => column)),
    ...view.not.map(({ column }) => column),
    ...RANGE_FILTERS.flatMap(({ column, member }) => (view[member] === undefined ? [] : column)),
  ];
}

/** The view without filters. Order, columns and page size stay. */
export function withoutFilters(view: RequestsView): RequestsView {
  const { size: _size, sort: _sort, ...none } = defaultRequestsView();
  return withFilter({ ...omit(view, ...RANGE_FILTERS.map(({ member }) => member)), ...none }, {});
}
