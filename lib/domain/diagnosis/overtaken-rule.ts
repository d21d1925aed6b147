import { isStuckRule, notPending, standingByAge } from './age-rules';
import { type LoggedRow, used } from './evidence';
import { distinctRows, isFinished, isSameLane } from './logged-row';
import type { Rule } from './rule';
import { countText } from './span-text';
import { cannotTell, doesNotHold, holds } from './verdict';

/** So many finished requests with higher numbers of the same network and provider. */
export const OVERTAKEN_BY = 10;

function overtaking(request: LoggedRow, rows: readonly LoggedRow[]): LoggedRow[] {
  const own = BigInt(request.sequence);
  return rows.filter((row) => isFinished(row) && isSameLane(request, row) && BigInt(row.sequence) > own);
}

/**
 * R8. Older than R2, and 10 higher sequences or more of the same network and provider finished. Looked for among E2 and
 * the last finished rows, so the figure is a lower bound.
 */
export const overtakenRule: Rule = (request, evidence, settings, nowMs) => {
  const refused = notPending('R8', request);
  if (refused !== undefined) return refused;
  if (!isStuckRule(standingByAge(request, evidence, settings, nowMs).rule)) {
    return doesNotHold('R8', { headline: 'Not older than the retry budget, or still within normal' });
  }
  if (request.provider === undefined) return cannotTell('R8', 'The row names no provider');
  const { window, finished } = evidence;
  const rows = distinctRows(
    window.kind === 'known' ? window.value.rows : [],
    finished.kind === 'known' ? finished.value.rows : [],
  );
  const higher = overtaking(request, rows);
  const shared = {
    figures: [
      { label: 'Higher numbers finished, at least', value: higher.length, unit: 'rows' as const },
      { label: 'Needed', value: OVERTAKEN_BY, unit: 'rows' as const },
    ],
    proof: higher.map(({ key }) => key),
    evidence: used(['E2', window], ['finished', finished]),
  };
  if (higher.length >= OVERTAKEN_BY) {
    const headline = 'Overtaken: the keeper works, this request is the problem';
    return holds('R8', 'warning', { headline, ...shared });
  }
  if (window.kind === 'missing')
    return cannotTell('R8', `The rows of the network around it: ${window.why}`, shared);
  if (finished.kind === 'missing') {
    return cannotTell('R8', `The finished rows of the network: ${finished.why}`, shared);
  }
  const headline = `Only ${countText(higher.length, 'higher number')} seen finished`;
  return doesNotHold('R8', { headline, ...shared });
};
