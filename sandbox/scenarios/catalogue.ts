import { Mixer } from '@/sandbox/logs/random';
import { incidentAt, type Line, type Scenario, type Setting } from './scenario-rows';

/** `count` times from one second to another, evenly, both included. */
function evenly(count: number, from: number, to: number): number[] {
  return Array.from({ length: count }, (_, index) => from + ((to - from) * index) / Math.max(1, count - 1));
}

/** A request at each of these times, of a sender each; by itself it stays. */
function each(times: readonly number[], more: (who: number) => Partial<Line> = () => ({})): Line[] {
  return times.map((at, who) => ({ at, who, ...more(who) }));
}

/** Requests that are answered within seconds. */
function answered(times: readonly number[], firstWho = 1, lasts = 3): Line[] {
  return each(times, (index) => ({ who: firstWho + index, lasts }));
}

const OUTAGE_SENDERS = 12;
const ofOutage = (index: number) => ({ who: index % OUTAGE_SENDERS });

/** Everything on the network stays pending. Before, its senders were answered: no contract is to blame. */
const OUTAGE: Setting = {
  ...{ rule: 'R6', network: 'base', from: -1200, laterS: 240 },
  lines: [
    ...each(evenly(2 * OUTAGE_SENDERS, -1180, -625), (index) => ({ ...ofOutage(index), lasts: 3 })),
    ...each(evenly(41, -600, -5), ofOutage),
  ],
};

/** One sender's requests stay. Others finish: few at this provider, so that nothing is overtaken, more at another. */
const BAD_CONTRACT: Setting = {
  ...{ rule: 'R7', network: 'base', from: -900, aside: 1 },
  lines: [
    ...each([-840, -780, -690, -600, -540, -420, -330, -240, -130], () => ({ who: 0 })),
    ...answered([-750, -500, -380, -200], 1, 4),
  ].sort((a, b) => a.at - b.at),
};

/** The same request twice, since the block of the first was reorganised away. */
const REORG_TWIN: Setting = {
  ...{ rule: 'R5', network: 'blast', from: -900, aside: 2 },
  lines: [
    ...answered(evenly(4, -880, -640)),
    { at: -600, who: 0 },
    { at: -555, who: 0, lasts: 4, follows: 'twin', role: 'twin' },
    ...answered(evenly(4, -500, -200), 5),
  ],
};

/** The last three requests stay, then nothing comes for 40 minutes where there was one every few seconds. */
const SILENCE: Setting = {
  ...{ rule: 'R9', network: 'base', from: -2430, lines: each([-2424, -2412, -2400]) },
};

function unusualGas(network: string, aside: number, gasLimit: number): Setting {
  const lines = [{ at: -540, who: 0, gasLimit }, ...answered(evenly(5, -500, -100))];
  return { rule: 'R11', network, from: -900, aside, lines };
}

const FLOOD_NETWORKS = [
  ...['base', 'arbitrum-one', 'abstract', 'apechain', 'sonic-mainnet', 'berachain', 'op-mainnet', 'blast'],
  ...['sei-network', 'base-sepolia-testnet', 'arbitrum-sepolia', 'monad-testnet', 'op-sepolia-testnet'],
  'unichain-sepolia-testnet',
];

/** All requests of its first provider take far longer than usual; others are answered as ever. */
const SLOW_NETWORK: Setting = {
  ...{ network: 'base', from: -3000, aside: 1 },
  lines: answered(evenly(60, -2990, -60), 1, 55),
};

/** Ten thousand in all, over the last 20 minutes. */
const FLOOD = FLOOD_NETWORKS.map((network, number): Setting => {
  const upTo = (place: number) => Math.floor((10_000 * place) / FLOOD_NETWORKS.length);
  const times = evenly(upTo(number + 1) - upTo(number), -1200, -2);
  const lines = each(times, (index) => ({ who: index % 60 }));
  return { rule: 'R6', network, from: -1210, lines, laterS: 240 };
});

/** Six of eight were finished late, all in one minute of the clock, about eight minutes ago. */
function lateRecovery(sinceS: number): Line[] {
  const minuteS = Math.floor((sinceS - 480) / 60) * 60;
  return each(evenly(8, -1260, -1050)).map((line) =>
    line.who === 1 || line.who === 4
      ? line
      : // The shift of the incident and the jitter add less than 2 s.
        { ...line, lasts: minuteS + 5 + line.who * 6 - (sinceS + line.at) },
  );
}

type Entry = {
  shows: string;
  incidents: Setting[];
};

/** What can go wrong. Networks of single cases have slow blocks, so that only half an hour lies 1000 blocks back. */
const ENTRIES = {
  healthy: { shows: 'nothing stuck, no gaps, no silence', incidents: [] },
  slow: {
    shows: '3 requests are slow; the keeper is still retrying and completes them after 290 s',
    incidents: [
      {
        ...{ rule: 'R2', network: 'abstract', from: -400, aside: 1 },
        lines: each([-160, -120, -80], () => ({ lasts: 290, role: 'stuck' })),
      },
    ],
  },
  'retry-end': {
    shows: '3 requests are at the end of the retry budget; they stay',
    incidents: [{ rule: 'R3', network: 'base', from: -600, aside: 1, lines: each([-325, -315, -305]) }],
  },
  'gave-up': {
    shows: '3 requests are older than the retry budget; nothing else is wrong',
    incidents: [{ rule: 'R4', network: 'blast', from: -900, aside: 2, lines: each([-700, -640, -580]) }],
  },
  'reorg-twin': {
    shows: '1 request has a completed twin: same number, another transaction',
    incidents: [REORG_TWIN],
  },
  'rpc-outage': {
    shows: '41 pending of 12 senders over 10 minutes, nothing finished on the network since',
    incidents: [OUTAGE],
  },
  'bad-contract': { shows: '9 pending of one sender, while others finish', incidents: [BAD_CONTRACT] },
  overtaken: {
    shows: '1 request stays while 25 higher numbers finished',
    incidents: [
      {
        ...{ rule: 'R8', network: 'base', from: -900, aside: 1 },
        lines: [{ at: -600, who: 0 }, ...answered(evenly(25, -580, -20))],
      },
    ],
  },
  silence: {
    shows: 'a lively network logs nothing for 40 minutes; its last 3 requests stay',
    incidents: [SILENCE],
  },
  backlog: {
    // Later requests come to the other provider, so that the stuck ones are old but not overtaken.
    shows: '2 requests lie over 1000 blocks behind the newest logged one',
    incidents: [
      {
        ...{ rule: 'R10', network: 'blast', from: -2800, aside: 2 },
        lines: [...each([-2700, -2640]), ...answered(evenly(5, -2500, -300), 2)],
      },
    ],
  },
  'gas-unusual': {
    shows: '1 request with a gas limit of 20,000,000, over 10 times the median',
    incidents: [unusualGas('base', 1, 20_000_000)],
  },
  'gas-over-maximum': {
    shows: '1 request with a gas limit of 700,000,000, above the maximum of the contract',
    incidents: [unusualGas('blast', 2, 700_000_000)],
  },
  gap: {
    shows: '3 numbers are missing just before 1 stuck request',
    incidents: [
      {
        ...{ rule: 'R12', network: 'base-sepolia-testnet', from: -900, aside: 1 },
        lines: [
          ...answered(evenly(8, -880, -560)),
          { at: -500, who: 0, skip: 3 },
          ...answered(evenly(5, -460, -60), 9),
        ],
      },
    ],
  },
  'one-replica': {
    // Every second one stays, and one more. Few others come, since each that is pending for a moment counts too.
    shows: '11 stuck requests, 10 of them with the same parity, the numbers between them finished',
    incidents: [
      {
        ...{ rule: 'R13', network: 'base', from: -1000, aside: 1, asideS: 240 },
        lines: each(evenly(19, -960, -480), (who) => (who % 2 === 0 || who === 7 ? {} : { lasts: 4 })),
      },
    ],
  },
  'late-recovery': {
    shows: '6 of 8 requests finished late within one minute, 2 stay',
    incidents: [{ rule: 'R14', network: 'base', from: -1300, aside: 1, lines: lateRecovery }],
  },
  batch: {
    shows: 'one transaction with 6 requests: 4 done, 2 stay',
    incidents: [
      {
        ...{ rule: 'R15', network: 'base-sepolia-testnet', from: -700, aside: 1 },
        lines: each(evenly(6, -500, -499.25), (index) => ({
          ...{ who: 0, follows: index === 0 ? undefined : 'batch' },
          lasts: index === 2 || index === 4 ? undefined : 3,
        })),
      },
    ],
  },
  'mixed-outage-and-contract': {
    shows: 'rpc-outage on one network and bad-contract on another',
    incidents: [OUTAGE, { ...BAD_CONTRACT, network: 'blast', aside: 2 }],
  },
  'mixed-twin-and-silence': {
    shows: 'reorg-twin on one network and silence on another',
    incidents: [REORG_TWIN, SILENCE],
  },
  flood: {
    shows: '10,000 pending on 14 networks of both keepers, nothing finished there for 20 minutes',
    incidents: FLOOD,
  },
  'slow-network': {
    shows: 'callbacks of one network take 55 s, over three times its usual p95; nothing is stuck',
    incidents: [SLOW_NETWORK],
  },
} satisfies Record<string, Entry>;

type ScenarioName = keyof typeof ENTRIES;
export const SCENARIO_NAMES = Object.keys(ENTRIES) as ScenarioName[];

/** What there is, for the list that `GET /control` gives; the rules are those that explain it. */
export const SCENARIOS = Object.entries<Entry>(ENTRIES).map(([name, { shows, incidents }]) => {
  return { name, shows, rules: [...new Set(incidents.flatMap(({ rule }) => rule ?? []))] };
});

/** How much of the past a scenario replaces. */
const WINDOW_MS = 2 * 3_600_000;
/** Mixers of scenarios, apart from those of the world. */
const FIRST_STREAM = 100;

export function scenarioAt(seed: number, name: ScenarioName, sinceMs: number): Scenario {
  const mixer = new Mixer(seed, FIRST_STREAM + SCENARIO_NAMES.indexOf(name));
  const { shows, incidents }: Entry = ENTRIES[name];
  return {
    ...{ name, shows, mixer, sinceMs, fromMs: sinceMs - WINDOW_MS },
    incidents: incidents.map((setting, number) => incidentAt({ mixer, sinceMs, number }, setting)),
  };
}
