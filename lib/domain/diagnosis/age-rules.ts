import type { DiagnosisSettings } from './diagnosis-settings';
import { type Evidence, type LoggedRow, used } from './evidence';
import { type NormalAge, normalAge } from './finished-durations';
import { ageOf } from './logged-row';
import type { Rule } from './rule';
import { spanText } from './span-text';
import { cannotTell, doesNotHold, type Figure, holds, type Severity, type Verdict } from './verdict';

export type AgeRule = 'R1' | 'R2' | 'R3' | 'R4';

/** Which of R1 to R4 holds for a pending request: the first, so never two. Bounds: R1 below, the others up to. */
export function ageRuleOf(ageMs: number, normal: NormalAge, settings: DiagnosisSettings): AgeRule {
  if (ageMs < normal.ms) return 'R1';
  if (ageMs <= settings.retryBudgetS * 1000) return 'R2';
  return ageMs <= settings.stuckAfterS * 1000 ? 'R3' : 'R4';
}

/** R3 or R4: older than R2 reaches. */
export function isStuckRule(rule: AgeRule): boolean {
  return rule === 'R3' || rule === 'R4';
}

export const AGE_SEVERITY: Record<AgeRule, Severity> = {
  R1: 'none',
  R2: 'notice',
  R3: 'warning',
  R4: 'warning',
};

/** Why rules about pending requests don't apply; undefined for a pending one. */
export function notPending(rule: Verdict['rule'], request: LoggedRow): Verdict | undefined {
  switch (request.state.kind) {
    case 'pending':
      return undefined;
    case 'completed':
    case 'failed':
      return doesNotHold(rule, { headline: 'Not pending: its outcome is recorded' });
    default:
      return cannotTell(rule, 'Its state is not one that is known here');
  }
}

/** Where a pending request stands by its age. */
export type Standing = { ageMs: number; normal: NormalAge; rule: AgeRule };

export function standingByAge(
  request: LoggedRow,
  evidence: Pick<Evidence, 'finished'>,
  settings: DiagnosisSettings,
  nowMs: number,
): Standing {
  const ageMs = ageOf(request, nowMs);
  const normal = normalAge(evidence.finished, settings);
  return { ageMs, normal, rule: ageRuleOf(ageMs, normal, settings) };
}

function headlineOf(rule: AgeRule, ageMs: number, settings: DiagnosisSettings): string {
  switch (rule) {
    case 'R1':
      return 'Within normal for this network';
    case 'R2': {
      const left = spanText(settings.retryBudgetS * 1000 - ageMs);
      return `Slow; the keeper should still be retrying, for ${left} more`;
    }
    case 'R3':
      return 'At the end of the retry budget';
    default:
      return 'This process has most likely given up; a restart in range, a replica, or a manual reveal may finish it';
  }
}

function boundFigure(rule: AgeRule, normal: NormalAge, settings: DiagnosisSettings): Figure {
  switch (rule) {
    case 'R1':
      return { label: 'Normal below', value: normal.ms, unit: 'ms' };
    case 'R2':
      return { label: 'Slow up to', value: settings.retryBudgetS * 1000, unit: 'ms' };
    case 'R3':
      return { label: 'End of the retry budget up to', value: settings.stuckAfterS * 1000, unit: 'ms' };
    default:
      return { label: 'Given up after', value: settings.stuckAfterS * 1000, unit: 'ms' };
  }
}

function percentileFigures(normal: NormalAge): Figure[] {
  if (normal.p95Ms === undefined) return [];
  return [
    { label: '95th percentile of finished requests', value: normal.p95Ms, unit: 'ms' },
    { label: 'Finished requests looked at', value: normal.finished, unit: 'rows' },
  ];
}

function foundBy(
  rule: AgeRule,
  { ageMs, normal }: Standing,
  { finished }: Pick<Evidence, 'finished'>,
  settings: DiagnosisSettings,
) {
  return {
    figures: [
      { label: 'Age', value: ageMs, unit: 'ms' as const },
      boundFigure(rule, normal, settings),
      ...percentileFigures(normal),
    ],
    evidence: used(['finished', finished]),
    ...(normal.missing === undefined ? {} : { missing: normal.missing }),
  };
}

/**
 * The verdict of the one of R1 to R4 that holds for a pending request. `missing` tells when the network's own percentile
 * was not there, and the setting alone decided.
 */
export function ageVerdict(
  standing: Standing,
  evidence: Pick<Evidence, 'finished'>,
  settings: DiagnosisSettings,
): Verdict {
  const { rule, ageMs } = standing;
  const headline = headlineOf(rule, ageMs, settings);
  return holds(rule, AGE_SEVERITY[rule], { headline, ...foundBy(rule, standing, evidence, settings) });
}

function ageCheck(rule: AgeRule): Rule {
  return (request, evidence, settings, nowMs) => {
    const refused = notPending(rule, request);
    if (refused !== undefined) return refused;
    const standing = standingByAge(request, evidence, settings, nowMs);
    if (standing.rule === rule) return ageVerdict(standing, evidence, settings);
    const headline = `Its age of ${spanText(standing.ageMs)} is outside`;
    return doesNotHold(rule, { headline, ...foundBy(rule, standing, evidence, settings) });
  };
}

/** Age below the larger of the setting (60 s) and the network's 95th percentile (of 20 finished rows or more). */
export const withinNormalRule = ageCheck('R1');
/** Not R1, and up to the retry budget (300 s). */
export const slowRule = ageCheck('R2');
/** Not R1, past the retry budget, up to the time when a process has given up (420 s). */
export const retryEndRule = ageCheck('R3');
/** Not R1, and older. */
export const givenUpRule = ageCheck('R4');
