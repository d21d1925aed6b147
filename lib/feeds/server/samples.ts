import 'server-only';
import { LRUCache } from 'lru-cache';
import { type FeedSamplesLine, samplesLineText, sampleText } from '@/lib/contract/codec/feed-samples';
import { compactFeedText } from '@/lib/contract/codec/feed-stream';
import type { FeedId, FeedUpdate, UpdateBody } from '@/lib/domain/feed';
import { type Failure, type Outcome, ok } from '@/lib/domain/outcome';
import { FairTurns } from './fair-turns';

/** Each feed and each moment (unix seconds) once, in the order in which they were asked for. */
export type FeedSamplesQuery = { readonly ids: readonly FeedId[]; readonly times: readonly number[] };

export type FeedSamplesEdges = {
  /** The at-time route of the service: for each feed the first update published at or after a second. */
  ask: (t: number, ids: readonly FeedId[]) => Promise<Outcome<UpdateBody>>;
  /** Unix milliseconds. */
  now: () => number;
};

/** What is known of the feeds of one moment: text of a `CompactFeed`, or undefined where there is none. */
type Found = Outcome<readonly (string | undefined)[]>;

/**
 * Calls under way for all readers together: the call budget serves users in their order, so who asks for a whole window
 * must never have more than a few of its calls in front of the others.
 */
const CALLS_AT_ONCE = 2;

/** Moments that one reader works on at once; the turns above are shared among all. */
const MOMENTS_AT_ONCE = 4;

/** So long after a second its first update may still arrive at the service. */
const SETTLED_MS = 60_000;
const UNSETTLED_KEPT_MS = 5_000;
/** A feed that has nothing there may be silent, and speak again. */
const NOTHING_KEPT_MS = 60_000;

/** Samples that are kept, the most lately used ones: about 300 bytes each, so 12 MB at the bound. */
const MOST_KEPT = 40_000;

/** After so many moments in a row that could not be had, the service is left alone. */
const PATIENCE = 3;

/**
 * The past of feeds, moment by moment. What the service answers for a moment never changes, so it is kept, and readers who
 * look at the same moments share one call for each.
 */
export class FeedSamples {
  readonly #edges: FeedSamplesEdges;
  /** By feed and moment: the update as `CompactFeed` text, or that there is none. */
  readonly #memory: LRUCache<string, { readonly text: string | undefined }>;
  readonly #turns = new FairTurns(CALLS_AT_ONCE);
  readonly #underWay = new Map<string, Promise<Outcome<string | undefined>>>();

  constructor(edges: FeedSamplesEdges) {
    this.#edges = edges;
    this.#memory = new LRUCache({ max: MOST_KEPT, ttlResolution: 0, perf: { now: edges.now } });
  }

  /** The lines of an answer: what is in memory at once, the rest as it comes. Ends early when the signal is aborted. */
  async *lines({ ids, times }: FeedSamplesQuery, signal: AbortSignal): AsyncGenerator<string> {
    const missing: number[] = [];
    for (const t of times) {
      const found = this.#remembered(ids, t);
      if (found === undefined) missing.push(t);
      else yield sampleText(t, withoutGaps(found));
    }
    const reader = {};
    const end = new AbortController();
    const either = AbortSignal.any([signal, end.signal]);
    const work = missing.map((t) => async () => ({ t, found: await this.#find(ids, t, reader, either) }));
    let failures = 0;
    try {
      for await (const { t, found } of asCompleted(untilAborted(work, signal), MOMENTS_AT_ONCE)) {
        if (signal.aborted || found === undefined) return;
        if (found.ok) yield sampleText(t, withoutGaps(found.value));
        else yield samplesLineText({ kind: 'problem', t, failure: found.failure });
        failures = found.ok ? 0 : failures + 1;
        if (!found.ok && (concernsAll(found.failure) || failures >= PATIENCE)) {
          yield samplesLineText({ kind: 'stopped', failure: found.failure });
          return;
        }
      }
      yield samplesLineText({ kind: 'complete' } satisfies FeedSamplesLine);
    } finally {
      // What still waits for a turn gives its place up.
      end.abort();
    }
  }

  #remembered(ids: readonly FeedId[], t: number): readonly (string | undefined)[] | undefined {
    const known = ids.map((id) => this.#memory.get(keyOf(id, t)));
    return known.every((one) => one !== undefined) ? known.map(({ text }) => text) : undefined;
  }

  /** Undefined when the reader left first. */
  async #find(
    ids: readonly FeedId[],
    t: number,
    reader: object,
    signal: AbortSignal,
  ): Promise<Found | undefined> {
    const endTurn = this.#isAtHand(ids, t) ? () => {} : await this.#turns.take(reader, signal);
    if (endTurn === undefined) return undefined;
    try {
      return await this.#gather(ids, t);
    } finally {
      endTurn();
    }
  }

  #isAtHand(ids: readonly FeedId[], t: number): boolean {
    return ids.every(
      (id) => this.#memory.get(keyOf(id, t)) !== undefined || this.#underWay.has(keyOf(id, t)),
    );
  }

  /** From memory, from calls of others that are under way, and by one call for what is left. */
  async #gather(ids: readonly FeedId[], t: number): Promise<Found> {
    const wanted = ids.filter(
      (id) => this.#memory.get(keyOf(id, t)) === undefined && !this.#underWay.has(keyOf(id, t)),
    );
    if (wanted.length > 0) this.#begin(wanted, t);
    const found = await Promise.all(ids.map((id) => this.#one(id, t)));
    const texts: (string | undefined)[] = [];
    for (const one of found) {
      if (!one.ok) return one;
      texts.push(one.value);
    }
    return ok(texts);
  }

  #one(id: FeedId, t: number): Promise<Outcome<string | undefined>> {
    const known = this.#memory.get(keyOf(id, t));
    const asked = this.#underWay.get(keyOf(id, t));
    return asked ?? Promise.resolve(ok(known?.text));
  }

  #begin(ids: readonly FeedId[], t: number): void {
    const answer = this.#ask(ids, t);
    ids.forEach((id, at) => {
      const key = keyOf(id, t);
      const own = answer.then((found) => (found.ok ? ok(found.value[at]) : found));
      this.#underWay.set(
        key,
        own.finally(() => this.#underWay.delete(key)),
      );
    });
  }

  async #ask(ids: readonly FeedId[], t: number): Promise<Found> {
    const answer = await this.#edges.ask(t, ids);
    if (!answer.ok && answer.failure.kind === 'missing' && ids.length > 1) return this.#askSingly(ids, t);
    if (!answer.ok && answer.failure.kind !== 'missing') return answer;
    const updates = answer.ok ? answer.value.updates : [];
    const texts = ids.map((id) => {
      const update = updates.find((one) => one.id === id && one.publishTime >= t);
      const text = update === undefined ? undefined : sampleOf(update);
      this.#memory.set(keyOf(id, t), { text }, this.#keptFor(t, text));
      return text;
    });
    return ok(texts);
  }

  /** One feed without an update at that time costs the others theirs: the service refuses the question as a whole. */
  async #askSingly(ids: readonly FeedId[], t: number): Promise<Found> {
    const texts: (string | undefined)[] = [];
    for (const id of ids) {
      const found = await this.#ask([id], t);
      if (!found.ok) return found;
      texts.push(found.value[0]);
    }
    return ok(texts);
  }

  /** What can't change any more is kept until room is needed. */
  #keptFor(t: number, text: string | undefined): { ttl: number } | undefined {
    if (this.#edges.now() - t * 1000 < SETTLED_MS) return { ttl: UNSETTLED_KEPT_MS };
    return text === undefined ? { ttl: NOTHING_KEPT_MS } : undefined;
  }
}

/** Nobody received it when it was published, so it stands at its publish time. */
function sampleOf(update: FeedUpdate): string {
  return compactFeedText(update, update.publishTime * 1000, 'filled');
}

function withoutGaps(texts: readonly (string | undefined)[]): string[] {
  return texts.filter((text) => text !== undefined);
}

/** A failure that the next moment would meet as well. */
function concernsAll({ kind }: Failure): boolean {
  return kind === 'unauthorized' || kind === 'rate-limited' || kind === 'unconfigured' || kind === 'too-many';
}

function* untilAborted<T>(work: readonly T[], signal: AbortSignal): Generator<T> {
  for (const piece of work) {
    if (signal.aborted) return;
    yield piece;
  }
}

/**
 * The results of several pieces of work in the order in which they are known, at most `atOnce` under way. Ends with the
 * first rejection.
 */
async function* asCompleted<T>(work: Iterable<() => Promise<T>>, atOnce: number): AsyncGenerator<T> {
  const underWay = new Set<Promise<T>>();
  const next = async () => {
    const { one, value } = await Promise.race(
      [...underWay].map((promise) => promise.then((known) => ({ one: promise, value: known }))),
    );
    underWay.delete(one);
    return value;
  };
  for (const piece of work) {
    const begun = piece();
    // Whoever waits hears of a rejection by the race; after the first one nobody does.
    begun.catch(() => {});
    underWay.add(begun);
    if (underWay.size >= atOnce) yield await next();
  }
  while (underWay.size > 0) yield await next();
}

function keyOf(id: FeedId, t: number): string {
  return `${id} ${t}`;
}
