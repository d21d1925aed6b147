import { type LoadedRequests, pageCount } from '@/lib/client/requests';
import { type RequestsView, withFilter } from '@/lib/requests/view';
import type { ShowView } from './use-requests-view';

/** Where one can go from a page of rows; a direction without a page is undefined. */
export function waysFrom(page: LoadedRequests | undefined, view: RequestsView, show: ShowView) {
  const pages = page === undefined ? undefined : pageCount(page.total, view.size);
  const mayGoOn = pages === undefined ? page?.rows.length === view.size : view.page < pages;
  const go = (number: number) => show((now) => pageOf(now, number, page?.asof), 'push');
  return {
    pages,
    onPrevious: view.page > 1 ? () => go(view.page - 1) : undefined,
    onNext: page !== undefined && mayGoOn ? () => go(view.page + 1) : undefined,
    onSize: (size: number) => show((now) => withFilter(now, { size }), 'push'),
  };
}

/** Another page of the same result: leaving the first pins it to `asof`, so that new rows shift nothing. */
function pageOf(view: RequestsView, page: number, asof: string | undefined): RequestsView {
  const { open: _open, live: _live, ...kept } = view;
  const pinned = kept.asof ?? (page > 1 ? asof : undefined);
  return { ...kept, page, ...(pinned === undefined ? {} : { asof: pinned }) };
}
