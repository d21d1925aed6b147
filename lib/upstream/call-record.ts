import type { Failure, FailureKind } from '@/lib/domain/outcome';

/** One call as metrics and logs see it. Never a key, a query or a body. */
export type CallEvent = {
  /** `logs:main`, `updates`, … */
  label: string;
  /** The route's pattern, not the path: few different values. */
  route: string;
  outcome: 'ok' | FailureKind;
  /** From sending to the end of the answer; 0 when nothing was sent. */
  ms: number;
  /** False when the call ended here: a shut gate or a spent budget. */
  called: boolean;
};

/** What health shows of a service: the last call that really went out. `ok` is null before the first. */
export type LastCall = { ok: boolean | null; kind?: FailureKind; checkedAt?: string; latencyMs?: number };

export type CallRecord = {
  last(): LastCall;
  /**
   * A call went out and came back. `sound`: the service works although it refused this request.
   * @param ms from sending to the end of the answer
   */
  finished(route: string, ms: number, failure: Failure | undefined, sound: boolean): void;
  /** A call was refused here. */
  heldBack(route: string, failure: Failure): void;
};

/** Keeps the last call of a service and tells the observer about each. `now` is unix milliseconds. */
export function createCallRecord(
  label: string,
  now: () => number,
  observe: (event: CallEvent) => void = () => {},
): CallRecord {
  let last: LastCall = { ok: null };
  return {
    last: () => last,
    finished(route, elapsedMs, failure, sound) {
      const ms = Math.max(0, Math.round(elapsedMs * 10) / 10);
      const about = { checkedAt: new Date(now()).toISOString(), latencyMs: Math.round(ms) };
      last = failure && !sound ? { ok: false, kind: failure.kind, ...about } : { ok: true, ...about };
      observe({ label, route, outcome: failure?.kind ?? 'ok', ms, called: true });
    },
    heldBack(route, failure) {
      observe({ label, route, outcome: failure.kind, ms: 0, called: false });
    },
  };
}
