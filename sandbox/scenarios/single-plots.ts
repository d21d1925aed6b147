import { evenly, type Line, type Plot, plotOf, type Stage } from './plot';

/**
 * The plots about one request or a few. Blocks of these networks take 1 or 2 s, so that only what is
 * older than half an hour lies 1000 blocks back.
 */

/** Requests that are answered within seconds. */
function answered(times: readonly number[], firstWho: number): Line[] {
  return times.map((at, index) => ({ at, who: firstWho + index, lasts: 3 }));
}

/** Requests that stay, of a sender each. */
function staying(times: readonly number[]): Line[] {
  return times.map((at, who) => ({ at, who }));
}

const SLOW_S = 290;

export function slow(stage: Stage): Plot {
  const lines = [-160, -120, -80].map((at, who): Line => ({ at, who, lasts: SLOW_S, role: 'stuck' }));
  return plotOf(stage, { rule: 'R2', network: 'abstract', from: -400, aside: 1 }, lines);
}

export function retryEnd(stage: Stage): Plot {
  const setting = { rule: 'R3', network: 'base', from: -600, aside: 1 } as const;
  return plotOf(stage, setting, staying([-325, -315, -305]));
}

export function gaveUp(stage: Stage): Plot {
  const setting = { rule: 'R4', network: 'blast', from: -900, aside: 2 } as const;
  return plotOf(stage, setting, staying([-700, -640, -580]));
}

/** The same request twice, since the block of the first was reorganised away. */
export function reorgTwin(stage: Stage): Plot {
  return plotOf(stage, { rule: 'R5', network: 'blast', from: -900, aside: 2 }, [
    ...answered(evenly(4, -880, -640), 1),
    { at: -600, who: 0 },
    { at: -555, who: 0, lasts: 4, follows: 'twin', role: 'twin' },
    ...answered(evenly(4, -500, -200), 5),
  ]);
}

export function overtaken(stage: Stage): Plot {
  return plotOf(stage, { rule: 'R8', network: 'base', from: -900, aside: 1 }, [
    { at: -600, who: 0 },
    ...answered(evenly(25, -580, -20), 1),
  ]);
}

/** Later requests come to the other provider, so that the stuck ones are old but not overtaken. */
export function backlog(stage: Stage): Plot {
  return plotOf(stage, { rule: 'R10', network: 'blast', from: -2800, aside: 2 }, [
    ...staying([-2700, -2640]),
    ...answered(evenly(5, -2500, -300), 2),
  ]);
}

const UNUSUAL_GAS = 20_000_000;
const GAS_OVER_MAXIMUM = 700_000_000;

export function gasUnusual(stage: Stage): Plot {
  return gasPlot(stage, 'base', 1, UNUSUAL_GAS);
}

export function gasOverMaximum(stage: Stage): Plot {
  return gasPlot(stage, 'blast', 2, GAS_OVER_MAXIMUM);
}

function gasPlot(stage: Stage, network: string, aside: number, gasLimit: number): Plot {
  return plotOf(stage, { rule: 'R11', network, from: -900, aside }, [
    { at: -540, who: 0, gasLimit },
    ...answered(evenly(5, -500, -100), 1),
  ]);
}

export function gap(stage: Stage): Plot {
  return plotOf(stage, { rule: 'R12', network: 'base-sepolia-testnet', from: -900, aside: 1 }, [
    ...answered(evenly(8, -880, -560), 1),
    { at: -500, who: 0, skip: 3 },
    ...answered(evenly(5, -460, -60), 9),
  ]);
}

/** Requests of one transaction: four are answered, the third and the fifth are not. */
export function batch(stage: Stage): Plot {
  const lines = Array.from({ length: 6 }, (_, index): Line => {
    const line: Line = { at: -500 + index * 0.15, who: 0, follows: index === 0 ? undefined : 'batch' };
    return index === 2 || index === 4 ? line : { ...line, lasts: 3 };
  });
  return plotOf(stage, { rule: 'R15', network: 'base-sepolia-testnet', from: -700, aside: 1 }, lines);
}
