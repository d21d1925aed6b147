import { type LogRow, OUTCOME, type Outcome, type RowSource } from './log-row';
import { LANES, laneAt, NETWORKS } from './networks';
import type { Mixer } from './random';

const DAY_MS = 86_400_000;
/** Busiest at this time of day (UTC), quietest half a day away. */
const PEAK_MS = 15 * 3_600_000;
/** At the peak 1.6 times the mean, at the quietest time 0.4 times. */
const SWING = 0.6;

const TURN = (2 * Math.PI) / DAY_MS;
/** Keeps the start of a day where it is. */
const SHIFT = (SWING / TURN) * Math.sin(-TURN * PEAK_MS);

/** How much has happened until a time, in mean milliseconds: it runs fast by day and slowly at night. */
function activityUntil(ms: number): number {
  return ms + (SWING / TURN) * Math.sin(TURN * ((ms % DAY_MS) - PEAK_MS)) - SHIFT;
}

/** The time at which this much has happened: the inverse of `activityUntil`, by Newton's method. */
function timeOfActivity(activity: number): number {
  const day = Math.floor(activity / DAY_MS) * DAY_MS;
  const wanted = activity - day;
  let guess = wanted;
  for (let step = 0; step < 50; step++) {
    const change = (activityUntil(guess) - wanted) / (1 + SWING * Math.cos(TURN * (guess - PEAK_MS)));
    guess -= change;
    if (Math.abs(change) < 1e-4) break;
  }
  return day + guess;
}

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
type Burst = { start: number; length: number; batched: boolean };

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
    const burst = this.getBurst(k);
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

  getLane(k: number): number {
    return this.block(k).lanes[k % BLOCK] ?? 0;
  }

  getBurst(k: number): Burst | undefined {
    return this.block(k).bursts.find(({ start, length }) => k >= start && k < start + length);
  }

  /** The `k` of the first row of the same transaction: `k` itself, unless a batch asks for several at once. */
  getLead(k: number): number {
    const burst = this.getBurst(k);
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

const MINUTE_MS = 60_000;

const WHO = 20;
const WHICH = 21;
const END = 22;
const SPEED = 23;
const SLOW = 24;
const OUTAGE = 25;
const RECOVERY = 26;
const SHAKY = 27;
const SECOND = 28;
const BURST_SENDER = 29;

/** Spread of the durations: with 0.85 the 95th percentile is four times the median. */
const SIGMA = 0.85;

/** The facts of the rows of one series: pure functions of the seed and of the number of the row. */
export class FactSource {
  /**
   * `world` is the mixer that both series share (who a sender is, when a network is down), `own` that of
   * this series. One row in `stuckEvery` never finishes.
   */
  constructor(
    private readonly world: Mixer,
    private readonly own: Mixer,
    private readonly schedule: Schedule,
    private readonly stuckEvery: number,
  ) {}

  /** Row `k` as it is made; its sequence number and what it repeats are the world's to say. */
  row(source: RowSource, k: number): LogRow {
    const createdMs = this.schedule.createdMs(k);
    const { network, provider } = laneAt(this.schedule.getLane(k));
    const sender = this.pickSender(k, network);
    const outcome = this.pickOutcome(k, sender);
    const isNever = outcome === OUTCOME.never;
    const finishMs = isNever ? Number.POSITIVE_INFINITY : this.pickFinish(k, network, createdMs, outcome);
    const isSecond = outcome === OUTCOME.failedThenCompleted;
    return {
      source,
      k,
      createdMs,
      network,
      provider,
      sender,
      sequence: 0,
      outcome,
      finishMs,
      secondMs: isSecond ? this.secondFinishMs(k, finishMs) : Number.POSITIVE_INFINITY,
      lead: this.schedule.getLead(k),
      contribution: k,
      gasLimit: undefined,
    };
  }

  /** Two senders live on all networks, four are heavy on each, 64 come now and then, the rest once or so. */
  private pickSender(k: number, network: number): number {
    const burst = this.schedule.getBurst(k);
    const inBurst = burst !== undefined && (burst.batched || this.own.fraction(BURST_SENDER, k) < 0.8);
    const key = inBurst ? burst.start : k;
    const who = this.own.fraction(WHO, key);
    const which = this.own.fraction(WHICH, key);
    if (who < 0.08) return Math.floor(which * 2);
    // The square makes the first of the four the heaviest.
    if (who < 0.5) return 10 + network * 4 + Math.floor(which * which * 4);
    if (who < 0.85) return 1000 + network * 64 + Math.floor(which * 64);
    return 100_000 + Math.floor(which * 2 ** 30);
  }

  private pickOutcome(k: number, sender: number): Outcome {
    if (k % this.stuckEvery === this.own.below(this.stuckEvery, END, 0)) return OUTCOME.never;
    const end = this.own.fraction(END, k, 1);
    if (end < 0.006) return OUTCOME.failed;
    if (end < 0.0072) return OUTCOME.failedThenCompleted;
    // Failing callbacks come mostly from a few contracts.
    const shaky = this.world.fraction(SHAKY, sender) < 0.04;
    return end > (shaky ? 0.8 : 0.993) ? OUTCOME.callbackFailed : OUTCOME.completed;
  }

  private pickFinish(k: number, network: number, createdMs: number, outcome: Outcome): number {
    const speed = this.own.fraction(SPEED, k);
    const hasFailed = outcome === OUTCOME.failed || outcome === OUTCOME.failedThenCompleted;
    if (hasFailed && this.own.fraction(SLOW, k) < 0.8) {
      // The keeper gives up after its five minutes of attempts.
      return createdMs + Math.floor(300_000 + speed * 30_000);
    }
    const medianMs = NETWORKS[network]?.medianMs ?? 4000;
    const isSlow = this.own.fraction(SLOW, k, 1) < 0.004;
    const durationMs = isSlow
      ? 60_000 + speed * speed * 360_000
      : medianMs * Math.exp(SIGMA * normal(speed, this.own.fraction(SPEED, k, 1)));
    const finishMs = createdMs + Math.max(400, Math.min(durationMs, 420_000));
    const endMs = this.outageEnd(network, finishMs) ?? this.outageEnd(network, createdMs);
    if (endMs === undefined) return Math.floor(finishMs);
    // The restarted keeper works through its backlog within a minute.
    return Math.floor(Math.max(endMs, createdMs + 400) + this.own.fraction(RECOVERY, k) * 45_000);
  }

  /** When a failed request is revealed after all, by somebody else. */
  private secondFinishMs(k: number, finishMs: number): number {
    return Math.floor(finishMs + 5 * MINUTE_MS + this.own.fraction(SECOND, k) ** 2 * 8 * 60 * MINUTE_MS);
  }

  /** On some days the keeper of a network stands still for some minutes: when it does again at a time. */
  private outageEnd(network: number, ms: number): number | undefined {
    const day = Math.floor(ms / DAY_MS);
    if (this.world.fraction(OUTAGE, day, network) > 0.06) return undefined;
    const startMs =
      day * DAY_MS + this.world.fraction(OUTAGE, day, network + 100) * (DAY_MS - 15 * MINUTE_MS);
    const lengthMs = (4 + 8 * this.world.fraction(OUTAGE, day, network + 200)) * MINUTE_MS;
    return ms >= startMs && ms < startMs + lengthMs ? startMs + lengthMs : undefined;
  }
}

/** A normally distributed number from two evenly distributed ones (Box and Muller). */
export function normal(first: number, second: number): number {
  return Math.sqrt(-2 * Math.log(1 - first)) * Math.cos(2 * Math.PI * second);
}
