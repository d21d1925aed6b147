import type { CompactFeed } from '@/lib/contract/codec/feed-stream';
import { scaledToNumber } from '@/lib/domain/scaled-number';
import type { FeedPoint } from './feed-history';

/** Moments kept of a feed. At the bound the half that was asked for first goes: days of looking around. */
const MOST_KEPT = 10_000;

/** The feed published nothing between these two seconds. */
export type Silence = { readonly fromS: number; readonly untilS: number };

/** What was asked of one feed's past: for each moment (unix seconds) the first update at or after it, or that there is none. */
export class KnownSamples {
  readonly #asked = new Map<number, CompactFeed | undefined>();
  readonly #byTime = new Map<number, FeedPoint>();
  #sorted: readonly FeedPoint[] | undefined = [];
  #newestS = Number.NEGATIVE_INFINITY;
  /** The service keeps nothing of the feed up to this second. */
  #beginS = Number.NEGATIVE_INFINITY;
  /** From this second on the feed had published nothing when it was asked for: what comes since, the stream brings. */
  #silentFromS = Number.POSITIVE_INFINITY;
  #version = 0;

  /** Grows with every change. */
  get version(): number {
    return this.#version;
  }

  note(t: number, update: CompactFeed | undefined): void {
    this.#asked.set(t, update);
    this.#version += 1;
    if (update === undefined) this.#noteNothing(t);
    else this.#noteUpdate(update);
    if (this.#asked.size > MOST_KEPT) this.#forgetHalf();
  }

  /** Whether asking for this moment would tell nothing new. */
  answers(t: number): boolean {
    if (this.#asked.has(t) || t <= this.#beginS || t >= this.#silentFromS) return true;
    // An update that was published later is also the first one after every moment since the one before it.
    const next = firstFrom(this.points(), t);
    return next?.pp !== undefined && next.pp < t;
  }

  /** The updates that were found, oldest first, each once, at their publish times. */
  points(): readonly FeedPoint[] {
    this.#sorted ??= [...this.#byTime.values()].sort((a, b) => a.atMs - b.atMs);
    return this.#sorted;
  }

  /** Where the feed was silent for longer than `afterS`, as far as its updates tell. */
  silences(afterS: number): Silence[] {
    const found = new Map<number, Silence>();
    for (const [t, update] of this.#asked) {
      if (update === undefined) continue;
      const fromS = update.pp ?? t;
      if (update.t - fromS > afterS) found.set(update.t, { fromS, untilS: update.t });
    }
    return [...found.values()].sort((a, b) => a.fromS - b.fromS);
  }

  #noteUpdate(update: CompactFeed): void {
    this.#newestS = Math.max(this.#newestS, update.t);
    if (update.t >= this.#silentFromS) this.#silentFromS = Number.POSITIVE_INFINITY;
    if (this.#byTime.has(update.t)) return;
    this.#byTime.set(update.t, samplePoint(update));
    this.#sorted = undefined;
  }

  /** Nothing, though there was something later: what the service keeps begins after it. */
  #noteNothing(t: number): void {
    if (t < this.#newestS) this.#beginS = Math.max(this.#beginS, t);
    else this.#silentFromS = Math.min(this.#silentFromS, t);
  }

  #forgetHalf(): void {
    for (const t of [...this.#asked.keys()].slice(0, MOST_KEPT / 2)) this.#asked.delete(t);
    this.#byTime.clear();
    for (const update of this.#asked.values()) if (update !== undefined) this.#noteUpdate(update);
    this.#sorted = undefined;
  }
}

/** The first update at or after a second. */
function firstFrom(points: readonly FeedPoint[], t: number): CompactFeed | undefined {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.atMs ?? 0) < t * 1000) low = middle + 1;
    else high = middle;
  }
  return points[low]?.update;
}

/** An update as a point at its publish second. */
export function samplePoint(update: CompactFeed): FeedPoint {
  const number = (mantissa: string, expo: number) => scaledToNumber({ mantissa: BigInt(mantissa), expo });
  const point = {
    atMs: update.t * 1000,
    price: number(update.p, update.e),
    conf: number(update.c, update.e),
    exact: { p: update.p, e: update.e },
    update,
  };
  return update.ep === undefined ? point : { ...point, ema: number(update.ep, update.ee ?? update.e) };
}

/**
 * What the stream brought and what was sampled, oldest first. Where the stream has an update of a second, that second's
 * sample is the same update once more and is left out.
 */
export function mergedPoints(
  live: readonly FeedPoint[],
  samples: readonly FeedPoint[],
): readonly FeedPoint[] {
  if (samples.length === 0) return live;
  const seconds = new Set(live.map(({ atMs, update }) => update?.t ?? Math.floor(atMs / 1000)));
  const others = samples.filter(({ atMs, update }) => !seconds.has(update?.t ?? atMs / 1000));
  if (live.length === 0) return others;
  return [...live, ...others].sort((a, b) => a.atMs - b.atMs);
}
