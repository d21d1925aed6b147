import 'server-only';
import * as z from 'zod';
import { recogniseQuery } from '@/lib/core/log-query';
import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import { formatIsoMillis, parseIsoTime } from '@/lib/core/time';
import type { WrittenRow } from '@/lib/requests/answers';
import {
  columnFilterCount,
  isSameCell,
  type RequestsView,
  rangeMs,
  type Sort,
  viewNowMs,
} from '@/lib/requests/view';
import { microsOfIso, type RowQuery } from '@/lib/store/queries/view-filter';
import { type OrderKey, type OrderNames, orderKeys, type Place } from '@/lib/store/queries/view-order';
import { type PageStart, pageOfView, unreadableRows } from '@/lib/store/queries/view-rows';
import type { IndexStore } from '@/lib/store/store';

export type NamedNetwork = { networkId: string; name: string };

/** A question to the index: a view with its moment and its keepers settled. */
export type AskedView = {
  query: RowQuery;
  names: OrderNames;
  /** Unix milliseconds: what was seen later is left out. */
  asofMs: number;
  /** The same as ISO text: as the view names it, where it does. */
  asof: string;
  keepers: string[];
};

/** So long a view that is counted back from now stays the same one where nothing new came, in milliseconds. */
export const STEP_MS = 2000;

/** Without keepers it is of the first one; a range counts back from `asof`, else from now. `bad-request` for an unknown keeper. */
export function askedView(
  view: RequestsView,
  store: IndexStore,
  networks: readonly NamedNetwork[],
): Outcome<AskedView> {
  const all = store.keepers.map(({ name }) => name);
  if (all.length === 0) {
    return failed({ kind: 'unconfigured', service: 'logs', detail: 'LOGS_URL is not set.' });
  }
  const keepers = view.keepers.length === 0 ? all.slice(0, 1) : view.keepers;
  if (keepers.some((keeper) => !all.includes(keeper))) {
    return failed(badRequest(`keeper must be one of ${all.join(', ')}.`));
  }
  const pinMs = store.pinMs(STEP_MS);
  const asofMs = viewNowMs(view, pinMs);
  const isLeftOut = (keeper: string) =>
    view.not.some((not) => isSameCell(not, { column: 'keeper', value: keeper }));
  const left = keepers.filter((keeper) => !isLeftOut(keeper));
  return ok({
    asofMs,
    asof: view.asof ?? formatIsoMillis(pinMs),
    keepers,
    names: { networks, keepers: store.keepers },
    query: {
      view,
      keeperIds: left.length === 0 ? [] : store.keeperIds(left),
      allKeeperIds: store.keeperIds(),
      ...timeOf(view, asofMs),
      visibleUs: (view.asof === undefined ? undefined : microsOfIso(view.asof)) ?? pinMs * 1000,
      namedNetworks: namedLike(view.q, networks),
    },
  });
}

function timeOf({ time }: RequestsView, asofMs: number): Pick<RowQuery, 'fromUs' | 'toUs'> {
  if (time.kind === 'all') return {};
  if (time.kind === 'last') return { fromUs: (asofMs - (rangeMs(time.range) ?? 0)) * 1000 };
  const [fromUs, toUs] = [time.from, time.to].map((side) =>
    side === undefined ? undefined : microsOfIso(side),
  );
  return { ...(fromUs === undefined ? {} : { fromUs }), ...(toUs === undefined ? {} : { toUs }) };
}

function namedLike(q: string, networks: readonly NamedNetwork[]): string[] {
  if (recogniseQuery(q).kind !== 'none') return [];
  const text = q.toLowerCase();
  return networks.filter(({ name }) => name.toLowerCase().includes(text)).map(({ networkId }) => networkId);
}

/** Where a page begins: beside a row of a list in this order, as of the moment in which that row was seen. */
export type Cursor = {
  side: 'after' | 'before';
  sort: Sort;
  asof: string;
  place: Place;
};

const VERSION = 1;
/** A place may hold a text of a service; one that is longer has no room in an address. */
const MOST_CHARACTERS = 6000;

function formatCursor({ side, sort, asof, place }: Cursor): string | undefined {
  const cursor = Buffer.from(JSON.stringify([VERSION, side, sort, asof, ...place])).toString('base64url');
  return cursor.length > MOST_CHARACTERS ? undefined : cursor;
}

const cursorTuple = z.tuple(
  [z.literal(VERSION), z.enum(['after', 'before']), z.string(), z.string()],
  z.union([z.string(), z.number(), z.null()]),
);
function readCursor(text: string): Cursor | undefined {
  try {
    if (text.length > MOST_CHARACTERS) return undefined;
    const [, side, sort, asof, ...place] = cursorTuple.parse(
      JSON.parse(Buffer.from(text, 'base64url').toString()),
    );
    return parseIsoTime(asof) === undefined ? undefined : { side, sort: sort as Sort, asof, place };
  } catch {
    return undefined;
  }
}

const KEY_VALUES: Record<OrderKey['type'], z.ZodType> = {
  bigint: z.int(),
  'double precision': z.number(),
  'decimal(38,0)': z.string().regex(/^-?\d{1,38}$/),
  uuid: z.string().regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  text: z.string(),
};

/** Whether a place has a value for each key of an order, of the kind that the key has. */
function isPlaceOf(keys: readonly OrderKey[], place: Place): boolean {
  const fits = ({ type, nullable }: OrderKey, value: Place[number] | undefined) =>
    value === null ? nullable : KEY_VALUES[type].safeParse(value).success;
  return place.length === keys.length && keys.every((key, at) => fits(key, place[at]));
}

/** So far a page is looked for by its number; what lies behind is reached page by page, or by filters. */
export const MOST_OFFSET = 1_000_000;
const MOST_UNREADABLE = 20;

/** One page of a view. @param cursor the page beside that one, whatever `view.page` says */
export async function listingOf(
  store: IndexStore,
  view: RequestsView,
  networks: readonly NamedNetwork[],
  cursor: string | undefined,
): Promise<Outcome<object>> {
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
    isTop && showsUnreadable(view) ? unreadableRows(store.engine, query, MOST_UNREADABLE) : [],
  ]);
  const { rows, total, offset, first, last } = page;
  const cursorAt = (side: Cursor['side'], at: Place | undefined) =>
    at === undefined ? undefined : formatCursor({ side, sort: view.sort, asof, place: at });
  return ok({
    rows: writtenRows(store, [...unreadable, ...rows]),
    total: String(total),
    asof,
    cursor: offset + rows.length < total ? cursorAt('after', last) : undefined,
    previous: offset > 0 ? cursorAt('before', first) : undefined,
  });
}

const badRequest = (detail: string): Failure => ({ kind: 'bad-request', detail });

const BAD_CURSOR = badRequest('The cursor does not belong to this list. Request the page without it.');
const TOO_FAR = badRequest(
  `page: Page numbers reach to row ${MOST_OFFSET}. Narrow the time or another filter, or reverse the order.`,
);

function startOf(view: RequestsView, { names }: AskedView, cursor: Cursor | undefined): Outcome<PageStart> {
  if (cursor !== undefined) {
    const { side, place } = cursor;
    const keys = orderKeys(view.sort, names);
    return isPlaceOf(keys, place) ? ok({ kind: side, place }) : failed(BAD_CURSOR);
  }
  const offset = (view.page - 1) * view.size;
  return offset > MOST_OFFSET ? failed(TOO_FAR) : ok({ kind: 'offset', offset });
}

/** Whether rows that can't be read belong to a view: they fit no filter but keepers and time. */
export function showsUnreadable(view: RequestsView): boolean {
  const { networks, states, q } = view;
  return (
    columnFilterCount(view) + networks.length + states.length === 0 && recogniseQuery(q).kind === 'empty'
  );
}

/** Rows as they travel: each as the text that its service wrote, so that no digit goes through a float. */
export function writtenRows(
  store: IndexStore,
  rows: readonly { keeperId: number; wire: string; gone: boolean }[],
): WrittenRow[] {
  return rows.map(({ keeperId, wire: row, gone }) => ({
    keeper: store.keeperName(keeperId),
    row,
    ...(gone ? { gone } : {}),
  }));
}
