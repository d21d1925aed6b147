import type { SpanTotals } from '@/lib/core/span-figures';
import type { Histogram } from './requests-response';
import { type ShownState, STATE_LOOKS } from './state-looks';

/**
 * Parts of a bar of a chart of requests, which add up to all its requests. Like the state buttons, `pending` leaves out
 * the rows that their keeper no longer serves: they are `unserved`.
 */
export type BarPart = ShownState | 'unserved';
export type BarCounts = Record<BarPart, number>;

export const PART_LOOKS: Record<BarPart, { label: string; bar: string }> = {
  ...STATE_LOOKS,
  unserved: { label: 'No longer served', bar: 'var(--ks-chart-unserved)' },
};

/** From the bottom up. Failures have a plot of their own, so that many completed requests don't hide them. */
export const FAILED_PARTS = ['callback-failed', 'failed'] as const satisfies readonly BarPart[];
export const OTHER_PARTS = [
  'completed',
  'pending',
  'unserved',
  'unknown',
] as const satisfies readonly BarPart[];
export const BAR_PARTS: readonly BarPart[] = [...OTHER_PARTS, ...FAILED_PARTS];

export function noBar(): BarCounts {
  return { completed: 0, pending: 0, unserved: 0, unknown: 0, 'callback-failed': 0, failed: 0 };
}

export function barOfTotals(totals: SpanTotals): BarCounts {
  const { requests, completed, callbackFailed, failed, pending, pendingGone } = totals;
  return {
    completed,
    pending: pending - pendingGone,
    unserved: pendingGone,
    unknown: requests - completed - callbackFailed - failed - pending,
    'callback-failed': callbackFailed,
    failed,
  };
}

export function barsOfHistogram({ buckets, gone }: Histogram): BarCounts[] {
  return buckets.map((counts, at) => {
    const unserved = gone[at] ?? 0;
    return { ...counts, pending: counts.pending - unserved, unserved };
  });
}
