import { assertNever } from '@/lib/core/outcome';
import type { FeedTick } from './feed-tick';
import { RunningMinimum } from './running-minimum';

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
    if (tick.browserMs === undefined || tick.filled === 'yes') return undefined;
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
