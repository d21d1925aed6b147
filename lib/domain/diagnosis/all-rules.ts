import { givenUpRule, retryEndRule, slowRule, withinNormalRule } from './age-rules';
import { backlogRule } from './backlog-rule';
import { batchRule } from './batch-rule';
import type { DiagnosisSettings } from './diagnosis-settings';
import type { Evidence, LoggedRow } from './evidence';
import { type Survival, survival } from './finished-durations';
import { gapRule } from './gap-rule';
import { gasRule } from './gas-rule';
import { type KeeperActivity, keeperActivity } from './keeper-activity';
import { ageOf, isPending } from './logged-row';
import { networkRule } from './network-rule';
import { overtakenRule } from './overtaken-rule';
import { recoveryRule } from './recovery-rule';
import { replicaRule } from './replica-rule';
import type { Rule } from './rule';
import { senderRule } from './sender-rule';
import { silenceRule } from './silence-rule';
import { twinRule } from './twin-rule';
import type { RuleId, Verdict } from './verdict';

/** The rules by their numbers, in order. */
export const ALL_RULES: Record<RuleId, Rule> = {
  R1: withinNormalRule,
  R2: slowRule,
  R3: retryEndRule,
  R4: givenUpRule,
  R5: twinRule,
  R6: networkRule,
  R7: senderRule,
  R8: overtakenRule,
  R9: silenceRule,
  R10: backlogRule,
  R11: gasRule,
  R12: gapRule,
  R13: replicaRule,
  R14: recoveryRule,
  R15: batchRule,
};

/** What can be said about one request. */
export type Diagnosis = {
  /** R1 to R15. */
  verdicts: Verdict[];
  /** The one that explains most of those that hold; undefined when none does, as for most finished requests. */
  top: Verdict | undefined;
  ageMs: number;
  /** Only of a pending request. */
  activity?: KeeperActivity;
  /** How its age compares with the network's finished requests; undefined while none are known. */
  survival?: Survival;
};

export function diagnose(
  request: LoggedRow,
  evidence: Evidence,
  settings: DiagnosisSettings,
  nowMs: number,
): Diagnosis {
  const verdicts = Object.values(ALL_RULES).map((rule) => rule(request, evidence, settings, nowMs));
  const ageMs = ageOf(request, nowMs);
  const { finished } = evidence;
  return {
    verdicts,
    top: topVerdict(verdicts),
    ageMs,
    ...(isPending(request) ? { activity: keeperActivity(ageMs, settings) } : {}),
    ...(finished.kind === 'known' ? { survival: survival(finished.value.rows, ageMs) } : {}),
  };
}

/** Rules that explain many requests by one cause; the one that speaks of the most goes first, then this order. */
const OF_GROUPS: readonly RuleId[] = ['R15', 'R7', 'R6', 'R13'];

/** While a request is within normal, only a cause that has others stuck already says more than that. */
const BEFORE_NORMAL: readonly RuleId[] = ['R6', 'R7'];

/**
 * Causes of one request, the more particular first, then its age, then what stands beside it. Missing numbers that adjoin
 * it say more than an age past the retry budget, which only says that something is wrong.
 */
const OF_ONE = ['R5', 'R14', 'R11', 'R8', 'R9', 'R10', 'R2', 'R12 beside it', 'R4', 'R3', 'R12'] as const;

function placeOf({ rule, covers }: Verdict): number {
  const kind = rule === 'R12' && covers > 0 ? 'R12 beside it' : rule;
  return (OF_ONE as readonly string[]).indexOf(kind);
}

/** Of the verdicts that hold, the one that explains most. A twin that is completed settles it. */
export function topVerdict(verdicts: readonly Verdict[]): Verdict | undefined {
  const held = verdicts.filter((verdict) => verdict.holds === 'yes');
  const decisive = held.find((verdict) => verdict.decisive === 'yes');
  if (decisive !== undefined) return decisive;
  const normal = held.find(({ rule }) => rule === 'R1');
  const [group] = held
    .filter(({ rule }) => (normal === undefined ? OF_GROUPS : BEFORE_NORMAL).includes(rule))
    .sort(
      (one, other) =>
        other.covers - one.covers || OF_GROUPS.indexOf(one.rule) - OF_GROUPS.indexOf(other.rule),
    );
  if (group !== undefined || normal !== undefined) return group ?? normal;
  return held.sort((one, other) => placeOf(one) - placeOf(other))[0];
}
