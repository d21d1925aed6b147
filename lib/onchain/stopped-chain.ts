/** Age of the newest block, in usual intervals, from which a chain counts as stopped. */
const STOPPED_INTERVALS = 20;
/** Minimum age from which a chain counts as stopped. Some networks make blocks only for transactions. */
const MIN_STOPPED_MS = 60_000;
/** Interval that is assumed if the real one is unknown. It is the longest usual interval, that of Ethereum. */
const UNKNOWN_INTERVAL_MS = 12_000;

/**
 * Whether the newest block is so old that the chain has stopped or the node is behind.
 * @param blockMs usual interval between blocks
 */
export function isStoppedAge(ageMs: number, blockMs = UNKNOWN_INTERVAL_MS): boolean {
  return ageMs > Math.max(MIN_STOPPED_MS, blockMs * STOPPED_INTERVALS);
}
