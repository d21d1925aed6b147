import { hashOf, KIND } from './identity';
import type { Mixer } from './mix';
import { STATE, type State } from './row-table';
import type { WireRow } from './wire-row';

/** Rows of one series at most. Its number times this is the first of the numbers that its rows are drawn with. */
export const MAX_EXTRA_ROWS = 2 ** 20;

const SENDER = 80;
const END = 81;

/** Rows beside those of the world: a burst, or a steady rate. Times in unix and sandbox milliseconds. */
export type ExtraPlan = {
  /** Rises from one to the next; its provider is known by it, so that no sequence number meets another's. */
  number: number;
  sinceMs: number;
  /** Time between two rows; 0: all at `sinceMs`. */
  spacingMs: number;
  count: number;
  pendingMs: number;
  /** Numbers of the networks, which take turns. */
  networks: readonly number[];
};

export type ExtraRow = {
  /** Below 0, and another one for every row: numbers from 0 on are rows of the world. */
  key: number;
  series: number;
  k: number;
  createdMs: number;
  finishMs: number;
  network: number;
  sequence: number;
  sender: number;
  end: State;
};

/** The rows of a plan as time goes on. */
export class ExtraSeries {
  private readonly rows: ExtraRow[] = [];
  private endMs = Number.POSITIVE_INFINITY;

  constructor(
    private readonly plan: ExtraPlan,
    private readonly mixer: Mixer,
  ) {}

  /** No row comes after this time; those that came stay. */
  stop(ms: number): void {
    this.endMs = Math.min(this.endMs, ms);
  }

  /** The rows created at or before a time, oldest first. */
  until(ms: number): ExtraRow[] {
    const lastMs = Math.min(ms, this.endMs);
    const count = Math.min(this.plan.count, MAX_EXTRA_ROWS);
    while (this.rows.length < count && this.createdMs(this.rows.length) <= lastMs) {
      this.rows.push(this.make(this.rows.length));
    }
    const newest = this.rows.at(-1);
    // Only after the clock was set back are there rows that have not come yet.
    return newest && newest.createdMs > lastMs
      ? this.rows.filter(({ createdMs }) => createdMs <= lastMs)
      : this.rows;
  }

  private createdMs(index: number): number {
    const { sinceMs, spacingMs } = this.plan;
    return Math.floor(sinceMs + (index + 1) * spacingMs);
  }

  private make(index: number): ExtraRow {
    const { number, networks, pendingMs } = this.plan;
    const k = number * MAX_EXTRA_ROWS + index;
    const network = networks[index % networks.length] ?? 0;
    const createdMs = this.createdMs(index);
    const end = this.mixer.fraction(END, k);
    return {
      key: -k,
      series: number,
      k,
      createdMs,
      finishMs: createdMs + pendingMs,
      network,
      sequence: 1 + Math.floor(index / networks.length),
      // One of the four heavy senders of the network.
      sender: 10 + network * 4 + this.mixer.below(4, SENDER, k),
      end: end < 0.97 ? STATE.completed : end < 0.99 ? STATE.callbackFailed : STATE.failed,
    };
  }
}

export function stateOf({ finishMs, end }: ExtraRow, nowMs: number): State {
  return finishMs <= nowMs ? end : STATE.pending;
}

/** What the text of a row is made of at a time. `own`: the mixer of its figures, `world`: that of hashes. */
export function wireRowOf(row: ExtraRow, nowMs: number, own: Mixer, world: Mixer): WireRow {
  const { network, sender, sequence, createdMs, finishMs, k } = row;
  return {
    ...{ network, sender, sequence, createdMs, k },
    provider: row.series,
    updatedMs: finishMs <= nowMs ? finishMs : createdMs,
    state: stateOf(row, nowMs),
    mixer: own,
    contribution: k,
    requestHash: () => hashOf(world, KIND.extraRequest, k),
    revealHash: () => hashOf(world, KIND.extraReveal, k),
  };
}
