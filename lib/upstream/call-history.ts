import type { CallEvent } from '@/lib/core/call-event';
import type { FailureKind } from '@/lib/core/outcome';
import { type HealthSpan, HISTORY_MS, HISTORY_SPAN_MS, type RecentCall } from '@/lib/core/service-report';

/** Enough to see what has just happened, and few enough to go out with every report. */
const MAX_RECENT_CALLS = 15;

/** Calls of one service in the last day by outcome, span by span, and its latest calls. Bounded; lost at a restart. */
export class CallHistory {
  #spans: HealthSpan[] = [];
  #recent: RecentCall[] = [];

  /** @param failure why the service counts as failing; absent where it works, also where it refused this one request */
  add(atMs: number, event: CallEvent, failure: FailureKind | undefined): void {
    const { route, status, outcome, ms, bytes } = event;
    this.#recent = [{ atMs, route, status, outcome, ms, bytes }, ...this.#recent].slice(0, MAX_RECENT_CALLS);
    const fromMs = Math.floor(atMs / HISTORY_SPAN_MS) * HISTORY_SPAN_MS;
    const existing = this.#spans.find((span) => span.fromMs === fromMs);
    const span = existing ?? { fromMs, calls: 0, failed: 0 };
    span.calls += 1;
    if (failure !== undefined) {
      span.failed += 1;
      span.firstFailure ??= { atMs, kind: failure };
    }
    if (existing === undefined) this.#spans = [...this.#withinDay(atMs), span];
  }

  /** The latest calls, the newest first. */
  recent(): RecentCall[] {
    return this.#recent;
  }

  /** The spans of the last day in which calls were made, the oldest first. */
  spans(nowMs: number): HealthSpan[] {
    return this.#withinDay(nowMs).map((span) => ({ ...span }));
  }

  #withinDay(nowMs: number): HealthSpan[] {
    return this.#spans.filter(({ fromMs }) => fromMs + HISTORY_SPAN_MS > nowMs - HISTORY_MS);
  }
}
