import { assertNever } from '@/lib/core/outcome';
import { formatSpan } from '@/lib/core/time';
import {
  type ClockOffsets,
  type LatencyPartName,
  LatencyReader,
  type LatencySummary,
  latencyPrecision,
  summarizeLatency,
  type UpdateLatency,
} from '@/lib/feeds/feed-latency';
import { type FeedPoint, tickOf } from './history';

/** So many of the last updates are shown. */
export const SHOWN_UPDATES = 60;

/** `turn` counts the updates of one log: several may arrive in one millisecond. */
export type ShownLatency = UpdateLatency & { readonly turn: number };

export type LatencyPicture = {
  /** Oldest first. */
  readonly updates: readonly ShownLatency[];
  readonly summary: LatencySummary;
  readonly offsets: ClockOffsets;
};

/** The way of the last updates of one feed, read once each however often it is drawn. */
export class LatencyLog {
  readonly #reader = new LatencyReader();
  #updates: ShownLatency[] = [];
  #turn = 0;
  /** When the last update that was read had been received. */
  #readUntilMs = Number.NEGATIVE_INFINITY;

  /** Takes in what is new of the history (oldest first). Undefined as long as nothing was pushed to this browser. */
  read(points: readonly FeedPoint[]): LatencyPicture | undefined {
    const untilMs = this.#readUntilMs;
    const first = points.findLastIndex(({ heardMs }) => heardMs !== undefined && heardMs <= untilMs);
    for (const { update, heardMs } of points.slice(first + 1)) {
      if (heardMs === undefined) continue;
      this.#readUntilMs = Math.max(this.#readUntilMs, heardMs);
      const latency = this.#reader.read(tickOf({ update, heardMs }));
      if (latency === undefined) continue;
      this.#turn += 1;
      this.#updates.push({ ...latency, turn: this.#turn });
    }
    this.#updates = this.#updates.slice(-SHOWN_UPDATES);
    const summary = summarizeLatency(this.#updates);
    return summary && { updates: this.#updates, summary, offsets: this.#reader.offsets() };
  }
}

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
  return `Latency of ${symbol} over ${count}, p50: ${parts}; total ${latencyText(summary.medianTotalMs)}, max ${latencyText(summary.slowestMs)}`;
}
