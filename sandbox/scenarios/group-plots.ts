import { evenly, type Line, type Plot, plotOf, type Stage } from './plot';

const OUTAGE_SENDERS = 12;
const OUTAGE_PENDING = 41;
/** During an outage a request still comes now and then, and stays as well. */
const OUTAGE_LATER_S = 240;

/** Everything on the network stays pending. Before, its senders were answered: no contract is to blame. */
export function rpcOutage(stage: Stage, network: string): Plot {
  const before = evenly(2 * OUTAGE_SENDERS, -1180, -625).map((at, index): Line => {
    return { at, who: index % OUTAGE_SENDERS, lasts: 3 };
  });
  const pending = evenly(OUTAGE_PENDING, -600, -5).map((at, index): Line => {
    return { at, who: index % OUTAGE_SENDERS };
  });
  return plotOf(stage, { rule: 'R6', network, from: -1200 }, [...before, ...pending], OUTAGE_LATER_S);
}

const CONTRACT_TIMES = [-840, -780, -690, -600, -540, -420, -330, -240, -130];
const OTHER_TIMES = [-750, -500, -380, -200];

/** One sender's requests stay. Others finish: few at this provider, so that nothing is overtaken, more at another. */
export function badContract(stage: Stage, network: string, aside: number): Plot {
  const bad = CONTRACT_TIMES.map((at): Line => ({ at, who: 0 }));
  const others = OTHER_TIMES.map((at, index): Line => ({ at, who: 1 + index, lasts: 4 }));
  const lines = [...bad, ...others].sort((a, b) => a.at - b.at);
  return plotOf(stage, { rule: 'R7', network, from: -900, aside }, lines);
}

/** The last three requests stay, then nothing comes for 40 minutes where there was one every few seconds. */
export function silence(stage: Stage): Plot {
  const lines = [-2424, -2412, -2400].map((at, who): Line => ({ at, who }));
  return plotOf(stage, { rule: 'R9', network: 'base', from: -2430 }, lines);
}

/**
 * Of 19 requests in a row every second one stays, and one more: 10 of the 11 share their parity. Few others
 * come, since each that is pending for a moment counts too.
 */
export function oneReplica(stage: Stage): Plot {
  const lines = evenly(19, -960, -480).map((at, who): Line => {
    return who % 2 === 0 || who === 7 ? { at, who } : { at, who, lasts: 4 };
  });
  return plotOf(stage, { rule: 'R13', network: 'base', from: -1000, aside: 1, asideS: 240 }, lines);
}

const RECOVERY_TIMES = [-1260, -1230, -1200, -1170, -1140, -1110, -1080, -1050];

/** Six of eight were finished late, all in one minute of the clock, about eight minutes ago. */
export function lateRecovery(stage: Stage): Plot {
  const minuteS = Math.floor((stage.sinceMs / 1000 - 480) / 60) * 60;
  const lines = RECOVERY_TIMES.map((at, index): Line => {
    const line: Line = { at, who: index };
    if (index === 1 || index === 4) return line;
    // The shift of the plot and the jitter add less than 2 s.
    return { ...line, lasts: minuteS + 5 + index * 6 - (stage.sinceMs / 1000 + at) };
  });
  return plotOf(stage, { rule: 'R14', network: 'base', from: -1300, aside: 1 }, lines);
}

const FLOOD_NETWORKS = [
  ...['base', 'arbitrum-one', 'abstract', 'apechain', 'sonic-mainnet', 'berachain', 'op-mainnet', 'blast'],
  ...['sei-network', 'base-sepolia-testnet', 'arbitrum-sepolia', 'monad-testnet', 'op-sepolia-testnet'],
  'unichain-sepolia-testnet',
];
const FLOOD_PENDING = 10_000;
const FLOOD_SENDERS = 60;

/** Ten thousand in all, over the last 20 minutes. */
export function flood(stage: Omit<Stage, 'number'>): Plot[] {
  return FLOOD_NETWORKS.map((network, number) => {
    const share = (place: number) => Math.floor((FLOOD_PENDING * place) / FLOOD_NETWORKS.length);
    const count = share(number + 1) - share(number);
    const lines = evenly(count, -1200, -2).map((at, index): Line => ({ at, who: index % FLOOD_SENDERS }));
    const setting = { rule: 'R6', network, from: -1210 } as const;
    return plotOf({ ...stage, number }, setting, lines, OUTAGE_LATER_S);
  });
}
