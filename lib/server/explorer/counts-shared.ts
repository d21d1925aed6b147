import 'server-only';
import type { HistogramLine } from '@/lib/contract/codec/histogram';
import { processWide } from '@/lib/server/process-wide';
import { type Services, services } from '@/lib/server/services';
import { realTimers } from '@/lib/upstream/timers';
import { type Counts, createCounts } from './counts';
import { type SharedLines, shareLines } from './histogram-shared';

/** What all viewers of this process share. */
export type SharedWork = {
  counts: Counts;
  histograms: SharedLines<HistogramLine>;
};

const HISTOGRAM_KEPT_MS = 10_000;
const HISTOGRAMS_KEPT = 50;

const kept = processWide<{ of: Services; work: SharedWork }>('explorer-counts');

/** The shared work of the services as they stand; other services (a restart within a test) begin anew. */
export function sharedWork(): SharedWork {
  const of = services();
  const known = kept.get();
  if (known?.of === of) return known.work;
  const work: SharedWork = {
    counts: createCounts({ now: Date.now, timers: realTimers }),
    histograms: shareLines({
      now: Date.now,
      keptMs: HISTOGRAM_KEPT_MS,
      mostKept: HISTOGRAMS_KEPT,
      isGood: ({ kind }) => kind === 'complete',
    }),
  };
  kept.set({ of, work });
  return work;
}
