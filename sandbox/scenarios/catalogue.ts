import { Mixer } from '@/sandbox/logs/random';
import { type Incident, incidentAt, type Line, type Rule, type Scenario, type Stage } from './scenario-rows';

/**
 * The incidents about one request or a few. Blocks of these networks take 1 or 2 s, so that only what is
 * older than half an hour lies 1000 blocks back.
 */

/** `count` times from one second to another, evenly, both included. */
function evenly(count: number, from: number, to: number): number[] {
  return Array.from({ length: count }, (_, index) =>
    count === 1 ? from : from + ((to - from) * index) / (count - 1),
  );
}

/** Requests that are answered within seconds. */
function answered(times: readonly number[], firstWho: number): Line[] {
  return times.map((at, index) => ({ at, who: firstWho + index, lasts: 3 }));
}

/** Requests that stay, of a sender each. */
function staying(times: readonly number[]): Line[] {
  return times.map((at, who) => ({ at, who }));
}

const SLOW_S = 290;

function slow(stage: Stage): Incident {
  const lines = [-160, -120, -80].map((at, who): Line => ({ at, who, lasts: SLOW_S, role: 'stuck' }));
  return incidentAt(stage, { rule: 'R2', network: 'abstract', from: -400, aside: 1 }, lines);
}

function retryEnd(stage: Stage): Incident {
  const setting = { rule: 'R3', network: 'base', from: -600, aside: 1 } as const;
  return incidentAt(stage, setting, staying([-325, -315, -305]));
}

function gaveUp(stage: Stage): Incident {
  const setting = { rule: 'R4', network: 'blast', from: -900, aside: 2 } as const;
  return incidentAt(stage, setting, staying([-700, -640, -580]));
}

/** The same request twice, since the block of the first was reorganised away. */
function reorgTwin(stage: Stage): Incident {
  return incidentAt(stage, { rule: 'R5', network: 'blast', from: -900, aside: 2 }, [
    ...answered(evenly(4, -880, -640), 1),
    { at: -600, who: 0 },
    { at: -555, who: 0, lasts: 4, follows: 'twin', role: 'twin' },
    ...answered(evenly(4, -500, -200), 5),
  ]);
}

function overtaken(stage: Stage): Incident {
  return incidentAt(stage, { rule: 'R8', network: 'base', from: -900, aside: 1 }, [
    { at: -600, who: 0 },
    ...answered(evenly(25, -580, -20), 1),
  ]);
}

/** Later requests come to the other provider, so that the stuck ones are old but not overtaken. */
function backlog(stage: Stage): Incident {
  return incidentAt(stage, { rule: 'R10', network: 'blast', from: -2800, aside: 2 }, [
    ...staying([-2700, -2640]),
    ...answered(evenly(5, -2500, -300), 2),
  ]);
}

const UNUSUAL_GAS = 20_000_000;
const GAS_OVER_MAXIMUM = 700_000_000;

function gasUnusual(stage: Stage): Incident {
  return gasIncident(stage, 'base', 1, UNUSUAL_GAS);
}

function gasOverMaximum(stage: Stage): Incident {
  return gasIncident(stage, 'blast', 2, GAS_OVER_MAXIMUM);
}

function gasIncident(stage: Stage, network: string, aside: number, gasLimit: number): Incident {
  return incidentAt(stage, { rule: 'R11', network, from: -900, aside }, [
    { at: -540, who: 0, gasLimit },
    ...answered(evenly(5, -500, -100), 1),
  ]);
}

function gap(stage: Stage): Incident {
  return incidentAt(stage, { rule: 'R12', network: 'base-sepolia-testnet', from: -900, aside: 1 }, [
    ...answered(evenly(8, -880, -560), 1),
    { at: -500, who: 0, skip: 3 },
    ...answered(evenly(5, -460, -60), 9),
  ]);
}

/** Requests of one transaction: four are answered, the third and the fifth are not. */
function batch(stage: Stage): Incident {
  const lines = Array.from({ length: 6 }, (_, index): Line => {
    const line: Line = { at: -500 + index * 0.15, who: 0, follows: index === 0 ? undefined : 'batch' };
    return index === 2 || index === 4 ? line : { ...line, lasts: 3 };
  });
  return incidentAt(stage, { rule: 'R15', network: 'base-sepolia-testnet', from: -700, aside: 1 }, lines);
}

const OUTAGE_SENDERS = 12;
const OUTAGE_PENDING = 41;
/** During an outage a request still comes now and then, and stays as well. */
const OUTAGE_LATER_S = 240;

/** Everything on the network stays pending. Before, its senders were answered: no contract is to blame. */
function rpcOutage(stage: Stage, network: string): Incident {
  const before = evenly(2 * OUTAGE_SENDERS, -1180, -625).map((at, index): Line => {
    return { at, who: index % OUTAGE_SENDERS, lasts: 3 };
  });
  const pending = evenly(OUTAGE_PENDING, -600, -5).map((at, index): Line => {
    return { at, who: index % OUTAGE_SENDERS };
  });
  return incidentAt(stage, { rule: 'R6', network, from: -1200 }, [...before, ...pending], OUTAGE_LATER_S);
}

const CONTRACT_TIMES = [-840, -780, -690, -600, -540, -420, -330, -240, -130];
const OTHER_TIMES = [-750, -500, -380, -200];

/** One sender's requests stay. Others finish: few at this provider, so that nothing is overtaken, more at another. */
function badContract(stage: Stage, network: string, aside: number): Incident {
  const bad = CONTRACT_TIMES.map((at): Line => ({ at, who: 0 }));
  const others = OTHER_TIMES.map((at, index): Line => ({ at, who: 1 + index, lasts: 4 }));
  const lines = [...bad, ...others].sort((a, b) => a.at - b.at);
  return incidentAt(stage, { rule: 'R7', network, from: -900, aside }, lines);
}

/** The last three requests stay, then nothing comes for 40 minutes where there was one every few seconds. */
function silence(stage: Stage): Incident {
  const lines = [-2424, -2412, -2400].map((at, who): Line => ({ at, who }));
  return incidentAt(stage, { rule: 'R9', network: 'base', from: -2430 }, lines);
}

/**
 * Of 19 requests in a row every second one stays, and one more: 10 of the 11 share their parity. Few others
 * come, since each that is pending for a moment counts too.
 */
function oneReplica(stage: Stage): Incident {
  const lines = evenly(19, -960, -480).map((at, who): Line => {
    return who % 2 === 0 || who === 7 ? { at, who } : { at, who, lasts: 4 };
  });
  return incidentAt(stage, { rule: 'R13', network: 'base', from: -1000, aside: 1, asideS: 240 }, lines);
}

const RECOVERY_TIMES = [-1260, -1230, -1200, -1170, -1140, -1110, -1080, -1050];

/** Six of eight were finished late, all in one minute of the clock, about eight minutes ago. */
function lateRecovery(stage: Stage): Incident {
  const minuteS = Math.floor((stage.sinceMs / 1000 - 480) / 60) * 60;
  const lines = RECOVERY_TIMES.map((at, index): Line => {
    const line: Line = { at, who: index };
    if (index === 1 || index === 4) return line;
    // The shift of the incident and the jitter add less than 2 s.
    return { ...line, lasts: minuteS + 5 + index * 6 - (stage.sinceMs / 1000 + at) };
  });
  return incidentAt(stage, { rule: 'R14', network: 'base', from: -1300, aside: 1 }, lines);
}

const FLOOD_NETWORKS = [
  ...['base', 'arbitrum-one', 'abstract', 'apechain', 'sonic-mainnet', 'berachain', 'op-mainnet', 'blast'],
  ...['sei-network', 'base-sepolia-testnet', 'arbitrum-sepolia', 'monad-testnet', 'op-sepolia-testnet'],
  'unichain-sepolia-testnet',
];
const FLOOD_PENDING = 10_000;
const FLOOD_SENDERS = 60;

/** Ten thousand in all, over the last 20 minutes. */
function flood(stage: Omit<Stage, 'number'>): Incident[] {
  return FLOOD_NETWORKS.map((network, number) => {
    const share = (place: number) => Math.floor((FLOOD_PENDING * place) / FLOOD_NETWORKS.length);
    const count = share(number + 1) - share(number);
    const lines = evenly(count, -1200, -2).map((at, index): Line => ({ at, who: index % FLOOD_SENDERS }));
    const setting = { rule: 'R6', network, from: -1210 } as const;
    return incidentAt({ ...stage, number }, setting, lines, OUTAGE_LATER_S);
  });
}

/** How much of the past a scenario replaces. */
const WINDOW_MS = 2 * 3_600_000;
/** Mixers of scenarios, apart from those of the world. */
const FIRST_STREAM = 100;

type Entry = {
  /** What an operator sees. */
  shows: string;
  incidents: (stage: (number: number) => Stage) => Incident[];
};

const ENTRIES = {
  healthy: { shows: 'nothing stuck, no gaps, no silence', incidents: () => [] },
  slow: {
    shows: '3 requests are slow; the keeper is still retrying and completes them after 290 s',
    incidents: (on) => [slow(on(0))],
  },
  'retry-end': {
    shows: '3 requests are at the end of the retry budget; they stay',
    incidents: (on) => [retryEnd(on(0))],
  },
  'gave-up': {
    shows: '3 requests are older than the retry budget; nothing else is wrong',
    incidents: (on) => [gaveUp(on(0))],
  },
  'reorg-twin': {
    shows: '1 request has a completed twin: same number, another transaction',
    incidents: (on) => [reorgTwin(on(0))],
  },
  'rpc-outage': {
    shows: '41 pending of 12 senders over 10 minutes, nothing finished on the network since',
    incidents: (on) => [rpcOutage(on(0), 'base')],
  },
  'bad-contract': {
    shows: '9 pending of one sender, while others finish',
    incidents: (on) => [badContract(on(0), 'base', 1)],
  },
  overtaken: {
    shows: '1 request stays while 25 higher numbers finished',
    incidents: (on) => [overtaken(on(0))],
  },
  silence: {
    shows: 'a lively network logs nothing for 40 minutes; its last 3 requests stay',
    incidents: (on) => [silence(on(0))],
  },
  backlog: {
    shows: '2 requests lie over 1000 blocks behind the newest logged one',
    incidents: (on) => [backlog(on(0))],
  },
  'gas-unusual': {
    shows: '1 request with a gas limit of 20,000,000, over 10 times the median',
    incidents: (on) => [gasUnusual(on(0))],
  },
  'gas-over-maximum': {
    shows: '1 request with a gas limit of 700,000,000, above the maximum of the contract',
    incidents: (on) => [gasOverMaximum(on(0))],
  },
  gap: {
    shows: '3 numbers are missing just before 1 stuck request',
    incidents: (on) => [gap(on(0))],
  },
  'one-replica': {
    shows: '11 stuck requests, 10 of them with the same parity, the numbers between them finished',
    incidents: (on) => [oneReplica(on(0))],
  },
  'late-recovery': {
    shows: '6 of 8 requests finished late within one minute, 2 stay',
    incidents: (on) => [lateRecovery(on(0))],
  },
  batch: {
    shows: 'one transaction with 6 requests: 4 done, 2 stay',
    incidents: (on) => [batch(on(0))],
  },
  'mixed-outage-and-contract': {
    shows: 'rpc-outage on one network and bad-contract on another',
    incidents: (on) => [rpcOutage(on(0), 'base'), badContract(on(1), 'blast', 2)],
  },
  'mixed-twin-and-silence': {
    shows: 'reorg-twin on one network and silence on another',
    incidents: (on) => [reorgTwin(on(0)), silence(on(1))],
  },
  flood: {
    shows: '10,000 pending on 14 networks of both keepers, nothing finished there for 20 minutes',
    incidents: (on) => flood(on(0)),
  },
} satisfies Record<string, Entry>;

type ScenarioName = keyof typeof ENTRIES;
export const SCENARIO_NAMES = Object.keys(ENTRIES) as ScenarioName[];

export function scenarioAt(seed: number, name: ScenarioName, sinceMs: number): Scenario {
  const mixer = new Mixer(seed, FIRST_STREAM + SCENARIO_NAMES.indexOf(name));
  const entry: Entry = ENTRIES[name];
  const incidents = entry.incidents((number) => ({ mixer, sinceMs, number }));
  return { name, mixer, fromMs: sinceMs - WINDOW_MS, sinceMs, incidents };
}

/** What there is, for the list that `GET /control` gives; the rules are those that explain it. */
export function describeScenarios(): { name: ScenarioName; shows: string; rules: Rule[] }[] {
  return SCENARIO_NAMES.map((name) => {
    const rules = scenarioAt(0, name, 0).incidents.map(({ rule }) => rule);
    return { name, shows: ENTRIES[name].shows, rules: [...new Set(rules)] };
  });
}
