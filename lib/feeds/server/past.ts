import 'server-only';
import { LRUCache } from 'lru-cache';
import { problemReply, textReply } from '@/lib/access/reply';
import type { FeedId, UpdateBody } from '@/lib/core/feed';
import { unconfigured } from '@/lib/core/health';
import { compareScaled } from '@/lib/core/numbers';
import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import { problemDetails, problemMember } from '@/lib/core/problem';
import { SerialQueue } from '@/lib/core/serial-queue';
import { MINUTE_MS } from '@/lib/core/time';
import { MAX_PAST_FEEDS, MAX_SAMPLED_MOMENTS } from '@/lib/feeds/past-response';
import { openHub } from '@/lib/feeds/server/process-hub';
import { compactFeedText } from '@/lib/feeds/stream-events';
import { processWideOf } from '@/lib/platform/process-wide';
import { type Services, services } from '@/lib/services/services';
import type { BufferedUpdate } from './history-buffer';
import { readFeedIds } from './stream-query';

/** Maximum number of updates in one answer, about 12 MB. */
const MAX_UPDATES = 40_000;
const MIN_POINTS = 4;
const LAST_SECOND = 9_999_999_999;

/** `GET /api/view/feeds/history?ids=…&from=…&points=…`: recent updates from memory, without a call to a service. */
export async function replyWithFeedHistory(request: Request): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const ids = idsOf(query);
  const [fromS, otherS] = wholeNumbers(query, 'from', 0, LAST_SECOND);
  if (!query.has('points')) query.set('points', String(MAX_UPDATES));
  const [points, otherPoints] = wholeNumbers(query, 'points', MIN_POINTS, MAX_UPDATES);
  if (ids === undefined) return refused(IDS_WANTED);
  if (fromS === undefined || otherS !== undefined) return refused('from should be unix seconds, once.');
  if (points === undefined || otherPoints !== undefined)
    return refused(`points should be a whole number from ${MIN_POINTS} to ${MAX_UPDATES}.`);
  const feeds: string[] = [];
  for (const id of ids) {
    if (request.signal.aborted) break;
    const { updates = [], completeSinceS = Math.ceil(Date.now() / 1000) } = openHub()?.past(id, fromS) ?? {};
    const sent = thinned(updates, Math.min(points, Math.floor(MAX_UPDATES / ids.length)));
    const texts = sent.map(({ text }) => text).join(',');
    feeds.push(`{"id":"${id}","updates":[${texts}],"liveFromS":${completeSinceS}}`);
    // Thinning takes milliseconds, so streams get a turn between two feeds.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return textReply(`{"feeds":[${feeds.join(',')}]}`);
}

const IDS_WANTED = `ids should be 1 to ${MAX_PAST_FEEDS} feed ids of 64 hex digits, separated by commas.`;

/** Undefined if there are no ids, too many, or a malformed one. */
function idsOf(query: URLSearchParams): FeedId[] | undefined {
  const { ids, malformed } = readFeedIds(query);
  const isFine = ids.size > 0 && malformed.size === 0 && ids.size <= MAX_PAST_FEEDS;
  return isFine ? [...ids] : undefined;
}

/** Numbers without repetition, repeated or separated by commas; empty if one is malformed. */
function wholeNumbers(query: URLSearchParams, name: string, min: number, max: number): number[] {
  const texts = [...new Set(query.getAll(name).flatMap((text) => text.split(',')))];
  const numbers = texts.map((text) => (/^\d{1,12}$/.test(text) ? Number(text) : Number.NaN));
  return numbers.every((number) => number >= min && number <= max) ? numbers : [];
}

function refused(detail: string): Response {
  return problemReply(problemDetails('bad-request', detail));
}

/** Keeps the lowest and highest price of each part, so that no spike is lost, and both ends. */
export function thinned(updates: readonly BufferedUpdate[], points: number): readonly BufferedUpdate[] {
  if (updates.length <= points) return updates;
  const priced = updates.map(({ text }, index) => {
    const { p, e }: { p: string; e: number } = JSON.parse(text);
    return { at: index, price: { mantissa: BigInt(p), expo: e } };
  });
  const perPart = Math.ceil(updates.length / Math.floor((points - 2) / 2));
  const chosen = new Set([0, updates.length - 1]);
  for (let from = 0; from < updates.length; from += perPart) {
    const part = priced.slice(from, from + perPart);
    for (const sign of [1, -1])
      chosen.add(
        part.reduce((best, sample) => (compareScaled(sample.price, best.price) === sign ? sample : best)).at,
      );
  }
  return updates.filter((_, index) => chosen.has(index));
}

/** `GET /api/view/feeds/samples?ids=…&times=…`. If moments are missing, `problem` gives the reason. */
export async function replyWithFeedSamples(request: Request): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const ids = idsOf(query);
  // More than ten digits (the year 2286) are probably truncated milliseconds.
  const times = wholeNumbers(query, 'times', 0, LAST_SECOND);
  if (ids === undefined) return refused(IDS_WANTED);
  if (times.length === 0 || times.length > MAX_SAMPLED_MOMENTS)
    return refused(`times should be 1 to ${MAX_SAMPLED_MOMENTS} unix seconds, separated by commas.`);
  const samples: string[] = [];
  let failure: Failure | undefined;
  for (const t of times) {
    if (request.signal.aborted || failure !== undefined) break;
    const answer = await sampledPast(services()).samplesAt(t, ids);
    if (answer.ok) samples.push(`{"t":${t},"feeds":[${answer.value.join(',')}]}`);
    else failure = answer.failure;
  }
  const problemText = failure === undefined ? '' : `,"problem":${JSON.stringify(problemMember(failure))}`;
  return textReply(`{"samples":[${samples.join(',')}]${problemText}}`);
}

const sampledPast = processWideOf(
  'feed-samples',
  (deps: Services) =>
    new SampledPast(async (t, ids) => {
      const query = new URLSearchParams(ids.map((id) => ['ids[]', id]));
      // One unknown feed must not cost the others their past.
      query.set('ignore_invalid_price_ids', 'true');
      return deps.updates?.atTime(String(t), query.toString(), 'user') ?? failed(unconfigured('updates'));
    }),
);

/** Time after which the first update of a second has certainly arrived at the service. */
const SETTLED_MS = MINUTE_MS;
/** Cache lifetime of answers about a more recent second. */
const UNSETTLED_TTL_MS = 5_000;
/** Cache lifetime of an empty answer: a silent feed may publish again. */
const EMPTY_TTL_MS = MINUTE_MS;
/** Capacity of the cache: about 300 bytes each, 12 MB in all. */
const MAX_SAMPLES = 40_000;

/** Cache of past samples, which never change. Calls are made one at a time, so that no client pushes others back. */
export class SampledPast {
  /** Text of a `CompactFeed`, by feed and moment. */
  readonly #memory: LRUCache<string, string>;
  /** The second of each feed from which on it has no update. */
  readonly #silent: LRUCache<string, number>;
  readonly #queue = new SerialQueue();

  constructor(
    private readonly request: (t: number, ids: readonly FeedId[]) => Promise<Outcome<UpdateBody>>,
    private readonly now: () => number = Date.now,
  ) {
    this.#memory = new LRUCache({ max: MAX_SAMPLES, ttlResolution: 0, perf: { now } });
    this.#silent = new LRUCache({ max: MAX_SAMPLES, ttl: EMPTY_TTL_MS, ttlResolution: 0, perf: { now } });
  }

  /** The first update of each feed at or after `t`, as `CompactFeed` texts. A feed that has none is left out. */
  samplesAt(t: number, ids: readonly FeedId[]): Promise<Outcome<string[]>> {
    const unknownIds = () => ids.filter((id) => this.#known(t, id) === undefined);
    const cachedAnswer = () => ok(ids.flatMap((id) => this.#known(t, id) ?? []));
    if (unknownIds().length === 0) return Promise.resolve(cachedAnswer());
    return this.#queue.run(async () => {
      const failure = await this.#requestMoment(t, unknownIds());
      return failure === undefined ? cachedAnswer() : failed(failure);
    });
  }

  /** Empty for a feed without an update; undefined if the service must be queried. */
  #known(t: number, id: FeedId): string | readonly [] | undefined {
    const isSilent = t >= (this.#silent.get(id) ?? Number.POSITIVE_INFINITY);
    return this.#memory.get(`${id} ${t}`) ?? (isSilent ? [] : undefined);
  }

  /** The service refuses the whole request if one feed has no update; the request is then split in half. */
  async #requestMoment(t: number, ids: readonly FeedId[]): Promise<Failure | undefined> {
    if (ids.length === 0) return undefined;
    const answer = await this.request(t, ids);
    if (!answer.ok && answer.failure.kind !== 'missing') return answer.failure;
    if (!answer.ok && ids.length > 1) {
      const half = Math.ceil(ids.length / 2);
      return (
        (await this.#requestMoment(t, ids.slice(0, half))) ?? (await this.#requestMoment(t, ids.slice(half)))
      );
    }
    const updates = answer.ok ? answer.value.updates : [];
    const isYoung = this.now() - t * 1000 < SETTLED_MS;
    for (const id of ids) {
      const update = updates.find((update) => update.id === id && update.publishTime >= t);
      // Nobody received it when it was published, so its publish time stands for the receipt.
      const text = update && compactFeedText(update, update.publishTime * 1000, 'backfilled');
      if (text === undefined) this.#silent.set(id, Math.min(t, this.#silent.get(id) ?? t));
      else this.#memory.set(`${id} ${t}`, text, isYoung ? { ttl: UNSETTLED_TTL_MS } : {});
    }
    return undefined;
  }
}
