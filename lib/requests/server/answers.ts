import 'server-only';
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { problemOf } from '@/lib/core/problem';
import type { ClockOff } from '@/lib/core/service-clock';
import { formatRequestsUrl, parseRequestsUrl, type RequestsView } from '@/lib/requests/view';
import { log } from '@/lib/server/log';
import { offeredNetworks } from '@/lib/server/network-directory';
import { stuckThresholds } from '@/lib/server/network-settings';
import { problemReply, textReply } from '@/lib/server/reply';
import { clocksOff, services } from '@/lib/server/services';
import { currentSettings } from '@/lib/server/settings';
import type { IndexStore } from '@/lib/store/store';
import { listingMembers, member, type NamedNetwork, STEP_MS } from './listing';
import { type AskService, askService, found } from './request';
import { columnValues, summaryOf, VALUE_COLUMNS } from './summary';

/** What the answers are made from. */
export type AnswerEdges = {
  store: IndexStore;
  /** The networks that people know by a name. */
  networks: () => Promise<NamedNetwork[]>;
  /** Keepers among these whose clocks are far off ours. */
  clocks: (keepers: readonly string[]) => ClockOff[];
  ask: AskService;
  /** After how many seconds a pending request is stuck: usually, and on networks of another threshold. */
  stuckAfterS: () => { usual: number; networks: Record<string, number> };
};

function processEdges(): AnswerEdges {
  return {
    store: services().index,
    networks: offeredNetworks,
    clocks: clocksOff,
    ask: askService,
    stuckAfterS: () => stuckThresholds(currentSettings()),
  };
}

/**
 * `GET /api/view/requests?<view>&cursor=…`: one page of rows. At the same revision of the index the same question is
 * answered from memory, and with 304 to who has the answer.
 */
export function replyWithListing(request: Request, edges = processEdges()): Promise<Response> {
  return reply(request, async (params) => {
    const asked = readParams(params, 'cursor');
    return asked.ok ? ok(listing(asked.value, edges)) : asked;
  });
}

/** The same answer as text, for a page that is being rendered. */
export async function listingText(params: URLSearchParams, edges = processEdges()): Promise<Outcome<string>> {
  const asked = readParams(params, 'cursor');
  return asked.ok ? listing(asked.value, edges).text() : asked;
}

/** `GET /api/view/requests/summary?<view>&buckets=N`: total, facets and histogram. */
export function replyWithSummary(request: Request, edges = processEdges()): Promise<Response> {
  return reply(request, async (params) => {
    const asked = readParams(params, 'buckets');
    if (!asked.ok) return asked;
    const { view, own } = asked.value;
    const buckets = bucketsOf(own.buckets);
    if (buckets === undefined) return refused(BUCKETS_WRONG);
    return ok(
      kept(edges, view, `summary ${buckets}`, async () =>
        membersOf(await summaryOf(edges.store, view, await edges.networks(), buckets, edges.stuckAfterS())),
      ),
    );
  });
}

/** `GET /api/view/requests/values?<view>&column=sender|provider|failure&find=…`: the values to choose from. */
export function replyWithValues(request: Request, edges = processEdges()): Promise<Response> {
  return reply(request, async (params) => {
    const asked = readParams(params, 'column', 'find');
    if (!asked.ok) return asked;
    const { view, own } = asked.value;
    const column = VALUE_COLUMNS.find((known) => known === own.column);
    if (column === undefined) return refused(`column should be one of ${VALUE_COLUMNS.join(', ')}.`);
    const find = own.find ?? '';
    return ok(
      kept(edges, view, `values ${column} ${JSON.stringify(find)}`, async () =>
        membersOf(await columnValues(edges.store, view, await edges.networks(), { column, find })),
      ),
    );
  });
}

function membersOf(answer: Outcome<object>): Outcome<string[]> {
  return answer.ok ? ok(Object.entries(answer.value).map(([name, value]) => member(name, value))) : answer;
}

/** `GET /api/view/requests/find?q=…`: a transaction, a sequence or an address, everywhere. */
export function replyWithFind(request: Request, edges = processEdges()): Promise<Response> {
  return reply(request, async (params) =>
    ok(fresh(edges, () => found(edges.store, params.get('q') ?? '', edges.ask))),
  );
}

const FEWEST_BUCKETS = 10;
const USUAL_BUCKETS = 60;
const MOST_BUCKETS = 120;
const BUCKETS_WRONG = `buckets should be a number from ${FEWEST_BUCKETS} to ${MOST_BUCKETS}.`;

function bucketsOf(text: string | undefined): number | undefined {
  if (text === undefined) return USUAL_BUCKETS;
  const buckets = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  return buckets >= FEWEST_BUCKETS && buckets <= MOST_BUCKETS ? buckets : undefined;
}

function listing({ view, own }: ReadParams, edges: AnswerEdges): Answer {
  const { cursor } = own;
  const members = async () => listingMembers(edges.store, view, await edges.networks(), cursor);
  const keepers =
    view.keepers.length === 0 ? edges.store.keepers.slice(0, 1).map(({ name }) => name) : view.keepers;
  const answer = kept(edges, view, `listing ${cursor ?? ''}`, members);
  return { ...answer, text: () => answer.text(member('clocks', edges.clocks(keepers))) };
}

type ReadParams = { view: RequestsView; own: Record<string, string> };

/** The view, and the parameters that are none of its own. What can't be read is refused: nobody would see it here. */
function readParams(params: URLSearchParams, ...names: string[]): Outcome<ReadParams> {
  const rest = new URLSearchParams(params);
  const own: Record<string, string> = {};
  for (const name of names) {
    const value = rest.get(name);
    if (value !== null) own[name] = value;
    rest.delete(name);
  }
  const { view, problems } = parseRequestsUrl(rest);
  const wrong = problems.find(({ used }) => used === undefined);
  return wrong === undefined ? ok({ view, own }) : refused(`${wrong.param}: ${wrong.message}`);
}

function refused(detail: string): Outcome<never> {
  return failed({ kind: 'bad-request', detail });
}

/** The text of an answer, made when it is wanted. `tag`: the same for the same answer, where it is kept. */
type Answer = { tag?: string; text: (...more: string[]) => Promise<Outcome<string>> };

type Members = () => Promise<Outcome<string[]>>;

/** Texts of answers that are kept, in characters; a page of 1,000 rows has about a million. */
const KEPT_CHARACTERS = 24_000_000;

type Cache = LRUCache<string, Outcome<string[]>, Members>;

const caches = new WeakMap<IndexStore, Cache>();

function cacheOf(store: IndexStore): Cache {
  const cache =
    caches.get(store) ??
    new LRUCache<string, Outcome<string[]>, Members>({
      maxSize: KEPT_CHARACTERS,
      sizeCalculation: (answer) =>
        1 + (answer.ok ? answer.value.reduce((sum, text) => sum + text.length, 0) : 0),
      // Who asks while an answer is being made waits for that one.
      fetchMethod: (_key, _before, { context }) => context(),
    });
  caches.set(store, cache);
  return cache;
}

function kept({ store }: AnswerEdges, view: RequestsView, question: string, members: Members): Answer {
  const { revision } = store;
  const moment = view.asof === undefined ? store.pinMs(STEP_MS) : '';
  const key = `${revision} ${moment} ${question} ${formatRequestsUrl(view)}`;
  return {
    tag: createHash('sha256').update(key).digest('base64url').slice(0, 16),
    text: async (...more) => {
      const answer = await cacheOf(store).forceFetch(key, { context: members });
      return answer.ok ? ok(objectOf(store, revision, [...answer.value, ...more])) : answer;
    },
  };
}

function fresh({ store }: AnswerEdges, members: Members): Answer {
  return {
    text: async () => {
      const { revision } = store;
      const answer = await members();
      return answer.ok ? ok(objectOf(store, revision, answer.value)) : answer;
    },
  };
}

function objectOf(store: IndexStore, revision: number, members: readonly string[]): string {
  const all = [...members, member('revision', revision), member('index', store.status())];
  return `{${all.filter((text) => text !== '').join(',')}}`;
}

async function reply(
  request: Request,
  answerTo: (params: URLSearchParams) => Promise<Outcome<Answer>>,
): Promise<Response> {
  const answer = await answerTo(new URL(request.url).searchParams);
  if (!answer.ok) return problemReply(problemOf(answer.failure));
  const etag = answer.value.tag === undefined ? undefined : `W/"${answer.value.tag}"`;
  const known = request.headers.get('if-none-match')?.split(',') ?? [];
  if (etag !== undefined && known.some((tag) => tag.trim() === etag)) {
    return new Response(null, { status: 304, headers: { etag } });
  }
  const text = await textOf(answer.value);
  if (!text.ok) return problemReply(problemOf(text.failure));
  const response = textReply(text.value);
  if (etag !== undefined) response.headers.set('etag', etag);
  return response;
}

async function textOf(answer: Answer): Promise<Outcome<string>> {
  try {
    return await answer.text();
  } catch (error) {
    log().error({ error }, 'the index could not be asked');
    return failed({ kind: 'failing', detail: 'The index of log rows can’t be read at the moment.' });
  }
}
