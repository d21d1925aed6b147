import type { Diagnosis, PendingSettings } from '@/lib/pending/answers';
import {
  ageOf,
  DAY_MS,
  distinctRows,
  type Evidence,
  type FinishedRows,
  finishedAfterMs,
  groupedBy,
  isFinished,
  isPending,
  isSameHex,
  isSameLane,
  keysOf,
  type LoggedRow,
  type Piece,
  used,
} from './evidence';
import {
  type AgeRule,
  aboutPending,
  ageRuleOf,
  byNumber,
  type Case,
  caseOf,
  ENOUGH_FINISHED,
  isStuckAge,
  nearestRank,
  type Rule,
  survival,
} from './thresholds';
import {
  cannotTell,
  countText,
  doesNotHold,
  type Figure,
  figure,
  gravest,
  holds,
  type RuleId,
  type Severity,
  spanText,
  type Verdict,
} from './verdict';

/** The rules about one request. R6, R7 and R13 speak of many: `incidents` has them. */

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

export const ORPHANED = 'Its twin completed, so this one is most likely orphaned';

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
    return holds('R5', 'notice', ORPHANED, { decisive: true, ...found });
  }
  return holds('R5', 'notice', 'The same sequence is logged under another transaction', found);
};

/** R8: so many finished requests with higher sequences of the same network and provider. */
export const OVERTAKEN_BY = 10;
export const OVERTAKEN = 'Only this request is stuck; later ones completed';

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
    return holds('R8', 'warning', OVERTAKEN, found);
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

/** The gas limits of finished requests of a network; `median` undefined where there are too few. */
export type UsualGas = { median: bigint | undefined; rows: number };

export function usualGas(finished: Piece<FinishedRows>, networkId: string): UsualGas {
  const rows = finished.kind === 'known' ? finished.value.rows : [];
  const limits = rows
    .filter((row) => isFinished(row) && row.networkId === networkId)
    .flatMap((row) => gasOf(row.gasLimit) ?? [])
    .sort(byNumber);
  const median = limits.length < ENOUGH_FINISHED ? undefined : nearestRank(limits, 50);
  return { median, rows: limits.length };
}

/** What R11 says of a limit. Ten times nothing is nothing: such a median makes no limit unusual. */
export function gasFinding(
  { gasLimit }: Pick<LoggedRow, 'gasLimit'>,
  { median = 0n }: UsualGas,
): 'too-large' | 'high' | 'low' | undefined {
  const limit = gasOf(gasLimit);
  if (limit === undefined) return undefined;
  if (limit > MAX_GAS_LIMIT) return 'too-large';
  if (median === 0n) return undefined;
  if (limit >= median * TIMES_USUAL) return 'high';
  return limit * TIMES_USUAL <= median ? 'low' : undefined;
}

export const GAS_HEADLINES = {
  'too-large': 'Gas limit above the contract’s maximum',
  high: 'Gas limit much too high: 10 times the usual or more',
  low: 'Gas limit too low: a tenth of the usual or less',
};

/** R11. Gas limit 10 times the network's median or more, a tenth or less (20 rows or more), or over 655,350,000. */
export const gasRule: Rule = ({ request, evidence: { finished } }) => {
  const limit = gasOf(request.gasLimit);
  if (limit === undefined) return cannotTell('R11', 'The row has no readable gas limit');
  const usual = usualGas(finished, request.networkId);
  const found = gasFinding(request, usual);
  const own = figure('Gas limit', limit.toString(), 'gas');
  const evidence = used(['finished', finished]);
  if (found === 'too-large') {
    const figures = [own, figure('Contract maximum', MAX_GAS_LIMIT.toString(), 'gas')];
    return holds('R11', 'warning', GAS_HEADLINES[found], { figures });
  }
  if (finished.kind === 'missing') {
    return cannotTell('R11', `Finished requests of the network: ${finished.why}`, { figures: [own] });
  }
  if (usual.median === undefined) {
    const why = `only ${usual.rows} finished rows with a gas limit; ${ENOUGH_FINISHED} are needed`;
    return cannotTell('R11', why, { figures: [own], evidence });
  }
  const figures = [own, ...gasFigures(usual)];
  return found === undefined
    ? doesNotHold('R11', 'A usual gas limit', { figures, evidence })
    : holds('R11', 'notice', GAS_HEADLINES[found], { figures, evidence });
};

export function gasFigures({ median, rows }: UsualGas): Figure[] {
  if (median === undefined) return [];
  return [figure('Gas limit p50', median.toString(), 'gas'), figure('Sample size', rows, 'rows')];
}

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

/** R9: silent for longer than the larger of these, judged only when the network has a rhythm. */
const SILENCE = { leastMs: 10 * 60_000, gaps: 7, rowsOfDay: 50 } as const;

/** Mean time between rows of the last 24 hours; undefined when there were none. */
export function usualGapMs(rowsOfDay: number): number | undefined {
  return rowsOfDay > 0 ? DAY_MS / rowsOfDay : undefined;
}

/**
 * R9. E6 silent longer than the larger of 10 min and seven times the mean gap of the last 24 h (50 rows or more). The
 * silence lasts until the newest row was asked for, not until now: what came after that, nobody has looked at.
 */
export function silenceVerdict({ newest, lastDay }: Pick<Evidence, 'newest' | 'lastDay'>): Verdict {
  if (newest.kind === 'missing') return cannotTell('R9', `Newest request of the network: ${newest.why}`);
  if (lastDay.kind === 'missing') return cannotTell('R9', `Requests of the last 24 hours: ${lastDay.why}`);
  const evidence = used(['E6', newest], ['E6', lastDay]);
  const row = newest.value;
  if (row === null) return cannotTell('R9', 'the network has no rows at all', { evidence });
  const gapMs = usualGapMs(lastDay.value);
  const silentMs = Math.max(0, newest.atMs - row.createdAt.ms);
  const figures: Figure[] = [
    figure('Last request', row.createdAt.ms, 'moment'),
    figure('Silent for', silentMs, 'ms'),
    figure('Requests in 24 h', lastDay.value, 'rows'),
    ...(gapMs === undefined ? [] : [figure('Typical interval', gapMs, 'ms')]),
  ];
  if (gapMs === undefined || lastDay.value < SILENCE.rowsOfDay) {
    const why = `only ${lastDay.value} requests in the last 24 hours; ${SILENCE.rowsOfDay} are needed`;
    return cannotTell('R9', why, { figures, evidence });
  }
  const limitMs = Math.max(SILENCE.leastMs, SILENCE.gaps * gapMs);
  const found = { figures: [...figures, figure('Quiet after', limitMs, 'ms')], evidence };
  if (silentMs <= limitMs) return doesNotHold('R9', 'Not silent for longer than usual', found);
  const said = `Nothing logged for ${spanText(silentMs)}, typically every ${spanText(gapMs)}`;
  const headline = `${said}: no demand, or capture has stopped`;
  return holds('R9', 'warning', headline, { proof: [row.key], ...found });
}

export const silenceRule: Rule = ({ evidence }) => silenceVerdict(evidence);

/** R15. E5 has several rows; only those that were requested by the transaction count, not those revealed by it. */
export const batchRule: Rule = ({ request, evidence: { sameTransaction } }) => {
  if (request.requestTxHash === undefined) return cannotTell('R15', 'The row names no transaction');
  if (sameTransaction.kind === 'missing') {
    return cannotTell('R15', `Requests of this transaction: ${sameTransaction.why}`);
  }
  const rows = sameTransaction.value.rows.filter(
    (row) => row.networkId === request.networkId && isSameHex(row.requestTxHash, request.requestTxHash),
  );
  const { unseen } = sameTransaction.value;
  const evidence = used(['E5', sameTransaction]);
  const missing = unseen > 0 ? `${countText(unseen, 'row')} of this transaction not seen` : undefined;
  if (rows.length < 2) {
    return missing === undefined
      ? doesNotHold('R15', 'The only request of its transaction', { evidence })
      : cannotTell('R15', missing, { evidence });
  }
  const [done, waiting] = [rows.filter(isFinished).length, rows.filter(isPending).length];
  return holds('R15', 'notice', `One of a batch: ${done} of ${rows.length} done`, {
    figures: [
      figure('Requests of this transaction', rows.length, 'rows'),
      figure('Done', done, 'rows'),
      figure('Pending', waiting, 'rows'),
    ],
    proof: keysOf(rows),
    evidence,
    covers: waiting,
    ...(missing === undefined ? {} : { missing }),
  });
};

/** Rules that ask about one request alone, by their numbers. */
const RULES_OF_ONE: Record<Exclude<RuleId, RuleOfMany>, Rule> = {
  R1: withinNormalRule,
  R2: slowRule,
  R3: retryEndRule,
  R4: givenUpRule,
  R5: twinRule,
  R8: overtakenRule,
  R9: silenceRule,
  R10: backlogRule,
  R11: gasRule,
  R12: gapRule,
  R14: recoveryRule,
  R15: batchRule,
};

/** Rules that are decided for all pending requests of a network at once. */
export type RuleOfMany = 'R6' | 'R7' | 'R13';

/** What is known of many, as far as it concerns one of them. */
export type OfMany = {
  /** The likely cause of its incident, if it is in one. */
  lead?: Verdict | undefined;
  /** For those of other incidents and of none. */
  others: Record<RuleOfMany, Verdict>;
};

/** What can be said about one request, by all rules. Its incident's likely cause is its own. */
export function diagnose(
  request: LoggedRow,
  evidence: Evidence,
  settings: PendingSettings,
  nowMs: number,
  ofMany: OfMany,
): Diagnosis {
  const given = caseOf(request, evidence, settings, nowMs);
  const ofOne = Object.values(RULES_OF_ONE).map((rule) => rule(given));
  const shared = isPending(request) ? ofMany.lead : undefined;
  // What the same rule found of this very request says more.
  const lead = ofOne.find(({ rule, holds }) => holds === 'yes' && rule === shared?.rule) ?? shared;
  const others = Object.entries(ofMany.others).map(([id, verdict]) =>
    aboutPending(id as RuleId, () => (id === 'R7' ? withLastFinished(verdict, given) : verdict))(given),
  );
  const verdicts = [...ofOne, ...others]
    .map((verdict) => (verdict.rule === lead?.rule ? lead : verdict))
    .sort((one, other) => Number(one.rule.slice(1)) - Number(other.rule.slice(1)));
  const top = lead ?? topVerdict(verdicts);
  const ageMs = ageOf(request, nowMs);
  const { finished } = evidence;
  // The likely cause is as grave as the case: the same on the card, the panel and the page.
  const severity = gravest([top?.severity ?? 'none', AGE_SEVERITY[ageRuleOf(ageMs, given.normal, settings)]]);
  return {
    verdicts: verdicts.map((one) => (one === top && isPending(request) ? { ...one, severity } : one)),
    topRule: top?.rule,
    ageMs,
    survival: finished.kind === 'known' ? survival(finished.value.rows, ageMs) : undefined,
  };
}

/** What E3 adds to R7: when the keeper last finished something of this sender, on this network. */
function withLastFinished(verdict: Verdict, { request, evidence: { sender } }: Case): Verdict {
  if (request.sender === undefined) return cannotTell('R7', 'The row names no sender');
  const rows = sender.kind === 'known' ? sender.value.rows : [];
  const own = rows.filter((row) => isFinished(row) && row.networkId === request.networkId);
  if (own.length === 0) return verdict;
  const last = figure(
    'Last finished of this sender',
    Math.max(...own.map((row) => row.createdAt.ms)),
    'moment',
  );
  return {
    ...verdict,
    figures: [...verdict.figures, last],
    evidence: [...verdict.evidence, ...used(['E3', sender])],
  };
}

/** The verdicts that hold, the one that explains most first. */
export function heldVerdicts({ verdicts, topRule }: Pick<Diagnosis, 'verdicts' | 'topRule'>): Verdict[] {
  const held = verdicts.filter(({ holds }) => holds === 'yes');
  return held.toSorted((one, other) => Number(other.rule === topRule) - Number(one.rule === topRule));
}

/**
 * Causes of one request, the more particular first, then its age, then what stands beside it. Missing sequences that
 * adjoin it say more than an age past the retry budget, which only says that something is wrong; a batch of which
 * nothing else is pending explains nothing.
 */
const ORDER = 'R1 R5 R14 R11 R15 R8 R9 R10 R2 R12-beside R4 R3 R12 R15-alone'.split(' ');

function placeOf({ rule, covers }: Verdict): number {
  const name =
    rule === 'R12' && covers > 0 ? 'R12-beside' : rule === 'R15' && covers < 2 ? 'R15-alone' : rule;
  return ORDER.indexOf(name);
}

/** Of the verdicts that hold, the one that explains most. A twin that is completed settles it. */
function topVerdict(verdicts: readonly Verdict[]): Verdict | undefined {
  const held = verdicts.filter(({ holds }) => holds === 'yes');
  return (
    held.find(({ decisive }) => decisive) ?? held.toSorted((one, other) => placeOf(one) - placeOf(other))[0]
  );
}
