import { isFinished } from '@/lib/core/request-record';
import type { Diagnosis } from '@/lib/pending/pending-response';
import { ageOf, isPending, queriesUsed, rowsOf } from './evidence';
import { AGE_SEVERITY } from './request-rules';
import { notPending, type RuleInput, type RuleOfMany, type RuleOfOne } from './rule';
import { judge, RULES } from './rules';
import { ageRuleOf, survival } from './thresholds';
import { figure, mostSevere, type RuleId, unknownVerdict, type Verdict } from './verdict';

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
    .sort((a, b) => Number(a.rule.slice(1)) - Number(b.rule.slice(1)));
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

/** R7 with the time at which the keeper last finished a request of this sender here (E3). */
function withLastFinished(verdict: Verdict, { request, evidence: { sender } }: RuleInput): Verdict {
  if (verdict.rule !== 'R7') return verdict;
  if (request.sender === undefined) return unknownVerdict('R7', 'The row has no sender');
  const senderRows = rowsOf(sender).filter((row) => isFinished(row) && row.networkId === request.networkId);
  if (senderRows.length === 0) return verdict;
  const lastMs = Math.max(...senderRows.map((row) => row.createdAt.ms));
  return {
    ...verdict,
    figures: [...verdict.figures, figure('Last finished of this sender', lastMs, 'moment')],
    evidence: [...verdict.evidence, ...queriesUsed(['E3', sender])],
  };
}

export function verdictsHolding({ verdicts, topRule }: Pick<Diagnosis, 'verdicts' | 'topRule'>): Verdict[] {
  const holding = verdicts.filter(({ holds }) => holds === 'yes');
  return holding.toSorted((a, b) => Number(b.rule === topRule) - Number(a.rule === topRule));
}

/**
 * Rank as a cause: rules about many requests, a normal age (R1), specific causes, ages that only show that something
 * is wrong, then rules that explain nothing alone.
 */
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

/** A completed twin comes before any rank. */
function topVerdict(verdicts: readonly Verdict[]): Verdict | undefined {
  const holding = verdicts.filter(({ holds }) => holds === 'yes');
  return holding.find(({ decisive }) => decisive) ?? holding.toSorted((a, b) => placeOf(a) - placeOf(b))[0];
}
