import type { Failure } from '@/lib/core/outcome';
import {
  type HistoryOfFeed,
  historyPath,
  MOST_HISTORY_FEEDS,
  type SamplesAnswer,
  samplesPath,
} from '@/lib/feeds/past-answers';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import { type FeedPoint, firstAtOrAfter } from './history';

export type PastEdges = {
  /** What our server holds; undefined when it could not be had. */
  readonly history: (path: string, signal: AbortSignal) => Promise<readonly HistoryOfFeed[] | undefined>;
  readonly samples: (path: string, signal: AbortSignal) => Promise<SamplesAnswer>;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly setTimer: (run: () => void, ms: number) => unknown;
  readonly clearTimer: (timer: unknown) => void;
};

/** What the charts of a page look at: `spanMs` up to `toMs` (unix ms), or up to the present, moving on, where that is absent. */
export type PastWanted = {
  readonly ids: readonly string[];
  readonly spanMs: number;
  readonly toMs?: number;
  /** About so many updates are asked for by their time, at most. */
  readonly moments: number;
  /** Updates per feed that our server tells of its memory; absent: all. */
  readonly points?: number;
};

/** How far the past of the window is. */
export type PastState =
  | { readonly kind: 'complete' }
  | { readonly kind: 'loading'; readonly done: number; readonly of: number }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly retryAtMs: number };

/** Where what came goes, and what is there already. */
export type PastBook = {
  readonly takeHistory: (feeds: readonly HistoryOfFeed[]) => void;
  readonly takeSeeds: (updates: readonly CompactFeed[]) => void;
  readonly points: (id: string) => readonly FeedPoint[];
  /** The present of the publishing clock, unix ms. */
  readonly nowMs: () => number;
  readonly stateChanged: () => void;
};

/** Each divides the next. Seconds. */
const STEPS_S = [1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400];
/** Moments of one question: each may have to wait for its place in the call budget. */
const MOMENTS_AT_ONCE = 5;
/** Our server remembers no longer. */
const SERVER_MEMORY_MS = 30 * 60_000;
/** The stream brings what is this young; asking for it would be a race against it. */
const LEFT_TO_STREAM_MS = 10_000;
const RETRY_MS = 15_000;

/** The distance of the moments that fit a window, seconds. */
export function sampleStepS({ spanMs, moments }: Pick<PastWanted, 'spanMs' | 'moments'>): number {
  return STEPS_S.find((step) => step >= spanMs / 1000 / moments) ?? 86_400;
}

/**
 * The moments of a window (unix seconds), on a grid that all viewers share, oldest first. The one before the left edge is among
 * them, so that the line enters from there; none lies in the future.
 */
export function sampledMoments(wanted: Omit<PastWanted, 'ids'>, nowMs: number): number[] {
  const stepS = sampleStepS(wanted);
  const toMs = wanted.toMs ?? nowMs;
  const untilMs = Math.min(toMs, nowMs - LEFT_TO_STREAM_MS);
  const moments: number[] = [];
  const first = Math.max(0, Math.floor((toMs - wanted.spanMs) / 1000 / stepS)) * stepS;
  for (let at = first; at * 1000 <= untilMs; at += stepS) moments.push(at);
  return moments;
}

/** Fills the charts of a page: with what our server remembers, and before that with seeds, a bounded number of them. */
export class PastLoader {
  /** The moments that were answered, by feed. */
  readonly #asked = new Map<string, Set<number>>();
  #state: PastState = { kind: 'complete' };
  #wanted: PastWanted | undefined;
  #run: { readonly key: string; readonly abort: AbortController } | undefined;
  #timer: unknown;

  constructor(
    private readonly edges: PastEdges,
    private readonly book: PastBook,
  ) {}

  get state(): PastState {
    return this.#state;
  }

  /** Says what is looked at from now on; the same again changes nothing. What is under way for something else is called off. */
  show(wanted: PastWanted): void {
    this.#wanted = wanted;
    const key = keyOf(wanted);
    if (this.#run?.key !== key) this.#begin(key);
  }

  /** The stream was away, or a question failed: asks again for what is looked at. */
  refill(): void {
    if (this.#wanted !== undefined) this.#begin(keyOf(this.#wanted));
  }

  /** Ends everything that is under way. */
  close(): void {
    this.#run?.abort.abort();
    this.#run = undefined;
    this.edges.clearTimer(this.#timer);
  }

  #begin(key: string): void {
    this.close();
    const run = { key, abort: new AbortController() };
    this.#run = run;
    void this.#load(run.abort.signal);
  }

  async #load(signal: AbortSignal): Promise<void> {
    if (this.#wanted === undefined) return;
    const { ids, spanMs, toMs, points } = this.#wanted;
    const nowMs = this.book.nowMs();
    if ((toMs ?? nowMs) > nowMs - SERVER_MEMORY_MS) {
      const fromMs = (toMs ?? nowMs) - spanMs;
      for (let at = 0; at < ids.length; at += MOST_HISTORY_FEEDS) {
        const some = ids.slice(at, at + MOST_HISTORY_FEEDS);
        const feeds = await this.edges.history(historyPath(some, fromMs / 1000, points), signal);
        if (signal.aborted) return;
        if (feeds !== undefined) this.book.takeHistory(feeds);
      }
    }
    const moments = this.#missing();
    for (let at = 0; at < moments.length; at += MOMENTS_AT_ONCE) {
      this.#tell({ kind: 'loading', done: at, of: moments.length });
      const failure = await this.#ask(moments.slice(at, at + MOMENTS_AT_ONCE), signal);
      if (signal.aborted) return;
      if (failure !== undefined) {
        this.#fail(failure);
        return;
      }
    }
    this.#tell({ kind: 'complete' });
  }

  /** The moments of the window of which some feed has no update near. */
  #missing(): number[] {
    const wanted = this.#wanted;
    if (wanted === undefined) return [];
    const stepMs = sampleStepS(wanted) * 1000;
    return sampledMoments(wanted, this.book.nowMs()).filter((t) =>
      wanted.ids.some((id) => {
        const points = this.book.points(id);
        const next = points[firstAtOrAfter(points, t * 1000 - stepMs / 2)];
        const isCovered = next !== undefined && next.atMs < t * 1000 + stepMs;
        return !isCovered && this.#asked.get(id)?.has(t) !== true;
      }),
    );
  }

  async #ask(times: readonly number[], signal: AbortSignal): Promise<Failure | undefined> {
    const ids = this.#wanted?.ids ?? [];
    const { samples, failure } = await this.edges.samples(samplesPath(ids, times), signal);
    if (signal.aborted) return undefined;
    for (const { t } of samples) {
      for (const id of ids) this.#asked.set(id, (this.#asked.get(id) ?? new Set()).add(t));
    }
    this.book.takeSeeds(samples.flatMap(({ feeds }) => feeds));
    return failure;
  }

  #fail(failure: Failure): void {
    const waitMs = failure.retryAfterS === undefined ? RETRY_MS : failure.retryAfterS * 1000;
    this.#tell({ kind: 'failed', failure, retryAtMs: this.edges.now() + waitMs });
    this.#timer = this.edges.setTimer(() => this.refill(), Math.min(waitMs, 2 ** 31 - 1));
  }

  #tell(state: PastState): void {
    if (state.kind === 'complete' && this.#state.kind === 'complete') return;
    this.#state = state;
    this.book.stateChanged();
  }
}

/** What is asked for changes with this text, and with nothing else. */
function keyOf({ ids, spanMs, toMs, moments }: PastWanted): string {
  return `${ids.join(',')} ${moments} ${spanMs} ${toMs ?? 'live'}`;
}
