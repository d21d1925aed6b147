import 'server-only';
import { type Listing, withUniqueKeys } from '@/lib/contract/codec/listing';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import { formatIsoMillis, parseIsoTime, unixMillis } from '@/lib/domain/units';
import type { RequestsView } from '@/lib/requests/view';
import { type OpenList, sliceAt, sliceFromEnd } from './listing-pages';
import { type Asked, LATENCY_MS, PIN_ROWS, pinMoment, rowsAhead, sliceAsOf } from './listing-pin';
import { resumeAt } from './listing-resume';
import { MOST_ROWS } from './log-source';
import { formatCursor, type Place, placeAfter, readCursor, shortHash } from './paging-cursor';
import type { PagingMemory } from './paging-memory';
import { createPartReader } from './paging-reader';
import type { Slice } from './paging-runs';
import { type LogSources, type Part, partsOf } from './parts';

/** What a listing is made from. */
export type ListingSources = {
  sources: LogSources;
  memory: PagingMemory;
  /** Unix milliseconds, ours. */
  nowMs: number;
  /** Whole milliseconds since then, by a clock that nobody sets. */
  elapsedMs: () => number;
};

/**
 * One page of a view, exact: the rows of all its queries merged by time, newest first (oldest first for
 * `created.asc`), at any depth, with the total of all of them.
 * @param cursor of the page before: then the page after that one, whatever `view.page` says
 */
export async function listingOf(
  view: RequestsView,
  given: ListingSources,
  cursor?: string,
): Promise<Outcome<Listing>> {
  if (cursor !== undefined) return listingAfter(view, given, cursor);
  if (view.asof !== undefined) return pinnedListing(view, view.asof, given);
  const first = await newestListing(view, given);
  if (!first.ok) return first;
  if ('listing' in first.value) return ok(first.value.listing);
  return pinnedListing({ ...view, asof: first.value.pinTo }, first.value.pinTo, given);
}

type Order = Place['order'];

function orderOf({ sort }: RequestsView): Order {
  return sort === 'created.asc' ? 'oldest-first' : 'newest-first';
}

function openList(view: RequestsView, parts: readonly Part[], { memory, nowMs }: ListingSources): OpenList {
  const isStill = view.asof !== undefined && view.states.length === 0;
  const reader = createPartReader(parts, isStill ? 'still' : 'moving');
  return { parts, reader, memory, nowMs, name: listName(view, parts) };
}

/** The same for every page of a list, pinned to a moment or not yet. Where its parts begin and end follows from both. */
function listName({ time }: RequestsView, parts: readonly Part[]): string {
  const queries = parts.map(({ source, filter: { networkId, state, query } }) => [
    source.keeper,
    networkId,
    state,
    query,
  ]);
  return shortHash(JSON.stringify([time, queries]));
}

/** Rows that may be logged while the parts of a list are asked one after the other. */
const SPARE_ROWS = 20;

/**
 * A first look at a list that is not pinned yet: its first page where that look is enough for it, else the moment to pin
 * the list to, for which it then has to be asked again. The answers of several parts come at different moments, so what
 * was logged after the first one was asked is left out.
 */
async function newestListing(
  view: RequestsView,
  given: ListingSources,
): Promise<Outcome<{ listing: Listing } | { pinTo: string }>> {
  const { nowMs } = given;
  const parts = partsOf(view, nowMs, given.sources);
  if (!parts.ok) return parts;
  const list = openList(view, parts.value, given);
  const answered = () => ({ nowMs, latencyMs: LATENCY_MS + given.elapsedMs() });
  if (orderOf(view) === 'oldest-first' || view.page > 1) {
    const heads = await list.reader.ofAll((part) => list.reader.rows(part, 0, PIN_ROWS));
    if (!heads.ok) return heads;
    const rows = heads.value.flatMap((head) => head.rows);
    return ok({ pinTo: pinMoment(rows, answered()) });
  }
  const isSingle = parts.value.length === 1;
  const spare = isSingle ? 0 : Math.max(0, Math.min(SPARE_ROWS, MOST_ROWS - view.size));
  const slice = await sliceAt(list, 0, view.size + spare);
  if (!slice.ok) return slice;
  const asked = answered();
  const newest = pinMoment(slice.value.rows, asked);
  const { asof, first } = isSingle
    ? { asof: newest, first: slice.value }
    : firstOfSeveral(slice.value, newest, asked, view.size);
  if (first === undefined || !hasSameStart({ ...view, asof }, parts.value, given)) return ok({ pinTo: asof });
  const ahead = rowsAhead(first, asof);
  return ok({ listing: toListing(list, { asof, order: 'newest-first', slice: first, ahead }) });
}

function firstOfSeveral(slice: Slice, newest: string, asked: Asked, take: number) {
  const isAhead = (parseIsoTime(newest) ?? 0) > asked.nowMs + asked.latencyMs;
  if (isAhead) return { asof: newest, first: undefined };
  return { asof: formatIsoMillis(unixMillis(asked.nowMs)), first: sliceAsOf(slice, asked, take) };
}

/** Whether a range that is counted back from `asof` begins where it began when it was asked for. */
function hasSameStart(pinned: RequestsView, parts: readonly Part[], given: ListingSources): boolean {
  const then = partsOf(pinned, given.nowMs, given.sources);
  return then.ok && then.value[0]?.filter.min === parts[0]?.filter.min;
}

async function pinnedListing(
  view: RequestsView,
  asof: string,
  given: ListingSources,
): Promise<Outcome<Listing>> {
  const parts = partsOf(view, given.nowMs, given.sources);
  if (!parts.ok) return parts;
  const list = openList(view, parts.value, given);
  const order = orderOf(view);
  const rank = (view.page - 1) * view.size;
  const slice = await (order === 'newest-first'
    ? sliceAt(list, rank, view.size)
    : sliceFromEnd(list, rank, view.size));
  return slice.ok ? ok(toListing(list, { asof, order, slice: slice.value })) : slice;
}

async function listingAfter(
  view: RequestsView,
  given: ListingSources,
  cursor: string,
): Promise<Outcome<Listing>> {
  const place = readCursor(cursor);
  if (place === undefined) return failed(badCursor('is not one of ours'));
  const pinned = { ...view, asof: view.asof ?? place.asof };
  const parts = partsOf(pinned, given.nowMs, given.sources);
  if (!parts.ok) return parts;
  const list = openList(pinned, parts.value, given);
  const order = orderOf(view);
  const isOfList =
    place.list === list.name &&
    place.order === order &&
    place.positions.length === parts.value.length &&
    parseIsoTime(place.asof) === parseIsoTime(pinned.asof);
  if (!isOfList) return failed(badCursor('belongs to another list'));
  const resumed = await resumeAt(list, place, view.size);
  if (!resumed.ok) return resumed;
  const { slice, changed } = resumed.value;
  return ok(toListing(list, { asof: pinned.asof, order, slice, changed, from: place }));
}

function badCursor(what: string): Failure {
  return { kind: 'bad-request', detail: `The cursor ${what}. Ask for the page without it.` };
}

type Answer = {
  asof: string;
  order: Order;
  slice: Slice;
  changed?: number;
  from?: Place;
  ahead?: number[];
};

function toListing(list: OpenList, { asof, order, slice, changed = 0, from, ahead }: Answer): Listing {
  const next = placeAfter(slice, { order, list: list.name, asof, ahead }, from);
  const rows = slice.rows.map(({ row }) => row);
  return {
    rows: withUniqueKeys(order === 'newest-first' ? rows : rows.toReversed()),
    total: slice.total?.toString(),
    asof,
    offset: offsetOf(slice, order),
    cursor: next === undefined ? undefined : formatCursor(next),
    changed,
    unserved: list.reader.unserved(),
  };
}

function offsetOf({ before, after, total }: Slice, order: Order): string {
  const above = sum(order === 'newest-first' ? before : after);
  if (total === undefined) return String(above);
  const within = above > total ? total : above;
  return String(order === 'newest-first' ? within : total - within);
}

function sum(numbers: readonly number[]): bigint {
  return BigInt(numbers.reduce((total, one) => total + one, 0));
}
