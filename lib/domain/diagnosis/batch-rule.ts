import { unseen, used } from './evidence';
import { isFinished, isPending, isSameHex } from './logged-row';
import type { Rule } from './rule';
import { countText } from './span-text';
import { cannotTell, doesNotHold, holds } from './verdict';

/**
 * R15. E5 has several rows. The service's search finds reveal transactions too; only rows that were requested by the
 * transaction count.
 */
export const batchRule: Rule = (request, { sameTransaction }) => {
  if (request.requestTxHash === undefined) return cannotTell('R15', 'The row names no transaction');
  if (sameTransaction.kind === 'missing') {
    return cannotTell('R15', `Rows of this transaction: ${sameTransaction.why}`);
  }
  const rows = sameTransaction.value.rows.filter(
    (row) => row.networkId === request.networkId && isSameHex(row.requestTxHash, request.requestTxHash),
  );
  const hidden = unseen(sameTransaction.value);
  const evidence = used(['E5', sameTransaction]);
  const done = rows.filter(isFinished).length;
  const waiting = rows.filter(isPending).length;
  if (rows.length < 2) {
    return hidden > 0
      ? cannotTell('R15', `${countText(hidden, 'row')} of this transaction not seen`, { evidence })
      : doesNotHold('R15', { headline: 'The only request of its transaction', evidence });
  }
  return holds('R15', 'notice', {
    headline: `One of a batch: ${done} of ${rows.length} done`,
    figures: [
      { label: 'Requests of this transaction', value: rows.length, unit: 'rows' },
      { label: 'Done', value: done, unit: 'rows' },
      { label: 'Pending', value: waiting, unit: 'rows' },
    ],
    proof: rows.map(({ key }) => key),
    evidence,
    covers: waiting,
    ...(hidden > 0 ? { missing: `${countText(hidden, 'row')} of this transaction not seen` } : {}),
  });
};
