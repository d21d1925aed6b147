import 'server-only';
import type { GatherProgress } from '@/lib/contract/codec/triage';
import { type Failure, failed, type Outcome } from '@/lib/domain/outcome';
import { patiently } from '@/lib/server/explorer/counts-patience';
import type { CallPriority } from '@/lib/upstream/call-budget';
import type { Timers } from '@/lib/upstream/timers';

/** Stands for an answer that nobody waits for any more: the question was not put. */
export const NOBODY_LOOKS: Failure = { kind: 'too-many', detail: 'Nobody is looking any more.' };

/** Questions of one look under way at once: enough to hide the latency, few enough to leave room for others. */
const AT_ONCE = 6;
/** A question that failed by chance is put once more, after this time. */
const AGAIN_AFTER_MS = 300;

export type AskingOptions = {
  priority: CallPriority;
  timers: Timers;
  /** Asked before every call, those put again because our own budget refused included. */
  isWanted: () => boolean;
};

/** The questions of one look at the services: counts them, puts a few at a time, and gives up when nobody looks. */
export class Asking {
  readonly #options: AskingOptions;
  readonly #waiting: (() => void)[] = [];
  #free = AT_ONCE;
  #done = 0;
  #planned = 0;
  #what: string;
  readonly #givenUp = new AbortController();

  /** @param what the first step, in a few words */
  constructor(options: AskingOptions, what: string) {
    this.#options = options;
    this.#what = what;
  }

  /** Says that so many more questions are to come, as far as is known. */
  plan(questions: number): void {
    this.#planned += questions;
  }

  /** How many are known of, those that were put included. */
  get planned(): number {
    return this.#planned;
  }

  /** Whether a question was left out because nobody looks. */
  get isGivenUp(): boolean {
    return this.#givenUp.signal.aborted;
  }

  get progress(): GatherProgress {
    return { done: this.#done, of: Math.max(this.#planned, this.#done), what: this.#what };
  }

  /** @param what the step that it belongs to, in a few words */
  async ask<T>(what: string, question: (priority: CallPriority) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    await this.#place();
    this.#what = what;
    const first = await this.#put(question);
    const answer = first.ok || !mayPass(first.failure) ? first : await this.#again(question);
    this.#done += 1;
    this.#leave();
    return answer;
  }

  async #again<T>(question: (priority: CallPriority) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    await new Promise<void>((resolve) => {
      this.#options.timers.after(AGAIN_AFTER_MS, resolve);
    });
    return this.#put(question);
  }

  async #put<T>(question: (priority: CallPriority) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const { isWanted, priority, timers } = this.#options;
    const call = async () => {
      if (!isWanted()) this.#givenUp.abort();
      return this.isGivenUp ? failed<T>(NOBODY_LOOKS) : question(priority);
    };
    const answer = await patiently(call, { signal: this.#givenUp.signal, timers });
    // One that another question's end cut short is no trouble of the service.
    return !answer.ok && this.isGivenUp ? failed(NOBODY_LOOKS) : answer;
  }

  async #place(): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((enter) => this.#waiting.push(enter));
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

/** What may be better a moment later. A time-out took long enough, and a limit says itself when to come back. */
function mayPass({ kind }: Failure): boolean {
  return kind === 'failing' || kind === 'unreachable' || kind === 'malformed';
}
