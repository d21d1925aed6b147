import 'server-only';
import { type Failure, failed, type Outcome } from '@/lib/domain/outcome';
import type { LogFilter, LogSource } from './log-source';

/** Networks are added to a keeper when it is started anew. */
const REMEMBERED_MS = 600_000;
const MOST_REMEMBERED = 2000;

/** A keeper that does not know a network says so with this 400: it has no rows of it, which is no failure of ours. */
export function isUnserved(failure: Failure, filter: LogFilter): boolean {
  return (
    filter.networkId !== undefined &&
    failure.kind === 'rejected' &&
    /\bchain id is not supported\b/i.test(failure.detail)
  );
}

/** What the keepers have said lately about the networks that they were asked for. */
export type UnservedMemory = {
  /** The log, asked for no network that it has refused lately: that is answered with the same refusal. */
  remembering(source: LogSource): LogSource;
  /** Whether a keeper serves a network, as far as it has said so lately. */
  standing(keeper: string, networkId: string): 'served' | 'unserved' | undefined;
};

type Known = { refusal: Failure | undefined; untilMs: number };

/** @param now unix milliseconds */
export function createUnservedMemory(now: () => number): UnservedMemory {
  return new Memory(now);
}

class Memory implements UnservedMemory {
  readonly #now: () => number;
  readonly #known = new Map<string, Known>();

  constructor(now: () => number) {
    this.#now = now;
  }

  remembering(source: LogSource): LogSource {
    const { keeper } = source;
    return {
      keeper,
      page: (filter, limit, offset, priority) =>
        this.#ask(keeper, filter, () => source.page(filter, limit, offset, priority)),
      count: (filter, priority) => this.#ask(keeper, filter, () => source.count(filter, priority)),
    };
  }

  standing(keeper: string, networkId: string): 'served' | 'unserved' | undefined {
    const known = this.#knownOf(keyOf(keeper, networkId));
    if (known === undefined) return undefined;
    return known.refusal === undefined ? 'served' : 'unserved';
  }

  async #ask<T>(keeper: string, filter: LogFilter, ask: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const { networkId } = filter;
    if (networkId === undefined) return ask();
    const key = keyOf(keeper, networkId);
    const refusal = this.#knownOf(key)?.refusal;
    if (refusal !== undefined) return failed(refusal);
    const answer = await ask();
    if (answer.ok) this.#note(key, undefined);
    else if (isUnserved(answer.failure, filter)) this.#note(key, answer.failure);
    return answer;
  }

  #knownOf(key: string): Known | undefined {
    const known = this.#known.get(key);
    return known !== undefined && known.untilMs > this.#now() ? known : undefined;
  }

  #note(key: string, refusal: Failure | undefined): void {
    if (this.#known.size >= MOST_REMEMBERED && !this.#known.has(key)) this.#known.clear();
    this.#known.set(key, { refusal, untilMs: this.#now() + REMEMBERED_MS });
  }
}

function keyOf(keeper: string, networkId: string): string {
  return `${keeper}/${networkId}`;
}
