import { type RequestRecord, requestDuration } from '@/lib/core/request-record';
import { formatAge, formatDuration, formatSpan } from '@/lib/core/time';
import type { TypicalLatency } from './one';

type Told = Pick<RequestRecord, 'state' | 'createdAt' | 'updatedAt'>;

/** A failed request may still complete for so long, as a rule. */
const STILL_RETRIED_MS = 3_600_000;

/** What happened and how fast; `failed` and reverted ones go on with the failure, which is a stranger's text. */
export function whatHappened(record: Told, nowMs: number): string {
  const { state } = record;
  const length = requestDuration(record, nowMs);
  const spent = length === undefined ? '' : ` in ${formatDuration(length.ms)}`;
  switch (state.kind) {
    case 'pending':
      return `Pending for ${formatAge(Math.max(0, nowMs - record.createdAt.ms))}`;
    case 'failed':
      return length === undefined ? 'Failed' : `Failed after ${formatDuration(length.ms)}`;
    case 'unknown':
      return 'A state this version does not know';
    case 'completed':
      if (state.callback === 'failed') return `Revealed${spent}, then the callback reverted`;
      return state.callback === 'ok' ? `Completed${spent}, callback ran` : `Completed${spent}`;
  }
}

/** What can be done, or what is still to come; undefined where nothing is. `retry`: a command runs the callback again. */
export function whatNext(record: Told, retry: boolean, nowMs: number): string | undefined {
  const { state } = record;
  switch (state.kind) {
    case 'pending':
      return 'No outcome logged. Verify on-chain.';
    case 'failed':
      return nowMs - record.createdAt.ms < STILL_RETRIED_MS ? 'It may still complete.' : undefined;
    case 'completed':
      if (state.callback === 'failed')
        return retry ? 'Retry the callback with the command below.' : undefined;
      return state.callback === 'unknown' ? 'The service does not report the callback.' : undefined;
    case 'unknown':
      return undefined;
  }
}

/** `p50 2.1 s · p95 9.4 s, 4,310 requests on Base in 7 d`, without the place. */
export function latencyFigures({ p50Ms, p95Ms }: TypicalLatency): string {
  return `p50 ${formatDuration(p50Ms)} · p95 ${formatDuration(p95Ms)}`;
}

/** The time that the figures are of: `last 7 d`, or all that is held. */
export function latencySpan({ days }: TypicalLatency): string {
  return days === undefined ? 'all time' : `last ${formatSpan(days * 86_400_000)}`;
}

/** Where a latency, or the age of a request that has not finished, lies among the typical ones. */
export function latencyPlace(ms: number, { p50Ms, p95Ms }: TypicalLatency): 'fast' | 'usual' | 'slow' {
  if (ms <= p50Ms) return 'fast';
  return ms <= p95Ms ? 'usual' : 'slow';
}

export const PLACE_WORDS: Record<'duration' | 'age', Record<ReturnType<typeof latencyPlace>, string>> = {
  duration: { fast: 'Faster than p50', usual: 'Between p50 and p95', slow: 'Slower than p95' },
  age: { fast: 'Below p50 so far', usual: 'Past p50', slow: 'Past p95' },
};

/** `98.50` → `98.5%`. */
export function percentWords(percent: string): string {
  return `${Number(percent).toFixed(1).replace(/\.0$/, '')}%`;
}
