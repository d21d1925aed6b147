import { used } from './evidence';
import { ENOUGH_FINISHED, nearestRank } from './finished-durations';
import { isFinished } from './logged-row';
import type { Rule } from './rule';
import { cannotTell, doesNotHold, type Figure, holds } from './verdict';

/** The contract refuses a larger gas limit (its error `MaxGasLimitExceeded`). */
export const MAX_GAS_LIMIT = 655_350_000n;

/** R11: so many times the median is unusual. */
const TIMES_MEDIAN = 10n;

/** Limits are u256 at most. Longer digits are no gas, and would only keep BigInt busy. */
const MOST_DIGITS = 78;

function gasOf(digits: string | undefined): bigint | undefined {
  return digits !== undefined && digits.length <= MOST_DIGITS && /^\d+$/.test(digits)
    ? BigInt(digits)
    : undefined;
}

/** R11. Gas limit 10 times the network's median or more (20 rows or more), or over 655,350,000. */
export const gasRule: Rule = (request, { finished }) => {
  const limit = gasOf(request.gasLimit);
  if (limit === undefined) return cannotTell('R11', 'The row has no readable gas limit');
  const own: Figure = { label: 'Gas limit', value: limit.toString(), unit: 'gas' };
  if (limit > MAX_GAS_LIMIT) {
    const most: Figure = { label: 'The contract’s maximum', value: MAX_GAS_LIMIT.toString(), unit: 'gas' };
    return holds('R11', 'warning', {
      headline: 'Gas limit above the contract’s maximum',
      figures: [own, most],
    });
  }
  if (finished.kind === 'missing') {
    return cannotTell('R11', `The finished rows of the network: ${finished.why}`, { figures: [own] });
  }
  const limits = finished.value.rows
    .filter((row) => isFinished(row) && row.networkId === request.networkId)
    .flatMap((row) => gasOf(row.gasLimit) ?? [])
    .sort((one, other) => (one < other ? -1 : Number(one > other)));
  const median = nearestRank(limits, 50);
  const evidence = used(['finished', finished]);
  if (median === undefined || limits.length < ENOUGH_FINISHED) {
    const why = `only ${limits.length} finished rows with a gas limit; ${ENOUGH_FINISHED} are needed`;
    return cannotTell('R11', why, { figures: [own], evidence });
  }
  const found = {
    figures: [
      own,
      { label: 'The network’s median', value: median.toString(), unit: 'gas' as const },
      { label: 'Finished requests looked at', value: limits.length, unit: 'rows' as const },
    ],
    evidence,
  };
  // Ten times nothing is nothing: such a median makes no limit unusual.
  return median > 0n && limit >= median * TIMES_MEDIAN
    ? holds('R11', 'notice', { headline: 'Unusual gas limit for this network', ...found })
    : doesNotHold('R11', { headline: 'A usual gas limit', ...found });
};
