import 'server-only';
import { failed, type Outcome } from '@/lib/domain/outcome';
import { parseIsoTime } from '@/lib/domain/units';
import type { Timers } from '@/lib/upstream/timers';
import { patiently } from './counts-patience';
import type { LogFilter, LogSource } from './log-source';

/** How many rows match, shared between all who ask. */
export type Counts = {
  /**
   * One count, decimal digits: kept from a moment ago, or asked for with `limit=1`, in the background. `fresh` asks in any
   * case. Rejects only when `signal` is aborted; a count that nobody waits for any more is not asked.
   */
  count(source: LogSource, filter: LogFilter, asked: CountAsked): Promise<Outcome<string>>;
};

export type CountAsked = { signal: AbortSignal; age?: 'kept' | 'fresh' };

export type CountEdges = {
  /** Unix milliseconds. */
  now: () => number;
  timers: Timers;
};

/** Questions under way at once per keeper: enough to hide the latency, few enough to leave the service to others. */
const AT_ONCE = 8;
/** Who comes when so many wait already is refused. Each viewer has a few questions waiting at a time. */
const MOST_WAITING = 2000;
/** Counts that are kept, the ones used last. */
const MOST_KEPT = 5000;
const KEPT_MS = 10_000;
/** Rows are logged within minutes, so a window that ended an hour ago has all of its rows. Their states still change. */
const SETTLED_AFTER_MS = 3_600_000;
const SETTLED_KEPT_MS = 300_000;

type Kept = { total: string; untilMs: number };
type Job = {
  ask: (signal: AbortSignal) => Promise<Outcome<string>>;
  settle: (outcome: Promise<Outcome<string>>) => void;
  answer: Promise<Outcome<string>>;
  waiters: number;
  given: AbortController;
};
type Lane = { running: number; waiting: Job[] };

/** Counts with a cache of their own; one for the whole process is what makes it worth it. */
export function createCounts(edges: CountEdges): Counts {
  return new SharedCounts(edges);
}

class SharedCounts implements Counts {
  readonly #edges: CountEdges;
  readonly #kept = new Map<string, Kept>();
  readonly #underWay = new Map<string, Job>();
  readonly #lanes = new Map<string, Lane>();

  constructor(edges: CountEdges) {
    this.#edges = edges;
  }

  async count(source: LogSource, filter: LogFilter, { signal, age }: CountAsked): Promise<Outcome<string>> {
    signal.throwIfAborted();
    const key = keyOf(source, filter);
    if (age === 'fresh') return this.#waitFor(this.#begin(source, filter, key), source, signal);
    const kept = this.#keptCount(key);
    if (kept !== undefined) return { ok: true, value: kept };
    const known = this.#underWay.get(key);
    if (known !== undefined) return this.#waitFor(known, source, signal);
    const job = this.#begin(source, filter, key);
    this.#underWay.set(key, job);
    const forget = () => {
      if (this.#underWay.get(key) === job) this.#underWay.delete(key);
    };
    job.answer.then(forget, forget);
    job.given.signal.addEventListener('abort', forget);
    return this.#waitFor(job, source, signal);
  }

  #keptCount(key: string): string | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#kept.delete(key);
    if (kept.untilMs <= this.#edges.now()) return undefined;
    this.#kept.set(key, kept);
    return kept.total;
  }

  #keep(key: string, filter: LogFilter, total: string): void {
    const nowMs = this.#edges.now();
    this.#kept.delete(key);
    this.#kept.set(key, { total, untilMs: nowMs + keptMs(filter, nowMs) });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) return;
      this.#kept.delete(oldest);
    }
  }

  #begin(source: LogSource, filter: LogFilter, key: string): Job {
    const { promise, resolve } = settleable<Outcome<string>>();
    const ask = async (signal: AbortSignal) => {
      const question = () => source.count(filter, 'background');
      const outcome = await patiently(question, { signal, timers: this.#edges.timers });
      if (outcome.ok) this.#keep(key, filter, outcome.value);
      return outcome;
    };
    const job = { ask, settle: resolve, answer: promise, waiters: 0, given: new AbortController() };
    const lane = this.#laneOf(source);
    if (lane.waiting.length >= MOST_WAITING) {
      resolve(failed({ kind: 'too-many', detail: 'Too many counts are waiting here.', retryAfterS: 10 }));
    } else {
      lane.waiting.push(job);
      this.#serve(lane);
    }
    return job;
  }

  #laneOf({ keeper }: LogSource): Lane {
    const lane = this.#lanes.get(keeper) ?? { running: 0, waiting: [] };
    this.#lanes.set(keeper, lane);
    return lane;
  }

  #serve(lane: Lane): void {
    while (lane.running < AT_ONCE) {
      const job = lane.waiting.shift();
      if (job === undefined) return;
      lane.running += 1;
      const done = () => {
        lane.running -= 1;
        this.#serve(lane);
      };
      const answer = job.ask(job.given.signal);
      job.settle(answer);
      answer.then(done, done);
    }
  }

  /** The answer of a job, or a rejection when `signal` comes first. The last one to leave calls the job off. */
  async #waitFor(job: Job, source: LogSource, signal: AbortSignal): Promise<Outcome<string>> {
    job.waiters += 1;
    const { promise: left, resolve: leave } = settleable<'left'>();
    const onAbort = () => leave('left');
    signal.addEventListener('abort', onAbort);
    const first = await Promise.race([job.answer, left]);
    signal.removeEventListener('abort', onAbort);
    job.waiters -= 1;
    if (first !== 'left') return first;
    if (job.waiters === 0) this.#callOff(job, this.#laneOf(source));
    throw signal.reason;
  }

  #callOff(job: Job, lane: Lane): void {
    job.given.abort();
    lane.waiting = lane.waiting.filter((other) => other !== job);
  }
}

function keyOf({ keeper }: LogSource, { networkId, state, query, min, max }: LogFilter): string {
  return JSON.stringify([keeper, networkId, state, query, min, max]);
}

function keptMs({ state, max }: LogFilter, nowMs: number): number {
  const endMs = max === undefined ? undefined : parseIsoTime(max);
  const isSettled = state === undefined && endMs !== undefined && endMs < nowMs - SETTLED_AFTER_MS;
  return isSettled ? SETTLED_KEPT_MS : KEPT_MS;
}

type Settleable<T> = { promise: Promise<T>; resolve: (value: T | Promise<T>) => void };

function settleable<T>(): Settleable<T> {
  let resolve: Settleable<T>['resolve'] = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
