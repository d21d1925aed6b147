import type { IncomingHttpHeaders } from 'node:http';
import type { Failure, FailureKind } from '@/lib/core/outcome';

/** One call as metrics and logs see it. Never a key, a query or a body. */
export type CallEvent = {
  /** `logs:main`, `updates`, … */
  label: string;
  /** The route's pattern, not the path: few different values. */
  route: string;
  outcome: 'ok' | FailureKind;
  /** From sending to the end of the answer; 0 when nothing was sent. */
  ms: number;
  /** Of the answer's body, decompressed; 0 for a stream, whose bytes come later. */
  bytes: number;
  /** The service's own; absent when no answer came. */
  status?: number;
  /** False when the call ended here: a shut gate or a spent budget. */
  called: boolean;
};

/** What health shows of a service: the last call that really went out. `ok` is null before the first. */
export type LastCall = { ok: boolean | null; kind?: FailureKind; checkedAt?: string; latencyMs?: number };

/** A call that went out and came back. `ms` from sending to the end of the answer; `bytes` and `status` as in `CallEvent`. */
export type FinishedCall = Pick<CallEvent, 'route' | 'ms' | 'status'> & { bytes?: number };

export type CallRecord = {
  last(): LastCall;
  /** All calls since the start, counted. */
  statistics(): CallStatistics;
  /** What the dates of its answers say of its clock. */
  readonly dates: AnswerDates;
  /** @param sound the service works although it refused this request */
  finished(call: FinishedCall, failure: Failure | undefined, sound: boolean): void;
  /** A call was refused here. */
  heldBack(route: string, failure: Failure): void;
};

/** Keeps the last call of a service, counts all of them, and tells the observer about each. `now` is unix milliseconds. */
export function createCallRecord(
  label: string,
  now: () => number,
  observe: (event: CallEvent) => void = () => {},
): CallRecord {
  let last: { call: LastCall; atMs: number } | undefined;
  const counter = new CallCounter();
  return {
    // Written out when somebody asks: a time as text costs more than all the rest of keeping it.
    last: () => (last ? { ...last.call, checkedAt: new Date(last.atMs).toISOString() } : { ok: null }),
    statistics: () => counter.read(),
    dates: createAnswerDates(now),
    finished({ bytes = 0, ...finished }, failure, sound) {
      const ms = Math.max(0, Math.round(finished.ms * 10) / 10);
      const latencyMs = Math.round(ms);
      const call = failure && !sound ? { ok: false, kind: failure.kind, latencyMs } : { ok: true, latencyMs };
      last = { call, atMs: now() };
      counter.finished(ms, failure, last.atMs);
      observe({ ...finished, label, outcome: failure?.kind ?? 'ok', ms, bytes, called: true });
    },
    heldBack(route, failure) {
      counter.heldBack(failure, now());
      observe({ label, route, outcome: failure.kind, ms: 0, bytes: 0, called: false });
    },
  };
}

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
      latency,
      lastOkAtMs: this.#lastOkAtMs,
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

/** Trouble that did not come again for so long is over: what comes later is counted anew. */
const COUNTED_MS = 3_600_000;

function addTrouble(counts: Map<FailureKind, TroubleCount>, failure: Failure, atMs: number): void {
  const { kind, detail, upstreamStatus } = failure;
  const before = counts.get(kind);
  const count = before !== undefined && atMs - before.lastAtMs < COUNTED_MS ? before.count + 1 : 1;
  const status = upstreamStatus === undefined ? {} : { lastStatus: upstreamStatus };
  counts.set(kind, { kind, count, lastAtMs: atMs, lastDetail: detail, ...status });
}

function latestFirst(counts: ReadonlyMap<FailureKind, TroubleCount>): TroubleCount[] {
  return [...counts.values()].sort((one, other) => other.lastAtMs - one.lastAtMs);
}

/** What the `Date` of a host's latest answers says of its clock. Moments are unix milliseconds. */
export type AnswerClock = {
  /** How far it is ahead of our clock at least, milliseconds; behind where negative; 0 where no difference is proved. */
  offByMs: number;
  /** What the answer that says so is dated, by the clock of whoever dated it. */
  datedMs: number;
  /** When that answer was here, by ours. */
  atMs: number;
  /** So many of the latest answers were looked at; this one is off by least. */
  answers: number;
};

export type AnswerDates = {
  /**
   * Takes what an answer's headers say.
   * @param ms how long the call took
   */
  heard(headers: IncomingHttpHeaders, ms: number): void;
  /** Undefined before the first answer that says when it was made. */
  clock(): AnswerClock | undefined;
};

/**
 * So many of the latest answers are kept, and the one that is off by least counts: a cache that does not say how old its
 * answers are makes them look older, never younger, and one host of several whose clock is off is no clock of the service.
 */
const KEPT_ANSWERS = 3;
/** A `Date` names whole seconds, rounded down (RFC 9110, 5.6.7). */
const DATE_STEP_MS = 1000;

/** Compares the dates of one host's answers with our clock. `now` is unix milliseconds. */
export function createAnswerDates(now: () => number): AnswerDates {
  let kept: Omit<AnswerClock, 'answers'>[] = [];
  return {
    heard(headers, ms) {
      const datedMs = datedAt(headers);
      if (datedMs === undefined) return;
      const atMs = now();
      kept = [{ offByMs: offBy(datedMs, atMs - ms, atMs), datedMs, atMs }, ...kept].slice(0, KEPT_ANSWERS);
    },
    clock() {
      const [least] = kept.toSorted((one, other) => Math.abs(one.offByMs) - Math.abs(other.offByMs));
      return least && { ...least, answers: kept.length };
    },
  };
}

/**
 * When an answer was made, by whoever dated it. Undefined where it does not say, says it twice or in another form than
 * HTTP's own (`Sun, 06 Nov 1994 08:49:37 GMT`), and where a cache has kept it for a while: its `Age` says so.
 */
export function datedAt({ date, age = '0' }: IncomingHttpHeaders): number | undefined {
  if (typeof date !== 'string' || age !== '0') return undefined;
  const ms = Date.parse(date);
  // What comes out as it went in is of that form, down to the day of the week.
  return !Number.isNaN(ms) && new Date(ms).toUTCString() === date ? ms : undefined;
}

/** Dated between the sending of the call and its answer, an answer proves no difference. */
function offBy(datedMs: number, sentMs: number, atMs: number): number {
  if (datedMs > atMs) return datedMs - atMs;
  return Math.min(0, datedMs + DATE_STEP_MS - sentMs);
}
