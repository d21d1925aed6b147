import type { Network } from '@/lib/core/network';
import {
  type Cell,
  canonicalCell,
  isSameCell,
  LIST_FILTERS,
  onlyCell,
  RANGE_FILTERS,
  type RequestsView,
  withFilter,
} from '@/lib/requests/view';

/** A network may be named as it is offered. */
function byId(cell: Cell, networks: readonly Network[]): Cell {
  const named = cell.column === 'network' && networks.find((network) => network.name === cell.value);
  return named ? { ...cell, value: named.networkId } : cell;
}

/**
 * The view with nothing but the rows that have this value; the view as it was where its column has no filter.
 * @param keepers all that there are, the default one first
 */
export function applyOnly(
  view: RequestsView,
  cell: Cell,
  networks: readonly Network[],
  keepers: readonly string[] = [],
): RequestsView {
  const change = onlyCell(byId(cell, networks));
  if (change === undefined) return view;
  const not = view.not.filter(({ column }) => column !== cell.column);
  const chosen = change.keepers === undefined ? change : { keepers: keeperFilter(change.keepers, keepers) };
  return withFilter(view, { ...chosen, not });
}

/**
 * The view without the rows that have this value. Where others of its column were chosen it is taken out of them, since
 * they leave it out already.
 * @param keepers all that there are, the default one first
 */
export function applyNot(
  view: RequestsView,
  cell: Cell,
  networks: readonly Network[],
  keepers: readonly string[] = [],
): RequestsView {
  const out = canonicalCell(byId(cell, networks));
  if (out === undefined) return view;
  const list = LIST_FILTERS[out.column];
  const left = list === undefined ? [] : view[list].filter((value) => value !== out.value);
  if (list !== undefined && left.length > 0) {
    return withFilter(view, { [list]: list === 'keepers' ? keeperFilter(left, keepers) : left });
  }
  return withFilter(view, { not: [...view.not.filter((cell) => !isSameCell(cell, out)), out] });
}

/** The default keeper alone is what a link without keepers means, so it is not written out. */
export function keeperFilter(chosen: readonly string[], keepers: readonly string[]): string[] {
  return chosen.length === 1 && chosen[0] === keepers[0] ? [] : [...chosen];
}

/** How many filters there are on columns that have no field of their own; the two ends of a range are one. */
export function columnFilterCount(view: RequestsView): number {
  const { senders, providers, failures, not } = view;
  const ranges = RANGE_FILTERS.filter(({ filter }) => view[filter] !== undefined);
  return senders.length + providers.length + failures.length + not.length + ranges.length;
}

/** The view without them. */
export function withoutColumnFilters(view: RequestsView): RequestsView {
  const { duration: _duration, gasLimit: _gasLimit, gasUsed: _gasUsed, block: _block, ...kept } = view;
  return withFilter(kept, { senders: [], providers: [], failures: [], not: [] });
}
