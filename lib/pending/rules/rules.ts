import { groupedBy } from '@/lib/core/grouped';
import { countOf } from '@/lib/core/numbers';
import type { PendingSettings } from '@/lib/core/pending-settings';
import { isFinished } from '@/lib/core/request-record';
import { DAY_MS, formatSpan, MINUTE_MS } from '@/lib/core/time';
import type { Diagnosis } from '@/lib/pending/pending-response';
import {
  ageOf,
  distinctRows,
  type Evidence,
  finishedAfterMs,
  isCompleted,
  isPending,
  isSameHex,
  isSameLane,
  keysOf,
  type LoggedRow,
  type MatchingRows,
  PIECES,
  rowsOf,
  used,
  WINDOW_MS,
} from './evidence';
import { beginsAnew, isLaterRequest, isNearTwin } from './sequence-life';
import {
  type AgeRule,
  ageHeadline,
  ageRuleOf,
  type Baseline,
  baselineOf,
  byNumber,
  ENOUGH_FINISHED,
  gasFinding,
  gasOf,
  isStuckAge,
  MAX_GAS_LIMIT,
  survival,
} from './thresholds';
import {
  AGE_WHEN_CHECKED,
  doesNotHold,
  type Figure,
  figure,
  holds,
  mostSevere,
  type RuleId,
  type Severity,
  unknownVerdict,
  type Verdict,
} from './verdict';

/** Rules about one request. R6, R7 and R13 are about many and in groups.ts. Titles of R1 to R15: `RULE_TITLES` (verdict.ts). E1 to E6: `PIECES` (evidence.ts). */

/** Input of a rule: request, evidence, time (unix ms), and the usual figures of its network. */
export type Case = Baseline & { request: LoggedRow; evidence: Evidence; nowMs: number };

/** Pure function from a case to a verdict, with the evidence that it reads. */
type Rule = {
  /** Evidence that it reads. If any of it is missing or incomplete, a "no" becomes "unknown". */
  reads?: readonly (keyof Evidence)[];
  isAboutPending?: true;
  /** Treats missing evidence as empty. */
  find: (input: Case) => Verdict;
};

export type RuleOfMany = 'R6' | 'R7' | 'R13';
export type RuleOfOne = Exclude<RuleId, RuleOfMany>;

export function judge(id: RuleOfOne, input: Case): Verdict {
  const { reads = [], isAboutPending = false, find } = RULES[id];
  const off = isAboutPending ? notPending(id, input.request) : undefined;
  if (off !== undefined) return off;
  return withEvidence(id, reads, input.evidence, find(input));
}

/** A verdict with the evidence that its rule read; unknown when some of it was missing and the rule does not hold. */
function withEvidence<Name extends keyof Evidence>(
  id: RuleOfOne,
  reads: readonly Name[],
  available: Pick<Evidence, Name>,
  verdict: Verdict,
): Verdict {
  const pieces = reads.map((name) => [PIECES[name], available[name]] as const);
  const evidence = [
    ...verdict.evidence,
    ...used(...pieces.map(([{ id: of }, piece]) => [of, piece] as const)),
  ];
  const fitting = { ...verdict, evidence };
  const [gap] = pieces.flatMap(([{ name }, piece]) => {
    if (piece.kind === 'missing') return [`${name}: ${piece.why}`];
    const unseen = unseenOf(piece);
    return unseen > 0 ? [`${name}: ${countOf(unseen, 'row')} not seen`] : [];
  });
  if (gap === undefined || fitting.holds === 'yes') return fitting;
  return unknownVerdict(id, gap, { figures: fitting.figures, evidence, proof: fitting.proof });
}

function unseenOf({ value }: { value: unknown }): number {
  return (value as Partial<MatchingRows> | null)?.unseen ?? 0;
}

function notPending(id: RuleId, request: LoggedRow): Verdict | undefined {
  if (isPending(request)) return undefined;
  return isFinished(request)
    ? doesNotHold(id, 'Not pending: its outcome is logged')
    : unknownVerdict(id, 'Unknown state');
}

export const AGE_SEVERITY: Record<AgeRule, Severity> = {
  R1: 'none',
  R2: 'notice',
  R3: 'warning',
  R4: 'warning',
};

/** One of R1 to R4. `missing`: normal age was determined by the setting alone. */
function ageRule(rule: AgeRule): Rule {
  const find = ({ request, evidence, settings, normal, nowMs }: Case) => {
    const ageMs = ageOf(request, nowMs);
    const applicable = ageRuleOf(ageMs, normal, settings);
    const [retryMs, stuckMs] = [settings.retryBudgetS * 1000, settings.stuckAfterS * 1000];
    const bounds: Record<AgeRule, Figure> = {
      R1: figure('Normal below', normal.ms, 'ms'),
      R2: figure('Retry budget', retryMs, 'ms'),
      R3: figure('Last attempt ends by', stuckMs, 'ms'),
      R4: figure('Last attempt ended by', stuckMs, 'ms'),
    };
    const { p95Ms, finished, missing } = normal;
    const sample =
      p95Ms === undefined
        ? []
        : [figure('Latency p95', p95Ms, 'ms'), figure('Sample size', finished, 'rows')];
    const figures = [figure(AGE_WHEN_CHECKED, ageMs, 'ms'), bounds[applicable], ...sample];
    const details = { figures, evidence: used(['finished', evidence.finished]) };
    if (applicable !== rule)
      return doesNotHold(rule, `Age ${formatSpan(ageMs)} is out of this range`, details);
    const headline = ageHeadline(rule, retryMs - ageMs);
    return holds(rule, AGE_SEVERITY[rule], headline, { ...details, missing });
  };
  return { isAboutPending: true, find };
}

export const ORPHANED = 'The other one completed: this one is most likely orphaned';

/**
 * R5. E4 has the same network, provider and sequence with another transaction, near in time and block. A row without
 * transaction has no twin. A much older row belongs to another life of the sequence.
 */
const twinRule: Rule = {
  reads: ['sameSequence'],
  find: ({ request, evidence: { sameSequence } }) => {
    const { provider, requestTxHash: hash } = request;
    if (provider === undefined || hash === undefined) {
      return unknownVerdict('R5', 'The row has no provider or no transaction');
    }
    const others = rowsOf(sameSequence).filter(
      (row) =>
        row.sequence === request.sequence &&
        isSameLane(request, row) &&
        row.requestTxHash !== undefined &&
        !isSameHex(hash, row.requestTxHash),
    );
    if (others.length === 0) return doesNotHold('R5', 'No other transaction has this sequence');
    const twins = others.filter((row) => isNearTwin(row, request));
    if (twins.length === 0) {
      const why = 'Another transaction had this sequence, too far off in time or block for a reorg';
      const figures = [figure('Others with this sequence', others.length, 'rows')];
      return doesNotHold('R5', why, { figures, proof: keysOf(others) });
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
    return completed.length > 0 && isPending(request)
      ? holds('R5', 'notice', ORPHANED, { decisive: true, ...basis })
      : holds('R5', 'notice', 'The same sequence is logged under another transaction', basis);
  },
};

export const OVERTAKEN_BY = 10;

const OVERTAKEN = 'The keeper answers other requests of the same provider';

/**
 * R8. Older than R2, and 10 later requests or more completed, counted among E2 and the last finished rows (a lower bound). Failed
 * ones don't count, nor those of another life of the sequence.
 */
const overtakenRule: Rule = {
  isAboutPending: true,
  reads: ['window', 'finished'],
  find: ({ request, evidence: { window, finished }, settings, nowMs, normal }) => {
    if (request.provider === undefined) return unknownVerdict('R8', 'The row has no provider');
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
      return doesNotHold('R8', 'Not older than the retry budget, or still within normal', basis);
    }
    return later.length >= OVERTAKEN_BY
      ? holds('R8', 'warning', OVERTAKEN, basis)
      : doesNotHold('R8', `Only ${countOf(later.length, 'later request')} seen completed`, basis);
  },
};

export function blocksBehind(request: LoggedRow, newest: LoggedRow | null | undefined): bigint | undefined {
  const [block, newestBlock] = [request.requestBlock, newest?.requestBlock];
  return block === undefined || newestBlock === undefined ? undefined : BigInt(newestBlock) - BigInt(block);
}

/** R10. Newest logged block − `request_block_number` over the backlog (1000 blocks). */
const backlogRule: Rule = {
  isAboutPending: true,
  reads: ['newest'],
  find: ({ request, evidence: { newest }, settings, nowMs, normal }) => {
    const { backlogBlocks } = settings;
    const row = newest.kind === 'known' ? newest.value : undefined;
    const behind = blocksBehind(request, row);
    if (behind === undefined)
      return unknownVerdict('R10', 'This row, or the newest of the network, names no block');
    const basis = {
      figures: [
        figure('Blocks behind, at least', behind.toString(), 'blocks'),
        figure('Catch-up range', backlogBlocks, 'blocks'),
      ],
      proof: row ? [row.key] : [],
    };
    if (!isStuckAge(ageRuleOf(ageOf(request, nowMs), normal, settings))) {
      return doesNotHold('R10', 'Not older than the retry budget', basis);
    }
    if (behind < 0n && !isLaterRequest(request, row as LoggedRow)) {
      return unknownVerdict('R10', 'the newest request has a lower block: the blocks began anew', basis);
    }
    return behind > backlogBlocks
      ? holds('R10', 'warning', 'A restart alone would not take it up', basis)
      : doesNotHold('R10', 'Within the catch-up range, as far as the log shows', basis);
  },
};

const GAS_HEADLINES = {
  high: 'Gas limit 10 times the p50 or more, with which few completed',
  low: 'Gas limit a tenth of the p50 or less, with which few completed',
};

/** R11. Gas limit 10 times the network's median or more, a tenth or less (20 rows or more), or over 655,350,000. */
const gasRule: Rule = {
  reads: ['finished'],
  find: ({ request, gas }) => {
    const { median, rows } = gas;
    const limit = gasOf(request.gasLimit);
    if (limit === undefined) return unknownVerdict('R11', 'The row has no readable gas limit');
    const finding = gasFinding(request, gas);
    const gasLimit = figure('Gas limit', limit.toString(), 'gas');
    if (finding === 'too-large') {
      const figures = [gasLimit, figure('Contract maximum', MAX_GAS_LIMIT.toString(), 'gas')];
      return holds('R11', 'warning', 'Gas limit above the contract’s maximum', { figures });
    }
    if (median === undefined) {
      const why = `only ${rows} finished rows with a gas limit; ${ENOUGH_FINISHED} are needed`;
      return unknownVerdict('R11', why, { figures: [gasLimit] });
    }
    const baselineFigures = [
      figure('Gas limit p50', median.toString(), 'gas'),
      figure('Sample size', rows, 'rows'),
    ];
    return finding === undefined
      ? doesNotHold('R11', 'Typical gas limit, or one with which others completed', {
          figures: [gasLimit, ...baselineFigures],
        })
      : holds('R11', 'notice', GAS_HEADLINES[finding], { figures: [gasLimit, ...baselineFigures] });
  },
};

/** Text of the first gaps between sequences: `101, 104–107, …`. */
function gapsText(gaps: readonly { from: bigint; to: bigint }[], max = 10): string {
  const shown = gaps.slice(0, max).map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`));
  return [...shown, ...(gaps.length > max ? ['…'] : [])].join(', ');
}

/** R12. Sequences missing in a complete window (E2). If all gaps adjoin this request they concern it; otherwise gaps are usual there. */
const gapRule: Rule = {
  reads: ['window'],
  find: ({ request, evidence: { window } }) => {
    const { ms } = request.createdAt;
    if (request.provider === undefined) return unknownVerdict('R12', 'The row has no provider');
    const lane = rowsOf(window).filter((row) => isSameLane(request, row));
    if (beginsAnew(lane)) return unknownVerdict('R12', 'the sequences began anew in this span');
    const sequences = lane.map((row) => BigInt(row.sequence)).sort(byNumber);
    const [lowest, highest] = [sequences[0], sequences.at(-1)];
    if (window.kind === 'missing' || window.value.unseen > 0 || lowest === undefined || lowest === highest) {
      return unknownVerdict('R12', 'fewer than 2 sequences of this provider in the window');
    }
    const gaps = sequences.flatMap((sequence, index) => {
      const before = sequences[index - 1] ?? sequence;
      return sequence - before <= 1n ? [] : [{ from: before + 1n, to: sequence - 1n }];
    });
    const total = gaps.reduce((sum, { from, to }) => sum + to - from + 1n, 0n);
    const figures: Figure[] = [
      figure('Missing', total.toString(), 'numbers'),
      figure('Lowest', `${lowest}`, 'text'),
      figure('Highest', `${highest}`, 'text'),
      figure('From', ms - WINDOW_MS, 'moment'),
      figure('To', ms + WINDOW_MS, 'moment'),
    ];
    if (gaps.length === 0) return doesNotHold('R12', 'No sequence is missing', { figures });
    const ownSequence = BigInt(request.sequence);
    const isBeside = gaps.every(({ from, to }) => to === ownSequence - 1n || from === ownSequence + 1n);
    const where = isBeside ? ' right beside this one' : '';
    return holds(
      'R12',
      'notice',
      `${total} sequence${total === 1n ? '' : 's'} missing${where}: not seen by the keeper, reorged, or not callbacks`,
      { figures: [...figures, figure('Which', gapsText(gaps), 'text')], covers: isBeside ? 1 : 0 },
    );
  },
};

const LATE_TOGETHER = 3;

/** R14. 3 or more took over 420 s and completed in the same minute, while this request was already there. */
const recoveryRule: Rule = {
  reads: ['finished'],
  find: ({ request, evidence: { window, finished }, settings: { stuckAfterS } }) => {
    const around = used(['E2', window]);
    const late = distinctRows(rowsOf(finished), rowsOf(window)).filter(
      (row) => isCompleted(row) && (finishedAfterMs(row) ?? 0) > stuckAfterS * 1000,
    );
    const byMinute = groupedBy(
      late,
      ({ updatedAt }) => Math.floor((updatedAt?.ms ?? 0) / MINUTE_MS) * MINUTE_MS,
    );
    const all = [...byMinute].filter(([, rows]) => rows.length >= LATE_TOGETHER);
    const [recovery] = all
      .filter(([minuteMs]) => minuteMs + MINUTE_MS > request.createdAt.ms)
      .sort(([at, rows], [otherAt, others]) => others.length - rows.length || otherAt - at);
    if (recovery === undefined) {
      const since = all.length === 0 ? '' : ' since this request came';
      return doesNotHold('R14', `No late recovery is logged${since}`, { evidence: around });
    }
    const [minuteMs, rows] = recovery;
    return holds('R14', 'notice', 'Old requests completed in the same minute, and this one did not', {
      figures: [
        figure('Recovered at', minuteMs, 'moment'),
        figure('Recovered in that minute', rows.length, 'rows'),
        figure('Late means over', stuckAfterS * 1000, 'ms'),
      ],
      proof: keysOf(rows),
      evidence: around,
    });
  },
};

/** R9: silence of more than 10 min and seven mean gaps of the last 24 h, which must have 50 rows. */
const SILENCE = { minMs: 10 * 60_000, gaps: 7, rowsOfDay: 50 } as const;

export function usualGapMs(rowsOfDay: number): number | undefined {
  return rowsOfDay > 0 ? DAY_MS / rowsOfDay : undefined;
}

/** Silence after which a network is quiet, by its requests of 24 h; undefined with too few of them. */
export function quietAfterMs(rowsOfDay: number): number | undefined {
  const gapMs = usualGapMs(rowsOfDay);
  if (gapMs === undefined || rowsOfDay < SILENCE.rowsOfDay) return undefined;
  return Math.max(SILENCE.minMs, SILENCE.gaps * gapMs);
}

/** R9. The silence ends at the time of the query for the newest row (E6), since later rows are unknown. */
function findSilence({ newest, lastDay }: Pick<Evidence, 'newest' | 'lastDay'>): Verdict {
  const row = newest.kind === 'known' ? newest.value : undefined;
  if (newest.kind === 'missing' || lastDay.kind === 'missing' || !row) {
    return unknownVerdict('R9', 'the network has no rows at all');
  }
  const gapMs = usualGapMs(lastDay.value);
  const silentMs = Math.max(0, newest.atMs - row.createdAt.ms);
  const figures: Figure[] = [
    figure('Last request', row.createdAt.ms, 'moment'),
    figure('Silent for', silentMs, 'ms'),
    figure('Requests in 24 h', lastDay.value, 'rows'),
    ...(gapMs === undefined ? [] : [figure('Average interval', gapMs, 'ms')]),
  ];
  const limitMs = quietAfterMs(lastDay.value);
  if (gapMs === undefined || limitMs === undefined) {
    const why = `only ${lastDay.value} requests in the last 24 hours; ${SILENCE.rowsOfDay} are needed`;
    return unknownVerdict('R9', why, { figures });
  }
  const basis = { figures: [...figures, figure('Quiet after', limitMs, 'ms')] };
  if (silentMs <= limitMs) return doesNotHold('R9', 'Not silent for longer than usual', basis);
  const silence = `Nothing logged for ${formatSpan(silentMs)}, on average every ${formatSpan(gapMs)}`;
  const headline = `${silence}: no demand, or nothing is captured`;
  return holds('R9', 'warning', headline, { proof: [row.key], ...basis });
}

const SILENCE_READS = ['newest', 'lastDay'] as const;
const silenceRule: Rule = { reads: SILENCE_READS, find: ({ evidence }) => findSilence(evidence) };

/** R9 about a whole network, without a request. */
export function silenceVerdict(evidence: Pick<Evidence, 'newest' | 'lastDay'>): Verdict {
  return withEvidence('R9', SILENCE_READS, evidence, findSilence(evidence));
}

/** R15. E5 has several rows requested by the transaction; rows revealed by it don't count. */
const batchRule: Rule = {
  reads: ['sameTransaction'],
  find: ({ request: { networkId, requestTxHash: hash }, evidence: { sameTransaction } }) => {
    if (hash === undefined) return unknownVerdict('R15', 'The row has no transaction');
    const rows = rowsOf(sameTransaction).filter(
      (row) => row.networkId === networkId && isSameHex(row.requestTxHash, hash),
    );
    if (rows.length < 2) return doesNotHold('R15', 'The only request of its transaction');
    const isWhole = sameTransaction.kind === 'known' && sameTransaction.value.unseen === 0;
    const [done, waiting] = [rows.filter(isFinished).length, rows.filter(isPending).length];
    return holds('R15', 'notice', `One of a batch: ${done} of ${rows.length} done`, {
      figures: [
        figure('Requests of this transaction', rows.length, 'rows'),
        figure('Done', done, 'rows'),
        figure('Pending', waiting, 'rows'),
      ],
      proof: keysOf(rows),
      covers: waiting,
      ...(isWhole ? {} : { missing: 'More requests of this transaction' }),
    });
  },
};

const RULES: Record<RuleOfOne, Rule> = {
  R1: ageRule('R1'),
  R2: ageRule('R2'),
  R3: ageRule('R3'),
  R4: ageRule('R4'),
  R5: twinRule,
  R8: overtakenRule,
  R9: silenceRule,
  R10: backlogRule,
  R11: gasRule,
  R12: gapRule,
  R14: recoveryRule,
  R15: batchRule,
};

/** Verdicts about many that apply to a request. */
export type GroupVerdicts = {
  /** Likely cause of its incident, if any. */
  lead?: Verdict | undefined;
  /** Verdicts of the rules about many, unless `lead` is of the same rule. */
  others: Record<RuleOfMany, Verdict>;
};

export const caseOf = (
  request: LoggedRow,
  evidence: Evidence,
  settings: PendingSettings,
  nowMs: number,
): Case => {
  return { request, evidence, nowMs, ...baselineOf(evidence.finished, settings) };
};

/** Diagnosis of a request by all rules. The likely cause of its incident is its own. */
export function diagnose(input: Case, groupVerdicts: GroupVerdicts): Diagnosis {
  const { request, evidence, nowMs } = input;
  const ofOne = (Object.keys(RULES) as RuleOfOne[]).map((rule) => judge(rule, input));
  const shared = isPending(request) ? groupVerdicts.lead : undefined;
  // A verdict of the same rule about this request is more specific than that about the incident.
  const lead = ofOne.find(({ rule, holds }) => holds === 'yes' && rule === shared?.rule) ?? shared;
  const others = Object.values(groupVerdicts.others).map(
    (verdict) => notPending(verdict.rule, request) ?? withLastFinished(verdict, input),
  );
  const verdicts = [...ofOne, ...others]
    .map((verdict) => (verdict.rule === lead?.rule ? lead : verdict))
    .sort((a, b) => Number(a.rule.slice(1)) - Number(b.rule.slice(1)));
  // A finished request needs no cause.
  const top = isPending(request) ? (lead ?? topVerdict(verdicts)) : undefined;
  const ageMs = ageOf(request, nowMs);
  // The likely cause has the severity of the case, so that list, panel and page agree.
  const age = ageRuleOf(ageMs, input.normal, input.settings);
  const severity = mostSevere([top?.severity ?? 'none', AGE_SEVERITY[age]]);
  return {
    verdicts: verdicts.map((verdict) =>
      verdict === top && isPending(request) ? { ...verdict, severity } : verdict,
    ),
    topRule: top?.rule,
    ageMs,
    survival: survival(rowsOf(evidence.finished), ageMs),
  };
}

/** Adds to R7 when the keeper last finished a request of this sender on this network (E3). */
function withLastFinished(verdict: Verdict, { request, evidence: { sender } }: Case): Verdict {
  if (verdict.rule !== 'R7') return verdict;
  if (request.sender === undefined) return unknownVerdict('R7', 'The row has no sender');
  const senderRows = rowsOf(sender).filter((row) => isFinished(row) && row.networkId === request.networkId);
  if (senderRows.length === 0) return verdict;
  const lastMs = Math.max(...senderRows.map((row) => row.createdAt.ms));
  return {
    ...verdict,
    figures: [...verdict.figures, figure('Last finished of this sender', lastMs, 'moment')],
    evidence: [...verdict.evidence, ...used(['E3', sender])],
  };
}

export function verdictsHolding({ verdicts, topRule }: Pick<Diagnosis, 'verdicts' | 'topRule'>): Verdict[] {
  const holding = verdicts.filter(({ holds }) => holds === 'yes');
  return holding.toSorted((a, b) => Number(b.rule === topRule) - Number(a.rule === topRule));
}

/** Rank of rules as causes: specific ones first, then age, which only shows that something is wrong, then rules that explain nothing alone. */
const ORDER: Record<RuleId | 'R12-beside' | 'R15-alone', number> = {
  R6: 0,
  R7: 0,
  R13: 0,
  R1: 1,
  R5: 2,
  R14: 3,
  R11: 4,
  R15: 5,
  R8: 6,
  R9: 7,
  R10: 8,
  R2: 9,
  'R12-beside': 10,
  R4: 11,
  R3: 12,
  R12: 13,
  'R15-alone': 14,
};

function placeOf({ rule, covers }: Verdict): number {
  const name =
    rule === 'R12' && covers > 0 ? 'R12-beside' : rule === 'R15' && covers < 2 ? 'R15-alone' : rule;
  return ORDER[name];
}

/** Verdict of the highest rank among those that hold. A completed twin comes first. */
function topVerdict(verdicts: readonly Verdict[]): Verdict | undefined {
  const holding = verdicts.filter(({ holds }) => holds === 'yes');
  return holding.find(({ decisive }) => decisive) ?? holding.toSorted((a, b) => placeOf(a) - placeOf(b))[0];
}
