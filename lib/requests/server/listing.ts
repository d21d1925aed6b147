import 'server-only';
import * as z from 'zod';
import { CLOCK_TOLERANCE_MS } from '@/lib/core/health';
import { recogniseQuery } from '@/lib/core/log-query';
import { badRequest, failed, type Outcome, ok } from '@/lib/core/outcome';
import { tryParseJson } from '@/lib/core/text';
import { formatIsoMillis, parseIsoTime } from '@/lib/core/time';
import { filteredColumns, isSameCell } from '@/lib/requests/filters';
import { STALE_AFTER_MS } from '@/lib/requests/keeper-status';
import type { WrittenRow } from '@/lib/requests/requests-response';
import { type RequestsView, rangeMs, type Sort } from '@/lib/requests/view';
import { countOfLateRows } from '@/lib/store/queries/view-counts';
import { microsOfIso, type RowQuery } from '@/lib/store/queries/view-filter';
import { type OrderKey, type OrderNames, orderKeys, type RowCursor } from '@/lib/store/queries/view-order';
import { type IndexedRow, type PageStart, pageOfView } from '@/lib/store/queries/view-rows';
import type { IndexStore } from '@/lib/store/store';
import { type Moments, viewKeepers, viewMoments } from './moments';

export type NamedNetwork = { networkId: string; name: string };

/** A view with its moment and keepers resolved. */
export type ResolvedView = {
  query: RowQuery;
  names: OrderNames;
  moments: Moments;
  /** The view's own `asof`, else `latestMs`. */
  asof: string;
  keepers: string[];
  /** Unix ms; null if a keeper was never read. */
  readUpToMs: number | null;
  /** No keeper has been read and the index has no row, so counts are unknown. */
  isCounting: boolean;
};

/**
 * All keepers by default; ranges end at `asof`, else at the keepers' watermark. `bad-request` for an unknown keeper,
 * and for a moment in the future, for which no rows can be counted yet.
 */
export function resolveView(
  view: RequestsView,
  store: IndexStore,
  networks: readonly NamedNetwork[],
): Outcome<ResolvedView> {
  const all = store.keepers.map(({ name }) => name);
  if (all.length === 0) {
    return failed({ kind: 'unconfigured', service: 'logs', detail: 'LOGS_URL is not set.' });
  }
  const keepers = [...viewKeepers(view, store)];
  if (keepers.some((keeper) => !all.includes(keeper))) {
    return badRequest(`keeper must be one of ${all.join(', ')}.`);
  }
  const moments = viewMoments(view, store);
  if (moments.untilMs > Math.max(moments.latestMs, store.now()) + CLOCK_TOLERANCE_MS) {
    return badRequest(`asof: ${formatIsoMillis(moments.untilMs)} has not come yet.`);
  }
  const isLeftOut = (keeper: string) =>
    view.not.some((not) => isSameCell(not, { column: 'keeper', value: keeper }));
  const remaining = keepers.filter((keeper) => !isLeftOut(keeper));
  const reads = store.status().filter(({ keeper }) => keepers.includes(keeper));
  const isUnread = reads.some(({ syncedAtMs }) => syncedAtMs === null);
  return ok({
    moments,
    isCounting: store.isCounting(keepers),
    readUpToMs: isUnread ? null : Math.min(...reads.map(({ syncedAtMs }) => Math.floor(syncedAtMs ?? 0))),
    asof: view.asof ?? formatIsoMillis(moments.latestMs),
    keepers,
    names: { networks, keepers: store.keepers },
    query: {
      view,
      keeperIds: remaining.length === 0 ? [] : store.keeperIds(remaining),
      allKeeperIds: store.keeperIds(),
      ...timeOf(view, moments.rangeEndMs),
      visibleUs: (view.asof === undefined ? undefined : microsOfIso(view.asof)) ?? moments.latestMs * 1000,
      namedNetworks: networksMatching(view.q, networks),
    },
  });
}

function timeOf({ time }: RequestsView, endMs: number): Pick<RowQuery, 'fromUs' | 'toUs'> {
  if (time.kind === 'all') return {};
  if (time.kind === 'last') return { fromUs: (endMs - (rangeMs(time.range) ?? 0)) * 1000 };
  const [fromUs, toUs] = [time.from, time.to].map((side) =>
    side === undefined ? undefined : microsOfIso(side),
  );
  return { ...(fromUs === undefined ? {} : { fromUs }), ...(toUs === undefined ? {} : { toUs }) };
}

function networksMatching(q: string, networks: readonly NamedNetwork[]): string[] {
  if (recogniseQuery(q).kind !== 'none') return [];
  const text = q.toLowerCase();
  return networks.filter(({ name }) => name.toLowerCase().includes(text)).map(({ networkId }) => networkId);
}

/** A cursor may contain a text of a service; a longer one would not fit into an address. */
const MAX_CURSOR_CHARACTERS = 6000;

const KEY_VALUES: Record<OrderKey['type'], z.ZodType<RowCursor[number]>> = {
  integer: z.int(),
  bigint: z.int(),
  'double precision': z.number(),
  'decimal(38,0)': z.string().regex(/^-?\d{1,38}$/),
  uuid: z.string().regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  text: z.string(),
};

/** Undefined for a cursor of another order. */
function readCursor(cursor: string, sort: Sort, keys: readonly OrderKey[]) {
  const values = keys.map(({ type, nullable }) =>
    nullable ? KEY_VALUES[type].nullable() : KEY_VALUES[type],
  );
  const form = z.object({
    kind: z.enum(['after', 'before']),
    sort: z.literal(sort),
    asof: z.string().refine((text) => parseIsoTime(text) !== undefined),
    place: z.tuple(values as [(typeof values)[number]]),
  });
  const text = cursor.length > MAX_CURSOR_CHARACTERS ? '' : Buffer.from(cursor, 'base64url').toString();
  return form.safeParse(tryParseJson(text)).data;
}

/** Offset limit of a page by number. Rows beyond it are reached page by page, or by filters. */
const MAX_OFFSET = 1_000_000;
const MAX_UNREADABLE = 20;

/** @param cursor position of a neighbouring page, instead of `view.page` */
export async function listView(
  store: IndexStore,
  view: RequestsView,
  networks: readonly NamedNetwork[],
  cursor: string | undefined,
): Promise<Outcome<object>> {
  const keys = orderKeys(view.sort, { networks, keepers: store.keepers });
  const position = cursor === undefined ? undefined : readCursor(cursor, view.sort, keys);
  if (cursor !== undefined && position === undefined) {
    return badRequest('The cursor does not belong to this list. Request the page without it.');
  }
  const start: PageStart = position ?? { kind: 'offset', offset: (view.page - 1) * view.size };
  if (start.kind === 'offset' && start.offset > MAX_OFFSET) {
    return badRequest(
      `page: Page numbers reach to row ${MAX_OFFSET}. Narrow the time or another filter, or reverse the order.`,
    );
  }
  const resolved = resolveView(
    { ...view, ...(position && { asof: view.asof ?? position.asof }) },
    store,
    networks,
  );
  if (!resolved.ok) return resolved;
  const { query, names, asof, isCounting } = resolved.value;
  const isTop = start.kind === 'offset' && start.offset === 0 && view.sort === 'created.desc';
  const maxUnreadable = isTop && showsUnreadable(view) ? MAX_UNREADABLE : 0;
  const page = await pageOfView(store.engine, query, names, start, maxUnreadable);
  const { rows, unreadable, total, offset, first, last } = page;
  const late = await countLateRows(query, store);
  const cursorAt = (kind: 'after' | 'before', place: RowCursor | undefined) => {
    const json = JSON.stringify({ kind, sort: view.sort, asof, place });
    const position = Buffer.from(json).toString('base64url');
    return place === undefined || position.length > MAX_CURSOR_CHARACTERS ? undefined : position;
  };
  return ok({
    rows: writtenRows(store, [...unreadable, ...rows]),
    // Rows may have arrived since `isCounting` was set, and a page with rows does not reload itself.
    ...(isCounting && total === 0 ? { counting: true } : { total: String(total) }),
    asof,
    ...(late > 0 && { late }),
    cursor: offset + rows.length < total ? cursorAt('after', last) : undefined,
    previous: offset > 0 ? cursorAt('before', first) : undefined,
  });
}

/** Requests that a pinned view lacks because they were read long after its moment; 0 without a pin. */
export async function countLateRows(query: RowQuery, { engine }: IndexStore): Promise<number> {
  return query.view.asof === undefined ? 0 : countOfLateRows(engine, query, STALE_AFTER_MS * 1000);
}

/** Unreadable rows match no filters except keepers and time. */
export function showsUnreadable(view: RequestsView): boolean {
  const { networks, states, q } = view;
  const filtered = [...networks, ...states, ...filteredColumns(view)];
  return filtered.length === 0 && recogniseQuery(q).kind === 'empty';
}

/** Each row is the text of its service, so that no digit passes through a float. */
export function writtenRows(store: IndexStore, rows: readonly IndexedRow[]): WrittenRow[] {
  return rows.map(({ keeperId, wire: row, gone, finishedUs }) => ({
    keeper: store.keeperName(keeperId),
    row,
    ...(gone ? { gone } : {}),
    ...(finishedUs === null ? {} : { finishedUs }),
  }));
}
