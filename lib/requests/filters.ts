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
  type RangeMember,
  type RangeUnit,
  type RequestsView,
} from './view';

/** A row matches with any of the values. */
export type ListFilter = 'networks' | 'states' | 'keepers' | (typeof MORE_LISTS)[number]['list'];

const FILTERS_OF_COLUMNS: Partial<Record<ColumnId, ListFilter>> = {
  network: 'networks',
  state: 'states',
  keeper: 'keepers',
  sender: 'senders',
  provider: 'providers',
  failure: 'failures',
};

/** Filters without a select of their own. */
export const MORE_LISTS = [
  { column: 'sender', list: 'senders' },
  { column: 'provider', list: 'providers' },
  { column: 'failure', list: 'failures' },
] as const;

export const readNetwork = (text: string) => unsignedDigits(text, 63n);

export const readState = (text: string) =>
  Object.entries(WIRE_STATE).find(([, wireName]) => wireName === text)?.[0] ?? text;

/** Lower case, so that an address has one spelling. Other texts stay unchanged. */
export const readHex = (text: string) => (/^0x[0-9a-f]+$/i.test(text) ? text.toLowerCase() : text);

const WHOLE = /^\d{1,38}$/;
/** `form` of a bound in a URL; `example` is for the message. */
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

/** A cell in the spelling of a view; undefined for an impossible value. */
export function canonicalCell({ column, value }: Cell): Cell | undefined {
  const read = column === 'state' ? readState : column === 'network' ? readNetwork : readHex;
  const canonical = read(value);
  return canonical === undefined ? undefined : { column, value: canonical };
}

export const isSameCell = (a: Cell, b: Cell) => cellParam(a) === cellParam(b);

export const cellParam = ({ column, value }: Cell) => `${column}:${value}`;

/** A changed view begins on its first page: page, snapshot, open row and expected total belonged to the list before. */
export function asNewList(
  view: RequestsView,
  change: Partial<Omit<RequestsView, 'page'>> = {},
): RequestsView {
  return { ...omit(view, 'asof', 'open', 'expected'), ...change, page: 1 };
}

/** Undefined if no filter leaves only this value. Durations are in whole ms, as in cells. */
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

export function applyOnly(view: RequestsView, cell: Cell): RequestsView {
  const change = onlyCell(cell);
  if (change === undefined) return view;
  const not = view.not.filter(({ column }) => column !== cell.column);
  return asNewList(view, { ...change, not });
}

/** Removes the value from the selected ones of its column, or excludes it if it is not selected. */
export function applyNot(view: RequestsView, cell: Cell): RequestsView {
  const excluded = canonicalCell(cell);
  if (excluded === undefined) return view;
  const filter = FILTERS_OF_COLUMNS[excluded.column];
  const left = filter === undefined ? [] : view[filter].filter((value) => value !== excluded.value);
  if (filter === undefined || left.length === 0) {
    return asNewList(view, { not: [...view.not.filter((other) => !isSameCell(other, excluded)), excluded] });
  }
  return asNewList(view, { [filter]: left });
}

/** Columns with filters that have no field of their own. Each value is an entry; a range is one entry. */
export function filteredColumns(view: RequestsView): ColumnId[] {
  return [
    ...MORE_LISTS.flatMap(({ column, list }) => view[list].map(() => column)),
    ...view.not.map(({ column }) => column),
    ...RANGE_FILTERS.flatMap(({ column, member }) => (view[member] === undefined ? [] : column)),
  ];
}

/** Whether "Clear all filters" keeps a member. Ranges are always cleared. */
const IS_KEPT: Record<Exclude<keyof RequestsView, RangeMember>, boolean> = {
  networks: false,
  states: false,
  keepers: false,
  q: false,
  time: false,
  page: false,
  size: true,
  sort: true,
  senders: false,
  providers: false,
  failures: false,
  not: false,
  asof: false,
  open: false,
  live: true,
  columns: true,
  zone: true,
  expected: false,
};

export function withoutFilters(view: RequestsView): RequestsView {
  const kept = Object.entries(view).filter(([member]) => IS_KEPT[member as keyof typeof IS_KEPT]);
  return { ...defaultRequestsView(), ...Object.fromEntries(kept) };
}
