import 'server-only';
import { recogniseQuery } from '@/lib/core/log-query';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import type { RequestsView } from '@/lib/requests/view-shape';
import { Parameters } from '@/lib/store/queries/view-filter';
import { orderKeys } from '@/lib/store/queries/view-order';
import { type IndexedRow, type PageStart, pageOfView, unreadableRows } from '@/lib/store/queries/view-rows';
import type { IndexStore } from '@/lib/store/store';
import { type Cursor, formatCursor, isPlaceOf, readCursor } from './cursor';
import { type AskedView, askedView, type NamedNetwork } from './row-query';

/** So far a page is looked for by its number; what lies behind is reached page by page, or by filters. */
export const MOST_OFFSET = 1_000_000;
/** Rows that can't be read and are shown at most. */
const MOST_UNREADABLE = 20;

/**
 * One page of a view: the members of the answer as JSON texts, each row in it as its service wrote it.
 * @param cursor of a page before: then the page beside that one, whatever `view.page` says
 */
export async function listingMembers(
  store: IndexStore,
  view: RequestsView,
  networks: readonly NamedNetwork[],
  cursor: string | undefined,
): Promise<Outcome<string[]>> {
  const place = cursor === undefined ? undefined : readCursor(cursor);
  if (cursor !== undefined && place?.sort !== view.sort) return failed(BAD_CURSOR);
  const pinned = place === undefined || view.asof !== undefined ? view : { ...view, asof: place.asof };
  const asked = askedView(pinned, store, networks);
  if (!asked.ok) return asked;
  const start = startOf(view, asked.value, place);
  if (!start.ok) return start;
  const { query, names, asof } = asked.value;
  const isTop = start.value.kind === 'offset' && start.value.offset === 0 && view.sort === 'created.desc';
  const [page, unreadable] = await Promise.all([
    pageOfView(store.engine, query, names, start.value),
    unreadableRows(store.engine, query, isTop && showsUnreadable(view) ? MOST_UNREADABLE : 0),
  ]);
  const { rows, total, offset, first, last } = page;
  const cursorAt = (side: Cursor['side'], at: Cursor['place'] | undefined) =>
    at === undefined ? undefined : formatCursor({ side, sort: view.sort, asof, place: at });
  const hasMore = offset + rows.length < total;
  return ok([
    `"rows":${rowsText(store, [...unreadable.rows, ...rows])}`,
    member('total', String(total)),
    member('asof', asof),
    member('offset', String(offset)),
    member('cursor', hasMore ? cursorAt('after', last) : undefined),
    member('previous', offset > 0 ? cursorAt('before', first) : undefined),
    member('unreadable', String(unreadable.total)),
  ]);
}

const BAD_CURSOR = {
  kind: 'bad-request',
  detail: 'The cursor is none of this list. Ask for the page without it.',
} as const;

function startOf(view: RequestsView, { names }: AskedView, cursor: Cursor | undefined): Outcome<PageStart> {
  if (cursor !== undefined) {
    const keys = orderKeys(view.sort, names, new Parameters());
    if (!isPlaceOf(keys, cursor.place)) return failed(BAD_CURSOR);
    return ok({ kind: cursor.side, place: cursor.place });
  }
  const offset = (view.page - 1) * view.size;
  if (offset > MOST_OFFSET) return failed({ kind: 'bad-request', detail: TOO_FAR });
  return ok({ kind: 'offset', offset });
}

const TOO_FAR = `page: Pages are found by their number up to row ${MOST_OFFSET}. Narrow the time or another filter, or turn the order round.`;

/** Whether rows that can't be read belong to a view: they fit no filter but keepers and time. */
export function showsUnreadable({
  networks,
  states,
  senders,
  providers,
  failures,
  ...view
}: RequestsView): boolean {
  const { duration, gasLimit, gasUsed, block, not, q } = view;
  const lists = [networks, states, senders, providers, failures, not];
  const bounds = [duration, gasLimit, gasUsed, block];
  const isFiltered = lists.some((list) => list.length > 0) || bounds.some((bound) => bound !== undefined);
  return !isFiltered && recogniseQuery(q).kind === 'empty';
}

/** Rows as the pages read them, each as its service wrote it: no digit goes through a float. */
export function rowsText(store: IndexStore, rows: readonly IndexedRow[]): string {
  const texts = rows.map(({ keeperId, wire, gone }) => {
    const keeper = JSON.stringify(store.keeperName(keeperId));
    return `{"keeper":${keeper},"row":${wire}${gone ? ',"gone":true' : ''}}`;
  });
  return `[${texts.join(',')}]`;
}

/** A member of a JSON object; an empty text for one that is not there. */
export function member(name: string, value: unknown): string {
  return value === undefined ? '' : `${JSON.stringify(name)}:${JSON.stringify(value)}`;
}
