import { OUTCOME } from '@/sandbox/logs/facts';
import type { Mixer } from '@/sandbox/logs/mix';
import { LANES, NETWORKS } from '@/sandbox/logs/networks';
import { usualGas } from './background';
import type { Draft, DraftSource, Role } from './draft';

/** The rules that a scenario can be about, by their numbers in the list of rules. */
export type Rule = `R${2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15}`;

/** What happens on one network. From `fromMs` on (unix ms) no other requests of its lane are there. */
export type Plot = {
  rule: Rule;
  network: number;
  lane: number;
  fromMs: number;
  /** The provider whose requests go on meanwhile and are answered; undefined: the network has no others. */
  aside?: { provider: number; periodMs: number };
  drafts: Draft[];
  /** What comes after the start of the scenario. */
  later?: (index: number) => Draft;
};

/** Where a plot is set. */
export type Stage = { mixer: Mixer; sinceMs: number; number: number };

/** A request of a plot. Times in seconds; `at` counts from the start of the scenario, so it is below 0. */
export type Line = {
  at: number;
  /** Number of the sender within the plot. */
  who: number;
  /** How long it is pending; left out: for good. */
  lasts?: number;
  /** What it is compared as when it does not stay pending for good: a slow request is stuck too. */
  role?: Role;
  gasLimit?: number;
  skip?: number;
  follows?: 'twin' | 'batch';
};

type Setting = {
  rule: Rule;
  network: string;
  /** Seconds from the start of the scenario, below 0. */
  from: number;
  /** The provider whose requests go on meanwhile. */
  aside?: number;
  /** How often, in seconds; below 300, so that the network never seems silent. */
  asideS?: number;
};

/** Senders of plots, apart from those of the world. */
const FIRST_SENDER = 1_200_000_000;
const ASIDE_S = 20;
const SHIFT = 70;
const LASTS = 71;

/** Puts a plot on a network; its requests go to the first provider there. */
export function plotOf(stage: Stage, setting: Setting, lines: readonly Line[], laterS?: number): Plot {
  const network = NETWORKS.findIndex(({ chainName }) => chainName === setting.network);
  const lane = LANES.findIndex((one) => one.network === network && one.provider === 0);
  if (network < 0 || lane < 0) throw new Error(`there is no network '${setting.network}'`);
  const draft = (line: Line, index: number) => draftOf(stage, network, lane, line, index);
  const senders = Math.max(1, ...lines.map(({ who }) => who + 1));
  return {
    rule: setting.rule,
    network,
    lane,
    fromMs: stage.sinceMs + setting.from * 1000,
    aside:
      setting.aside === undefined
        ? undefined
        : { provider: setting.aside, periodMs: (setting.asideS ?? ASIDE_S) * 1000 },
    drafts: lines.map(draft),
    later: laterS
      ? (index) => draft({ at: (index + 1) * laterS, who: index % senders }, lines.length + index)
      : undefined,
  };
}

function draftOf(stage: Stage, network: number, lane: number, line: Line, index: number): Draft {
  const { mixer, sinceMs, number } = stage;
  // One shift for all: the seed moves a plot by less than a second, and never changes its order.
  const createdMs = sinceMs + Math.floor(line.at * 1000) + mixer.below(900, SHIFT, number);
  const sender = FIRST_SENDER + number * 1000 + line.who;
  const { lasts } = line;
  const finishMs =
    lasts === undefined
      ? Number.POSITIVE_INFINITY
      : createdMs + Math.floor(lasts * 1000) + mixer.below(900, LASTS, number, index);
  return {
    createdMs,
    lane,
    sender,
    outcome: lasts === undefined ? OUTCOME.never : OUTCOME.completed,
    finishMs,
    gasLimit: line.gasLimit ?? usualGas(mixer, network, sender),
    skip: line.skip,
    follows: line.follows,
    part: { plot: number, role: line.role ?? (lasts === undefined ? 'stuck' : 'other') },
  };
}

/** The rows of a plot as time goes on. */
export class PlotSource implements DraftSource {
  private given = 0;

  constructor(private readonly plot: Plot) {}

  until(ms: number): Draft[] {
    const found: Draft[] = [];
    for (let draft = this.at(this.given); draft && draft.createdMs <= ms; draft = this.at(this.given)) {
      found.push(draft);
      this.given += 1;
    }
    return found;
  }

  private at(index: number): Draft | undefined {
    const { drafts, later } = this.plot;
    return index < drafts.length ? drafts[index] : later?.(index - drafts.length);
  }
}

/** `count` times from one second to another, evenly, both included. */
export function evenly(count: number, from: number, to: number): number[] {
  return Array.from({ length: count }, (_, index) =>
    count === 1 ? from : from + ((to - from) * index) / (count - 1),
  );
}
