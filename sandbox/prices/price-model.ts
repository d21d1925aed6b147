import { LRUCache } from 'lru-cache';
import { keccak256 } from '@/sandbox/keccak';
import type { SandboxFeed } from './feeds';
import { previousPublishTime, publishTime, slotTime } from './slots';

/** Layered value noise: independent for any moment, with the same digits on every machine. */
const FIRST_PERIOD_MS = 800;
const PERIOD_FACTOR = 4;
/** 800 ms to 39 days. */
const LAYERS = 12;
const DAY_MS = 86_400_000;

// Amplitude grows with the square root of the period, as in a random walk.
const layers = Array.from({ length: LAYERS }, (_, index) => {
  const periodMs = FIRST_PERIOD_MS * PERIOD_FACTOR ** index;
  return { index, periodMs, weight: 0.5 * Math.sqrt(periodMs / DAY_MS) };
});

/** Periods of 14 min and more. Faster layers cancel out over an hour. */
const FIRST_SLOW_LAYER = 5;
/** Time of the average price: about an hour, as in the real service. */
const AVERAGE_MS = 3_600_000;
/** Samples over four hours. The weight of older prices is below 2%. */
const AVERAGE_SAMPLES = 24;
const AVERAGE_STEP_MS = (4 * AVERAGE_MS) / AVERAGE_SAMPLES;
const averageWeights = Array.from({ length: AVERAGE_SAMPLES }, (_, index) =>
  Math.exp(-((index + 0.5) * AVERAGE_STEP_MS) / AVERAGE_MS),
);
const averageWeight = averageWeights.reduce((sum, weight) => sum + weight, 0);

/** A number in [-1, 1). */
function lattice(seed: number, layer: number, cell: number): number {
  let h = (seed ^ Math.imul(layer + 1, 0x9e3779b1)) | 0;
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b) ^ (cell >>> 0);
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  h ^= h >>> 16;
  return (h | 0) / 0x8000_0000;
}

/** A number in [-1, 1] with one value for each period. */
function smooth(seed: number, layer: number, periodMs: number, ms: number): number {
  const position = ms / periodMs;
  const cell = Math.floor(position);
  const part = position - cell;
  const start = lattice(seed, layer, cell);
  const end = lattice(seed, layer, cell + 1);
  return start + (end - start) * part * part * (3 - 2 * part);
}

/** A walk in daily volatilities, at unix ms. Layers faster than `from` are skipped. */
function walk(seed: number, ms: number, from = 0): number {
  return layers
    .slice(from)
    .reduce((sum, { index, periodMs, weight }) => sum + weight * smooth(seed, index, periodMs, ms), 0);
}

/** Exponential, so that it always moves towards the price. */
function averageWalk(seed: number, ms: number): number {
  const sum = averageWeights.reduce(
    (all, weight, at) => all + weight * walk(seed, ms - (at + 0.5) * AVERAGE_STEP_MS, FIRST_SLOW_LAYER),
    0,
  );
  return sum / averageWeight;
}

/** Prices and confidences are integers scaled by the feed's exponent. */
export type FeedState = {
  feed: SandboxFeed;
  slot: number;
  price: bigint;
  conf: bigint;
  emaPrice: bigint;
  emaConf: bigint;
  /** Unix seconds. */
  publishTime: number;
  /** Unix seconds. */
  prevPublishTime: number;
};

const PARTS = 1_000_000_000_000n;
const PARTS_PER_UNIT = 1e12;
const MILLION = 1_000_000n;
const CONF_PERIOD_MS = 45_000;
const EMA_CONF_PERIOD_MS = 3_600_000;

function moved(level: bigint, fraction: number): bigint {
  return (level * (PARTS + BigInt(Math.round(fraction * PARTS_PER_UNIT)))) / PARTS;
}

function confidence(feed: SandboxFeed, factor: number): bigint {
  const conf = (feed.confBase * BigInt(Math.round(feed.confPpm * factor))) / MILLION;
  return conf > 0n ? conf : 1n;
}

/** A pure function of seed, feed and slot. */
export class PriceModel {
  readonly #seeds = new LRUCache<string, number>({ max: 10_000, memoMethod: (id) => this.#seedOf(id) });

  constructor(private readonly seed: string) {}

  /** The cadence decides whether the slot has an update. */
  at(feed: SandboxFeed, slot: number): FeedState {
    const seed = this.#seeds.memo(feed.id);
    const ms = slotTime(slot);
    return {
      feed,
      slot,
      price: moved(feed.level, feed.volatility * walk(seed, ms)),
      conf: confidence(feed, 1 + 0.3 * smooth(seed, LAYERS, CONF_PERIOD_MS, ms)),
      emaPrice: moved(feed.level, feed.volatility * averageWalk(seed, ms)),
      emaConf: confidence(feed, 1.05 + 0.1 * smooth(seed, LAYERS, EMA_CONF_PERIOD_MS, ms)),
      publishTime: publishTime(slot),
      prevPublishTime: previousPublishTime(feed.cadence, slot),
    };
  }

  #seedOf(id: string): number {
    const hash = keccak256(Buffer.from(`keeperscope sandbox price ${this.seed} ${id}`));
    return Buffer.from(hash).readUInt32BE();
  }
}
