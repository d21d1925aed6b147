import { type LoggedRow, used } from './evidence';
import { distinctRows, finishedAfterMs } from './logged-row';
import type { Rule } from './rule';
import { cannotTell, doesNotHold, type Figure, holds } from './verdict';

/** R14: so many late ones that finished in the same minute. */
export const LATE_TOGETHER = 3;

const MINUTE_MS = 60_000;

/** A minute (of UTC) in which several requests finished that had waited for long. */
export type LateRecovery = { minuteMs: number; rows: LoggedRow[] };

/** The minutes with late recoveries, those with the most rows first, then the newest. */
export function lateRecoveries(rows: readonly LoggedRow[], stuckAfterS: number): LateRecovery[] {
  const byMinute = new Map<number, LoggedRow[]>();
  for (const row of rows) {
    const took = finishedAfterMs(row);
    if (took === undefined || took <= stuckAfterS * 1000 || row.updatedAt === undefined) continue;
    const minuteMs = Math.floor(row.updatedAt.ms / MINUTE_MS) * MINUTE_MS;
    const late = byMinute.get(minuteMs);
    if (late === undefined) byMinute.set(minuteMs, [row]);
    else late.push(row);
  }
  return [...byMinute]
    .filter(([, late]) => late.length >= LATE_TOGETHER)
    .map(([minuteMs, late]) => ({ minuteMs, rows: late }))
    .sort((one, other) => other.rows.length - one.rows.length || other.minuteMs - one.minuteMs);
}

/**
 * R14. Finished rows that took over 420 s, 3 or more in the same minute, while this request was already there: what
 * recovered before it came says nothing about it.
 */
export const recoveryRule: Rule = (request, evidence, settings) => {
  const { window, finished } = evidence;
  const rows = distinctRows(
    finished.kind === 'known' ? finished.value.rows : [],
    window.kind === 'known' ? window.value.rows : [],
  ).filter((row) => row.networkId === request.networkId);
  const all = lateRecoveries(rows, settings.stuckAfterS);
  const [recovery] = all.filter(({ minuteMs }) => minuteMs + MINUTE_MS > request.createdAt.ms);
  const shared = { evidence: used(['finished', finished], ['E2', window]) };
  if (recovery !== undefined) {
    const figures: Figure[] = [
      { label: 'Late recovery at', value: recovery.minuteMs, unit: 'moment' },
      { label: 'Finished late in that minute', value: recovery.rows.length, unit: 'rows' },
      { label: 'Late means over', value: settings.stuckAfterS * 1000, unit: 'ms' },
    ];
    const headline =
      'Late recovery: requests that had waited for long finished in the same minute; a restart?';
    return holds('R14', 'notice', {
      headline,
      figures,
      proof: recovery.rows.map(({ key }) => key),
      ...shared,
    });
  }
  if (finished.kind === 'missing') {
    return cannotTell('R14', `The finished rows of the network: ${finished.why}`, shared);
  }
  const before = all.length === 0 ? '' : ' since this request came';
  return doesNotHold('R14', { headline: `No late recovery is logged${before}`, ...shared });
};
