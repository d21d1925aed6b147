import { keccak_256 } from '@noble/hashes/sha3.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { previousPublishTime } from './cadence';
import type { SandboxFeed } from './feeds';
import { averagedWalk, walk, wobble } from './noise';
import { publishTime, slotTime } from './slots';

/** One update of one feed. Prices and confidences are integers scaled by the feed's exponent. */
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

/** `level` times (1 + fraction), in integers. */
function moved(level: bigint, fraction: number): bigint {
  return (level * (PARTS + BigInt(Math.round(fraction * PARTS_PER_UNIT)))) / PARTS;
}

function confidence(feed: SandboxFeed, factor: number): bigint {
  const conf = (feed.confBase * BigInt(Math.round(feed.confPpm * factor))) / MILLION;
  return conf > 0n ? conf : 1n;
}

/** The prices of all simulated feeds: one pure function of seed, feed and slot. */
export class PriceModel {
  readonly #seed: string;
  readonly #feedSeeds = new Map<string, number>();

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** The update of a feed in a slot. Whether the feed has one there is the cadence's to say. */
  at(feed: SandboxFeed, slot: number): FeedState {
    const seed = this.#seedOf(feed.id);
    const ms = slotTime(slot);
    return {
      feed,
      slot,
      price: moved(feed.level, feed.volatility * walk(seed, ms)),
      conf: confidence(feed, 1 + 0.3 * wobble(seed, CONF_PERIOD_MS, ms)),
      emaPrice: moved(feed.level, feed.volatility * averagedWalk(seed, ms)),
      emaConf: confidence(feed, 1.05 + 0.1 * wobble(seed, EMA_CONF_PERIOD_MS, ms)),
      publishTime: publishTime(slot),
      prevPublishTime: previousPublishTime(feed.cadence, slot),
    };
  }

  #seedOf(id: string): number {
    const known = this.#feedSeeds.get(id);
    if (known !== undefined) return known;
    const hash = keccak_256(utf8ToBytes(`keeperscope sandbox price ${this.#seed} ${id}`));
    const seed = new DataView(hash.buffer, hash.byteOffset).getUint32(0);
    this.#feedSeeds.set(id, seed);
    return seed;
  }
}
