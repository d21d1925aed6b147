import type { Failure, FailureKind } from '@/lib/core/outcome';
import { type AnswerDates, createAnswerDates } from './answer-dates';
import { CallCounter, type CallStatistics } from './call-statistics';

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
