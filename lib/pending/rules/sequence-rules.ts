import { countOf } from '@/lib/core/numbers';
import { isFinished } from '@/lib/core/request-record';
import {
  ageOf,
  distinctRows,
  isCompleted,
  isPending,
  isSameHex,
  isSameLane,
  keysOf,
  type LoggedRow,
  rowsOf,
  WINDOW_MS,
} from './evidence';
import type { Rule } from './rule';
import { RULE } from './rule-ids';
import { hasRestart, isLaterRequest, isNearTwin } from './sequence-life';
import { ageRuleOf, byNumber, isStuckAge } from './thresholds';
import { doesNotHold, type Figure, figure, holds, unknownVerdict } from './verdict';

const TAKEN =
  'Another sender’s request has this sequence and completed: this one may not be on chain any more';
export const ORPHANED = 'The other one completed: this one is most likely orphaned';

/**
 * `sameSequence` has the sequence under another transaction, near in time and block. A row without a transaction has no twin;
 * a much older row is from before a reset.
 */
export const reorgedTwinRule: Rule = {
  reads: ['sameSequence'],
  find: ({ request, evidence: { sameSequence } }) => {
    const { provider, requestTxHash: hash } = request;
    if (provider === undefined || hash === undefined) {
      return unknownVerdict(RULE.reorgedTwin, 'The row has no provider or no transaction');
    }
    const others = rowsOf(sameSequence).filter(
      (row) =>
        row.sequence === request.sequence &&
        isSameLane(request, row) &&
        row.requestTxHash !== undefined &&
        !isSameHex(hash, row.requestTxHash),
    );
    if (others.length === 0) return doesNotHold(RULE.reorgedTwin, 'No other transaction has this sequence');
    const twins = others.filter((row) => isNearTwin(row, request));
    if (twins.length === 0) {
      const why = 'Another transaction had this sequence, too far off in time or block for a reorg';
      const figures = [figure('Others with this sequence', others.length, 'rows')];
      return doesNotHold(RULE.reorgedTwin, why, { figures, proof: keysOf(others) });
    }
    const completed = twins.filter(isCompleted);
    const basis = {
      figures: [
        figure('Others with this sequence', twins.length, 'rows'),
        figure('Completed', completed.length, 'rows'),
        figure('Finished', twins.filter(isFinished).length, 'rows'),
      ],
      proof: keysOf(distinctRows(completed, twins)),
    };
    if (!isPending(request) || completed.length === 0)
      return holds(
        RULE.reorgedTwin,
        'notice',
        'The same sequence is logged under another transaction',
        basis,
      );
    // Another sender's request does not replace this one.
    const isOwn = ({ sender }: LoggedRow) =>
      sender === undefined || request.sender === undefined || isSameHex(sender, request.sender);
    return completed.some(isOwn)
      ? holds(RULE.reorgedTwin, 'notice', ORPHANED, { decisive: true, ...basis })
      : holds(RULE.reorgedTwin, 'notice', TAKEN, basis);
  },
};

export const OVERTAKEN_BY = 10;

const OVERTAKEN = 'The keeper answers other requests of the same provider';

/**
 * Past the retry budget, with at least 10 later completed requests in the window and the last finished rows (a lower bound).
 * Failed ones and those before a reset don't count.
 */
export const overtakenRule: Rule = {
  isAboutPending: true,
  reads: ['window', 'finished'],
  find: ({ request, evidence: { window, finished }, settings, nowMs, normal }) => {
    if (request.provider === undefined) return unknownVerdict(RULE.overtaken, 'The row has no provider');
    const sequence = BigInt(request.sequence);
    const later = distinctRows(rowsOf(window), rowsOf(finished)).filter(
      (row) =>
        isCompleted(row) &&
        isSameLane(request, row) &&
        BigInt(row.sequence) > sequence &&
        isLaterRequest(row, request),
    );
    const basis = {
      figures: [
        figure('Later ones completed, at least', later.length, 'rows'),
        figure('Needed', OVERTAKEN_BY, 'rows'),
      ],
      proof: keysOf(later),
    };
    if (!isStuckAge(ageRuleOf(ageOf(request, nowMs), normal, settings))) {
      return doesNotHold(RULE.overtaken, 'Not older than the retry budget, or still within normal', basis);
    }
    return later.length >= OVERTAKEN_BY
      ? holds(RULE.overtaken, 'warning', OVERTAKEN, basis)
      : doesNotHold(RULE.overtaken, `Only ${countOf(later.length, 'later request')} seen completed`, basis);
  },
};

/** `101, 104–107, …`. */
function gapsText(gaps: readonly { from: bigint; to: bigint }[], max = 10): string {
  const shown = gaps.slice(0, max).map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`));
  return [...shown, ...(gaps.length > max ? ['…'] : [])].join(', ');
}

/** Sequences are missing in a complete window. Gaps not adjoining this request are usual there. */
export const missingSequencesRule: Rule = {
  reads: ['window'],
  find: ({ request, evidence: { window } }) => {
    const { ms } = request.createdAt;
    if (request.provider === undefined)
      return unknownVerdict(RULE.missingSequences, 'The row has no provider');
    const lane = rowsOf(window).filter((row) => isSameLane(request, row));
    if (hasRestart(lane))
      return unknownVerdict(RULE.missingSequences, 'the sequence numbers restarted in this span');
    const sequences = lane.map((row) => BigInt(row.sequence)).sort(byNumber);
    const [lowest, highest] = [sequences[0], sequences.at(-1)];
    if (window.kind === 'missing' || window.value.unseen > 0 || lowest === undefined || lowest === highest) {
      return unknownVerdict(RULE.missingSequences, 'fewer than 2 sequences of this provider in the window');
    }
    const gaps = sequences.flatMap((sequence, index) => {
      const previous = sequences[index - 1] ?? sequence;
      return sequence - previous <= 1n ? [] : [{ from: previous + 1n, to: sequence - 1n }];
    });
    const total = gaps.reduce((sum, { from, to }) => sum + to - from + 1n, 0n);
    const figures: Figure[] = [
      figure('Missing', total.toString(), 'numbers'),
      figure('Lowest', `${lowest}`, 'text'),
      figure('Highest', `${highest}`, 'text'),
      figure('From', ms - WINDOW_MS, 'moment'),
      figure('To', ms + WINDOW_MS, 'moment'),
    ];
    if (gaps.length === 0) return doesNotHold(RULE.missingSequences, 'No sequence is missing', { figures });
    const ownSequence = BigInt(request.sequence);
    const isBeside = gaps.every(({ from, to }) => to === ownSequence - 1n || from === ownSequence + 1n);
    const besideText = isBeside ? ' right beside this one' : '';
    return holds(
      RULE.missingSequences,
      'notice',
      `${total} sequence${total === 1n ? '' : 's'} missing${besideText}: not seen by the keeper, reorged, or not callbacks`,
      { figures: [...figures, figure('Which', gapsText(gaps), 'text')], covers: isBeside ? 1 : 0 },
    );
  },
};
