import 'server-only';
import { inBatches } from '@/lib/core/grouped';
import { type Outcome, ok } from '@/lib/core/outcome';
import type { CallPriority } from '@/lib/upstream/rate-limiter';
import type { RpcEndpoint } from '@/lib/upstream/rpc';
import type { Part, ReadOf } from './parts';

/** URLs of a network queried in parallel, so that one that is behind is noticed. */
export const PARALLEL_ENDPOINTS = 2;

/** The URLs of a network in the order of attempts, by batch. */
export const endpointBatches = (endpoints: readonly RpcEndpoint[]) =>
  inBatches(endpoints, PARALLEL_ENDPOINTS);

/** HTTP calls about one request, over all URLs of its network. */
const MAX_CALLS = 6;
/** Time after which no further call begins. */
const CALL_DEADLINE_MS = 5000;

export class LimitedCaller {
  #left = MAX_CALLS;
  readonly #until = performance.now() + CALL_DEADLINE_MS;

  constructor(private readonly priority: CallPriority) {}

  /** @param reserved calls that must remain for later steps */
  mayCall(reserved = 0): boolean {
    return this.#left > reserved && performance.now() < this.#until;
  }

  /** Sends all parts in one HTTP call. */
  async call<P extends Readonly<Record<string, Part<unknown>>>>(
    endpoint: RpcEndpoint,
    parts: P,
  ): Promise<Outcome<{ [K in keyof P]: ReadOf<P[K]> }>> {
    this.#left -= 1;
    const all = Object.entries(parts);
    const requests = all.flatMap(([, part]) => part.requests);
    const answered = await endpoint.call(requests, this.priority);
    if (!answered.ok) return answered;
    let at = 0;
    const read = all.map(([name, part]) => {
      const answers = answered.value.slice(at, at + part.requests.length);
      at += part.requests.length;
      return [name, part.read(answers)] as const;
    });
    return ok(Object.fromEntries(read) as { [K in keyof P]: ReadOf<P[K]> });
  }
}
