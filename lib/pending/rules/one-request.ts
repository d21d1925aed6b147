import {
  ageOf,
  distinctRows,
  finishedAfterMs,
  groupedBy,
  isFinished,
  isSameHex,
  isSameLane,
  keysOf,
  type LoggedRow,
  used,
} from './evidence';
import { type AgeRule, aboutPending, ageRuleOf, byNumber, type Case, isStuckAge, type Rule } from './rule';
import { ENOUGH_FINISHED, nearestRank } from './thresholds';
import {
  cannotTell,
  countText,
  doesNotHold,
  type Figure,
  figure,
  holds,
  type Severity,
  spanText,
  type Verdict,
} from './verdict';

/** The rules about one request: its age (R1 to R4), R5, R8, R10, R11, R12, R14. */

export const AGE_SEVERITY: Record<AgeRule, Severity> = {
  R1: 'none',
  R2: 'notice',
  R3: 'warning',
  R4: 'warning',
};

type AgeCase = Pick<Case, 'settings' | 'normal'> & { evidence: Pick<Case['evidence'], 'finished'> };

/** The verdict of the one of R1 to R4 that holds at an age. `missing`: the setting alone decided what is normal. */
export function ageVerdict(ageMs: number, { settings, normal, evidence }: AgeCase): Verdict {
  const rule = ageRuleOf(ageMs, normal, settings);
  const [retryMs, stuckMs] = [settings.retryBudgetS * 1000, settings.stuckAfterS * 1000];
  const [headline, bound, boundMs] = {
    R1: ['Within normal for this network', 'Normal below', normal.ms],
    R2: [`The keeper should still be retrying, for ${spanText(retryMs - ageMs)} more`, 'Slow up to', retryMs],
    R3: ['At the end of the retry budget', 'Retries end by', stuckMs],
    R4: [
      'A restart in range, another replica or a manual reveal may finish it',
      'Retries exhausted after',
      stuckMs,
    ],
  }[rule] as [string, string, number];
  return holds(rule, AGE_SEVERITY[rule], headline, {
    figures: [
      figure('Age', ageMs, 'ms'),
      figure(bound, boundMs, 'ms'),
      ...(normal.p95Ms === undefined
        ? []
        : [figure('Latency p95', normal.p95Ms, 'ms'), figure('Sample size', normal.finished, 'rows')]),
    ],
    evidence: used(['finished', evidence.finished]),
    ...(normal.missing === undefined ? {} : { missing: normal.missing }),
  });
}

function ageCheck(rule: AgeRule): Rule {
  return aboutPending(rule, (given) => {
    const ageMs = ageOf(given.request, given.nowMs);
    const found = ageVerdict(ageMs, given);
    if (found.rule === rule) return found;
    const { figures, evidence } = found;
    return doesNotHold(rule, `Its age of ${spanText(ageMs)} is outside`, { figures, evidence });
  });
}

export const [withinNormalRule, slowRule, retryEndRule, givenUpRule] = [
  ageCheck('R1'),
  ageCheck('R2'),
  ageCheck('R3'),
  ageCheck('R4'),
];

/** Same network, provider and sequence, another transaction. A row without transaction is nobody's twin. */
function isTwin(one: LoggedRow, other: LoggedRow): boolean {
  return (
    one.sequence === other.sequence &&
    isSameLane(one, other) &&
    one.requestTxHash !== undefined &&
    other.requestTxHash !== undefined &&
    !isSameHex(one.requestTxHash, other.requestTxHash)
  );
}

/** R5. E4 has the same network, provider and sequence with another transaction. */
export const twinRule: Rule = ({ request, evidence: { sameSequence } }) => {
  if (request.provider === undefined || request.requestTxHash === undefined) {
    return cannotTell('R5', 'The row names no provider or no transaction');
  }
  if (sameSequence.kind === 'missing')
    return cannotTell('R5', `Rows with this sequence: ${sameSequence.why}`);
  const { rows, unseen } = sameSequence.value;
  const evidence = used(['E4', sameSequence]);
  const twins = rows.filter((row) => isTwin(request, row));
  const completed = twins.filter((row) => row.state.kind === 'completed');
  if (twins.length === 0) {
    return unseen > 0
      ? cannotTell('R5', `${countText(unseen, 'row')} with this sequence not seen`)
      : doesNotHold('R5', 'No other transaction has this sequence', { evidence });
  }
  const found = {
    figures: [
      figure('Others with this sequence', twins.length, 'rows'),
      figure('Completed', completed.length, 'rows'),
      figure('Finished', twins.filter(isFinished).length, 'rows'),
    ],
    proof: keysOf(distinctRows(completed, twins)),
    evidence,
  };
  if (completed.length > 0 && request.state.kind === 'pending') {
    const headline = 'Its twin completed, so this one is most likely orphaned';
    return holds('R5', 'notice', headline, { decisive: true, ...found });
  }
  return holds('R5', 'notice', 'The same sequence is logged under another transaction', found);
};

/** R8: so many finished requests with higher sequences of the same network and provider. */
const OVERTAKEN_BY = 10;

/** R8. Older than R2, and 10 higher sequences or more finished; among E2 and the last finished rows, so a lower bound. */
export const overtakenRule = aboutPending('R8', ({ request, evidence, settings, nowMs, normal }) => {
  if (!isStuckAge(ageRuleOf(ageOf(request, nowMs), normal, settings))) {
    return doesNotHold('R8', 'Not older than the retry budget, or still within normal');
  }
  if (request.provider === undefined) return cannotTell('R8', 'The row names no provider');
  const { window, finished } = evidence;
  const own = BigInt(request.sequence);
  const known = [window, finished].flatMap((piece) => (piece.kind === 'known' ? [piece.value.rows] : []));
  const later = distinctRows(...known).filter(
    (row) => isFinished(row) && isSameLane(request, row) && BigInt(row.sequence) > own,
  );
  const found = {
    figures: [
      figure('Later sequences finished, at least', later.length, 'rows'),
      figure('Needed', OVERTAKEN_BY, 'rows'),
    ],
    proof: keysOf(later),
    evidence: used(['E2', window], ['finished', finished]),
  };
  if (later.length >= OVERTAKEN_BY) {
    return holds('R8', 'warning', 'Only this request is stuck; later ones completed', found);
  }
  if (window.kind === 'missing') return cannotTell('R8', `Requests around it: ${window.why}`, found);
  if (finished.kind === 'missing') return cannotTell('R8', `Finished requests: ${finished.why}`, found);
  return doesNotHold('R8', `Only ${countText(later.length, 'later sequence')} seen finished`, found);
});

export const BEYOND_RANGE = 'Restart won’t retry this: beyond catch-up range';

/** How many blocks the newest logged row is above the request, if that is further than a restarted keeper looks back. */
export function blocksBehind(request: LoggedRow, newest: LoggedRow | null): bigint | undefined {
  const [own, top] = [request.requestBlock, newest?.requestBlock];
  return own === undefined || top === undefined ? undefined : BigInt(top) - BigInt(own);
}

/** R10. Newest logged block − `request_block_number` over the backlog (1000 blocks). */
export const backlogRule = aboutPending('R10', ({ request, evidence: { newest }, settings }) => {
  if (newest.kind === 'missing') return cannotTell('R10', `Newest request of the network: ${newest.why}`);
  const behind = blocksBehind(request, newest.value);
  const evidence = used(['E6', newest]);
  if (behind === undefined) {
    return cannotTell('R10', 'This row, or the newest of the network, names no block', { evidence });
  }
  const found = {
    figures: [
      figure('Blocks behind, at least', behind.toString(), 'blocks'),
      figure('Catch-up range', settings.backlogBlocks, 'blocks'),
    ],
    proof: newest.value === null ? [] : [newest.value.key],
    evidence,
  };
  return behind > settings.backlogBlocks
    ? holds('R10', 'warning', BEYOND_RANGE, found)
    : doesNotHold('R10', 'Within the catch-up range, as far as the log shows', found);
});

/** The contract refuses a larger gas limit (its error `MaxGasLimitExceeded`). */
const MAX_GAS_LIMIT = 655_350_000n;
/** R11: so many times what is usual, or as small a part of it. */
const TIMES_USUAL = 10n;

/** Limits are u256 at most. Longer digits are no gas, and would only keep BigInt busy. */
function gasOf(digits: string | undefined): bigint | undefined {
  return digits !== undefined && /^\d{1,78}$/.test(digits) ? BigInt(digits) : undefined;
}

/** R11. Gas limit 10 times the network's median or more, a tenth or less (20 rows or more), or over 655,350,000. */
export const gasRule: Rule = ({ request, evidence: { finished } }) => {
  const limit = gasOf(request.gasLimit);
  if (limit === undefined) return cannotTell('R11', 'The row has no readable gas limit');
  const own = figure('Gas limit', limit.toString(), 'gas');
  if (limit > MAX_GAS_LIMIT) {
    const figures = [own, figure('Contract maximum', MAX_GAS_LIMIT.toString(), 'gas')];
    return holds('R11', 'warning', 'Gas limit above the contract’s maximum', { figures });
  }
  if (finished.kind === 'missing') {
    return cannotTell('R11', `Finished requests of the network: ${finished.why}`, { figures: [own] });
  }
  const evidence = used(['finished', finished]);
  const limits = finished.value.rows
    .filter((row) => isFinished(row) && row.networkId === request.networkId)
    .flatMap((row) => gasOf(row.gasLimit) ?? [])
    .sort(byNumber);
  const median = nearestRank(limits, 50);
  if (median === undefined || limits.length < ENOUGH_FINISHED) {
    const why = `only ${limits.length} finished rows with a gas limit; ${ENOUGH_FINISHED} are needed`;
    return cannotTell('R11', why, { figures: [own], evidence });
  }
  const figures = [
    own,
    figure('Gas limit p50', median.toString(), 'gas'),
    figure('Sample size', limits.length, 'rows'),
  ];
  // Ten times nothing is nothing: such a median makes no limit unusual.
  const isUnusual = median > 0n && (limit >= median * TIMES_USUAL || limit * TIMES_USUAL <= median);
  return isUnusual
    ? holds('R11', 'notice', 'Unusual gas limit for this network', { figures, evidence })
    : doesNotHold('R11', 'A usual gas limit', { figures, evidence });
};

/** Sequences that are absent between two that are there, both ends included. */
type Gap = { from: bigint; to: bigint };

/** @param sorted rising; the same sequence may stand there several times */
function gapsIn(sorted: readonly bigint[]): Gap[] {
  return sorted.flatMap((sequence, index) => {
    const before = sorted[index - 1];
    return before === undefined || sequence - before <= 1n ? [] : [{ from: before + 1n, to: sequence - 1n }];
  });
}

/** `101, 104–107, …`: the first gaps, for people. */
function gapsText(gaps: readonly Gap[], most = 10): string {
  const shown = gaps.slice(0, most).map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`));
  return [...shown, ...(gaps.length > most ? ['…'] : [])].join(', ');
}

/**
 * R12. Sequences missing between the lowest and the highest of a complete window (E2), same network and provider. It
 * speaks of this request where they all adjoin it; where others are missing elsewhere, absent sequences are usual there.
 */
export const gapRule: Rule = ({ request, evidence: { window } }) => {
  if (window.kind === 'missing') return cannotTell('R12', `Requests around it: ${window.why}`);
  const { rows, unseen, fromMs, toMs } = window.value;
  const evidence = used(['E2', window]);
  if (unseen > 0)
    return cannotTell('R12', `${countText(unseen, 'row')} of this stretch not seen`, { evidence });
  if (request.provider === undefined) return cannotTell('R12', 'The row names no provider', { evidence });
  const sequences = rows
    .filter((row) => isSameLane(request, row))
    .map((row) => BigInt(row.sequence))
    .sort(byNumber);
  const [lowest, highest] = [sequences[0], sequences.at(-1)];
  if (lowest === undefined || highest === undefined || lowest === highest) {
    return cannotTell('R12', 'fewer than 2 sequences of this provider in the window', { evidence });
  }
  const gaps = gapsIn(sequences);
  const total = gaps.reduce((sum, { from, to }) => sum + to - from + 1n, 0n);
  const figures: Figure[] = [
    figure('Missing', total.toString(), 'numbers'),
    figure('Lowest', lowest.toString(), 'text'),
    figure('Highest', highest.toString(), 'text'),
    figure('From', fromMs, 'moment'),
    figure('To', toMs, 'moment'),
  ];
  if (gaps.length === 0) return doesNotHold('R12', 'No sequence is missing', { figures, evidence });
  const own = BigInt(request.sequence);
  const isBeside = gaps.every(({ from, to }) => to === own - 1n || from === own + 1n);
  const where = isBeside ? ' right beside this one' : '';
  return holds(
    'R12',
    'notice',
    `${total} sequence${total === 1n ? '' : 's'} missing${where}: not seen by the keeper, reorged, or not callbacks`,
    { figures: [...figures, figure('Which', gapsText(gaps), 'text')], evidence, covers: isBeside ? 1 : 0 },
  );
};

/** R14: so many late ones that finished in the same minute. */
const LATE_TOGETHER = 3;
const MINUTE_MS = 60_000;

/**
 * R14. Finished rows that took over 420 s, 3 or more in the same minute (of UTC), while this request was already there:
 * what recovered before it came says nothing about it.
 */
export const recoveryRule: Rule = ({ request, evidence: { window, finished }, settings }) => {
  const known = [finished, window].flatMap((piece) => (piece.kind === 'known' ? [piece.value.rows] : []));
  const late = distinctRows(...known).filter(
    (row) => row.networkId === request.networkId && (finishedAfterMs(row) ?? 0) > settings.stuckAfterS * 1000,
  );
  const byMinute = groupedBy(
    late,
    ({ updatedAt }) => Math.floor((updatedAt?.ms ?? 0) / MINUTE_MS) * MINUTE_MS,
  );
  const all = [...byMinute].filter(([, rows]) => rows.length >= LATE_TOGETHER);
  const [recovery] = all
    .filter(([minuteMs]) => minuteMs + MINUTE_MS > request.createdAt.ms)
    .sort(([at, rows], [otherAt, others]) => others.length - rows.length || otherAt - at);
  const evidence = used(['finished', finished], ['E2', window]);
  if (recovery !== undefined) {
    const [minuteMs, rows] = recovery;
    return holds('R14', 'notice', 'Old requests finished in the same minute; a restart?', {
      figures: [
        figure('Recovered at', minuteMs, 'moment'),
        figure('Recovered in that minute', rows.length, 'rows'),
        figure('Late means over', settings.stuckAfterS * 1000, 'ms'),
      ],
      proof: keysOf(rows),
      evidence,
    });
  }
  if (finished.kind === 'missing') {
    return cannotTell('R14', `Finished requests of the network: ${finished.why}`, { evidence });
  }
  const since = all.length === 0 ? '' : ' since this request came';
  return doesNotHold('R14', `No late recovery is logged${since}`, { evidence });
};
