import type { Failure, FailureKind } from '@/lib/core/outcome';
import type { TroubleReport } from '@/lib/core/service-report';
import { HOUR_MS, MINUTE_MS } from '@/lib/core/time';

type Counted = Omit<TroubleReport, 'count'> & {
  /** `minute` is unix time in minutes. */
  minutes: { minute: number; count: number }[];
};

/** Failures of the last hour. The memory is bounded. */
export class TroubleCounts {
  readonly #byKind = new Map<FailureKind, Counted>();

  add({ kind, detail: lastDetail, upstreamStatus }: Failure, lastAtMs: number): void {
    const minutes = recent(this.#byKind.get(kind)?.minutes ?? [], lastAtMs);
    const minute = Math.floor(lastAtMs / MINUTE_MS);
    const last = minutes.at(-1);
    if (last?.minute === minute) last.count += 1;
    else minutes.push({ minute, count: 1 });
    const status = upstreamStatus === undefined ? {} : { lastStatus: upstreamStatus };
    this.#byKind.set(kind, { kind, minutes, lastAtMs, lastDetail, ...status });
  }

  /** Latest first. */
  ofLastHour(nowMs: number): TroubleReport[] {
    return [...this.#byKind.values()]
      .flatMap(({ minutes, ...trouble }) => {
        const count = recent(minutes, nowMs).reduce((sum, minute) => sum + minute.count, 0);
        return count === 0 ? [] : [{ ...trouble, count }];
      })
      .sort((a, b) => b.lastAtMs - a.lastAtMs);
  }
}

const recent = (minutes: Counted['minutes'], nowMs: number) =>
  minutes.filter(({ minute }) => minute * MINUTE_MS > nowMs - HOUR_MS);
