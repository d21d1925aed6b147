import type { FeedId, FeedUpdate, UpdateBody } from '@/lib/domain/feed';
import type { Failure, FailureKind, Outcome } from '@/lib/domain/outcome';
import type { GapFill } from './feed-marks';
import { type FeedGap, GapJob } from './gap-job';
import type { TimerHandle, Timers } from './timers';

export type GapFillingEdges = {
  /** The first update of each feed at or after this unix second, inside the call budget. */
  atTime(second: number, ids: readonly FeedId[]): Promise<Outcome<UpdateBody>>;
  timers: Timers;
  bug(error: unknown): void;
};

export type GapFillingListener = {
  /** Whether anyone still watches the feed. */
  wanted(id: FeedId): boolean;
  filled(update: FeedUpdate): void;
  /** How far the gap with this key is. */
  progress(key: string, fill: GapFill): void;
};

/** Calls follow each other with this pause, and never two at once: users wait for the same budget. */
export const FILL_PAUSE_MS = 250;
/** Progress is told this often, and at the end. */
const TELL_EVERY_MS = 2_000;
/** A call that failed is made again after twice the time of the one before. */
const RETRY_MS = { first: 2_000, most: 60_000 };
/** So many failures in a row end the filling of a gap. */
export const MOST_FAILURES = 6;
/** Gaps that wait for their turn; at the bound the oldest is given up. */
export const MOST_GAPS = 60;

/** Trying again doesn't change these. */
const FINAL: readonly FailureKind[] = ['unauthorized', 'rejected', 'bad-request', 'unconfigured'];

/**
 * Fills gaps through the at-time route, one call after the other, the newest gap first and each from its end backwards, so
 * that what is filled when the budget is short is what is looked at.
 */
export class GapFilling {
  readonly #jobs: GapJob[] = [];
  #next: TimerHandle | undefined;
  #calling = false;
  #stopped = false;
  #failures = 0;
  #toldAtMs = 0;

  constructor(
    private readonly edges: GapFillingEdges,
    private readonly listener: GapFillingListener,
  ) {}

  /** @param key of the mark that hears of the progress; times in unix seconds */
  fill(key: string, fromS: number, untilS: number, feeds: ReadonlyMap<FeedId, FeedGap>): void {
    if (this.#stopped) return;
    const job = new GapJob(key, fromS, untilS, feeds);
    if (job.over) {
      this.listener.progress(key, job.end());
      return;
    }
    this.#jobs.unshift(job);
    if (this.#jobs.length > MOST_GAPS) this.#finish(this.#jobs.at(-1) as GapJob);
    this.listener.progress(key, job.progress());
    this.#goOnIn(0);
  }

  stop(): void {
    this.#stopped = true;
    this.edges.timers.clear(this.#next);
    this.#next = undefined;
    this.#jobs.length = 0;
  }

  #goOnIn(ms: number): void {
    if (this.#next || this.#calling || this.#stopped) return;
    this.#next = this.edges.timers.after(ms, () => {
      this.#next = undefined;
      this.#step().catch((error: unknown) => {
        this.#calling = false;
        this.edges.bug(error);
      });
    });
  }

  async #step(): Promise<void> {
    const job = this.#jobs[0];
    if (!job) return;
    job.keepOnly((id) => this.listener.wanted(id));
    const question = job.question(Math.floor(this.edges.timers.now() / 1000));
    if (!question) {
      this.#finish(job);
      this.#goOnIn(0);
      return;
    }
    this.#calling = true;
    const outcome = await this.edges.atTime(question.second, question.ids);
    this.#calling = false;
    if (this.#stopped) return;
    if (outcome.ok) this.#answered(job, question, outcome.value);
    else this.#failed(job, question, outcome.failure);
  }

  #answered(job: GapJob, question: { second: number; ids: FeedId[] }, body: UpdateBody): void {
    this.#failures = 0;
    for (const update of job.answered(question, body.updates)) this.listener.filled(update);
    this.#tell(job);
    this.#goOnIn(FILL_PAUSE_MS);
  }

  #failed(job: GapJob, question: { second: number; ids: FeedId[] }, failure: Failure): void {
    this.#failures += 1;
    let waitMs = FILL_PAUSE_MS;
    if (failure.kind === 'missing') {
      this.#failures = 0;
      job.missing(question);
      this.#tell(job);
    } else if (FINAL.includes(failure.kind) || this.#failures >= MOST_FAILURES) {
      this.#failures = 0;
      this.#finish(job);
    } else {
      const ownMs = Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** (this.#failures - 1));
      waitMs = Math.max(ownMs, (failure.retryAfterS ?? 0) * 1000);
    }
    this.#goOnIn(waitMs);
  }

  #tell(job: GapJob): void {
    if (!this.#jobs.includes(job)) return;
    const now = this.edges.timers.now();
    if (job.over) this.#finish(job);
    else if (now - this.#toldAtMs >= TELL_EVERY_MS) {
      this.#toldAtMs = now;
      this.listener.progress(job.key, job.progress());
    }
  }

  #finish(job: GapJob): void {
    const at = this.#jobs.indexOf(job);
    if (at >= 0) this.#jobs.splice(at, 1);
    this.listener.progress(job.key, job.end());
  }
}
