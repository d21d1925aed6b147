import type { LogRow } from '@/sandbox/logs/log-row';
import { type Keeper, LANES, laneAt, NETWORKS, networkAt } from '@/sandbox/logs/networks';
import type { Mixer } from '@/sandbox/logs/random';
import { normal } from '@/sandbox/logs/schedule';

/** The rules that an incident can be about, by their numbers in the list of rules. */
export type Rule = `R${2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15}`;

/** What a row of an incident is there for: to stay pending, or to be what the stuck ones are compared with. */
export type Role = 'stuck' | 'other' | 'twin';

/** A row of a scenario before it has a number. Times in unix milliseconds. */
type Draft = Pick<LogRow, 'createdMs' | 'sender' | 'outcome' | 'finishMs'> & {
  lane: number;
  gasLimit: number;
  /** Sequence numbers left out before this row. */
  skip?: number;
  /** `twin`: the request before it in its lane once more; `batch`: in the transaction of that request. */
  follows?: 'twin' | 'batch';
  /** The incident that it belongs to, and what for; undefined: it is there to be healthy. */
  part?: { incident: Incident; role: Role };
};

/** What goes wrong on one network. From `fromMs` on (unix ms) no other requests of its lane are there. */
export type Incident = {
  /** Undefined: nothing is stuck, the network is only slow. */
  rule: Rule | undefined;
  network: number;
  lane: number;
  fromMs: number;
  /** The provider whose requests go on meanwhile and are answered; undefined: the network has no others. */
  aside?: { provider: number; periodMs: number };
  drafts: Generator<Draft, undefined>;
};

/** A scenario set at a time (unix ms): a pure function of the seed, the name and that time. */
export type Scenario = {
  name: string;
  shows: string;
  mixer: Mixer;
  fromMs: number;
  sinceMs: number;
  incidents: Incident[];
};

/** Where an incident is set: `number` tells the incidents of a scenario apart. */
type Stage = { mixer: Mixer; sinceMs: number; number: number };

/** A request of an incident. Times in seconds; `at` counts from the start of the scenario, so it is below 0. */
export type Line = {
  at: number;
  /** Number of the sender within the incident. */
  who: number;
  /** How long it is pending; left out: for good. */
  lasts?: number;
  /** What it is compared as when it does not stay pending for good: a slow request is stuck too. */
  role?: Role;
  gasLimit?: number;
  skip?: number;
  follows?: 'twin' | 'batch';
};

/** What goes wrong on a network; its requests go to the first provider there. */
export type Setting = {
  rule?: Rule;
  network: string;
  /** Seconds from the start of the scenario, below 0. */
  from: number;
  /** In order of time; by the unix time in seconds at which it is set, where that matters. */
  lines: readonly Line[] | ((sinceS: number) => Line[]);
  /** After these one more so often, in seconds. */
  laterS?: number;
  /** The provider whose requests go on meanwhile. */
  aside?: number;
  /** How often, in seconds; below 300, so that the network never seems silent. */
  asideS?: number;
};

/** Senders of incidents, apart from those of the world. */
const FIRST_SENDER = 1_200_000_000;
const ASIDE_S = 20;

/** What is drawn from the mixer of a scenario. */
const [JITTER, LANE, SENDER, SPEED, END, GAS, SHIFT, LASTS] = [60, 61, 62, 63, 64, 65, 70, 71];

export function incidentAt({ mixer, sinceMs, number }: Stage, setting: Setting): Incident {
  const { rule, aside, asideS = ASIDE_S, laterS } = setting;
  const network = NETWORKS.findIndex(({ chainName }) => chainName === setting.network);
  const lane = LANES.findIndex((one) => one.network === network && one.provider === 0);
  const lines = typeof setting.lines === 'function' ? setting.lines(sinceMs / 1000) : setting.lines;
  const incident: Incident = {
    ...{ rule, network, lane, drafts: drafts(), fromMs: sinceMs + setting.from * 1000 },
    aside: aside === undefined ? undefined : { provider: aside, periodMs: asideS * 1000 },
  };
  function* drafts(): Generator<Draft, undefined> {
    let index = 0;
    for (const line of lines) yield draft(line, index++);
    const senders = Math.max(...lines.map(({ who }) => who + 1));
    for (let later = 0; laterS; later++)
      yield draft({ at: (later + 1) * laterS, who: later % senders }, index++);
  }
  function draft({ at, who, lasts, skip, follows, gasLimit, role }: Line, index: number): Draft {
    // One shift for all: the seed moves an incident by less than a second, and never changes its order.
    const createdMs = sinceMs + Math.floor(at * 1000) + mixer.below(900, SHIFT, number);
    const sender = FIRST_SENDER + number * 1000 + who;
    const isStuck = lasts === undefined;
    return {
      ...{ createdMs, lane, sender, skip, follows, outcome: isStuck ? 'Pending' : 'Completed' },
      finishMs: isStuck
        ? Number.POSITIVE_INFINITY
        : createdMs + Math.floor(lasts * 1000) + mixer.below(900, LASTS, number, index),
      gasLimit: gasLimit ?? usualGas(mixer, network, sender),
      part: { incident, role: role ?? (isStuck ? 'stuck' : 'other') },
    };
  }
  return incident;
}

/** All networks together get about one row in 2 s, as the live rows of the world do. */
const SLOT_MS = 2000;
/** Nothing healthy takes longer: with it three rows of a network at most are pending at a time. */
const LONGEST_MS = 20_000;
const SHORTEST_MS = 400;
const SIGMA = 0.6;
/** Shares of the network's own gas limit, so that no request is unusual among the others. */
const GAS_SHARES = [1, 1, 1, 0.8, 0.6, 0.4];

function usualGas(mixer: Mixer, network: number, sender: number): number {
  const share = GAS_SHARES[mixer.below(GAS_SHARES.length, GAS, sender)] ?? 1;
  return Math.floor(networkAt(network).gasLimit * share);
}

/** Requests of one network that come steadily and are answered within seconds; of one provider or of all. */
function* steadyDrafts(
  mixer: Mixer,
  network: number,
  fromMs: number,
  toMs: number,
  aside?: { provider: number; periodMs: number },
): Generator<Draft, undefined> {
  const all = LANES.flatMap((lane, place) => (lane.network === network ? [{ ...lane, place }] : []));
  const quota = all.reduce((sum, lane) => sum + lane.quota, 0);
  const periodMs = aside?.periodMs ?? (SLOT_MS * 1000) / quota;
  // Each lane as often as its quota in tens, so that a fraction picks by weight.
  const lanes = all
    .filter(({ provider }) => aside === undefined || provider === aside.provider)
    .flatMap(({ place, quota: own }) => new Array<number>(Math.ceil(own / 10)).fill(place));
  for (let index = Math.ceil(fromMs / periodMs); ; index++) {
    const createdMs = Math.floor((index + 0.9 * mixer.fraction(JITTER, index, network)) * periodMs);
    if (createdMs >= toMs) return;
    // Regular and occasional senders take turns, so that no sender has three requests pending at a time.
    const sender =
      index % 2 === 0
        ? 10 + network * 4 + ((index / 2) % 4)
        : 1000 + network * 64 + mixer.below(64, SENDER, index, network);
    const spread = normal(mixer.fraction(SPEED, index, network), mixer.fraction(SPEED, index, network + 100));
    const end = mixer.fraction(END, index, network);
    const lasts = networkAt(network).medianMs * Math.exp(SIGMA * spread);
    yield {
      createdMs,
      lane: lanes[mixer.below(lanes.length, LANE, index, network)] ?? 0,
      sender,
      outcome: end < 0.004 ? 'Failed' : end < 0.014 ? 'CallbackErrored' : 'Completed',
      finishMs: Math.floor(createdMs + Math.max(SHORTEST_MS, Math.min(LONGEST_MS, lasts))),
      gasLimit: usualGas(mixer, network, sender),
    };
  }
}

/** Rows of one scenario at most; numbers of scenarios set at different seconds never meet. */
const NUMBERS_PER_SECOND = 2 ** 20;

/** The rows of a scenario as time goes on, from two hours before its start. */
export class ScenarioRows {
  /** Oldest first. */
  readonly rows: Record<Keeper, LogRow[]> = { main: [], test: [] };
  readonly parts: { incident: Incident; role: Role; row: LogRow }[] = [];
  private readonly streams: { drafts: Generator<Draft, undefined>; next: Draft | undefined }[];
  private nextK: number;
  private readonly lastInLane = new Map<number, LogRow>();

  /** `firstSequence`: the number of the next request of a lane. */
  constructor(
    readonly scenario: Scenario,
    private readonly firstSequence: (lane: number) => number,
  ) {
    const { mixer, fromMs, incidents } = scenario;
    this.nextK = Math.floor(scenario.sinceMs / 1000) * NUMBERS_PER_SECOND;
    const end = Number.POSITIVE_INFINITY;
    // Healthy requests on all networks, up to where an incident takes one over, and the incidents.
    const steady = NETWORKS.map((_, network) => {
      const incident = incidents.find((one) => one.network === network);
      return steadyDrafts(mixer, network, fromMs, incident?.fromMs ?? end);
    });
    const beside = incidents.flatMap(({ network, aside, fromMs: from }) =>
      aside ? [steadyDrafts(mixer, network, from, end, aside)] : [],
    );
    const all = [...steady, ...beside, ...incidents.map(({ drafts }) => drafts)];
    this.streams = all.map((drafts) => ({ drafts, next: drafts.next().value }));
  }

  /** Adds the rows created at or before a time (unix ms) that are not there yet. */
  moveTo(ms: number): void {
    const due: Draft[] = [];
    for (const stream of this.streams) {
      for (; stream.next && stream.next.createdMs <= ms; stream.next = stream.drafts.next().value) {
        due.push(stream.next);
      }
    }
    due.sort((a, b) => a.createdMs - b.createdMs);
    for (const draft of due) this.take(draft);
  }

  private take({ lane, skip = 0, follows, part, ...draft }: Draft): void {
    const { network, provider } = laneAt(lane);
    const k = this.nextK;
    const before = this.lastInLane.get(lane);
    const isTwin = follows === 'twin' && before !== undefined;
    const next = before ? before.sequence + 1 : this.firstSequence(lane);
    const row: LogRow = {
      ...{ source: this.scenario.mixer, k, network, provider, ...draft },
      secondMs: Number.POSITIVE_INFINITY,
      sequence: isTwin ? before.sequence : next + skip,
      lead: follows === 'batch' && before ? before.lead : k,
      contribution: isTwin ? before.contribution : k,
    };
    this.nextK += 1;
    this.lastInLane.set(lane, row);
    this.rows[networkAt(network).keeper].push(row);
    if (part) this.parts.push({ ...part, row });
  }
}
