import { RULE, type RuleId } from './rule-ids';

/** Times are seconds; `at` is relative to the start of the scenario, so negative. */
export type IncidentRequest = {
  at: number;
  /** Index of the sender within the incident. */
  senderIndex: number;
  /** Pending time; if absent, forever. */
  lasts?: number;
  /** Absent if the request stays pending forever. A slow request counts as stuck too. */
  role?: Role;
  gasLimit?: number;
  /** Sequence numbers that are skipped before it. */
  skip?: number;
  /** `twin`: repeats the previous request in its lane. `batch`: shares its transaction. */
  follows?: 'twin' | 'batch';
};

/** Rows other than stuck ones are for comparison. */
export type Role = 'stuck' | 'other' | 'twin';

/**
 * An incident, times in seconds from the start, negative. While it lasts, the network’s first provider has no other
 * requests.
 */
export type Incident = {
  /** The rule that finds it. If undefined, nothing is stuck: the network is only slow. */
  rule?: RuleId;
  network: string;
  from: number;
  /** Requests in order of time. A function of the unix seconds at which the scenario is set, if that matters. */
  lines: readonly IncidentRequest[] | ((sinceS: number) => IncidentRequest[]);
  repeatS?: number;
  /** A provider that continues and is answered, and its interval. Below 300 s the network never seems silent. */
  otherProvider?: number;
  otherIntervalS?: number;
};

/** `from` and `to` inclusive. */
function evenly(count: number, from: number, to: number): number[] {
  return Array.from({ length: count }, (_, index) => from + ((to - from) * index) / Math.max(1, count - 1));
}

/** Each request has another sender. By default they stay pending. */
function each(
  times: readonly number[],
  more: (index: number) => Partial<IncidentRequest> = () => ({}),
): IncidentRequest[] {
  return times.map((at, senderIndex) => ({ at, senderIndex, ...more(senderIndex) }));
}

function answered(times: readonly number[], firstSender = 1, lasts = 3): IncidentRequest[] {
  return each(times, (index) => ({ senderIndex: firstSender + index, lasts }));
}

/** The 12 senders were answered before, so no contract is to blame. */
const OUTAGE: Incident = {
  rule: RULE.wholeNetwork,
  network: 'base',
  from: -1200,
  repeatS: 240,
  lines: [
    ...each(evenly(24, -1180, -625), (index) => ({ senderIndex: index % 12, lasts: 3 })),
    ...each(evenly(41, -600, -5), (index) => ({ senderIndex: index % 12 })),
  ],
};

/** Others finish: few at this provider, so that nothing is overtaken, more at another one. */
const BAD_CONTRACT: Incident = {
  rule: RULE.oneSender,
  network: 'base',
  from: -900,
  otherProvider: 1,
  lines: [
    ...each([-840, -780, -690, -600, -540, -420, -330, -240, -130], () => ({ senderIndex: 0 })),
    ...answered([-750, -500, -380, -200], 1, 4),
  ].sort((a, b) => a.at - b.at),
};

/** A reorganisation removed the block of the first. */
const REORG_TWIN: Incident = {
  rule: RULE.reorgedTwin,
  network: 'blast',
  from: -900,
  otherProvider: 2,
  lines: [
    ...answered(evenly(4, -880, -640)),
    { at: -600, senderIndex: 0 },
    { at: -555, senderIndex: 0, lasts: 4, follows: 'twin', role: 'twin' },
    ...answered(evenly(4, -500, -200), 5),
  ],
};

/** A silence: after the stuck ones no request comes for 40 minutes, where there was one every few seconds. */
const SILENCE: Incident = {
  rule: RULE.networkQuiet,
  network: 'base',
  from: -2430,
  lines: each([-2424, -2412, -2400]),
};

function unusualGas(network: string, otherProvider: number, gasLimit: number): Incident {
  const lines = [{ at: -540, senderIndex: 0, gasLimit }, ...answered(evenly(5, -500, -100))];
  return { rule: RULE.unusualGas, network, from: -900, otherProvider, lines };
}

const FLOOD_NETWORKS = [
  ...['base', 'arbitrum-one', 'abstract', 'apechain', 'sonic-mainnet', 'berachain', 'op-mainnet', 'blast'],
  ...['sei-network', 'base-sepolia-testnet', 'arbitrum-sepolia', 'monad-testnet', 'op-sepolia-testnet'],
  'unichain-sepolia-testnet',
];

/** 10,000 stuck requests of several networks, from the last 20 minutes. */
const FLOOD = FLOOD_NETWORKS.map((network, number): Incident => {
  const upTo = (place: number) => Math.floor((10_000 * place) / FLOOD_NETWORKS.length);
  const times = evenly(upTo(number + 1) - upTo(number), -1200, -2);
  const lines = each(times, (index) => ({ senderIndex: index % 60 }));
  return { rule: RULE.wholeNetwork, network, from: -1210, lines, repeatS: 240 };
});

/** Six of eight requests finish late, all within one minute by the clock, about eight minutes ago. */
function lateRecovery(sinceS: number): IncidentRequest[] {
  const minuteS = Math.floor((sinceS - 480) / 60) * 60;
  // The shift of the incident and the jitter add less than 2 s.
  const lasts = ({ at, senderIndex }: IncidentRequest) => minuteS + 5 + senderIndex * 6 - (sinceS + at);
  return each(evenly(8, -1260, -1050)).map((line) =>
    line.senderIndex === 1 || line.senderIndex === 4 ? line : { ...line, lasts: lasts(line) },
  );
}

/** Networks of single cases have slow blocks, so that 1000 blocks are half an hour. */
export const ENTRIES = {
  healthy: ['nothing stuck, no gaps, no silence'],
  slow: [
    '3 requests are slow; the keeper is still retrying and completes them after 290 s',
    {
      rule: RULE.slow,
      network: 'abstract',
      from: -400,
      otherProvider: 1,
      lines: each([-160, -120, -80], () => ({ lasts: 290, role: 'stuck' })),
    },
  ],
  'retry-end': [
    '3 requests are at the end of the retry budget; they stay',
    {
      rule: RULE.retryBudgetEnding,
      network: 'base',
      from: -600,
      otherProvider: 1,
      lines: each([-325, -315, -305]),
    },
  ],
  'gave-up': [
    '3 requests are older than the retry budget; nothing else is wrong',
    {
      rule: RULE.pastRetryBudget,
      network: 'blast',
      from: -900,
      otherProvider: 2,
      lines: each([-700, -640, -580]),
    },
  ],
  'reorg-twin': ['1 request has a completed twin: same number, another transaction', REORG_TWIN],
  'rpc-outage': ['41 pending of 12 senders over 10 minutes, nothing finished on the network since', OUTAGE],
  'bad-contract': ['9 pending of one sender, while others finish', BAD_CONTRACT],
  overtaken: [
    '1 request stays while 25 higher numbers finished',
    {
      rule: RULE.overtaken,
      network: 'base',
      from: -900,
      otherProvider: 1,
      lines: [{ at: -600, senderIndex: 0 }, ...answered(evenly(25, -580, -20))],
    },
  ],
  silence: ['a lively network logs nothing for 40 minutes; its last 3 requests stay', SILENCE],
  backlog: [
    '2 requests lie over 1000 blocks behind the newest logged one',
    // Later requests go to the other provider, so that the stuck ones are old but not overtaken.
    {
      rule: RULE.beyondCatchUp,
      network: 'blast',
      from: -2800,
      otherProvider: 2,
      lines: [...each([-2700, -2640]), ...answered(evenly(5, -2500, -300), 2)],
    },
  ],
  'gas-unusual': [
    '1 request with a gas limit of 20,000,000, over 10 times the median',
    unusualGas('base', 1, 20_000_000),
  ],
  'gas-over-maximum': [
    '1 request with a gas limit of 700,000,000, above the maximum of the contract',
    unusualGas('blast', 2, 700_000_000),
  ],
  gap: [
    '3 numbers are missing just before 1 stuck request',
    {
      rule: RULE.missingSequences,
      network: 'base-sepolia-testnet',
      from: -900,
      otherProvider: 1,
      lines: [
        ...answered(evenly(8, -880, -560)),
        { at: -500, senderIndex: 0, skip: 3 },
        ...answered(evenly(5, -460, -60), 9),
      ],
    },
  ],
  'one-replica': [
    '11 stuck requests, 10 of them with the same parity, the numbers between them finished',
    // Half of the requests and one more stay pending. Few others come, because a brief wait counts too.
    {
      rule: RULE.replicaDown,
      network: 'base',
      from: -1000,
      otherProvider: 1,
      otherIntervalS: 240,
      lines: each(evenly(19, -960, -480), (senderIndex) =>
        senderIndex % 2 === 0 || senderIndex === 7 ? {} : { lasts: 4 },
      ),
    },
  ],
  'late-recovery': [
    '6 of 8 requests finished late within one minute, 2 stay',
    { rule: RULE.lateRecovery, network: 'base', from: -1300, otherProvider: 1, lines: lateRecovery },
  ],
  batch: [
    'one transaction with 6 requests: 4 done, 2 stay',
    {
      rule: RULE.batch,
      network: 'base-sepolia-testnet',
      from: -700,
      otherProvider: 1,
      lines: each(evenly(6, -500, -499.25), (index) => ({
        senderIndex: 0,
        follows: index === 0 ? undefined : 'batch',
        lasts: index === 2 || index === 4 ? undefined : 3,
      })),
    },
  ],
  'mixed-outage-and-contract': [
    'rpc-outage on one network and bad-contract on another',
    OUTAGE,
    { ...BAD_CONTRACT, network: 'blast', otherProvider: 2 },
  ],
  'mixed-twin-and-silence': ['reorg-twin on one network and silence on another', REORG_TWIN, SILENCE],
  flood: ['10,000 pending on 14 networks of both keepers, nothing finished there for 20 minutes', ...FLOOD],
  'slow-network': [
    'callbacks of one network take 55 s, over three times its usual p95; nothing is stuck',
    // All requests of its first provider. Others are answered as before.
    { network: 'base', from: -3000, otherProvider: 1, lines: answered(evenly(60, -2990, -60), 1, 55) },
  ],
  'four-outages': [
    'rpc-outage, bad-contract, silence and slow-network at once, on four networks',
    OUTAGE,
    { ...BAD_CONTRACT, network: 'blast', otherProvider: 2 },
    { ...SILENCE, network: 'arbitrum-one' },
    { network: 'abstract', from: -3000, otherProvider: 1, lines: answered(evenly(60, -2990, -60), 1, 55) },
  ],
} satisfies Record<string, [shows: string, ...Incident[]]>;

export type ScenarioName = keyof typeof ENTRIES;
export const SCENARIO_NAMES = Object.keys(ENTRIES) as ScenarioName[];
