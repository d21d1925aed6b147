import { feedSamplesPath, MOST_SAMPLED_TIMES, readFeedSamplesLine } from '@/lib/contract/codec/feed-samples';
import type { CompactFeed } from '@/lib/contract/codec/feed-stream';
import { type Failure, failed, type Outcome } from '@/lib/domain/outcome';
import type { FeedPoint } from './feed-history';
import { KnownSamples } from './feed-samples-known';
import { type SampledWindow, sampledMoments, sampleStepS } from './feed-samples-plan';
import type { LineAsked } from './line-stream';

export type SamplesEdges = {
  readonly fetchLines: (path: string, asked: LineAsked) => Promise<Outcome<'ended'>>;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly setTimer: (run: () => void, ms: number) => unknown;
  readonly clearTimer: (timer: unknown) => void;
};

/** What a chart looks at. */
export type SamplesWanted = {
  readonly ids: readonly string[];
  readonly window: SampledWindow;
  /** `live`: the right edge moves on, and the stream brings what is new. */
  readonly pace: 'live' | 'still';
  /**
   * What is there from the stream, oldest first. From its first update on nothing is asked for: what is missing there, our
   * server fills in by itself.
   */
  readonly livePoints: (id: string) => readonly FeedPoint[];
};

/** How far the past of the window is. `of`: the moments of this round of questions. */
export type SamplesProgress =
  | { readonly kind: 'complete' }
  | { readonly kind: 'loading'; readonly done: number; readonly of: number }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly retryAtMs: number };

/** The stream brings what is this young; asking for it would be a race against it. */
const LEFT_TO_STREAM_MS = 10_000;
const RETRY_MS = 15_000;
/** A moment that could not be had is not asked for again at once. */
const TRIED_PAUSE_MS = 30_000;

type Run = { readonly key: string; readonly abort: AbortController };

/** The sampled past of the feeds of one page: asks for what a chart lacks, and keeps what came. */
export class FeedSamplesBook {
  readonly #edges: SamplesEdges;
  readonly #known = new Map<string, KnownSamples>();
  readonly #tried = new Map<number, number>();
  readonly #listeners = new Set<() => void>();
  #progress: SamplesProgress = { kind: 'complete' };
  #wanted: SamplesWanted | undefined;
  #run: Run | undefined;
  #timer: unknown;

  constructor(edges: SamplesEdges) {
    this.#edges = edges;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  progress(): SamplesProgress {
    return this.#progress;
  }

  /** What is known of a feed; grows as answers come. */
  known(id: string): KnownSamples {
    const known = this.#known.get(id) ?? new KnownSamples();
    this.#known.set(id, known);
    return known;
  }

  /** Says what is looked at from now on. What is under way for something else is called off. */
  show(wanted: SamplesWanted): void {
    this.#wanted = wanted;
    const key = keyOf(wanted);
    if (this.#run?.key === key) return;
    if (this.#run !== undefined) this.#callOff();
    else if (this.#progress.kind === 'failed' && this.#progress.retryAtMs > this.#edges.now()) return;
    this.#begin(key);
  }

  /** Tries again now what failed. */
  retry(): void {
    this.#tried.clear();
    this.#callOff();
    if (this.#wanted !== undefined) this.#begin(keyOf(this.#wanted));
  }

  /** Ends everything that is under way. */
  close(): void {
    this.#callOff();
    this.#wanted = undefined;
  }

  #callOff(): void {
    this.#run?.abort.abort();
    this.#run = undefined;
    this.#edges.clearTimer(this.#timer);
  }

  #begin(key: string): void {
    const moments = this.#missing();
    if (moments.length === 0) {
      this.#tell({ kind: 'complete' });
      return;
    }
    const run = { key, abort: new AbortController() };
    this.#run = run;
    this.#tell({ kind: 'loading', done: 0, of: moments.length });
    void this.#load(run, this.#wanted?.ids ?? [], moments);
  }

  /** The moments of the window that are not known of some feed, coarse ones first. */
  #missing(): number[] {
    const { ids = [], window, pace, livePoints = () => [] } = this.#wanted ?? {};
    if (window === undefined) return [];
    const nowMs = this.#edges.now();
    const untilMs = pace === 'live' ? window.nowMs - LEFT_TO_STREAM_MS : window.nowMs;
    const moments = sampledMoments({ ...window, nowMs: untilMs });
    const stepS = sampleStepS(window);
    const missing = new Set<number>();
    for (const id of ids) {
      const known = this.known(id);
      const streamFromS = Math.floor((livePoints(id)[0]?.atMs ?? Number.POSITIVE_INFINITY) / 1000);
      for (const t of moments) {
        if (t + stepS <= streamFromS && !known.answers(t)) missing.add(t);
      }
    }
    return moments.filter((t) => missing.has(t) && (this.#tried.get(t) ?? 0) <= nowMs);
  }

  async #load(run: Run, ids: readonly string[], moments: readonly number[]): Promise<void> {
    const count = { done: 0, of: moments.length };
    for (let from = 0; from < moments.length; from += MOST_SAMPLED_TIMES) {
      const failure = await this.#ask(run, ids, moments.slice(from, from + MOST_SAMPLED_TIMES), count);
      if (run.abort.signal.aborted) return;
      if (failure !== undefined) {
        this.#fail(failure);
        return;
      }
    }
    this.#run = undefined;
    // What was looked at may have moved on meanwhile.
    this.#begin(run.key);
  }

  /** Undefined when it went well, or was called off. */
  async #ask(
    run: Run,
    ids: readonly string[],
    times: readonly number[],
    count: { done: number; of: number },
  ): Promise<Failure | undefined> {
    const { signal } = run.abort;
    let end: Failure | 'complete' | undefined;
    const onLines = (texts: string[]) => {
      if (signal.aborted) return;
      for (const line of texts.map(readFeedSamplesLine)) {
        if (line?.kind === 'sample') this.#take(ids, line.t, line.feeds);
        if (line?.kind === 'problem') this.#tried.set(line.t, this.#edges.now() + TRIED_PAUSE_MS);
        if (line?.kind === 'sample' || line?.kind === 'problem') count.done += 1;
        if (line?.kind === 'complete') end = 'complete';
        if (line?.kind === 'stopped') end = line.failure;
      }
      this.#tell({ kind: 'loading', ...count });
    };
    const ended = await this.#edges
      .fetchLines(feedSamplesPath(ids, times), { signal, onLines })
      .catch((): Outcome<'ended'> => failed(CUT_OFF));
    if (end === 'complete') return undefined;
    return end ?? (ended.ok ? CUT_OFF : ended.failure);
  }

  #take(ids: readonly string[], t: number, feeds: readonly CompactFeed[]): void {
    for (const id of ids) {
      const update = feeds.find((one) => one.id === id);
      this.known(id).note(t, update);
    }
  }

  #fail(failure: Failure): void {
    this.#run = undefined;
    // What no retry can mend is tried all the same, but rarely: a key may be changed while the page is open.
    const waitMs = failure.retryAfterS === undefined ? RETRY_MS : failure.retryAfterS * 1000;
    this.#tell({ kind: 'failed', failure, retryAtMs: this.#edges.now() + waitMs });
    this.#timer = this.#edges.setTimer(() => this.retry(), Math.min(waitMs, 2 ** 31 - 1));
  }

  #tell(progress: SamplesProgress): void {
    const same = progress.kind === 'complete' && this.#progress.kind === 'complete';
    if (same) return;
    this.#progress = progress;
    for (const listener of [...this.#listeners]) listener();
  }
}

const CUT_OFF: Failure = { kind: 'unreachable', detail: 'The answer was cut off.' };

/** What is asked for changes with this text, and with nothing else. */
function keyOf({ ids, window, pace, livePoints }: SamplesWanted): string {
  const edges = pace === 'live' ? window.toMs - window.fromMs : `${window.fromMs}-${window.toMs}`;
  // When our server's memory has come, less is to be asked for. Whole minutes, since what is kept moves on with time.
  const streamFrom = ids.map((id) => Math.ceil((livePoints(id)[0]?.atMs ?? 0) / 60_000));
  return `${ids.join(',')} ${sampleStepS(window)} ${pace} ${edges} ${streamFrom.join(',')}`;
}
