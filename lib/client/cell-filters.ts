import { type Cell, type RequestsView, type Within, withFilter } from '@/lib/contract/codec/requests-url';
import { isSameCell } from '@/lib/contract/codec/requests-within';
import type { Network } from '@/lib/domain/network';
import { isStateWord, WIRE_STATE } from '@/lib/domain/request-record';

/** The filters that the service has itself: they hold for the whole result, not only for the loaded rows. */
type ServiceFilter = 'networks' | 'states' | 'keepers';

const SERVICE_FILTER: Partial<Record<Cell['column'], ServiceFilter>> = {
  network: 'networks',
  state: 'states',
  keeper: 'keepers',
};

/** The value by which the service is asked; undefined where it cannot be (a state that has no word of ours). */
function serviceValue({ column, value }: Cell, networks: readonly Network[]): string | undefined {
  if (column === 'state') return isStateWord(value) ? value : undefined;
  if (column !== 'network') return value;
  if (/^\d{1,19}$/.test(value)) return BigInt(value).toString();
  return networks.find((network) => network.name === value)?.networkId;
}

/**
 * The view with nothing but the rows that have this value. Network (by id or offered name), state (our word) and keeper
 * become filters of the service; every other column is filtered within the loaded rows, which stay as they are.
 * @param keepers all that there are, the default one first
 */
export function applyOnly(
  view: RequestsView,
  cell: Cell,
  networks: readonly Network[],
  keepers: readonly string[] = [],
): RequestsView {
  const filter = SERVICE_FILTER[cell.column];
  const value = serviceValue(cell, networks);
  if (filter === undefined || value === undefined) return withWithin(view, onlyCell(view.within, cell));
  const values = filter === 'keepers' ? keeperFilter([value], keepers) : [value];
  return withFilter(view, { [filter]: values, within: withoutColumn(view.within, cell.column) });
}

/** Whether leaving this value out takes knowing which networks the keepers serve. */
export function needsServed(view: RequestsView, { column }: Cell): boolean {
  return column === 'network' && view.networks.length === 0;
}

/** What there is besides the value that is to be left out. */
export type Offered = {
  networks: readonly Network[];
  /** All that there are, the default one first. */
  keepers?: readonly string[];
  /** Ids of the networks that the keepers of the view serve; undefined where that is not known. */
  served?: readonly string[] | undefined;
};

/**
 * The view without the rows that have this value. For network, state and keeper that is the complement: the chosen
 * ones, or all that there are, without it; of networks those that the keepers serve. Where these are not known, where none
 * would be left, and for every other column, it is a filter within the loaded rows.
 */
export function applyNot(view: RequestsView, cell: Cell, offered: Offered): RequestsView {
  const filter = SERVICE_FILTER[cell.column];
  const value = serviceValue(cell, offered.networks);
  const { keepers = [], served = [] } = offered;
  const all = { networks: served, states: Object.keys(WIRE_STATE), keepers };
  const from = filter === undefined ? [] : view[filter].length > 0 ? view[filter] : all[filter];
  const left = from.filter((one) => one !== value);
  if (filter === undefined || value === undefined || left.length === 0) {
    return withWithin(view, notCell(view.within, cell));
  }
  return withFilter(view, { [filter]: filter === 'keepers' ? keeperFilter(left, keepers) : left });
}

/** The default keeper alone is what a link without keepers means, so it is not written out. */
export function keeperFilter(chosen: readonly string[], keepers: readonly string[]): string[] {
  return chosen.length === 1 && chosen[0] === keepers[0] ? [] : [...chosen];
}

/** The view with other filters within the loaded rows: the rows are the same, so page and snapshot stay. */
export function withWithin(view: RequestsView, within: Within): RequestsView {
  return { ...view, within };
}

const isNot = (cell: Cell) => (other: Cell) => !isSameCell(cell, other);

function withoutColumn(within: Within, column: Cell['column']): Within {
  const isOther = (cell: Cell) => cell.column !== column;
  return { ...within, only: within.only.filter(isOther), not: within.not.filter(isOther) };
}

/** Only this value of its column, whatever of it was chosen before. */
export function onlyCell(within: Within, cell: Cell): Within {
  return {
    ...within,
    only: [...within.only.filter(({ column }) => column !== cell.column), cell],
    not: within.not.filter(isNot(cell)),
  };
}

/** Not this value. Where others of its column were chosen it is taken out of them, since they leave it out already. */
export function notCell(within: Within, cell: Cell): Within {
  const only = within.only.filter(isNot(cell));
  const isLeftOut = only.some(({ column }) => column === cell.column);
  if (isLeftOut) return { ...within, only };
  return { ...within, only, not: [...within.not.filter(isNot(cell)), cell] };
}

/** Exactly these values of a column; none of them lifts the filter. */
export function onlyValues(within: Within, column: Cell['column'], values: readonly string[]): Within {
  const kept = withoutColumn(within, column);
  return { ...kept, only: [...kept.only, ...values.map((value) => ({ column, value }))] };
}

/** Without this `only` or `not`. */
export function withoutCell(within: Within, list: 'only' | 'not', cell: Cell): Within {
  return { ...within, [list]: within[list].filter(isNot(cell)) };
}

/** How many filters hold within the loaded rows; the two ends of the gas limit are one. */
export function withinCount({ only, not, gasMin, gasMax }: Within): number {
  return only.length + not.length + (gasMin === undefined && gasMax === undefined ? 0 : 1);
}
