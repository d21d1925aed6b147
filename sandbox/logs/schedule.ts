import type { Mixer } from './mix';
import { LANES } from './networks';
import { activityUntil, timeOfActivity } from './rhythm';

/** Rows come in blocks of this size, in which every lane has exactly its quota. */
export const BLOCK = 1000;

const FOURTEEN_DAYS_MS = 14 * 86_400_000;
const LIVE_SLOT_MS = 2000;
/** A burst of requests in the past lies within this time. */
const BURST_MS = 75_000;

const ORDER = 1;
const JITTER = 2;
const BURST_START = 3;
const BURST_BATCHED = 4;
/** Rows of one transaction in a batched burst. */
const BATCH = 4;

/** When and where the requests of one series come. Number `k` is counted from 1970, not from the start. */
export type Series = {
  /** Mean distance of two rows. */
  slotMs: number;
  /** Whether days and nights differ. */
  rhythm: boolean;
  burstsPerBlock: number;
  burstLength: number;
  /** How much closer than usual the rows of a burst come. */
  squeeze: number;
};

/** The past: about `records` rows in 14 days. */
export function historySeries(records: number): Series {
  // A little less than 14 days, so that the oldest row of a start is never older.
  const slotMs = FOURTEEN_DAYS_MS / (records * 1.006 + 8);
  const burstLength = Math.min(80, Math.max(3, Math.round(1_200_000 / slotMs)));
  const squeeze = Math.min(1, BURST_MS / (burstLength * slotMs));
  return { slotMs, rhythm: true, burstsPerBlock: 2, burstLength, squeeze };
}

/** What arrives while the sandbox runs: one row every 2 s. */
export const LIVE_SERIES: Series = {
  slotMs: LIVE_SLOT_MS,
  rhythm: false,
  burstsPerBlock: 3,
  burstLength: BATCH,
  squeeze: 0.2,
};

/** A run of rows by one sender on one network, `start` being the `k` of the first. */
export type Burst = { start: number; length: number; batched: boolean };

type Block = { lanes: Uint8Array; bursts: Burst[] };

/** Every lane as often as its quota says. */
const LANE_MULTISET = Uint8Array.from(
  LANES.flatMap(({ quota }, lane) => new Array<number>(quota).fill(lane)),
);

/** Gives for every `k` of a series its time, its lane and its burst, from the seed alone. */
export class Schedule {
  private cachedNumber = -1;
  private cached: Block | undefined;

  constructor(
    private readonly mixer: Mixer,
    readonly series: Series,
  ) {}

  /** When row `k` is created, in unix milliseconds; never earlier than row `k - 1`. */
  createdMs(k: number): number {
    const { slotMs, squeeze, rhythm } = this.series;
    const burst = this.burstOf(k);
    const jitter = this.mixer.fraction(JITTER, k) * 0.9;
    const slots = burst ? burst.start + (k - burst.start + jitter) * squeeze : k + jitter;
    return Math.floor(rhythm ? timeOfActivity(slots * slotMs) : slots * slotMs);
  }

  /** The last `k` that is created at or before a time. */
  lastUntil(ms: number): number {
    const { slotMs, rhythm, burstLength } = this.series;
    let k = Math.floor((rhythm ? activityUntil(ms) : ms) / slotMs) + burstLength + 1;
    while (this.createdMs(k) > ms) k -= 1;
    return k;
  }

  laneOf(k: number): number {
    return this.block(k).lanes[k % BLOCK] ?? 0;
  }

  burstOf(k: number): Burst | undefined {
    return this.block(k).bursts.find(({ start, length }) => k >= start && k < start + length);
  }

  /** The `k` of the first row of the same transaction: `k` itself, unless a batch asks for several at once. */
  transactionOf(k: number): number {
    const burst = this.burstOf(k);
    if (!burst?.batched) return k;
    return k - ((k - burst.start) % BATCH);
  }

  private block(k: number): Block {
    const number = Math.floor(k / BLOCK);
    if (this.cached === undefined || this.cachedNumber !== number) {
      this.cached = this.build(number);
      this.cachedNumber = number;
    }
    return this.cached;
  }

  private build(number: number): Block {
    const lanes = this.shuffledLanes(number);
    const { burstsPerBlock } = this.series;
    const reach = Math.floor(BLOCK / burstsPerBlock);
    const bursts: Burst[] = [];
    for (let index = 0; index < burstsPerBlock; index++) {
      const free = Math.max(1, reach - this.series.burstLength);
      const start = index * reach + this.mixer.below(free, BURST_START, number, index);
      const length = gatherNetwork(lanes, start, Math.min(this.series.burstLength, reach));
      const batched = this.mixer.fraction(BURST_BATCHED, number, index) < 0.5;
      bursts.push({ start: number * BLOCK + start, length, batched });
    }
    return { lanes, bursts };
  }

  private shuffledLanes(number: number): Uint8Array {
    const lanes = LANE_MULTISET.slice();
    for (let place = lanes.length - 1; place > 0; place--) {
      const other = this.mixer.below(place + 1, ORDER, number, place);
      const lane = lanes[place] ?? 0;
      lanes[place] = lanes[other] ?? 0;
      lanes[other] = lane;
    }
    return lanes;
  }
}

/** Brings rows of the network at `start` together behind it, by swapping; gives the length of the run. */
function gatherNetwork(lanes: Uint8Array, start: number, wanted: number): number {
  const networkAt = (place: number) => LANES[lanes[place] ?? 0]?.network;
  const network = networkAt(start);
  let from = start + 1;
  for (let length = 1; length < wanted; length++) {
    while (from < lanes.length && networkAt(from) !== network) from += 1;
    if (from >= lanes.length) return length;
    const place = start + length;
    const lane = lanes[from] ?? 0;
    lanes[from] = lanes[place] ?? 0;
    lanes[place] = lane;
    from = Math.max(from, place) + 1;
  }
  return wanted;
}
