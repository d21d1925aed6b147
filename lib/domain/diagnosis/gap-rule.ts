import { type LoggedRow, unseen, used } from './evidence';
import { isSameLane } from './logged-row';
import type { Rule } from './rule';
import { gapsText, gapTotal, type SequenceGap, sequenceGaps } from './sequence-gaps';
import { countText } from './span-text';
import { cannotTell, doesNotHold, type Figure, holds } from './verdict';

/**
 * Whether all that is missing adjoins this request: then whatever happened to those numbers happened right beside it. Where
 * others are missing elsewhere, absent numbers are usual there, and say nothing about this one.
 */
function adjoinsOnly({ sequence }: LoggedRow, gaps: readonly SequenceGap[]): boolean {
  const own = BigInt(sequence);
  return gaps.every(({ from, to }) => BigInt(to) === own - 1n || BigInt(from) === own + 1n);
}

/**
 * R12. Sequences missing between the lowest and the highest of a complete window (E2), same network and provider. It
 * speaks of this request where they all adjoin it; else it stands beside it, and explains nothing.
 */
export const gapRule: Rule = (request, { window }) => {
  if (window.kind === 'missing') return cannotTell('R12', `The rows of the network around it: ${window.why}`);
  const evidence = used(['E2', window]);
  const hidden = unseen(window.value);
  if (hidden > 0) {
    return cannotTell('R12', `${countText(hidden, 'row')} of this stretch not seen`, { evidence });
  }
  if (request.provider === undefined) return cannotTell('R12', 'The row names no provider', { evidence });
  const sequences = window.value.rows
    .filter((row) => isSameLane(request, row))
    .map((row) => BigInt(row.sequence))
    .sort((one, other) => (one < other ? -1 : Number(one > other)));
  const [lowest, highest] = [sequences[0], sequences.at(-1)];
  if (lowest === undefined || highest === undefined || lowest === highest) {
    return cannotTell('R12', 'fewer than 2 numbers of this provider in the window', { evidence });
  }
  const gaps = sequenceGaps(sequences);
  const total = gapTotal(gaps);
  const figures: Figure[] = [
    { label: 'Numbers not in this window', value: total.toString(), unit: 'numbers' },
    { label: 'Lowest number', value: lowest.toString(), unit: 'text' },
    { label: 'Highest number', value: highest.toString(), unit: 'text' },
    { label: 'From', value: window.value.fromMs, unit: 'moment' },
    { label: 'To', value: window.value.toMs, unit: 'moment' },
  ];
  if (gaps.length === 0) return doesNotHold('R12', { headline: 'No number is missing', figures, evidence });
  const which: Figure = { label: 'Which', value: gapsText(gaps), unit: 'text' };
  const said = total === 1n ? '1 number' : `${total} numbers`;
  const isBeside = adjoinsOnly(request, gaps);
  const where = isBeside ? ' right beside this one' : '';
  return holds('R12', 'notice', {
    headline: `${said}${where} not in this log: missed, reorganised, or not callbacks`,
    figures: [...figures, which],
    evidence,
    covers: isBeside ? 1 : 0,
  });
};
