import { isFinished } from '@/lib/core/request-record';
import type { Diagnosis } from '@/lib/pending/pending-response';
import { ageOf, isPending, queriesUsed, rowsOf } from './evidence';
import { AGE_SEVERITY } from './request-rules';
import { notPending, type RuleInput, type RuleOfMany, type RuleOfOne } from './rule';
import { byRule, RULE, type RuleId } from './rule-ids';
import { judge, RULES } from './rules';
import { ageRuleOf, survival } from './thresholds';
import { figure, mostSevere, unknownVerdict, type Verdict } from './verdict';

export type GroupVerdicts = {
  /** Likely cause of the request's incident. */
  lead?: Verdict | undefined;
  /** `lead` replaces the verdict of the same rule. */
  others: Record<RuleOfMany, Verdict>;
};

/** A request of an incident has the incident's likely cause. */
export function diagnose(input: RuleInput, groupVerdicts: GroupVerdicts): Diagnosis {
  const { request, evidence, nowMs } = input;
  const ofOne = (Object.keys(RULES) as RuleOfOne[]).map((rule) => judge(rule, input));
  const shared = isPending(request) ? groupVerdicts.lead : undefined;
  // A verdict about this request is more specific than one about its incident.
  const lead = ofOne.find(({ rule, holds }) => holds === 'yes' && rule === shared?.rule) ?? shared;
  const others = Object.values(groupVerdicts.others).map(
    (verdict) => notPending(verdict.rule, request) ?? withLastFinished(verdict, input),
  );
  const verdicts = [...ofOne, ...others]
    .map((verdict) => (verdict.rule === lead?.rule ? lead : verdict))
    .sort(byRule);
  const top = isPending(request) ? (lead ?? topVerdict(verdicts)) : undefined;
  const ageMs = ageOf(request, nowMs);
  // With the severity of the whole case, list, panel and page agree.
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

/** Verdict on one sender, with the time at which the keeper last finished a request of this sender here. */
function withLastFinished(verdict: Verdict, { request, evidence: { sender } }: RuleInput): Verdict {
  if (verdict.rule !== RULE.oneSender) return verdict;
  if (request.sender === undefined) return unknownVerdict(RULE.oneSender, 'The row has no sender');
  const senderRows = rowsOf(sender).filter((row) => isFinished(row) && row.networkId === request.networkId);
  if (senderRows.length === 0) return verdict;
  const lastMs = Math.max(...senderRows.map((row) => row.createdAt.ms));
  return {
    ...verdict,
    figures: [...verdict.figures, figure('Last finished of this sender', lastMs, 'moment')],
    evidence: [...verdict.evidence, ...queriesUsed(['sender', sender])],
  };
}

export function verdictsHolding({ verdicts, topRule }: Pick<Diagnosis, 'verdicts' | 'topRule'>): Verdict[] {
  const holding = verdicts.filter(({ holds }) => holds === 'yes');
  return holding.toSorted((a, b) => Number(b.rule === topRule) - Number(a.rule === topRule));
}

/**
 * Rank as a cause: rules about many requests, a normal age, specific causes, ages that only show that something
 * is wrong, then rules that explain nothing alone.
 */
const ORDER: Record<RuleId | 'missing-beside' | 'batch-without-others', number> = {
  [RULE.wholeNetwork]: 0,
  [RULE.oneSender]: 0,
  [RULE.replicaDown]: 0,
  [RULE.withinNormal]: 1,
  [RULE.reorgedTwin]: 2,
  [RULE.lateRecovery]: 3,
  [RULE.unusualGas]: 4,
  [RULE.batch]: 5,
  [RULE.overtaken]: 6,
  [RULE.networkQuiet]: 7,
  [RULE.beyondCatchUp]: 8,
  [RULE.slow]: 9,
  'missing-beside': 10,
  [RULE.pastRetryBudget]: 11,
  [RULE.retryBudgetEnding]: 12,
  [RULE.missingSequences]: 13,
  'batch-without-others': 14,
};

function rankOf({ rule, covers }: Verdict): number {
  if (rule === RULE.missingSequences && covers > 0) return ORDER['missing-beside'];
  if (rule === RULE.batch && covers < 2) return ORDER['batch-without-others'];
  return ORDER[rule];
}

/** A completed twin comes before any rank. */
function topVerdict(verdicts: readonly Verdict[]): Verdict | undefined {
  const holding = verdicts.filter(({ holds }) => holds === 'yes');
  return holding.find(({ decisive }) => decisive) ?? holding.toSorted((a, b) => rankOf(a) - rankOf(b))[0];
}
