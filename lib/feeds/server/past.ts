import 'server-only';
import { LRUCache } from 'lru-cache';
import type { FeedId, UpdateBody } from '@/lib/core/feed';
import { compareScaled, type ScaledInteger } from '@/lib/core/numbers';
import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import { problemMember, problemOf } from '@/lib/core/problem';
import {
  historyText,
  LEAST_HISTORY_POINTS,
  MOST_HISTORY_FEEDS,
  MOST_HISTORY_POINTS,
  MOST_SAMPLED_FEEDS,
  MOST_SAMPLED_MOMENTS,
} from '@/lib/feeds/past-answers';
import { compactFeedText } from '@/lib/feeds/stream-events';
import { unconfigured } from '@/lib/server/gateway';
import { processWide } from '@/lib/server/process-wide';
import { problemReply, textReply } from '@/lib/server/reply';
import { type Services, services } from '@/lib/server/services';
import { openHub } from '@/lib/server/streams';
import type { KeptUpdate } from './history-buffer';
import { readFeedIds } from './stream-query';

/** Updates that one answer may hold, about 12 MB. */
const MOST_UPDATES = 40_000;

/** `GET /api/view/feeds/history?ids=…&from=…&points=…`: the recent updates of feeds from memory; no service is asked. */
export async function replyWithFeedHistory(request: Request): Promise<Response> {
  const query = readHistoryQuery(new URL(request.url).searchParams);
  if (!query.ok) return problemReply(problemOf(query.failure));
  const { ids, fromS, points } = query.value;
  const feeds: Parameters<typeof historyText>[0][number][] = [];
  for (const id of ids) {
    if (request.signal.aborted) break;
    const { updates = [], completeSinceS: liveFromS = Math.ceil(Date.now() / 1000) } =
      openHub()?.past(id, fromS) ?? {};
    const texts = thinned(updates, points).map(({ text }) => text);
    feeds.push({ id, updates: texts.join(','), liveFromS });
    // Thinning a feed takes milliseconds: the streams get their turn between two of them.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return textReply(historyText(feeds));
}

function readHistoryQuery(query: URLSearchParams): Outcome<{ ids: FeedId[]; fromS: number; points: number }> {
  const ids = idsOf(query, MOST_HISTORY_FEEDS);
  if (!ids.ok) return ids;
  const fromS = wholeNumber(query.getAll('from'), 0, 999_999_999_999);
  if (fromS === undefined) return refused('from should be unix seconds, once.');
  const most = Math.min(MOST_HISTORY_POINTS, Math.floor(MOST_UPDATES / ids.value.length));
  const points = wholeNumber(
    query.has('points') ? query.getAll('points') : [String(most)],
    LEAST_HISTORY_POINTS,
    MOST_HISTORY_POINTS,
  );
  return points === undefined
    ? refused(`points should be a whole number from ${LEAST_HISTORY_POINTS} to ${MOST_HISTORY_POINTS}.`)
    : ok({ ids: ids.value, fromS, points: Math.min(points, most) });
}

function idsOf(query: URLSearchParams, most: number): Outcome<FeedId[]> {
  const { ids, malformed } = readFeedIds(query);
  return ids.size === 0 || malformed.size > 0 || ids.size > most
    ? refused(`ids should be 1 to ${most} feed ids of 64 hex digits, separated by commas.`)
    : ok([...ids]);
}

function wholeNumber(values: readonly string[], least: number, most: number): number | undefined {
  const [value = ''] = values;
  const number = values.length === 1 && /^\d{1,12}$/.test(value) ? Number(value) : Number.NaN;
  return number >= least && number <= most ? number : undefined;
}

/**
 * At most `points` updates of many (at least four), in their order: of each part of them the one with the least and the one
 * with the greatest price, so that no spike is lost, and the first and the last of all.
 */
export function thinned(updates: readonly KeptUpdate[], points: number): readonly KeptUpdate[] {
  if (updates.length <= points) return updates;
  const priced = updates.map(({ text }, at) => ({ at, price: priceOf(text) }));
  const perPart = Math.ceil(updates.length / Math.floor((points - 2) / 2));
  const kept = new Set([0, updates.length - 1]);
  for (let from = 0; from < updates.length; from += perPart) {
    const part = priced.slice(from, from + perPart);
    const extreme = (sign: 1 | -1) =>
      part.reduce((best, one) => (compareScaled(one.price, best.price) * sign > 0 ? one : best)).at;
    kept.add(extreme(1)).add(extreme(-1));
  }
  return updates.filter((_, at) => kept.has(at));
}

function priceOf(text: string): ScaledInteger {
  const { p, e }: { p: string; e: number } = JSON.parse(text);
  return { mantissa: BigInt(p), expo: e };
}

const kept = processWide<{ of: Services; past: SampledPast }>('feed-samples');

/**
 * `GET /api/view/feeds/samples?ids=…&times=…`: the first update of each feed at or after each moment. What could not be had is not
 * among the samples, and `problem` says why.
 */
export async function replyWithFeedSamples(request: Request): Promise<Response> {
  const query = readSamplesQuery(new URL(request.url).searchParams);
  if (!query.ok) return problemReply(problemOf(query.failure));
  const of = services();
  let ofProcess = kept.get();
  if (ofProcess?.of !== of) {
    ofProcess = { of, past: new SampledPast((t, ids) => askAtTime(of, t, ids)) };
    kept.set(ofProcess);
  }
  const samples: string[] = [];
  let failure: Failure | undefined;
  for (const t of query.value.times) {
    if (request.signal.aborted) break;
    const found = await ofProcess.past.at(t, query.value.ids);
    if (found.ok) samples.push(`{"t":${t},"feeds":[${found.value.join(',')}]}`);
    else failure = found.failure;
    if (failure !== undefined) break;
  }
  const problem = failure === undefined ? '' : `,"problem":${JSON.stringify(problemMember(failure))}`;
  return textReply(`{"samples":[${samples.join(',')}]${problem}}`);
}

async function askAtTime(
  { updates }: Services,
  t: number,
  ids: readonly FeedId[],
): Promise<Outcome<UpdateBody>> {
  if (updates === undefined) return failed(unconfigured('updates'));
  const query = new URLSearchParams(ids.map((id) => ['ids[]', id]));
  // One unknown feed must not cost the others their past.
  query.set('ignore_invalid_price_ids', 'true');
  return updates.atTime(String(t), query.toString(), 'user');
}

function readSamplesQuery(query: URLSearchParams): Outcome<{ ids: FeedId[]; times: number[] }> {
  const ids = idsOf(query, MOST_SAMPLED_FEEDS);
  if (!ids.ok) return ids;
  const texts = [...new Set(query.getAll('times').flatMap((text) => text.split(',')))];
  // Year 2286: a second beyond has eleven digits, and is more likely to be milliseconds that were cut.
  const times = texts.flatMap((text) => wholeNumber([text], 0, 9_999_999_999) ?? []);
  return texts.length > MOST_SAMPLED_MOMENTS || times.length < Math.max(1, texts.length)
    ? refused(`times should be 1 to ${MOST_SAMPLED_MOMENTS} unix seconds, separated by commas.`)
    : ok({ ids: ids.value, times });
}

function refused(detail: string): Outcome<never> {
  return failed({ kind: 'bad-request', detail });
}

/** So long after a second its first update may still arrive at the service. */
const SETTLED_MS = 60_000;
const UNSETTLED_KEPT_MS = 5_000;
/** A feed that has nothing there may be silent, and speak again. */
const NOTHING_KEPT_MS = 60_000;
/** Samples that are kept, the most lately used ones: about 300 bytes each, so 12 MB at the bound. */
const MOST_KEPT = 40_000;
const NOTHING = '';

/**
 * The past of feeds, moment by moment. What the service answers for a moment never changes, so it is kept, and readers who
 * look at the same moments share one call for each. One call is made at a time for all readers together, so that who asks for
 * a whole window never has more of its calls in front of the others.
 */
export class SampledPast {
  /** By feed and moment: text of a `CompactFeed`, or `NOTHING` where there is none. */
  readonly #memory: LRUCache<string, string>;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly ask: (t: number, ids: readonly FeedId[]) => Promise<Outcome<UpdateBody>>,
    private readonly now: () => number = Date.now,
  ) {
    this.#memory = new LRUCache({ max: MOST_KEPT, ttlResolution: 0, perf: { now } });
  }

  /** The first update of each feed at or after a unix second, as `CompactFeed` texts; a feed that has none is left out. */
  at(t: number, ids: readonly FeedId[]): Promise<Outcome<string[]>> {
    const known = this.#known(t, ids);
    if (known !== undefined) return Promise.resolve(ok(known));
    const answer = this.#turn.then(() => this.#fill(t, ids));
    this.#turn = answer.catch(() => {});
    return answer;
  }

  #known(t: number, ids: readonly FeedId[]): string[] | undefined {
    const texts = ids.map((id) => this.#memory.get(`${id} ${t}`));
    return texts.every((text) => text !== undefined) ? texts.filter((text) => text !== NOTHING) : undefined;
  }

  async #fill(t: number, ids: readonly FeedId[]): Promise<Outcome<string[]>> {
    const failure = await this.#askFor(
      t,
      ids.filter((id) => !this.#isSilent(id, t)),
    );
    return failure === undefined ? ok(this.#known(t, ids) ?? []) : failed(failure);
  }

  /** Where a feed has nothing from an earlier second on, it has nothing from this one on. */
  #isSilent(id: FeedId, t: number): boolean {
    const known = this.#memory.get(`${id} ${t}`);
    const silentFrom = Number(this.#memory.get(`${id} silent`) ?? Number.POSITIVE_INFINITY);
    if (known === undefined && t >= silentFrom)
      this.#memory.set(`${id} ${t}`, NOTHING, { ttl: NOTHING_KEPT_MS });
    return known !== undefined || t >= silentFrom;
  }

  /** The service refuses a question as a whole for one feed that has nothing there: it is asked in halves then. */
  async #askFor(t: number, ids: readonly FeedId[]): Promise<Failure | undefined> {
    if (ids.length === 0) return undefined;
    const answer = await this.ask(t, ids);
    if (!answer.ok && answer.failure.kind !== 'missing') return answer.failure;
    if (!answer.ok && ids.length > 1) {
      const half = Math.ceil(ids.length / 2);
      return (await this.#askFor(t, ids.slice(0, half))) ?? (await this.#askFor(t, ids.slice(half)));
    }
    const isYoung = this.now() - t * 1000 < SETTLED_MS;
    for (const id of ids) {
      const update = answer.ok
        ? answer.value.updates.find((one) => one.id === id && one.publishTime >= t)
        : undefined;
      if (update === undefined) {
        this.#memory.set(`${id} ${t}`, NOTHING, { ttl: NOTHING_KEPT_MS });
        this.#memory.set(`${id} silent`, String(t), { ttl: NOTHING_KEPT_MS });
      } else {
        // Nobody received it when it was published, so it stands at its publish time.
        const text = compactFeedText(update, update.publishTime * 1000, 'seeded');
        this.#memory.set(`${id} ${t}`, text, isYoung ? { ttl: UNSETTLED_KEPT_MS } : undefined);
      }
    }
    return undefined;
  }
}
