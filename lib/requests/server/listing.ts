import 'server-only';
import { recogniseQuery } from '@/lib/core/log-query';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { formatIsoMillis, parseIsoTime } from '@/lib/core/time';
import { type RequestsView, rangeMs, type Sort, viewNowMs } from '@/lib/requests/view';
import { microsOfIso, Parameters, type RowQuery } from '@/lib/store/queries/view-filter';
import { type OrderKey, type OrderNames, orderKeys, type Place } from '@/lib/store/queries/view-order';
import { type IndexedRow, type PageStart, pageOfView, unreadableRows } from '@/lib/store/queries/view-rows';
import type { IndexStore } from '@/lib/store/store';

/** A network by its id and the name that people know it by. */
export type NamedNetwork = { networkId: string; name: string };

/** A question to the index: a view with its moment and its keepers settled. */
export type AskedView = {
  query: RowQuery;
  names: OrderNames;
  /** Unix milliseconds: what was seen later is left out. */
  asofMs: number;
  /** The same as ISO text: as the view names it, where it does. */
  asof: string;
  /** Names of the keepers that are asked. */
  keepers: string[];
};

/** So long a view that is counted back from now stays the same one where nothing new came, in milliseconds. */
export const STEP_MS = 2000;

/**
 * What a view asks of the index now. Without keepers it is of the first one, and a range is counted back from `asof`, else from
 * now. Fails with `bad-request` for a keeper that is not there, and `unconfigured` where there is none at all.
 */
export function askedView(
  view: RequestsView,
  store: IndexStore,
  networks: readonly NamedNetwork[],
): Outcome<AskedView> {
  const all = store.keepers.map(({ name }) => name);
  if (all.length === 0) {
    return failed({ kind: 'unconfigured', service: 'logs', detail: 'LOGS_URL is not set.' });
  }
  const keepers = view.keepers.length === 0 ? all.slice(0, 1) : [...new Set(view.keepers)];
  const unknown = keepers.find((keeper) => !all.includes(keeper));
  if (unknown !== undefined) {
    return failed({ kind: 'bad-request', detail: `keeper must be one of ${all.join(', ')}.` });
  }
  const pinMs = store.pinMs(STEP_MS);
  const asofMs = viewNowMs(view, pinMs);
  const left = keepers.filter((keeper) => !isLeftOut(view, keeper));
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

function isLeftOut(view: RequestsView, keeper: string): boolean {
  return view.not.some(({ column, value }) => column === 'keeper' && value === keeper);
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
  /** ISO time. */
  asof: string;
  place: Place;
};

const VERSION = 1;
/** A place may hold a text of a service; one that is longer has no room in an address. */
const MOST_CHARACTERS = 6000;

/** @returns undefined for a place that is too long for an address */
export function formatCursor({ side, sort, asof, place }: Cursor): string | undefined {
  const cursor = Buffer.from(JSON.stringify([VERSION, side, sort, asof, ...place])).toString('base64url');
  return cursor.length > MOST_CHARACTERS ? undefined : cursor;
}

/** Undefined for a text that is no cursor of ours. Whether its place fits an order is told by `isPlaceOf`. */
export function readCursor(text: string): Cursor | undefined {
  const value = text.length > MOST_CHARACTERS ? undefined : parsed(text);
  if (!Array.isArray(value)) return undefined;
  const [version, side, sort, asof, ...place] = value as unknown[];
  if (version !== VERSION || (side !== 'after' && side !== 'before')) return undefined;
  if (typeof sort !== 'string' || typeof asof !== 'string' || parseIsoTime(asof) === undefined)
    return undefined;
  return { side, sort: sort as Sort, asof, place: place as Place };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** Whether a place has a value for each key of an order, of the kind that the key has. */
export function isPlaceOf(keys: readonly OrderKey[], place: Place): boolean {
  return place.length === keys.length && keys.every((key, at) => isValueOf(key, place[at]));
}

function isValueOf({ type, nullable }: OrderKey, value: unknown): boolean {
  if (value === null) return nullable;
  switch (type) {
    case 'bigint':
      return Number.isSafeInteger(value);
    case 'double precision':
      return Number.isFinite(value);
    case 'decimal(38,0)':
      return typeof value === 'string' && /^-?\d{1,38}$/.test(value);
    case 'uuid':
      return typeof value === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
    case 'text':
      return typeof value === 'string';
  }
}

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
