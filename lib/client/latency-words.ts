import { assertNever } from '@/lib/domain/assert-never';
import { type ClockOffsets, type LatencyPartName, latencyPrecision } from '@/lib/domain/feed-latency';
import { formatSpan } from './human-time';
import type { LatencyPicture } from './latency-log';

/** What a part of the way is called. */
export function latencyPartWords(part: LatencyPartName): string {
  switch (part) {
    case 'proof':
      return 'Published → proof';
    case 'upstream':
      return 'Proof → our server';
    case 'to-server':
      return 'Published → our server';
    case 'browser':
      return 'Our server → this browser';
    default:
      return assertNever(part);
  }
}

/** `40 ms`, `1.3 s`, `2 min 03 s`. */
export function latencyText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(Math.floor(ms / 100) / 10).toFixed(1)} s` : formatSpan(ms);
}

/** A part with how exact it is: `1.0 s ±1 s`, `40 ms`. */
export function latencyPartText(part: LatencyPartName, ms: number): string {
  return latencyPrecision(part) === 'second' ? `${latencyText(ms)} ±1 s` : latencyText(ms);
}

/** What was done about clocks that disagree: a sentence for each, none while they agree. */
export function clockSentences({ serverMs, browserMs }: ClockOffsets): string[] {
  const sentences: string[] = [];
  const taken = 'That is taken off, so the fastest update of the last 10 min counts as 0.';
  if (browserMs !== 0) {
    const direction = browserMs > 0 ? 'ahead of' : 'behind';
    const by = formatSpan(Math.abs(browserMs));
    sentences.push(`The clock of this computer is about ${by} ${direction} our server’s. ${taken}`);
  }
  if (serverMs !== 0) {
    const direction = serverMs > 0 ? 'ahead of' : 'behind';
    const by = formatSpan(Math.abs(serverMs));
    sentences.push(`Our server’s clock is about ${by} ${direction} the publisher’s. ${taken}`);
  }
  return sentences;
}

/** The chart in one sentence, for those who can't see it. */
export function latencySummaryText(symbol: string, { summary }: LatencyPicture): string {
  const parts = summary.medians
    .map(({ name, ms }) => `${latencyPartWords(name)} ${latencyPartText(name, ms)}`)
    .join(', ');
  const count = summary.count === 1 ? 'the last update' : `the last ${summary.count} updates`;
  return `Latency of ${symbol} over ${count}, medians: ${parts}; in all ${latencyText(summary.medianTotalMs)}, slowest ${latencyText(summary.slowestMs)}`;
}
