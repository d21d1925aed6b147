import 'server-only';
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { problemReply, textReply } from '@/lib/access/reply';
import type { ClockSkew } from '@/lib/core/health';
import { badRequest, failed, type Outcome, ok } from '@/lib/core/outcome';
import { failureProblem } from '@/lib/core/problem';
import { MINUTE_MS } from '@/lib/core/time';
import { log } from '@/lib/platform/log';
import { VALUE_COLUMNS } from '@/lib/requests/columns';
import type { RequestsView } from '@/lib/requests/view';
import { formatRequestsUrl, parseRequestsUrl } from '@/lib/requests/view-url';
import { offeredNetworks } from '@/lib/services/network-directory';
import { services, skewedClocks } from '@/lib/services/services';
import { indexFailure } from '@/lib/store/engine';
import type { StuckRowsAt } from '@/lib/store/queries/insights';
import type { IndexStore } from '@/lib/store/store';
import { listView, type NamedNetwork } from './listing';
import { viewKeepers, viewMoments } from './moments';
import { findRequests, type QueryLogs, queryLogService } from './request';
import { columnValues, summarizeView } from './summary';

export type RequestsDeps = {
  store: IndexStore;
  networks: () => Promise<NamedNetwork[]>;
  /** Keepers whose clocks differ much from ours. */
  clocks: (keepers: readonly string[]) => ClockSkew[];
  queryLogs: QueryLogs;
};

function processDeps(): RequestsDeps {
  return {
    store: services().index,
    networks: offeredNetworks,
    clocks: skewedClocks,
    queryLogs: queryLogService,
  };
}

type Compute = () => Promise<Outcome<object>>;

/** `name` distinguishes several queries of one view; `extra` has members that are known without the index. */
type CachedQuery = { view: RequestsView; name: string; compute: Compute; extra?: object };

type QueryReader = (params: URLSearchParams, deps: RequestsDeps) => Outcome<CachedQuery>;

const replyTo =
  (readQuery: QueryReader) =>
  async (request: Request, deps = processDeps()): Promise<Response> => {
    const query = readQuery(new URL(request.url).searchParams, deps);
    if (!query.ok) return problemReply(failureProblem(query.failure));
    const { key, text } = cachedAnswer(query.value, deps.store);
    return indexReply(request, key, text);
  };

/** A listing as JSON, for a page that the server renders. */
export async function listingText(params: URLSearchParams, deps = processDeps()): Promise<Outcome<string>> {
  const query = readListingQuery(params, deps);
  return query.ok ? indexText(cachedAnswer(query.value, deps.store).text) : query;
}

const readListingQuery: QueryReader = (params, deps) => {
  const parsed = readParams(params, 'cursor');
  if (!parsed.ok) return parsed;
  const { view, cursor } = parsed.value;
  return ok({
    view,
    name: `listing ${cursor ?? ''}`,
    compute: async () => listView(deps.store, view, await deps.networks(), cursor),
    extra: { clocks: deps.clocks(viewKeepers(view, deps.store)) },
  });
};

/** `GET /api/view/requests?<view>&cursor=…`: one page of rows. */
export const replyWithListing = replyTo(readListingQuery);

const DEFAULT_BUCKETS = '60';
const MIN_BUCKETS = 10;
const MAX_BUCKETS = 120;

/** `GET /api/view/requests/summary?<view>&buckets=N`: total, facets and histogram. */
export const summaryReply = (stuckRowsAt: StuckRowsAt) =>
  replyTo((params, deps) => {
    const parsed = readParams(params, 'buckets');
    if (!parsed.ok) return parsed;
    const { view, buckets = DEFAULT_BUCKETS } = parsed.value;
    const max = /^\d{1,3}$/.test(buckets) ? Number(buckets) : 0;
    if (max < MIN_BUCKETS || max > MAX_BUCKETS) {
      return badRequest(`buckets should be a number from ${MIN_BUCKETS} to ${MAX_BUCKETS}.`);
    }
    const compute = async () => summarizeView(deps.store, view, await deps.networks(), max, stuckRowsAt);
    return ok({ view, name: `summary ${max}`, compute });
  });

/** `GET /api/view/requests/values?<view>&column=sender|provider|failure&find=…`: values of a filter. */
export const replyWithValues = replyTo((params, deps) => {
  const parsed = readParams(params, 'column', 'find');
  if (!parsed.ok) return parsed;
  const { view, find = '' } = parsed.value;
  const column = VALUE_COLUMNS.find((valueColumn) => valueColumn === parsed.value.column);
  if (column === undefined) return badRequest(`column should be one of ${VALUE_COLUMNS.join(', ')}.`);
  const compute = async () => columnValues(deps.store, view, await deps.networks(), { column, find });
  return ok({ view, name: `values ${column} ${JSON.stringify(find)}`, compute });
});

/** `GET /api/view/requests/find?q=…`: a transaction, a sequence or an address, in all rows. */
export async function replyWithFind(request: Request, deps = processDeps()): Promise<Response> {
  const q = new URL(request.url).searchParams.get('q') ?? '';
  const { store, queryLogs } = deps;
  const text = await indexText(async () => {
    const answer = await findRequests(store, q, queryLogs);
    return answer.ok ? ok(JSON.stringify(answer.value)) : answer;
  });
  return text.ok ? textReply(text.value) : problemReply(failureProblem(text.failure));
}

/** Unreadable values are refused, because the caller could not see a correction. */
function readParams<K extends string>(
  params: URLSearchParams,
  ...names: K[]
): Outcome<{ view: RequestsView } & Partial<Record<K, string>>> {
  const rest = new URLSearchParams(params);
  for (const name of names) rest.delete(name);
  const values = names.map((name) => [name, params.get(name) ?? undefined]);
  const { view, problems } = parseRequestsUrl(rest);
  const wrong = problems.find(({ used }) => used === undefined);
  return wrong === undefined
    ? ok({ view, ...Object.fromEntries(values) })
    : badRequest(`${wrong.param}: ${wrong.message}`);
}

/** Size of the cache in characters of one or two bytes. A page of 1,000 rows has about a million. */
const CACHE_CHARACTERS = 24_000_000;
/** Lifetime of an answer. While rows arrive, the same one is requested for only a few seconds. */
const CACHE_TTL_MS = MINUTE_MS;

type Cache = LRUCache<string, Outcome<string>, Compute>;
const caches = new WeakMap<IndexStore, Cache>();

function cacheOf(store: IndexStore): Cache {
  const cache: Cache =
    caches.get(store) ??
    new LRUCache({
      maxSize: CACHE_CHARACTERS,
      ttl: CACHE_TTL_MS,
      ttlAutopurge: true,
      sizeCalculation: (answer) => 1 + (answer.ok ? answer.value.length : 0),
      // Concurrent requests for the same answer share one computation.
      fetchMethod: async (_key, _before, { context: compute }) => {
        const answer = await compute();
        return answer.ok ? ok(JSON.stringify(answer.value)) : answer;
      },
    });
  caches.set(store, cache);
  return cache;
}

/** Valid while the index stays at the same revision. */
function cachedAnswer({ view, name, compute, extra }: CachedQuery, store: IndexStore) {
  const { revision } = store;
  const { latestMs, rangeEndMs } = viewMoments(view, store);
  const moment = view.asof === undefined ? `${latestMs} ${rangeEndMs}` : rangeEndMs;
  const counting = store.isCounting(viewKeepers(view, store)) ? 'counting' : '';
  const key = `${revision} ${moment} ${counting} ${name} ${formatRequestsUrl(view)}`;
  const text = async (): Promise<Outcome<string>> => {
    // Status first, so that it is never newer than the rows.
    const index = store.status();
    const answer = await cacheOf(store).forceFetch(key, { context: compute });
    if (!answer.ok) return answer;
    const rest = JSON.stringify({ ...extra, revision, index });
    return ok(`${answer.value.slice(0, -1)},${rest.slice(1)}`);
  };
  return { key, text };
}

/** JSON, or 304 for a matching ETag. @param key identifies the answer */
export async function indexReply(
  request: Request,
  key: string,
  make: () => Promise<Outcome<string>>,
): Promise<Response> {
  const etag = `W/"${createHash('sha256').update(key).digest('base64url').slice(0, 16)}"`;
  const cachedTags = request.headers.get('if-none-match')?.split(',') ?? [];
  if (cachedTags.some((tag) => tag.trim() === etag))
    return new Response(null, { status: 304, headers: { etag } });
  const text = await indexText(make);
  if (!text.ok) return problemReply(failureProblem(text.failure));
  const response = textReply(text.value);
  response.headers.set('etag', etag);
  return response;
}

/** Fails with `index-unavailable` if the query throws. */
export async function indexText(make: () => Promise<Outcome<string>>): Promise<Outcome<string>> {
  try {
    return await make();
  } catch (error) {
    log().error({ error }, 'index query failed');
    return failed(indexFailure(error));
  }
}
