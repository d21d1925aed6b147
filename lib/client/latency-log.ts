import {
  type ClockOffsets,
  LatencyReader,
  type LatencySummary,
  summarizeLatency,
  type UpdateLatency,
} from '@/lib/domain/feed-latency';
import type { FeedPoint } from './feed-history';
import { tickOf } from './feed-ticks';

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
      if (update === undefined || heardMs === undefined) continue;
      this.#readUntilMs = Math.max(this.#readUntilMs, heardMs);
      const latency = this.#reader.read(tickOf(update, heardMs));
      if (latency === undefined) continue;
      this.#turn += 1;
      this.#updates.push({ ...latency, turn: this.#turn });
    }
    this.#updates = this.#updates.slice(-SHOWN_UPDATES);
    const summary = summarizeLatency(this.#updates);
    return summary && { updates: this.#updates, summary, offsets: this.#reader.offsets() };
  }
}
