import type { ColumnId } from './columns';
import { COLUMN_IDS } from './columns';
import { networkOf, type Read, type Report, several, single, stateOf } from './view-params';
import type { Bounds, Cell, RequestsView } from './view-shape';

/** Filters on the columns of the table: their parameters, and what choosing the value of a cell changes in a view. */

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

export type ColumnFilters = Pick<RequestsView, 'senders' | 'providers' | 'failures' | RangeFilter>;

/** `sender`, `provider`, `failure` (each repeatable) and the ranges `min..max`, either side open. */
export function columnFiltersOf(params: URLSearchParams, report: Report): ColumnFilters {
  const filters: ColumnFilters = {
    senders: several(params, 'sender', hexOf, report),
    providers: several(params, 'provider', hexOf, report),
    failures: several(params, 'failure', (value) => ({ value }), report),
  };
  for (const { filter, param } of RANGE_FILTERS) {
    const bounds = boundsOf(single(params, param, report), filter, param, report);
    if (bounds !== undefined) filters[filter] = bounds;
  }
  return filters;
}

/** Hex in lower case, so that one address is one value; what is no hex stays as it is. */
function hexOf(text: string): Read {
  return { value: /^0x[0-9a-f]+$/i.test(text) ? text.toLowerCase() : text };
}

/** Digits are bounded, so that no pasted megabyte reaches BigInt. */
const WHOLE = /^\d{1,38}$/;
const SECONDS = /^\d{1,12}(?:\.\d{1,3})?$/;

function boundsOf(
  text: string | undefined,
  filter: RangeFilter,
  param: string,
  report: Report,
): Bounds | undefined {
  if (text === undefined) return undefined;
  const [low = '', high = low, ...more] = text.split('..');
  const bounds = more.length > 0 ? undefined : readBounds(low, high, filter);
  if (bounds === undefined) {
    const example = filter === 'duration' ? '1.5..10' : '100000..500000';
    report(param, text, `This is a lowest and a highest value, such as ${example}; either may be left out.`);
  } else if (isTurned(bounds)) {
    report(param, text, 'The highest value is below the lowest, so nothing can be found.', true);
  }
  return bounds;
}

function readBounds(low: string, high: string, filter: RangeFilter): Bounds | undefined {
  const form = filter === 'duration' ? SECONDS : WHOLE;
  if ((low === '' && high === '') || [low, high].some((side) => side !== '' && !form.test(side))) {
    return undefined;
  }
  return {
    ...(low === '' ? {} : { min: canonical(low) }),
    ...(high === '' ? {} : { max: canonical(high) }),
  };
}

/** Without zeros that say nothing. */
function canonical(digits: string): string {
  const [whole = '', fraction = ''] = digits.split('.');
  const rest = fraction.replace(/0{1,3}$/, '');
  return `${BigInt(whole)}${rest === '' ? '' : `.${rest}`}`;
}

function thousandths(digits: string): bigint {
  const [whole = '', fraction = ''] = digits.split('.');
  return BigInt(`${whole}${fraction.padEnd(3, '0')}`);
}

function isTurned({ min, max }: Bounds): boolean {
  return min !== undefined && max !== undefined && thousandths(min) > thousandths(max);
}

/** `column:value`, repeatable. */
export function cellsOf(params: URLSearchParams, name: 'only' | 'not', report: Report): Cell[] {
  const cells: Cell[] = [];
  for (const text of params.getAll(name)) {
    if (text === '') continue;
    const cell = readCell(text);
    if (cell === undefined) report(name, text, 'This is a column and a value, such as sender:0x….');
    else if (!cells.some((known) => isSameCell(known, cell))) cells.push(cell);
  }
  return cells;
}

function readCell(text: string): Cell | undefined {
  const colon = text.indexOf(':');
  const column = COLUMN_IDS.find((id) => id === text.slice(0, Math.max(0, colon)));
  const value = text.slice(colon + 1);
  return column === undefined || value === '' ? undefined : canonicalCell({ column, value });
}

/** The cell as a view holds it: states by our words, networks by their digits, hex in lower case; undefined where it can't be. */
export function canonicalCell({ column, value }: Cell): Cell | undefined {
  const read = column === 'state' ? stateOf(value) : column === 'network' ? networkOf(value) : hexOf(value);
  return 'problem' in read ? undefined : { column, value: read.value };
}

/** Whether two cells name the same value of the same column. */
export function isSameCell(a: Cell, b: Cell): boolean {
  return a.column === b.column && a.value === b.value;
}

/** Writes what `columnFiltersOf` and `cellsOf` read. */
export function appendFilters(
  params: URLSearchParams,
  view: ColumnFilters & Pick<RequestsView, 'not'>,
): void {
  for (const sender of view.senders) params.append('sender', sender);
  for (const provider of view.providers) params.append('provider', provider);
  for (const failure of view.failures) params.append('failure', failure);
  for (const { filter, param } of RANGE_FILTERS) {
    const bounds = view[filter];
    if (bounds !== undefined) params.append(param, `${bounds.min ?? ''}..${bounds.max ?? ''}`);
  }
  for (const { column, value } of view.not) params.append('not', `${column}:${value}`);
}

/** What links of earlier versions call `only=column:value` and `gas=min-max`, as the filters of the view. */
export function withOldFilters(view: RequestsView, params: URLSearchParams, report: Report): RequestsView {
  let next = view;
  for (const cell of cellsOf(params, 'only', report)) {
    const change = alsoCell(next, cell);
    const text = `${cell.column}:${cell.value}`;
    if (change === undefined)
      report('only', text, 'This can’t be joined with the other filters, or is none.');
    else next = { ...next, ...change };
  }
  const gas = single(params, 'gas', report);
  if (gas === undefined) return next;
  const [low = '', high = '', ...more] = gas.split('-');
  const bounds = more.length > 0 || !gas.includes('-') ? undefined : readBounds(low, high, 'gasLimit');
  if (bounds === undefined) {
    report('gas', gas, 'Gas limits are given as gas_limit=100000..500000, 100000.. or ..500000.');
    return next;
  }
  if (isTurned(bounds)) {
    report('gas', gas, 'The highest gas limit is below the lowest, so nothing can be found.', true);
  }
  return { ...next, gasLimit: next.gasLimit ?? bounds };
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
  const exact = filter === 'duration' ? secondsOf(value) : canonical(value);
  return { [filter]: { min: exact, max: exact } };
}

function secondsOf(ms: string): string {
  const digits = ms.padStart(4, '0');
  return canonical(`${digits.slice(0, -3)}.${digits.slice(-3)}`);
}
