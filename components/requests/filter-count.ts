import { columnFilterCount, withoutColumnFilters } from '@/lib/client/cell-filters';
import { defaultRequestsView, type RequestsView, withFilter } from '@/lib/requests/view';

function isUsualTime({ time }: RequestsView): boolean {
  const usual = defaultRequestsView().time;
  return time.kind === 'last' && usual.kind === 'last' && time.range === usual.range;
}

/** How many filters beside the search differ from what a link without any means. */
export function filterCount(view: RequestsView): number {
  const chosen = [view.networks, view.states, view.keepers].filter((values) => values.length > 0).length;
  return chosen + (isUsualTime(view) ? 0 : 1) + columnFilterCount(view);
}

/** Whether anything narrows or widens what is listed, the search too. */
export function isFiltered(view: RequestsView): boolean {
  return view.q !== '' || filterCount(view) > 0;
}

/** Every filter as a link without any has it; order, columns and size stay. */
export function withoutFilters(view: RequestsView): RequestsView {
  const { networks, states, keepers, q, time } = defaultRequestsView();
  return withFilter(withoutColumnFilters(view), { networks, states, keepers, q, time });
}
