import { Mixer } from '@/sandbox/logs/mix';
import * as group from './group-plots';
import type { Plot, Rule, Stage } from './plot';
import * as single from './single-plots';

/** How much of the past a scenario replaces. */
const WINDOW_MS = 2 * 3_600_000;
/** Mixers of scenarios, apart from those of the world. */
const FIRST_STREAM = 100;

type Entry = {
  /** What an operator sees. */
  shows: string;
  /** The rules that explain it, one for each kind of plot. */
  rules: readonly Rule[];
  plots: (stage: (number: number) => Stage) => Plot[];
};

const ENTRIES = {
  healthy: { shows: 'nothing stuck, no gaps, no silence', rules: [], plots: () => [] },
  slow: {
    shows: '3 requests are slow; the keeper is still retrying and completes them after 290 s',
    rules: ['R2'],
    plots: (on) => [single.slow(on(0))],
  },
  'retry-end': {
    shows: '3 requests are at the end of the retry budget; they stay',
    rules: ['R3'],
    plots: (on) => [single.retryEnd(on(0))],
  },
  'gave-up': {
    shows: '3 requests are older than the retry budget; nothing else is wrong',
    rules: ['R4'],
    plots: (on) => [single.gaveUp(on(0))],
  },
  'reorg-twin': {
    shows: '1 request has a completed twin: same number, another transaction',
    rules: ['R5'],
    plots: (on) => [single.reorgTwin(on(0))],
  },
  'rpc-outage': {
    shows: '41 pending of 12 senders over 10 minutes, nothing finished on the network since',
    rules: ['R6'],
    plots: (on) => [group.rpcOutage(on(0), 'base')],
  },
  'bad-contract': {
    shows: '9 pending of one sender, while others finish',
    rules: ['R7'],
    plots: (on) => [group.badContract(on(0), 'base', 1)],
  },
  overtaken: {
    shows: '1 request stays while 25 higher numbers finished',
    rules: ['R8'],
    plots: (on) => [single.overtaken(on(0))],
  },
  silence: {
    shows: 'a lively network logs nothing for 40 minutes; its last 3 requests stay',
    rules: ['R9'],
    plots: (on) => [group.silence(on(0))],
  },
  backlog: {
    shows: '2 requests lie over 1000 blocks behind the newest logged one',
    rules: ['R10'],
    plots: (on) => [single.backlog(on(0))],
  },
  'gas-unusual': {
    shows: '1 request with a gas limit of 20,000,000, over 10 times the median',
    rules: ['R11'],
    plots: (on) => [single.gasUnusual(on(0))],
  },
  'gas-over-maximum': {
    shows: '1 request with a gas limit of 700,000,000, above the maximum of the contract',
    rules: ['R11'],
    plots: (on) => [single.gasOverMaximum(on(0))],
  },
  gap: {
    shows: '3 numbers are missing just before 1 stuck request',
    rules: ['R12'],
    plots: (on) => [single.gap(on(0))],
  },
  'one-replica': {
    shows: '11 stuck requests, 10 of them with the same parity, the numbers between them finished',
    rules: ['R13'],
    plots: (on) => [group.oneReplica(on(0))],
  },
  'late-recovery': {
    shows: '6 of 8 requests finished late within one minute, 2 stay',
    rules: ['R14'],
    plots: (on) => [group.lateRecovery(on(0))],
  },
  batch: {
    shows: 'one transaction with 6 requests: 4 done, 2 stay',
    rules: ['R15'],
    plots: (on) => [single.batch(on(0))],
  },
  'mixed-outage-and-contract': {
    shows: 'rpc-outage on one network and bad-contract on another',
    rules: ['R6', 'R7'],
    plots: (on) => [group.rpcOutage(on(0), 'base'), group.badContract(on(1), 'blast', 2)],
  },
  'mixed-twin-and-silence': {
    shows: 'reorg-twin on one network and silence on another',
    rules: ['R5', 'R9'],
    plots: (on) => [single.reorgTwin(on(0)), group.silence(on(1))],
  },
  flood: {
    shows: '10,000 pending on 14 networks of both keepers, nothing finished there for 20 minutes',
    rules: ['R6'],
    plots: (on) => group.flood(on(0)),
  },
} satisfies Record<string, Entry>;

export type ScenarioName = keyof typeof ENTRIES;
export const SCENARIO_NAMES = Object.keys(ENTRIES) as ScenarioName[];

/** A scenario set at a time (unix ms): a pure function of the seed, the name and that time. */
export type Scenario = { name: ScenarioName; mixer: Mixer; fromMs: number; sinceMs: number; plots: Plot[] };

export function scenarioAt(seed: number, name: ScenarioName, sinceMs: number): Scenario {
  const mixer = new Mixer(seed, FIRST_STREAM + SCENARIO_NAMES.indexOf(name));
  const entry: Entry = ENTRIES[name];
  const plots = entry.plots((number) => ({ mixer, sinceMs, number }));
  return { name, mixer, fromMs: sinceMs - WINDOW_MS, sinceMs, plots };
}

/** What there is, for the list that `GET /control` gives. */
export function describeScenarios(): { name: ScenarioName; shows: string; rules: readonly Rule[] }[] {
  return SCENARIO_NAMES.map((name) => ({ name, shows: ENTRIES[name].shows, rules: ENTRIES[name].rules }));
}

/** What an operator sees. */
export function showsOf(name: ScenarioName): string {
  return ENTRIES[name].shows;
}
