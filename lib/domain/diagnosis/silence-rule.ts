import { DAY_MS, type Evidence, used } from './evidence';
import type { Rule } from './rule';
import { spanText } from './span-text';
import { cannotTell, doesNotHold, type Figure, holds, type Verdict } from './verdict';

/** R9: silent for longer than the larger of these, judged only when the network has a rhythm. */
export const SILENCE = { leastMs: 10 * 60_000, gaps: 7, rowsOfDay: 50 } as const;

/** Mean time between rows of the last 24 hours; undefined when there were none. */
export function usualGapMs(rowsOfDay: number): number | undefined {
  return rowsOfDay > 0 ? DAY_MS / rowsOfDay : undefined;
}

/**
 * R9 of a network. The silence lasts until the service was asked for the newest row, not until now: what came after
 * that, nobody has looked at. E6 older than the page never makes a network look silent.
 */
export function silenceVerdict({ newest, lastDay }: Pick<Evidence, 'newest' | 'lastDay'>): Verdict {
  if (newest.kind === 'missing') return cannotTell('R9', `The newest row of the network: ${newest.why}`);
  if (lastDay.kind === 'missing') return cannotTell('R9', `The count of the last 24 hours: ${lastDay.why}`);
  const evidence = used(['E6', newest], ['E6', lastDay]);
  const row = newest.value;
  const gapMs = usualGapMs(lastDay.value);
  if (row === null) return cannotTell('R9', 'the network has no rows at all', { evidence });
  const silentMs = Math.max(0, newest.atMs - row.createdAt.ms);
  const figures: Figure[] = [
    { label: 'Newest row', value: row.createdAt.ms, unit: 'moment' },
    { label: 'Nothing logged for', value: silentMs, unit: 'ms' },
    { label: 'Rows in the last 24 h', value: lastDay.value, unit: 'rows' },
    ...(gapMs === undefined ? [] : [{ label: 'Mean gap', value: gapMs, unit: 'ms' as const }]),
  ];
  if (gapMs === undefined || lastDay.value < SILENCE.rowsOfDay) {
    const why = `only ${lastDay.value} rows in the last 24 hours; ${SILENCE.rowsOfDay} are needed`;
    return cannotTell('R9', why, { figures, evidence });
  }
  const limitMs = Math.max(SILENCE.leastMs, SILENCE.gaps * gapMs);
  const found = {
    figures: [...figures, { label: 'Quiet after', value: limitMs, unit: 'ms' as const }],
    evidence,
  };
  if (silentMs > limitMs) {
    const said = `Nothing logged for ${spanText(silentMs)}, expected every ${spanText(gapMs)}`;
    const headline = `${said}: no demand, or capture has stopped`;
    return holds('R9', 'warning', { headline, proof: [row.key], ...found });
  }
  return doesNotHold('R9', { headline: 'Not silent for longer than usual', ...found });
}

/** R9. E6 silent longer than the larger of 10 min and seven times the mean gap of the last 24 h (50 rows or more). */
export const silenceRule: Rule = (_request, evidence) => silenceVerdict(evidence);
