import type { LogRow, State } from './log-row';
import { LANES, laneAt, networkAt } from './networks';
import type { Mixer } from './random';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const TURN = (2 * Math.PI) / DAY_MS;
/** UTC. The fewest requests come half a day later. */
const PEAK_MS = 15 * 3_600_000;
/** Twice the mean at the peak, two thirds of it at the quietest time. */
const SWING = 0.5;
/** Shift by the daily rhythm, compared with an even distribution. */
const MAX_SHIFT_MS = SWING / TURN;

/** Rows of a block, in which every lane has exactly its quota. */
export const BLOCK = 1000;
/** Rows in one transaction of a batched burst. */
const BATCH = 4;
const BURST_MS = 75_000;
/** Half a page of the table; and the time whose requests a burst contains. */
const MAX_BURST = 12;
const BURST_OF_MS = 20 * MINUTE_MS;
/** Multiple of the length of a burst over which the requests after it are spaced more widely, to keep the mean. */
const BURST_RECOVERY = 8;

/**
 * Eight days for the overview, which compares the last day with seven before it. Over ten, the default 50,000
 * requests come at 2.3 a minute in the quietest hour and 6.9 in the busiest.
 */
const HISTORY_DAYS = 10;

/** Distribution of requests over time and networks. The number `k` is counted from 1970, not from the start. */
type Shape = {
  /** Mean distance between two rows. */
  slotMs: number;
  /** The rate depends on the time of day. */
  rhythm: boolean;
  burstsPerBlock: number;
  burstLength: number;
  /** Number of rows from the start of a burst over which its time is compensated; at least `burstLength`. */
  burstReach: number;
  /** Compresses distances within a burst. */
  squeeze: number;
};

/**
 * Shape of a world with about `records` rows in a little less than `HISTORY_DAYS`, and as many in the same time from
 * then on.
 */
export function naturalShape(records: number): Shape {
  const slotMs = (HISTORY_DAYS * DAY_MS) / (records * 1.006 + 8);
  const burstLength = Math.min(MAX_BURST, Math.max(3, Math.round(BURST_OF_MS / slotMs)));
  const squeeze = Math.min(1, BURST_MS / (burstLength * slotMs));
  const burstReach = burstLength * BURST_RECOVERY;
  return { slotMs, rhythm: true, burstsPerBlock: 2, burstLength, burstReach, squeeze };
}

/** Independent of the time of day. */
export function steadyShape(requestsPerMin: number): Shape {
  const slotMs = MINUTE_MS / requestsPerMin;
  const ofBursts = { burstsPerBlock: 3, burstLength: BATCH, burstReach: BATCH, squeeze: 0.2 };
  return { slotMs, rhythm: false, ...ofBursts };
}

/** One sender on one network. `start` is the `k` of the first row. */
type Burst = { start: number; length: number; batched: boolean };

type Block = { number: number; lanes: Uint8Array; bursts: Burst[] };

/** Each lane, as many times as its quota. */
const LANE_MULTISET = Uint8Array.from(
  LANES.flatMap(({ quota }, lane) => new Array<number>(quota).fill(lane)),
);

const ORDER = 1;
const JITTER = 2;
const BURST_START = 3;
const BURST_BATCHED = 4;
const SENDER_KIND = 20;
const SENDER_INDEX = 21;
const END = 22;
const SPEED = 23;
const SLOW = 24;
const OUTAGE = 25;
const RECOVERY = 26;
const SHAKY = 27;
const LATE_REVEAL = 28;
const BURST_SENDER = 29;

/** Spread of the durations. With 0.85, the 95th percentile is four times the median. */
const SIGMA = 0.85;

/** Requests are pure functions of the seed and of their number. */
export class Series {
  private cached: Block | undefined;

  /** `world` is the mixer of both series. One row in `stuckEvery` never finishes. */
  constructor(
    private readonly world: Mixer,
    private readonly seriesMixer: Mixer,
    readonly shape: Shape,
    private readonly stuckEvery: number,
  ) {}

  /** Unix ms; never earlier than that of row `k - 1`. */
  createdMs(k: number): number {
    const { slotMs, rhythm } = this.shape;
    const jitter = this.seriesMixer.fraction(JITTER, k) * 0.9;
    const evenMs = this.timeOfPosition(k + jitter, k) * slotMs;
    return Math.floor(
      rhythm ? evenMs - MAX_SHIFT_MS * Math.sin(TURN * ((evenMs % DAY_MS) - PEAK_MS)) : evenMs,
    );
  }

  /** Rows of a burst are closer together, those after it further apart. */
  private timeOfPosition(place: number, k: number): number {
    const { burstReach, squeeze } = this.shape;
    const burst = this.block(k).bursts.find(({ start }) => k >= start && k < start + burstReach);
    if (!burst) return place;
    const { start, length } = burst;
    if (k < start + length) return start + (place - start) * squeeze;
    const end = start + burstReach;
    const stretch = (burstReach - length * squeeze) / (burstReach - length);
    return end - (end - place) * stretch;
  }

  /** Last `k` created at or before a time. */
  lastUntil(ms: number): number {
    const { slotMs, rhythm, burstReach } = this.shape;
    let k = Math.floor((ms + (rhythm ? MAX_SHIFT_MS : 0)) / slotMs) + burstReach + 1;
    while (this.createdMs(k) > ms) k -= 1;
    return k;
  }

  getLane(k: number): number {
    return this.block(k).lanes[k % BLOCK] ?? 0;
  }

  /** The world adds its sequence number and repetitions. */
  row(k: number): LogRow {
    const createdMs = this.createdMs(k);
    const { network, provider } = laneAt(this.getLane(k));
    const burst = this.getBurst(k);
    const sender = this.pickSender(k, network, burst);
    const outcome = this.pickOutcome(k, sender);
    const isStuck = outcome === 'Pending';
    const finishMs = isStuck ? Number.POSITIVE_INFINITY : this.pickFinish(k, network, createdMs, outcome);
    // Some failed requests are revealed later by somebody else.
    const isRevealedLate = outcome === 'Failed' && this.seriesMixer.fraction(END, k, 1) >= 0.006;
    const lateRevealMs = isRevealedLate
      ? Math.floor(
          finishMs + 5 * MINUTE_MS + this.seriesMixer.fraction(LATE_REVEAL, k) ** 2 * 8 * 60 * MINUTE_MS,
        )
      : Number.POSITIVE_INFINITY;
    // Spreading partial objects would take ten times as long.
    return {
      source: this.seriesMixer,
      k,
      createdMs,
      network,
      provider,
      sender,
      sequence: 0,
      outcome,
      finishMs,
      lateRevealMs,
      lead: burst?.batched ? k - ((k - burst.start) % BATCH) : k,
      contribution: k,
      gasLimit: undefined,
    };
  }

  /** Picks a sender. Two are on all networks, four are heavy on each, 64 come occasionally, the others about once. */
  private pickSender(k: number, network: number, burst: Burst | undefined): number {
    const inBurst = burst && (burst.batched || this.seriesMixer.fraction(BURST_SENDER, k) < 0.8);
    const key = inBurst ? burst.start : k;
    const kind = this.seriesMixer.fraction(SENDER_KIND, key);
    const index = this.seriesMixer.fraction(SENDER_INDEX, key);
    if (kind < 0.08) return Math.floor(index * 2);
    // The square makes the first of the four the heaviest.
    if (kind < 0.5) return 10 + network * 4 + Math.floor(index * index * 4);
    if (kind < 0.85) return 1000 + network * 64 + Math.floor(index * 64);
    return 100_000 + Math.floor(index * 2 ** 30);
  }

  /** `Pending` means forever. */
  private pickOutcome(k: number, sender: number): State {
    if (k % this.stuckEvery === this.seriesMixer.below(this.stuckEvery, END, 0)) return 'Pending';
    const end = this.seriesMixer.fraction(END, k, 1);
    if (end < 0.0072) return 'Failed';
    // Failing callbacks come mostly from a few contracts.
    const shaky = this.world.fraction(SHAKY, sender) < 0.04;
    return end > (shaky ? 0.8 : 0.993) ? 'CallbackErrored' : 'Completed';
  }

  private pickFinish(k: number, network: number, createdMs: number, outcome: State): number {
    const speed = this.seriesMixer.fraction(SPEED, k);
    if (outcome === 'Failed' && this.seriesMixer.fraction(SLOW, k) < 0.8) {
      // The keeper gives up after five minutes of attempts.
      return createdMs + Math.floor(300_000 + speed * 30_000);
    }
    const isSlow = this.seriesMixer.fraction(SLOW, k, 1) < 0.004;
    const durationMs = isSlow
      ? 60_000 + speed * speed * 360_000
      : networkAt(network).medianMs * Math.exp(SIGMA * normal(speed, this.seriesMixer.fraction(SPEED, k, 1)));
    const finishMs = createdMs + Math.max(400, Math.min(durationMs, 420_000));
    const endMs = this.outageEnd(network, finishMs) ?? this.outageEnd(network, createdMs);
    if (endMs === undefined) return Math.floor(finishMs);
    // A restarted keeper works through its backlog within a minute.
    return Math.floor(Math.max(endMs, createdMs + 400) + this.seriesMixer.fraction(RECOVERY, k) * 45_000);
  }

  /**
   * End of an outage: on some days, the keeper of a network stands still for some minutes. Undefined outside of one.
   */
  private outageEnd(network: number, ms: number): number | undefined {
    const day = Math.floor(ms / DAY_MS);
    if (this.world.fraction(OUTAGE, day, network) > 0.06) return undefined;
    const startMs =
      day * DAY_MS + this.world.fraction(OUTAGE, day, network + 100) * (DAY_MS - 15 * MINUTE_MS);
    const lengthMs = (4 + 8 * this.world.fraction(OUTAGE, day, network + 200)) * MINUTE_MS;
    return ms >= startMs && ms < startMs + lengthMs ? startMs + lengthMs : undefined;
  }

  private getBurst(k: number): Burst | undefined {
    return this.block(k).bursts.find(({ start, length }) => k >= start && k < start + length);
  }

  private block(k: number): Block {
    const number = Math.floor(k / BLOCK);
    if (this.cached?.number === number) return this.cached;
    const lanes = this.shuffledLanes(number);
    const { burstsPerBlock, burstLength, burstReach } = this.shape;
    const reach = Math.floor(BLOCK / burstsPerBlock);
    const runs: Run[] = [];
    for (let index = 0; index < burstsPerBlock; index++) {
      const free = Math.max(1, reach - burstReach);
      const start = index * reach + this.seriesMixer.below(free, BURST_START, number, index);
      runs.push({ start, length: gatherNetwork(lanes, start, Math.min(burstLength, reach), runs) });
    }
    const bursts = runs.map(({ start, length }, index): Burst => {
      const batched = this.seriesMixer.fraction(BURST_BATCHED, number, index) < 0.5;
      return { start: number * BLOCK + start, length, batched };
    });
    this.cached = { number, lanes, bursts };
    return this.cached;
  }

  private shuffledLanes(number: number): Uint8Array {
    const lanes = LANE_MULTISET.slice();
    for (let place = lanes.length - 1; place > 0; place--) {
      swap(lanes, place, this.seriesMixer.below(place + 1, ORDER, number, place));
    }
    return lanes;
  }
}

function swap(lanes: Uint8Array, a: number, b: number): void {
  const lane = lanes[a] ?? 0;
  lanes[a] = lanes[b] ?? 0;
  lanes[b] = lane;
}

/** Requests from `start` on, within a block. */
type Run = { start: number; length: number };

/**
 * Swaps rows of the network to the positions from `start` on and returns their number. They are taken evenly from the
 * whole block, except from earlier runs: taking the next ones would leave a silence after the burst.
 */
function gatherNetwork(lanes: Uint8Array, start: number, wanted: number, earlier: readonly Run[]): number {
  const networkOf = (place: number) => LANES[lanes[place] ?? 0]?.network;
  const isIn = (place: number, run: Run) => place >= run.start && place < run.start + run.length;
  const others = Array.from(lanes.keys()).filter(
    (place) => networkOf(place) === networkOf(start) && !earlier.some((run) => isIn(place, run)),
  );
  const length = Math.min(wanted, Math.ceil(others.length / 3));
  const span = { start, length };
  const sources = others.filter((place) => !isIn(place, span));
  const targets = Array.from({ length }, (_, index) => start + index).filter(
    (place) => networkOf(place) !== networkOf(start),
  );
  targets.forEach((target, index) => {
    swap(lanes, target, sources[Math.floor((index * sources.length) / targets.length)] ?? target);
  });
  return length;
}

/** Box-Muller, from two uniform numbers. */
export function normal(first: number, second: number): number {
  return Math.sqrt(-2 * Math.log(1 - first)) * Math.cos(2 * Math.PI * second);
}
