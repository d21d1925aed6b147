import { normal, OUTCOME, type Outcome } from '@/sandbox/logs/facts';
import type { Mixer } from '@/sandbox/logs/mix';
import { LANES, NETWORKS } from '@/sandbox/logs/networks';
import type { Draft, DraftSource } from './draft';

/** All networks together get about one row in 2 s, as the live rows of the world do. */
const SLOT_MS = 2000;
/** Nothing healthy takes longer: with it three rows of a network at most are pending at a time. */
const LONGEST_MS = 20_000;
const SHORTEST_MS = 400;
const SIGMA = 0.6;

const JITTER = 60;
const LANE = 61;
const SENDER = 62;
const SPEED = 63;
const END = 64;
const GAS = 65;

/** Shares of the network's own gas limit, so that no request is unusual among the others. */
const GAS_SHARES = [1, 1, 1, 0.8, 0.6, 0.4];

/** Requests of one network that come steadily and are answered within seconds. */
export class Background implements DraftSource {
  private readonly periodMs: number;
  private readonly lanes: number[];
  private next: number;

  /**
   * From `fromMs` up to but not including `toMs`. Only with one `provider` where it is given, and then
   * every `periodMs`, else as often as the quotas of the network say.
   */
  constructor(
    private readonly mixer: Mixer,
    private readonly network: number,
    fromMs: number,
    private readonly toMs: number,
    aside?: { provider: number; periodMs: number },
  ) {
    const lanes = LANES.flatMap((lane, place) => (lane.network === network ? [{ ...lane, place }] : []));
    const quota = lanes.reduce((sum, lane) => sum + lane.quota, 0);
    this.periodMs = aside?.periodMs ?? (SLOT_MS * 1000) / quota;
    // Each lane as often as its quota in tens, so that a fraction picks by weight.
    this.lanes = lanes
      .filter(({ provider }) => aside === undefined || provider === aside.provider)
      .flatMap(({ place, quota: own }) => new Array<number>(Math.ceil(own / 10)).fill(place));
    this.next = Math.ceil(fromMs / this.periodMs);
  }

  until(ms: number): Draft[] {
    const drafts: Draft[] = [];
    for (;;) {
      const createdMs = this.createdMs(this.next);
      if (createdMs > ms || createdMs >= this.toMs) return drafts;
      drafts.push(this.draft(this.next, createdMs));
      this.next += 1;
    }
  }

  private createdMs(index: number): number {
    return Math.floor((index + 0.9 * this.mixer.fraction(JITTER, index, this.network)) * this.periodMs);
  }

  private draft(index: number, createdMs: number): Draft {
    const { mixer, network } = this;
    const sender = this.senderOf(index);
    const median = NETWORKS[network]?.medianMs ?? 4000;
    const spread = normal(mixer.fraction(SPEED, index, network), mixer.fraction(SPEED, index, network + 100));
    const lasts = Math.max(SHORTEST_MS, Math.min(LONGEST_MS, median * Math.exp(SIGMA * spread)));
    return {
      createdMs,
      lane: this.lanes[mixer.below(this.lanes.length, LANE, index, network)] ?? 0,
      sender,
      outcome: outcomeOf(mixer.fraction(END, index, network)),
      finishMs: Math.floor(createdMs + lasts),
      gasLimit: usualGas(mixer, network, sender),
    };
  }

  /** Regular and occasional senders take turns, so that no sender has three requests pending at a time. */
  private senderOf(index: number): number {
    const { network } = this;
    if (index % 2 === 0) return 10 + network * 4 + ((index / 2) % 4);
    return 1000 + network * 64 + this.mixer.below(64, SENDER, index, network);
  }
}

/** The gas limit that a sender asks for on a network. */
export function usualGas(mixer: Mixer, network: number, sender: number): number {
  const share = GAS_SHARES[mixer.below(GAS_SHARES.length, GAS, sender)] ?? 1;
  return Math.floor((NETWORKS[network]?.gasLimit ?? 500_000) * share);
}

function outcomeOf(fraction: number): Outcome {
  if (fraction < 0.004) return OUTCOME.failed;
  return fraction < 0.014 ? OUTCOME.callbackFailed : OUTCOME.completed;
}
