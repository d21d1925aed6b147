import type { IncomingHttpHeaders } from 'node:http';
import type { CallEvent } from '@/lib/core/call-event';
import type { Failure, FailureKind } from '@/lib/core/outcome';
import { percentile } from '@/lib/core/percentile';
import type { HostReport, StreamsReport } from '@/lib/core/service-report';
import { MINUTE_MS } from '@/lib/core/time';
import { CallHistory } from './call-history';
import { TroubleCounts } from './trouble-counts';

/** `ok` is null before the first call. */
export type LastCall = {
  ok: boolean | null;
  kind?: FailureKind;
  atMs?: number;
  latencyMs?: number;
  /** Time of the first failure of the current run; absent while the last call succeeded. */
  failingSinceMs?: number;
  /** Set if the opening of a stream fails; other calls may succeed. */
  isStream?: true;
};

/** `ms`: time from sending to the end of the answer. */
export type FinishedCall = Pick<CallEvent, 'route' | 'ms' | 'status'> & {
  bytes?: number;
  isStream?: boolean;
  part?: string | undefined;
};

type CallStatistics = HostReport['calls'];

const MAX_LATENCY_SAMPLES = 500;
/** A failed opening is forgotten after this time: a wanted stream is tried again within half a minute. */
const STREAM_FAILURE_MS = 5 * MINUTE_MS;

/** Calls of one service. The memory is bounded. `now` is unix ms. */
export class CallRecord {
  #last: LastCall = { ok: null };
  #failedStream: LastCall | undefined;
  /** Last calls to parts of the host that serve another chain, or do not tell theirs. */
  readonly #wrongParts = new Map<string, LastCall>();
  #sent = 0;
  #lastOkAtMs: number | undefined;
  readonly #latencies: number[] = [];
  readonly #failures = new TroubleCounts();
  readonly #heldBack = new TroubleCounts();
  readonly history = new CallHistory();

  constructor(
    private readonly label: string,
    private readonly now: () => number,
    private readonly observe: (event: CallEvent) => void = () => {},
  ) {}

  /** The service counts as failing while streams can't be opened or a part is unusable, whatever other calls return. */
  get last(): LastCall {
    const [wrong] = this.#wrongParts.values();
    if (this.#last.ok && wrong) return wrong;
    const { atMs = Number.NEGATIVE_INFINITY, kind, failingSinceMs } = this.#failedStream ?? {};
    const isFailing = this.#last.ok && this.now() - atMs <= STREAM_FAILURE_MS;
    return isFailing ? { ...this.#last, ok: false, kind, failingSinceMs, isStream: true } : this.#last;
  }

  /** @param isHealthy the service works although it refused this request */
  finished(
    { bytes = 0, isStream = false, part, ...finished }: FinishedCall,
    failure: Failure | undefined,
    isHealthy: boolean,
  ): void {
    const ms = Math.max(0, Math.round(finished.ms * 10) / 10);
    const latencyMs = Math.round(ms);
    const atMs = this.now();
    const { failingSinceMs = atMs } = this.last;
    const failed = failure && !isHealthy ? { kind: failure.kind, failingSinceMs } : undefined;
    this.#last = { ok: !failed, ...failed, atMs, latencyMs, ...(failed && isStream && { isStream }) };
    if (isStream) this.#failedStream = failed && this.#last;
    if (part !== undefined && failure === undefined) this.#wrongParts.delete(part);
    if (part !== undefined && (failed?.kind === 'wrong-chain' || failed?.kind === 'malformed'))
      this.#wrongParts.set(part, this.#last);
    this.#sent += 1;
    // A refused connection takes no time, and would make a dead service seem fast.
    if (failure?.kind !== 'unreachable') this.#latencies.push(ms);
    if (this.#latencies.length > MAX_LATENCY_SAMPLES) this.#latencies.shift();
    if (failure) this.#failures.add(failure, atMs);
    else this.#lastOkAtMs = atMs;
    const { label } = this;
    const event: CallEvent = { ...finished, label, outcome: failure?.kind ?? 'ok', ms, bytes, called: true };
    this.history.add(atMs, event, failed?.kind);
    this.observe(event);
  }

  heldBack(route: string, failure: Failure): void {
    this.#heldBack.add(failure, this.now());
    this.observe({ label: this.label, route, outcome: failure.kind, ms: 0, bytes: 0, called: false });
  }

  statistics(nowMs = this.now()): CallStatistics {
    const sorted = this.#latencies.toSorted((a, b) => a - b);
    const rank = (percent: number) => percentile(sorted, percent) ?? 0;
    return {
      sent: this.#sent,
      latency:
        sorted.length === 0
          ? undefined
          : { calls: sorted.length, p50Ms: rank(50), p95Ms: rank(95), p99Ms: rank(99), maxMs: rank(100) },
      lastOkAtMs: this.#lastOkAtMs,
      failures: this.#failures.ofLastHour(nowMs),
      heldBack: this.#heldBack.ofLastHour(nowMs),
    };
  }
}

export type AnswerClock = NonNullable<HostReport['clock']>;

/** The least skewed answer counts, because caches make answers seem older, and one host of several may be off. */
const MAX_SAMPLES = 3;
/** `Date` is in whole seconds, rounded down (RFC 9110, 5.6.7). */
const DATE_STEP_MS = 1000;

/** Compares the `Date` headers of one host with our clock. `now` is unix ms. */
export class AnswerDates {
  #clocks: Omit<AnswerClock, 'answers'>[] = [];

  constructor(private readonly now: () => number) {}

  recordAnswer(headers: IncomingHttpHeaders, ms: number): void {
    const datedMs = responseDateMs(headers);
    if (datedMs === undefined) return;
    const atMs = this.now();
    // A date between the sending of the call and its answer proves no difference.
    const offByMs = datedMs > atMs ? datedMs - atMs : Math.min(0, datedMs + DATE_STEP_MS - (atMs - ms));
    this.#clocks = [{ offByMs, datedMs, atMs }, ...this.#clocks].slice(0, MAX_SAMPLES);
  }

  clock(): AnswerClock | undefined {
    const [leastSkewed] = this.#clocks.toSorted((a, b) => Math.abs(a.offByMs) - Math.abs(b.offByMs));
    return leastSkewed && { ...leastSkewed, answers: this.#clocks.length };
  }
}

/** Undefined without a valid `Date`, or if the answer comes from a cache (`Age`). */
function responseDateMs({ date, age = '0' }: IncomingHttpHeaders): number | undefined {
  if (typeof date !== 'string' || age !== '0') return undefined;
  const ms = Date.parse(date);
  // Only the HTTP date format survives this round trip, including the weekday.
  return !Number.isNaN(ms) && new Date(ms).toUTCString() === date ? ms : undefined;
}

export type OpenedStream = {
  /** Throws if the connection breaks. Ends when `close` is called, or when the caller's signal is aborted. */
  body: AsyncIterable<Uint8Array>;
  close(): void;
};

type OpenStreamState = StreamsReport['open'][number];
type StreamEnd = keyof StreamsReport['ends'];

export class StreamRecord {
  readonly #open = new Set<OpenStreamState>();
  readonly #ends: Record<StreamEnd, number> = { 'closed-here': 0, 'ended-by-service': 0, broken: 0 };
  #opened = 0;
  #lastEnd: StreamsReport['lastEnd'];

  constructor(private readonly now: () => number) {}

  /** @param passedOn called with the time in ms that each piece took */
  watch(
    source: AsyncIterable<Uint8Array> & { destroy(): unknown },
    query: string | undefined,
    signal: AbortSignal | undefined,
    passedOn?: (ms: number) => void,
  ): OpenedStream {
    const feeds = new URLSearchParams(query).getAll('ids[]').length;
    const state: OpenStreamState = { openedAtMs: this.now(), feeds };
    this.#opened += 1;
    this.#open.add(state);
    const finish = (end: StreamEnd) => {
      signal?.removeEventListener('abort', close);
      if (!this.#open.delete(state)) return;
      this.#ends[end] += 1;
      const atMs = this.now();
      if (end !== 'closed-here') this.#lastEnd = { end, atMs, lastedMs: atMs - state.openedAtMs };
    };
    const close = () => {
      finish('closed-here');
      source.destroy();
    };
    signal?.addEventListener('abort', close, { once: true });
    if (signal?.aborted) close();
    const { now } = this;
    const isOpen = () => this.#open.has(state);
    async function* pieces(): AsyncGenerator<Uint8Array> {
      try {
        for await (const piece of source) {
          state.lastByteAtMs = now();
          const cameAt = performance.now();
          yield piece;
          passedOn?.(performance.now() - cameAt);
        }
        finish('ended-by-service');
      } catch (error) {
        // Our own `close` also surfaces as an error here.
        if (!isOpen()) return;
        finish('broken');
        throw error;
      } finally {
        close();
      }
    }
    return { body: pieces(), close };
  }

  read(): StreamsReport {
    const open = [...this.#open].map((state) => ({ ...state }));
    return { open, opened: this.#opened, ends: { ...this.#ends }, lastEnd: this.#lastEnd };
  }
}
