import type { Failure, FailureKind } from '@/lib/core/outcome';

/** Times are kept of so many calls, the latest ones. */
export const KEPT_CALLS = 500;

/** How often calls of a service met one kind of trouble, and the last time. */
export type TroubleCount = {
  kind: FailureKind;
  count: number;
  /** Unix milliseconds. */
  lastAtMs: number;
  /** The sentence of the last one: plain text without a key. */
  lastDetail: string;
  lastStatus?: number;
};

/**
 * How long the latest calls took, from sending to the end of the answer, in ms; of a stream, to its headers. Percentiles
 * are by nearest rank: each is the time of a real call.
 */
export type LatencySummary = { calls: number; p50Ms: number; p95Ms: number; p99Ms: number; maxMs: number };

/** What is known of the calls to one host since the process began. */
export type CallStatistics = {
  /** Calls that went out. */
  sent: number;
  /** Absent before the first call that got an answer or waited for one in vain. */
  latency?: LatencySummary;
  /** When the last success came, unix milliseconds. */
  lastOkAtMs?: number;
  /** Trouble of calls that went out, the latest first. */
  failures: TroubleCount[];
  /** Calls that ended here: a shut gate, a spent budget, a key that can't be used. The latest first. */
  heldBack: TroubleCount[];
};

/**
 * Counts the calls of one host. Bounded: `KEPT_CALLS` numbers, and one entry per kind of failure.
 * Calls that found nobody there are left out of the latencies: a refused connection takes no time, and would make a
 * service look fast that is down.
 */
export class CallCounter {
  readonly #latencies = new Float64Array(KEPT_CALLS);
  #timed = 0;
  #sent = 0;
  #lastOkAtMs: number | undefined;
  readonly #failures = new Map<FailureKind, TroubleCount>();
  readonly #heldBack = new Map<FailureKind, TroubleCount>();

  finished(ms: number, failure: Failure | undefined, atMs: number): void {
    this.#sent += 1;
    if (failure?.kind !== 'unreachable') {
      this.#latencies[this.#timed % KEPT_CALLS] = ms;
      this.#timed += 1;
    }
    if (failure) addTrouble(this.#failures, failure, atMs);
    else this.#lastOkAtMs = atMs;
  }

  heldBack(failure: Failure, atMs: number): void {
    addTrouble(this.#heldBack, failure, atMs);
  }

  read(): CallStatistics {
    const latency = this.#latency();
    return {
      sent: this.#sent,
      ...(latency === undefined ? {} : { latency }),
      ...(this.#lastOkAtMs === undefined ? {} : { lastOkAtMs: this.#lastOkAtMs }),
      failures: latestFirst(this.#failures),
      heldBack: latestFirst(this.#heldBack),
    };
  }

  #latency(): LatencySummary | undefined {
    const calls = Math.min(this.#timed, KEPT_CALLS);
    if (calls === 0) return undefined;
    const sorted = this.#latencies.slice(0, calls).sort();
    const rank = (share: number) => sorted[Math.ceil(calls * share) - 1] ?? 0;
    return { calls, p50Ms: rank(0.5), p95Ms: rank(0.95), p99Ms: rank(0.99), maxMs: rank(1) };
  }
}

function addTrouble(counts: Map<FailureKind, TroubleCount>, failure: Failure, atMs: number): void {
  const { kind, detail, upstreamStatus } = failure;
  const count = (counts.get(kind)?.count ?? 0) + 1;
  const status = upstreamStatus === undefined ? {} : { lastStatus: upstreamStatus };
  counts.set(kind, { kind, count, lastAtMs: atMs, lastDetail: detail, ...status });
}

function latestFirst(counts: ReadonlyMap<FailureKind, TroubleCount>): TroubleCount[] {
  return [...counts.values()].sort((one, other) => other.lastAtMs - one.lastAtMs);
}
