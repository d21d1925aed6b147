import { assertNever } from '@/lib/core/outcome';
import { formatSpan } from '@/lib/core/time';
import type { FeedTick } from '@/lib/feeds/feed-tick';
import { type FeedPoint, tickOf } from './history';

/** At so many the oldest go, whatever the window: a feed of hundreds of updates a second must not cost memory. */
const MOST_KEPT = 4_096;

/**
 * The smallest of the values of the last while. Only those are kept that may still become the smallest, so adding one
 * costs the same however long the window is.
 */
export class RunningMinimum {
  /** Ascending in both time and value. */
  #kept: { readonly atMs: number; readonly value: number }[] = [];

  constructor(private readonly windowMs: number) {}

  /** Times do not go back; one that does counts as the time of the one before. */
  add(atMs: number, value: number): void {
    const nowMs = Math.max(atMs, this.#kept.at(-1)?.atMs ?? atMs);
    while ((this.#kept.at(-1)?.value ?? -Infinity) >= value) this.#kept.pop();
    this.#kept.push({ atMs: nowMs, value });
    const oldestMs = nowMs - this.windowMs;
    const stale = this.#kept.findIndex((one) => one.atMs >= oldestMs);
    const drop = Math.max(stale, this.#kept.length - MOST_KEPT);
    if (drop > 0) this.#kept.splice(0, drop);
  }

  /** Undefined before the first. */
  value(): number | undefined {
    return this.#kept[0]?.value;
  }
}

/**
 * A part of the way of an update. `proof`: published until its proof was available. `upstream`: from there to our
 * server. `to-server`: both together, where the service tells no proof time. `browser`: our server to this browser.
 */
export type LatencyPartName = 'proof' | 'upstream' | 'to-server' | 'browser';

export const LATENCY_PARTS: readonly LatencyPartName[] = ['proof', 'upstream', 'to-server', 'browser'];

/** How exact a part is: one end of it is a time in whole seconds, or both ends are in milliseconds. */
export function latencyPrecision(part: LatencyPartName): 'second' | 'millisecond' {
  switch (part) {
    case 'proof':
    case 'upstream':
    case 'to-server':
      return 'second';
    case 'browser':
      return 'millisecond';
    default:
      return assertNever(part);
  }
}

export type LatencyPart = { readonly name: LatencyPartName; readonly ms: number };

/** One update: its parts in the order of the way, never negative, by clocks that were brought together. */
export type UpdateLatency = {
  /** When it arrived here by this browser's clock, unix milliseconds. */
  readonly atMs: number;
  readonly parts: readonly LatencyPart[];
  readonly totalMs: number;
};

/**
 * What was taken off because two clocks disagree, milliseconds; 0 while they agree as far as can be told. `server`: how
 * far our server is behind (negative) or ahead of the publisher; `browser`: the same of this browser and our server.
 */
export type ClockOffsets = { readonly serverMs: number; readonly browserMs: number };

/** How long the smallest delay is remembered: clocks drift, and one network may be left for another. */
export const OFFSET_WINDOW_MS = 10 * 60_000;
/** A smallest delay over this is taken for a difference of clocks: no service stays so far behind for so long. */
const CREDIBLE_TO_SERVER_MS = 30_000;
/** From our server to its browser nothing takes longer for ten minutes on end. */
const CREDIBLE_TO_BROWSER_MS = 5_000;

/**
 * Takes the way of updates apart. Delay only ever adds, so the smallest delay of the last ten minutes tells whether two
 * clocks can agree: if it is negative, or longer than any way takes, the clocks differ by it, and it is taken off.
 * What remains is then the time above the fastest update, since one-way times can't be had from clocks that disagree.
 */
export class LatencyReader {
  readonly #toServer = new RunningMinimum(OFFSET_WINDOW_MS);
  readonly #toBrowser = new RunningMinimum(OFFSET_WINDOW_MS);

  /** Undefined for an update that was not pushed to this browser: the time of its coming says nothing about the way. */
  read(tick: FeedTick): UpdateLatency | undefined {
    if (tick.browserMs === undefined || tick.filled) return undefined;
    const leftS = Math.max(tick.publishS, tick.proofS ?? tick.publishS);
    this.#toServer.add(tick.browserMs, tick.serverMs - leftS * 1000);
    this.#toBrowser.add(tick.browserMs, tick.browserMs - tick.serverMs);
    const parts = partsOf(tick, tick.browserMs, this.offsets());
    return { atMs: tick.browserMs, parts, totalMs: parts.reduce((sum, { ms }) => sum + ms, 0) };
  }

  offsets(): ClockOffsets {
    return {
      serverMs: offsetOf(this.#toServer.value(), CREDIBLE_TO_SERVER_MS),
      browserMs: offsetOf(this.#toBrowser.value(), CREDIBLE_TO_BROWSER_MS),
    };
  }
}

function offsetOf(smallestMs: number | undefined, credibleMs: number): number {
  if (smallestMs === undefined) return 0;
  return smallestMs < 0 || smallestMs > credibleMs ? smallestMs : 0;
}

function partsOf(tick: FeedTick, browserMs: number, offsets: ClockOffsets): LatencyPart[] {
  const serverMs = tick.serverMs - offsets.serverMs;
  const browser = part('browser', browserMs - offsets.browserMs - tick.serverMs);
  const publishedMs = tick.publishS * 1000;
  if (tick.proofS === undefined) return [part('to-server', serverMs - publishedMs), browser];
  const provedMs = tick.proofS * 1000;
  return [part('proof', provedMs - publishedMs), part('upstream', serverMs - provedMs), browser];
}

function part(name: LatencyPartName, ms: number): LatencyPart {
  return { name, ms: Math.max(0, ms) };
}

export type LatencySummary = {
  readonly count: number;
  /** Of each part that any update has, in the order of the way. */
  readonly medians: readonly LatencyPart[];
  readonly medianTotalMs: number;
  readonly slowestMs: number;
};

/** The middle of the updates; undefined where there are none. */
export function summarizeLatency(updates: readonly UpdateLatency[]): LatencySummary | undefined {
  const totals = updates.map(({ totalMs }) => totalMs);
  const medianTotalMs = median(totals);
  if (medianTotalMs === undefined) return undefined;
  const medians = LATENCY_PARTS.flatMap((name) => {
    const ms = median(updates.flatMap(({ parts }) => parts.find((one) => one.name === name)?.ms ?? []));
    return ms === undefined ? [] : [{ name, ms }];
  });
  return { count: updates.length, medians, medianTotalMs, slowestMs: Math.max(...totals) };
}

/** The middle one; of two in the middle the lower, so that it is a time that was measured. */
export function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
}

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
