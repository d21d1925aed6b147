import { type LoggedRow, unseen, used } from './evidence';
import { isFinished, isSameHex, isSameLane } from './logged-row';
import type { Rule } from './rule';
import { countText } from './span-text';
import { cannotTell, doesNotHold, holds } from './verdict';

/** Same network, provider and sequence, another transaction. A row without transaction is nobody's twin. */
export function isTwin(one: LoggedRow, other: LoggedRow): boolean {
  return (
    one.sequence === other.sequence &&
    isSameLane(one, other) &&
    one.requestTxHash !== undefined &&
    other.requestTxHash !== undefined &&
    !isSameHex(one.requestTxHash, other.requestTxHash)
  );
}

/**
 * R5. E4 has the same network, provider and sequence with another transaction. Before E4 is asked for, a twin may stand
 * among the last finished rows; that none does says nothing.
 */
export const twinRule: Rule = (request, { sameNumber, finished }) => {
  if (request.provider === undefined || request.requestTxHash === undefined) {
    return cannotTell('R5', 'The row names no provider or no transaction');
  }
  const isAsked = sameNumber.kind === 'known';
  const evidence = isAsked ? used(['E4', sameNumber]) : used(['finished', finished]);
  const known = isAsked ? sameNumber.value.rows : finished.kind === 'known' ? finished.value.rows : [];
  const twins = known.filter((row) => isTwin(request, row));
  const completed = twins.filter((row) => row.state.kind === 'completed');
  if (twins.length === 0) {
    if (!isAsked) return cannotTell('R5', `Rows with this number: ${sameNumber.why}`);
    const hidden = unseen(sameNumber.value);
    if (hidden > 0) return cannotTell('R5', `${countText(hidden, 'row')} with this number not seen`);
    return doesNotHold('R5', { headline: 'No other transaction has this number', evidence });
  }
  const found = {
    figures: [
      { label: 'Other rows with this number', value: twins.length, unit: 'rows' as const },
      { label: 'Completed ones among them', value: completed.length, unit: 'rows' as const },
      { label: 'Finished ones among them', value: twins.filter(isFinished).length, unit: 'rows' as const },
    ],
    proof: [...completed, ...twins.filter((row) => row.state.kind !== 'completed')].map(({ key }) => key),
    evidence,
  };
  if (completed.length > 0 && request.state.kind === 'pending') {
    const headline = 'Reorganisation twin: its twin is completed, so this one is most likely orphaned';
    return holds('R5', 'notice', { headline, decisive: 'yes', ...found });
  }
  const headline = 'Reorganisation twin: the same number is logged under another transaction';
  return holds('R5', 'notice', { headline, ...found });
};
