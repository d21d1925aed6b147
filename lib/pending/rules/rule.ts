import { countOf } from '@/lib/core/numbers';
import type { PendingSettings } from '@/lib/core/pending-settings';
import { isFinished } from '@/lib/core/request-record';
import { type Evidence, isPending, type LoggedRow, type MatchingRows, PIECES, queriesUsed } from './evidence';
import type { RuleId, RuleNamed } from './rule-ids';
import { type Baseline, finishedBaseline } from './thresholds';
import { doesNotHold, unknownVerdict, type Verdict } from './verdict';

export type RuleInput = Baseline & { request: LoggedRow; evidence: Evidence; nowMs: number };

/** A pure function with the evidence that it reads. */
export type Rule = {
  /** If any of it is missing or incomplete, a "no" becomes "unknown". */
  reads?: readonly (keyof Evidence)[];
  isAboutPending?: true;
  /** Missing evidence counts as empty. */
  find: (input: RuleInput) => Verdict;
};

export type RuleOfMany = RuleNamed<'wholeNetwork' | 'oneSender' | 'replicaDown'>;
export type RuleOfOne = Exclude<RuleId, RuleOfMany>;

/** A "no" becomes "unknown" if some evidence was missing. */
export function withEvidence<Name extends keyof Evidence>(
  id: RuleOfOne,
  reads: readonly Name[],
  available: Pick<Evidence, Name>,
  verdict: Verdict,
): Verdict {
  const pieces = reads.map((name) => [name, available[name]] as const);
  const evidence = [...verdict.evidence, ...queriesUsed(...pieces)];
  const fitting = { ...verdict, evidence };
  const [gap] = pieces.flatMap(([id, piece]) => {
    const { name } = PIECES[id];
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

export function notPending(id: RuleId, request: LoggedRow): Verdict | undefined {
  if (isPending(request)) return undefined;
  return isFinished(request)
    ? doesNotHold(id, 'Not pending: its outcome is logged')
    : unknownVerdict(id, 'Unknown state');
}

export const ruleInput = (
  request: LoggedRow,
  evidence: Evidence,
  settings: PendingSettings,
  nowMs: number,
): RuleInput => {
  return { request, evidence, nowMs, ...finishedBaseline(evidence.finished, settings) };
};
