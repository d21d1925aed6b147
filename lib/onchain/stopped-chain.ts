import { formatAge } from '@/lib/core/time';

/** Age of the newest block, in usual intervals, of a stopped chain. */
const STOPPED_INTERVALS = 20;
/** Shortest time without a block that counts: some networks make blocks only for transactions. */
const MIN_STOPPED_MS = 60_000;
/** The longest usual interval, that of Ethereum. */
const UNKNOWN_INTERVAL_MS = 12_000;

/** The chain has stopped or the node is behind. @param blockMs usual interval between blocks */
export function isStoppedAge(ageMs: number, blockMs = UNKNOWN_INTERVAL_MS): boolean {
  return ageMs > Math.max(MIN_STOPPED_MS, blockMs * STOPPED_INTERVALS);
}

/** No full stop. */
export const oldBlockText = (ageMs: number) =>
  `Newest block is ${formatAge(ageMs)} old: the chain has stopped or makes no blocks without transactions, or the RPC is behind`;

export const OLD_BLOCK_STEP = 'Check the network’s status and the RPC, then whether the keeper runs';
