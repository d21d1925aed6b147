import 'server-only';
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { problemReply, textReply } from '@/lib/access/reply';
import type { ClockSkew } from '@/lib/core/health';
import { badRequest, failed, type Outcome, ok } from '@/lib/core/outcome';
import { problemOf } from '@/lib/core/problem';
import { log } from '@/lib/platform/log';
import { stuckThresholds } from '@/lib/platform/network-settings';
import { currentSettings } from '@/lib/platform/settings';
import { formatRequestsUrl, parseRequestsUrl, type RequestsView } from '@/lib/requests/view';
import { offeredNetworks } from '@/lib/services/network-directory';
import { services, skewedClocks } from '@/lib/services/services';
import { indexFailure } from '@/lib/store/engine';
import type { IndexStore } from '@/lib/store/store';
import { keepersOf, listingOf, momentOf, type NamedNetwork } from './listing';
import { type AskService, askService, found } from './request';
import { columnValues, summaryOf, VALUE_COLUMNS } from './summary';

export type AnswerEdges = {
  store: IndexStore;
  networks: () => Promise<NamedNetwork[]>;
  /** Keepers among these whose clocks are far off ours. */
  clocks: (keepers: readonly string[]) => ClockSkew[];
  ask: AskService;
  /** After how many seconds a pending request is stuck: usually, and on networks of another threshold. */
  stuckAfterS: () => { usual: number; networks: Record<string, number> };
};

function processEdges(): AnswerEdges {
  return {
    store: services().index,
    networks: offeredNetworks,
    clocks: skewedClocks,
    ask: askService,
    stuckAfterS: () => stuckThresholds(currentSettings()),
  };
}

type Make = () => Promise<Outcome<object>>;

/** A question about a view. `name` tells it from others of the view; `more`: what is known without the index. */
type Question = { view: RequestsView; name: string; make: Make; more?: object };

type QuestionOf = (params: URLSearchParams, edges: AnswerEdges) => Outcome<Question>;

const replyTo =
  (questionOf: QuestionOf) =>
  async (request: Request, edges = processEdges()): Promise<Response> => {
    const question = questionOf(new URL(request.url).searchParams, edges);
    if (!question.ok) return problemReply(problemOf(question.failure));
    const { key, text } = keptAnswer(question.value, edges.store);
    return indexReply(request, key, text);
  };

/** The same answer as text, for a page that is being rendered. */
export async function listingText(params: URLSearchParams, edges = processEdges()): Promise<Outcome<string>> {
  const question = listingQuestion(params, edges);
  return question.ok ? indexText(keptAnswer(question.value, edges.store).text) : question;
}

const listingQuestion: QuestionOf = (params, edges) => {
  const asked = readParams(params, 'cursor');
  if (!asked.ok) return asked;
  const { view, cursor } = asked.value;
  const [usual] = edges.store.keepers;
  const keepers = view.keepers.length === 0 && usual !== undefined ? [usual.name] : view.keepers;
  return ok({
    view,
    name: `listing ${cursor ?? ''}`,
    make: async () => listingOf(edges.store, view, await edges.networks(), cursor),
    more: { clocks: edges.clocks(keepers) },
  });
};

/** `GET /api/view/requests?<view>&cursor=…`: one page of rows. */
export const replyWithListing = replyTo(listingQuestion);

const USUAL_BUCKETS = '60';
const MIN_BUCKETS = 10;
const MAX_BUCKETS = 120;

/** `GET /api/view/requests/summary?<view>&buckets=N`: total, facets and histogram. */
export const replyWithSummary = replyTo((params, edges) => {
  const asked = readParams(params, 'buckets');
  if (!asked.ok) return asked;
  const { view, buckets = USUAL_BUCKETS } = asked.value;
  const most = /^\d{1,3}$/.test(buckets) ? Number(buckets) : 0;
  if (most < MIN_BUCKETS || most > MAX_BUCKETS) {
    return badRequest(`buckets should be a number from ${MIN_BUCKETS} to ${MAX_BUCKETS}.`);
  }
  const make = async () => summaryOf(edges.store, view, await edges.networks(), most, edges.stuckAfterS());
  return ok({ view, name: `summary ${most}`, make });
});

/** `GET /api/view/requests/values?<view>&column=sender|provider|failure&find=…`: the values to choose from. */
export const replyWithValues = replyTo((params, edges) => {
  const asked = readParams(params, 'column', 'find');
  if (!asked.ok) return asked;
  const { view, find = '' } = asked.value;
  const column = VALUE_COLUMNS.find((known) => known === asked.value.column);
  if (column === undefined) return badRequest(`column should be one of ${VALUE_COLUMNS.join(', ')}.`);
  const make = async () => columnValues(edges.store, view, await edges.networks(), { column, find });
  return ok({ view, name: `values ${column} ${JSON.stringify(find)}`, make });
});

/** `GET /api/view/requests/find?q=…`: a transaction, a sequence or an address, everywhere. */
export async function replyWithFind(request: Request, edges = processEdges()): Promise<Response> {
  const q = new URL(request.url).searchParams.get('q') ?? '';
  const { store, ask } = edges;
  const text = await indexText(async () => {
    const answer = await found(store, q, ask);
    return answer.ok ? ok(JSON.stringify(answer.value)) : answer;
  });
  return text.ok ? textReply(text.value) : problemReply(problemOf(text.failure));
}

/** The view, and the parameters that are none of its own. What can't be read is refused: nobody would see it here. */
function readParams<K extends string>(
  params: URLSearchParams,
  ...names: K[]
): Outcome<{ view: RequestsView } & Partial<Record<K, string>>> {
  const rest = new URLSearchParams(params);
  for (const name of names) rest.delete(name);
  const own = names.map((name) => [name, params.get(name) ?? undefined]);
  const { view, problems } = parseRequestsUrl(rest);
  const wrong = problems.find(({ used }) => used === undefined);
  return wrong === undefined
    ? ok({ view, ...Object.fromEntries(own) })
    : badRequest(`${wrong.param}: ${wrong.message}`);
}

/** Texts of answers that are kept, in characters of one or two bytes; a page of 1,000 rows has about a million. */
const KEPT_CHARACTERS = 24_000_000;
/** So long at most: while rows arrive, an answer is asked for again for a few seconds only. */
const KEPT_MS = 60_000;

type Cache = LRUCache<string, Outcome<string>, Make>;
const caches = new WeakMap<IndexStore, Cache>();

function cacheOf(store: IndexStore): Cache {
  const cache: Cache =
    caches.get(store) ??
    new LRUCache({
      maxSize: KEPT_CHARACTERS,
      ttl: KEPT_MS,
      ttlAutopurge: true,
      sizeCalculation: (answer) => 1 + (answer.ok ? answer.value.length : 0),
      // Who asks while an answer is being made waits for that one.
      fetchMethod: async (_key, _before, { context: make }) => {
        const answer = await make();
        return answer.ok ? ok(JSON.stringify(answer.value)) : answer;
      },
    });
  caches.set(store, cache);
  return cache;
}

/** The answer from memory, while the index is at the same revision. `key`: the same for the same answer. */
function keptAnswer({ view, name, make, more }: Question, store: IndexStore) {
  const { revision } = store;
  const moment = view.asof === undefined ? momentOf(view, store) : '';
  const counting = store.isCounting(keepersOf(view, store)) ? 'counting' : '';
  const key = `${revision} ${moment} ${counting} ${name} ${formatRequestsUrl(view)}`;
  const text = async (): Promise<Outcome<string>> => {
    const answer = await cacheOf(store).forceFetch(key, { context: make });
    if (!answer.ok) return answer;
    const rest = JSON.stringify({ ...more, revision, index: store.status() });
    return ok(`${answer.value.slice(0, -1)},${rest.slice(1)}`);
  };
  return { key, text };
}

/** An answer of the index as JSON text, and 304 to who has it. @param key the same for the same answer */
export async function indexReply(
  request: Request,
  key: string,
  make: () => Promise<Outcome<string>>,
): Promise<Response> {
  const etag = `W/"${createHash('sha256').update(key).digest('base64url').slice(0, 16)}"`;
  const known = request.headers.get('if-none-match')?.split(',') ?? [];
  if (known.some((tag) => tag.trim() === etag)) return new Response(null, { status: 304, headers: { etag } });
  const text = await indexText(make);
  if (!text.ok) return problemReply(problemOf(text.failure));
  const response = textReply(text.value);
  response.headers.set('etag', etag);
  return response;
}

/** What the index answers; a query that throws fails with `index-unavailable`. */
export async function indexText(make: () => Promise<Outcome<string>>): Promise<Outcome<string>> {
  try {
    return await make();
  } catch (error) {
    log().error({ error }, 'index query failed');
    return failed(indexFailure(error));
  }
}
