import type { LogRow } from '@/sandbox/logs/log-row';
import { type Keeper, LANES, laneAt, NETWORKS, networkAt } from '@/sandbox/logs/networks';
import { Mixer } from '@/sandbox/logs/random';
import { normal } from '@/sandbox/logs/schedule';
import {
  ENTRIES,
  type Incident,
  type IncidentRequest,
  type Role,
  SCENARIO_NAMES,
  type ScenarioName,
} from './catalogue';
import { RULE } from './rule-ids';

/** A row without a number. Times are unix ms. */
type Draft = Pick<LogRow, 'createdMs' | 'sender' | 'outcome' | 'finishMs'> &
  Pick<IncidentRequest, 'skip' | 'follows'> & {
    lane: number;
    gasLimit: number;
    /** Undefined for a healthy request. */
    part?: { incident: Incident; role: Role };
  };

/** Past that a scenario replaces. */
const WINDOW_MS = 2 * 3_600_000;
/** First random stream, apart from those of the world. */
const FIRST_STREAM = 100;
/** Maximum rows of one scenario. Scenarios set at different seconds never share a number. */
const NUMBERS_PER_SECOND = 2 ** 20;
/** First sender, apart from those of the world. */
const FIRST_SENDER = 1_200_000_000;
const ASIDE_S = 20;
/** Time between the last request of a silent network and its last block. */
const STOPS_AFTER_S = 15;
const FOR_EVER = Number.POSITIVE_INFINITY;

const JITTER = 60;
const LANE = 61;
const SENDER = 62;
const SPEED = 63;
const END = 64;
const GAS = 65;
const SHIFT = 70;
const LASTS = 71;

/**
 * Time between requests of all networks together: ten times the natural rate, so that each has enough rows for a
 * comparison.
 */
const SLOT_MS = 2000;
/** Longest duration of a healthy request, so that at most three rows of a network are pending at a time. */
const MAX_DURATION_MS = 20_000;
const MIN_DURATION_MS = 400;
const SIGMA = 0.6;
/** Shares of the network's own gas limit, so that no request is unusual. */
const GAS_SHARES = [1, 1, 1, 0.8, 0.6, 0.4];

export function networkNamed(name: string): number {
  return NETWORKS.findIndex(({ chainName }) => chainName === name);
}

/** Rows are pure functions of seed, name and the time (unix ms) at which it is set. They begin two hours before. */
export class Scenario {
  /** Oldest first. */
  readonly rows: Record<Keeper, LogRow[]> = { main: [], test: [] };
  readonly parts: { incident: Incident; role: Role; row: LogRow }[] = [];
  readonly mixer: Mixer;
  readonly fromMs: number;
  private readonly streams: { drafts: Generator<Draft, undefined>; next: Draft | undefined }[];
  private nextK: number;
  private readonly lastInLane = new Map<number, LogRow>();

  /** `firstSequence` returns the next number of a lane at a time. */
  constructor(
    seed: number,
    readonly name: ScenarioName,
    readonly sinceMs: number,
    private readonly firstSequence: (lane: number, ms: number) => number,
  ) {
    this.mixer = new Mixer(seed, FIRST_STREAM + SCENARIO_NAMES.indexOf(name));
    this.fromMs = sinceMs - WINDOW_MS;
    this.nextK = Math.floor(sinceMs / 1000) * NUMBERS_PER_SECOND;
    const { incidents } = this;
    const beganMs = ({ from }: Incident) => sinceMs + from * 1000;
    const steady = NETWORKS.map(({ chainName }, network) => {
      const incident = incidents.find((incident) => incident.network === chainName);
      return this.steadyDrafts(network, this.fromMs, incident ? beganMs(incident) : FOR_EVER);
    });
    const sideTraffic = incidents.flatMap((incident) =>
      incident.otherProvider === undefined
        ? []
        : [this.steadyDrafts(networkNamed(incident.network), beganMs(incident), FOR_EVER, incident)],
    );
    const drafts = incidents.map((incident, number) => this.incidentDrafts(incident, number));
    this.streams = [...steady, ...sideTraffic, ...drafts].map((stream) => ({
      drafts: stream,
      next: stream.next().value,
    }));
  }

  get shows(): string {
    return ENTRIES[this.name][0];
  }

  get incidents(): Incident[] {
    const [, ...incidents]: [string, ...Incident[]] = ENTRIES[this.name];
    return incidents;
  }

  /** Requests stay pending because the callbacks of these senders revert. */
  get badSenders(): number[] {
    return this.incidents.flatMap(({ rule }, number) =>
      rule === RULE.oneSender ? [FIRST_SENDER + number * 1000] : [],
    );
  }

  /** Unix ms of the last block; undefined if the network continues. */
  stoppedMs(network: number): number | undefined {
    const silent = this.incidents.find(
      (incident) => incident.rule === RULE.networkQuiet && networkNamed(incident.network) === network,
    );
    const last = silent && Array.isArray(silent.lines) ? silent.lines.at(-1) : undefined;
    return last && this.sinceMs + (last.at + STOPS_AFTER_S) * 1000;
  }

  moveTo(ms: number): void {
    const due: Draft[] = [];
    for (const stream of this.streams) {
      for (; stream.next && stream.next.createdMs <= ms; stream.next = stream.drafts.next().value) {
        due.push(stream.next);
      }
    }
    due.sort((a, b) => a.createdMs - b.createdMs);
    for (const draft of due) this.addRow(draft);
  }

  private *incidentDrafts(incident: Incident, number: number): Generator<Draft, undefined> {
    const { sinceMs, mixer } = this;
    const network = networkNamed(incident.network);
    const lane = LANES.findIndex((lane) => lane.network === network && lane.provider === 0);
    const lines = typeof incident.lines === 'function' ? incident.lines(sinceMs / 1000) : incident.lines;
    let index = 0;
    const draft = ({ at, senderIndex, lasts, skip, follows, gasLimit, role }: IncidentRequest): Draft => {
      // One shift for all: the seed moves an incident by less than a second and never changes its order.
      const createdMs = sinceMs + Math.floor(at * 1000) + mixer.below(900, SHIFT, number);
      const sender = FIRST_SENDER + number * 1000 + senderIndex;
      const jitterMs = mixer.below(900, LASTS, number, index++);
      return {
        createdMs,
        lane,
        sender,
        skip,
        follows,
        outcome: lasts === undefined ? 'Pending' : 'Completed',
        finishMs: lasts === undefined ? FOR_EVER : createdMs + Math.floor(lasts * 1000) + jitterMs,
        gasLimit: gasLimit ?? this.defaultGas(network, sender),
        part: { incident, role: role ?? (lasts === undefined ? 'stuck' : 'other') },
      };
    };
    for (const line of lines) yield draft(line);
    const senders = Math.max(...lines.map(({ senderIndex }) => senderIndex + 1));
    const { repeatS } = incident;
    for (let later = 0; repeatS; later++)
      yield draft({ at: (later + 1) * repeatS, senderIndex: later % senders });
  }

  /** Answered within seconds; of one provider or of all. */
  private *steadyDrafts(
    network: number,
    fromMs: number,
    toMs: number,
    { otherProvider, otherIntervalS = ASIDE_S }: Partial<Incident> = {},
  ): Generator<Draft, undefined> {
    const { mixer } = this;
    const all = LANES.flatMap((lane, place) => (lane.network === network ? [{ ...lane, place }] : []));
    const quota = all.reduce((sum, lane) => sum + lane.quota, 0);
    const periodMs = otherProvider === undefined ? (SLOT_MS * 1000) / quota : otherIntervalS * 1000;
    // Lanes repeat by their quota in tens, so that a fraction picks by weight.
    const lanes = all
      .filter(({ provider }) => otherProvider === undefined || provider === otherProvider)
      .flatMap(({ place, quota: share }) => new Array<number>(Math.ceil(share / 10)).fill(place));
    for (let index = Math.ceil(fromMs / periodMs); ; index++) {
      const createdMs = Math.floor((index + 0.9 * mixer.fraction(JITTER, index, network)) * periodMs);
      if (createdMs >= toMs) return;
      // Taking turns, no sender has three requests pending at a time.
      const sender =
        index % 2 === 0
          ? 10 + network * 4 + ((index / 2) % 4)
          : 1000 + network * 64 + mixer.below(64, SENDER, index, network);
      const spread = normal(
        mixer.fraction(SPEED, index, network),
        mixer.fraction(SPEED, index, network + 100),
      );
      const end = mixer.fraction(END, index, network);
      const lasts = networkAt(network).medianMs * Math.exp(SIGMA * spread);
      yield {
        createdMs,
        sender,
        lane: lanes[mixer.below(lanes.length, LANE, index, network)] ?? 0,
        outcome: end < 0.004 ? 'Failed' : end < 0.014 ? 'CallbackErrored' : 'Completed',
        finishMs: Math.floor(createdMs + Math.max(MIN_DURATION_MS, Math.min(MAX_DURATION_MS, lasts))),
        gasLimit: this.defaultGas(network, sender),
      };
    }
  }

  private defaultGas(network: number, sender: number): number {
    const share = GAS_SHARES[this.mixer.below(GAS_SHARES.length, GAS, sender)] ?? 1;
    return Math.floor(networkAt(network).gasLimit * share);
  }

  private addRow({ lane, skip = 0, follows, part, ...draft }: Draft): void {
    const { network, provider } = laneAt(lane);
    const k = this.nextK++;
    const previous = this.lastInLane.get(lane);
    const isTwin = follows === 'twin' && previous !== undefined;
    const next = previous ? previous.sequence + 1 : this.firstSequence(lane, this.fromMs);
    const row: LogRow = {
      source: this.mixer,
      k,
      network,
      provider,
      ...draft,
      lateRevealMs: FOR_EVER,
      sequence: isTwin ? previous.sequence : next + skip,
      lead: follows === 'batch' && previous ? previous.lead : k,
      contribution: isTwin ? previous.contribution : k,
    };
    this.lastInLane.set(lane, row);
    this.rows[networkAt(network).keeper].push(row);
    if (part) this.parts.push({ ...part, row });
  }
}
