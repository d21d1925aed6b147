import 'server-only';
import { type Outcome, ok } from '@/lib/core/outcome';
import type { CallPriority } from '@/lib/upstream/rate-limiter';
import type { RpcEndpoint } from '@/lib/upstream/rpc';
import type { Part, ReadOf } from './parts';

/** HTTP calls about one request at most, over all URLs of its network. */
const MAX_CALLS = 6;
/** Time after which no further call is begun, ms. */
const CALL_DEADLINE_MS = 5000;

/** Counts the HTTP calls of one question to the chain. */
export class LimitedCaller {
  #left = MAX_CALLS;
  readonly #until = performance.now() + CALL_DEADLINE_MS;

  constructor(private readonly priority: CallPriority) {}

  /** @param reserved calls that must remain for what follows */
  mayCall(reserved = 0): boolean {
    return this.#left > reserved && performance.now() < this.#until;
  }

  /** All parts in one HTTP call. */
  async call<P extends Readonly<Record<string, Part<unknown>>>>(
    endpoint: RpcEndpoint,
    parts: P,
  ): Promise<Outcome<{ [K in keyof P]: ReadOf<P[K]> }>> {
    this.#left -= 1;
    const all = Object.entries(parts);
    const questions = all.flatMap(([, part]) => part.questions);
    const answered = await endpoint.call(questions, this.priority);
    if (!answered.ok) return answered;
    let at = 0;
    const read = all.map(([name, part]) => {
      const answers = answered.value.slice(at, at + part.questions.length);
      at += part.questions.length;
      return [name, part.read(answers)] as const;
    });
    return ok(Object.fromEntries(read) as { [K in keyof P]: ReadOf<P[K]> });
  }
}
