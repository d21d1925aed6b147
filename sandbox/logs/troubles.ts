import { type LogRow, OUT_OF_GAS_SENDER } from './log-row';
import { NETWORKS } from './networks';

const MINUTE_MS = 60_000;

/** The callback of this sender reverts, so its requests stay pending while others on the network are answered. */
export const STUCK_SENDER = 1_100_000_000;
const STUCK = { network: numberOf('base'), sender: STUCK_SENDER, count: 4, fromMs: 70 * MINUTE_MS };
/** Age of a stuck request. The keeper would still be retrying younger ones. */
const MIN_STUCK_MS = 15 * MINUTE_MS;
const OUT_OF_GAS = {
  network: numberOf('arbitrum-one'),
  sender: OUT_OF_GAS_SENDER,
  count: 10,
  gasLimit: 300_000,
};
/** A world with too few requests in this time has no failed callbacks. */
const OUT_OF_GAS_SPAN_MS = 180 * MINUTE_MS;
/** Both contracts send every second request of their network for a while. */
const EVERY = 2;

/**
 * Turns some of the last requests before the start into two problems for a newcomer. Small worlds, as in tests, have
 * too few requests in an hour for either. `rows` are those of one keeper, oldest first.
 */
export function addTroubles(rows: readonly LogRow[], startMs: number): void {
  const rowsSince = (ms: number) =>
    rows.slice(rows.findLastIndex(({ createdMs }) => createdMs < startMs - ms) + 1);
  // Batches and twins are excluded.
  const isOrdinary = ({ k, lead, contribution, outcome }: LogRow) =>
    lead === k && contribution === k && outcome === 'Completed';
  const stuck = rowsSince(STUCK.fromMs)
    .filter((row) => row.network === STUCK.network && row.provider === 0 && isOrdinary(row))
    .filter((_, index) => index % EVERY === 0)
    .slice(0, STUCK.count)
    .filter(({ createdMs }) => createdMs < startMs - MIN_STUCK_MS);
  if (stuck.length === STUCK.count) {
    for (const row of stuck) {
      row.sender = STUCK.sender;
      row.outcome = 'Pending';
      row.finishMs = Number.POSITIVE_INFINITY;
    }
  }
  const failing = rowsSince(OUT_OF_GAS_SPAN_MS)
    .filter((row) => row.network === OUT_OF_GAS.network && isOrdinary(row) && row.finishMs < startMs)
    .reverse()
    .filter((_, index) => index % EVERY === 0)
    .slice(0, OUT_OF_GAS.count);
  if (failing.length === OUT_OF_GAS.count) {
    for (const row of failing) {
      row.sender = OUT_OF_GAS.sender;
      row.outcome = 'CallbackErrored';
      row.gasLimit = OUT_OF_GAS.gasLimit;
    }
  }
}

function numberOf(name: string): number {
  return NETWORKS.findIndex(({ chainName }) => chainName === name);
}
