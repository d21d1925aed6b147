import type { CallEvent } from '@/lib/core/call-event';
import type { FailureKind } from '@/lib/core/outcome';
import { type HealthSpan, HISTORY_MS, type RecentCall } from '@/lib/core/service-report';
import { MINUTE_MS } from '@/lib/core/time';

/** Few enough to be sent with every report. */
const MAX_RECENT_CALLS = 15;

/** Calls of the last day, minute by minute, and the latest ones. Bounded, and lost at a restart. */
export class CallHistory {
  #spans: HealthSpan[] = [];
  #recent: RecentCall[] = [];

  /** @param failure reason why the service counts as failing; absent if it only refused this request */
  add(atMs: number, event: CallEvent, failure: FailureKind | undefined): void {
    const { route, status, outcome, ms, bytes } = event;
    this.#recent = [{ atMs, route, status, outcome, ms, bytes }, ...this.#recent].slice(0, MAX_RECENT_CALLS);
    const fromMs = Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
    const existing = this.#spans.findLast((span) => span.fromMs === fromMs);
    const span = existing ?? { fromMs, calls: 0, failed: 0 };
    span.calls += 1;
    if (failure !== undefined) {
      span.failed += 1;
      span.firstFailure ??= { atMs, kind: failure };
    }
    if (existing === undefined) this.#spans = [...this.#withinDay(atMs), span];
  }

  /** Newest first. */
  recent(): RecentCall[] {
    return this.#recent;
  }

  /** Oldest first, without steps in which no call was made. @param stepMs whole minutes */
  spans(nowMs: number, stepMs: number): HealthSpan[] {
    const steps = new Map<number, HealthSpan>();
    for (const span of this.#withinDay(nowMs)) {
      const fromMs = Math.floor(span.fromMs / stepMs) * stepMs;
      const step = steps.get(fromMs);
      if (step === undefined) steps.set(fromMs, { ...span, fromMs });
      else {
        step.calls += span.calls;
        step.failed += span.failed;
        step.firstFailure ??= span.firstFailure;
      }
    }
    return [...steps.values()];
  }

  #withinDay(nowMs: number): HealthSpan[] {
    return this.#spans.filter(({ fromMs }) => fromMs + MINUTE_MS > nowMs - HISTORY_MS);
  }
}
