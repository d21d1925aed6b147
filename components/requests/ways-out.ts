import { keeperFilter } from '@/lib/client/cell-filters';
import { clipped } from '@/lib/client/foreign-text';
import { type LoadedRequests, unservedNetworks } from '@/lib/client/requests';
import { type RequestsView, withFilter } from '@/lib/requests/view';

/** A step out of an empty result. */
export type WayOut = { label: string; to: RequestsView };

/** Keepers that get a way of their own; more than these are asked all at once. */
const MOST_NAMED = 3;

/** Whether none of the chosen networks is served by a keeper that was asked. */
export function isAllUnserved(page: Pick<LoadedRequests, 'view' | 'unserved'>): boolean {
  const { networks } = page.view;
  return networks.length > 0 && unservedNetworks(page).length === networks.length;
}

/** The keepers that were not asked, where they may have what this one has not. */
function otherKeepers(page: Pick<LoadedRequests, 'view' | 'unserved'>, keepers: readonly string[]): WayOut[] {
  const { view } = page;
  if (view.q === '' && !isAllUnserved(page)) return [];
  const asked = view.keepers.length === 0 ? keepers.slice(0, 1) : view.keepers;
  const others = keepers.filter((keeper) => !asked.includes(keeper));
  if (others.length === 0) return [];
  const single = others.slice(0, MOST_NAMED).map((keeper) => ({
    label: `Search keeper ${clipped(keeper, 40)}`,
    to: withFilter(view, { keepers: keeperFilter([keeper], keepers) }),
  }));
  return [...single, { label: 'Search all keepers', to: withFilter(view, { keepers: [...keepers] }) }];
}

/** Another keeper, and one step for each filter that may be what hides the rows. */
export function waysOut(
  page: Pick<LoadedRequests, 'view' | 'unserved'>,
  keepers: readonly string[],
): WayOut[] {
  const { view } = page;
  const ways = otherKeepers(page, keepers);
  if (view.q !== '') ways.push({ label: 'Clear the search', to: withFilter(view, { q: '' }) });
  if (view.states.length > 0) ways.push({ label: 'All states', to: withFilter(view, { states: [] }) });
  if (view.networks.length > 0) ways.push({ label: 'All networks', to: withFilter(view, { networks: [] }) });
  if (view.time.kind !== 'all')
    ways.push({ label: 'All time', to: withFilter(view, { time: { kind: 'all' } }) });
  return ways;
}
