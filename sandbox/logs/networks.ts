import facts from '@/data/networks.json';

export type Keeper = (typeof KEEPERS)[number];
export const KEEPERS = ['main', 'test'] as const;

/** Time of the heights below. */
const HEIGHT_TIME = Date.UTC(2026, 0, 1);

/**
 * Invented figures for real names, ids and contracts: name, milliseconds per block, height at `HEIGHT_TIME`, blocks
 * that the keeper waits, median ms to the answer, gas limit, fee in wei, requests out of 1000 (of both keepers) for
 * each provider. Lanes with equal quotas have the same sequence numbers, because those of real keepers overlap: a
 * number alone identifies nothing.
 */
type NetworkFigures = [string, number, number, number, number, number, number, number[]];

const FIGURES: Record<Keeper, NetworkFigures[]> = {
  main: [
    ['base', 2000, 40_200_000, 1, 4200, 500_000, 15_000_000_000_000, [140, 30]],
    ['arbitrum-one', 250, 416_000_000, 8, 3100, 2_500_000, 15_000_000_000_000, [100, 20]],
    ['abstract', 1000, 34_500_000, 2, 3800, 1_000_000, 20_000_000_000_000, [90, 10]],
    ['apechain', 250, 91_000_000, 4, 5200, 500_000, 100_000_000_000_000_000, [30, 30]],
    ['sonic-mainnet', 350, 148_000_000, 2, 2600, 500_000, 40_000_000_000_000_000, [60, 10]],
    ['berachain', 2000, 15_000_000, 1, 5600, 500_000, 20_000_000_000_000_000, [50]],
    ['op-mainnet', 2000, 145_700_000, 1, 4400, 500_000, 15_000_000_000_000, [40]],
    ['blast', 2000, 29_300_000, 1, 4700, 500_000, 15_000_000_000_000, [40, 0, 10]],
    ['sei-network', 400, 184_000_000, 2, 3300, 500_000, 150_000_000_000_000_000, [30]],
    ['unichain', 1000, 36_600_000, 1, 3500, 500_000, 15_000_000_000_000, [20]],
    ['monad', 400, 46_000_000, 3, 2900, 500_000, 1_500_000_000_000_000_000, [20]],
    ['hyperevm', 1000, 23_000_000, 2, 6100, 500_000, 1_000_000_000_000_000, [10]],
  ],
  test: [
    ['base-sepolia-testnet', 2000, 35_700_000, 1, 4500, 500_000, 15_000_000_000_000, [80, 10]],
    ['arbitrum-sepolia', 250, 228_000_000, 8, 3400, 2_500_000, 15_000_000_000_000, [50]],
    ['monad-testnet', 400, 41_000_000, 3, 3000, 500_000, 1_000_000_000_000_000, [40]],
    ['op-sepolia-testnet', 2000, 37_700_000, 1, 4800, 500_000, 15_000_000_000_000, [30]],
    ['unichain-sepolia-testnet', 1000, 41_500_000, 1, 3900, 500_000, 15_000_000_000_000, [20]],
    ['abstract-sepolia-testnet', 1000, 19_600_000, 2, 7400, 1_000_000, 20_000_000_000_000, [20]],
    ['berachain-bepolia', 2000, 12_000_000, 1, 9200, 500_000, 20_000_000_000_000_000, [10]],
  ],
};

/** The number of a network is its index here. */
export const NETWORKS = KEEPERS.flatMap((keeper) =>
  FIGURES[keeper].map(([chainName, blockMs, height, delayBlocks, medianMs, gasLimit, fee, quotas]) => {
    const fact = facts.find(({ slug }) => slug === chainName);
    if (!fact) throw new Error(`data/networks.json has no network '${chainName}'`);
    const { network_id: networkId, contract } = fact;
    return {
      keeper,
      chainName,
      networkId,
      contract,
      blockMs,
      height,
      delayBlocks,
      medianMs,
      gasLimit,
      fee,
      quotas,
    };
  }),
);

export type SimulatedNetwork = (typeof NETWORKS)[number];

export function networkAt(number: number): SimulatedNetwork {
  const network = NETWORKS[number];
  if (!network) throw new Error(`there is no network ${number}`);
  return network;
}

/** Sequence numbers are counted within a lane. */
type Lane = { network: number; provider: number; quota: number };

/** The number of a lane is its index here. */
export const LANES: readonly Lane[] = NETWORKS.flatMap(({ quotas }, network) =>
  quotas.flatMap((quota, provider) => (quota > 0 ? [{ network, provider, quota }] : [])),
);

export function laneAt(number: number): Lane {
  const lane = LANES[number];
  if (!lane) throw new Error(`there is no lane ${number}`);
  return lane;
}

/** `ms` is unix time. */
export function blockAt({ height, blockMs }: SimulatedNetwork, ms: number): number {
  return Math.max(1, height + Math.floor((ms - HEIGHT_TIME) / blockMs));
}

/** Unix milliseconds. */
export function blockTime({ height, blockMs }: SimulatedNetwork, block: number): number {
  return HEIGHT_TIME + (block - height) * blockMs;
}
