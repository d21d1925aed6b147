import type { Mixer } from './mix';
import { LANES, NETWORKS } from './networks';
import type { Schedule } from './schedule';

/** How a request ends. The numbers are stored in the row table. */
export const OUTCOME = {
  completed: 0,
  callbackFailed: 1,
  failed: 2,
  failedThenCompleted: 3,
  never: 4,
} as const;
export type Outcome = (typeof OUTCOME)[keyof typeof OUTCOME];

/** What the row table keeps of a row; all else is worked out when the row is written. */
export type RowFacts = {
  createdMs: number;
  lane: number;
  sender: number;
  outcome: Outcome;
  /** When it leaves `pending`; infinite when it never does. */
  finishMs: number;
};

const DAY_MS = 86_400_000;
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

type Outage = { startMs: number; endMs: number };

/** The facts of the rows of one series: pure functions of the seed and of the number of the row. */
export class FactSource {
  private readonly outages = new Map<string, Outage | undefined>();

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

  of(k: number): RowFacts {
    const createdMs = this.schedule.createdMs(k);
    const lane = this.schedule.laneOf(k);
    const network = LANES[lane]?.network ?? 0;
    const sender = this.senderOf(k, network);
    const outcome = this.outcomeOf(k, sender);
    const finishMs =
      outcome === OUTCOME.never ? Number.POSITIVE_INFINITY : this.finishOf(k, network, createdMs, outcome);
    return { createdMs, lane, sender, outcome, finishMs };
  }

  /** Two senders live on all networks, four are heavy on each, 64 come now and then, the rest once or so. */
  private senderOf(k: number, network: number): number {
    const burst = this.schedule.burstOf(k);
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

  private outcomeOf(k: number, sender: number): Outcome {
    if (k % this.stuckEvery === this.own.below(this.stuckEvery, END, 0)) return OUTCOME.never;
    const end = this.own.fraction(END, k, 1);
    if (end < 0.006) return OUTCOME.failed;
    if (end < 0.0072) return OUTCOME.failedThenCompleted;
    // Failing callbacks come mostly from a few contracts.
    const shaky = this.world.fraction(SHAKY, sender) < 0.04;
    return end > (shaky ? 0.8 : 0.993) ? OUTCOME.callbackFailed : OUTCOME.completed;
  }

  private finishOf(k: number, network: number, createdMs: number, outcome: Outcome): number {
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
    const outage = this.outageAt(network, finishMs) ?? this.outageAt(network, createdMs);
    if (!outage) return Math.floor(finishMs);
    // The restarted keeper works through its backlog within a minute.
    return Math.floor(Math.max(outage.endMs, createdMs + 400) + this.own.fraction(RECOVERY, k) * 45_000);
  }

  /** When a failed request is revealed after all, by somebody else. */
  secondFinishMs(k: number, finishMs: number): number {
    return Math.floor(finishMs + 5 * MINUTE_MS + this.own.fraction(SECOND, k) ** 2 * 8 * 60 * MINUTE_MS);
  }

  /** On some days the keeper of a network stands still for some minutes. */
  private outageAt(network: number, ms: number): Outage | undefined {
    const day = Math.floor(ms / DAY_MS);
    const key = `${network}/${day}`;
    if (!this.outages.has(key)) this.outages.set(key, this.outageOf(network, day));
    const outage = this.outages.get(key);
    return outage && ms >= outage.startMs && ms < outage.endMs ? outage : undefined;
  }

  private outageOf(network: number, day: number): Outage | undefined {
    if (this.world.fraction(OUTAGE, day, network) > 0.06) return undefined;
    const startMs =
      day * DAY_MS + this.world.fraction(OUTAGE, day, network + 100) * (DAY_MS - 15 * MINUTE_MS);
    const lengthMs = (4 + 8 * this.world.fraction(OUTAGE, day, network + 200)) * MINUTE_MS;
    return { startMs, endMs: startMs + lengthMs };
  }
}

/** A normally distributed number from two evenly distributed ones (Box and Muller). */
export function normal(first: number, second: number): number {
  return Math.sqrt(-2 * Math.log(1 - first)) * Math.cos(2 * Math.PI * second);
}
