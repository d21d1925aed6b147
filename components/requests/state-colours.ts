import type { BucketCounts } from '@/lib/requests/requests-response';

/** Colours of states in the histogram. */
export const STATE_COLOURS: Record<keyof BucketCounts, string> = {
  completed: 'var(--ks-chart-fine)',
  pending: 'var(--ks-wait)',
  unknown: 'var(--ks-odd)',
  'callback-failed': 'var(--ks-warn)',
  failed: 'var(--ks-bad)',
};
