import { isCountMissing } from './network-incident';
import type { NetworkPart, Waiting } from './network-part';
import type { Verdict } from './verdict';

/** The rules that come before that of a verdict: R6 before all others, and R9 before what has no shared cause. */
export type RulesBefore = 'R6' | 'R6 and R9';

/**
 * The verdict as it may be said of these requests by now: an estimate as long as what is not known yet may show that a rule
 * before it explains them. What is an estimate anyhow, or settles a request whatever else holds, stays as it is.
 */
export function asFarAsSettled(
  part: NetworkPart,
  members: readonly Waiting[],
  verdict: Verdict,
  before: RulesBefore,
): Verdict {
  if (verdict.basis === 'estimate' || verdict.decisive === 'yes') return verdict;
  const why = notKnownYet(part, members, before);
  return why === undefined ? verdict : { ...verdict, basis: 'estimate', missing: why };
}

/** What those rules lack; without full stop. */
function notKnownYet(
  { known, past }: NetworkPart,
  members: readonly Waiting[],
  before: RulesBefore,
): string | undefined {
  const { finished, lastDay } = known;
  if (finished.kind === 'missing') return `What else happened on this network (${finished.why})`;
  if (before === 'R6 and R9' && lastDay.kind === 'missing') {
    return `How lively this network is (${lastDay.why})`;
  }
  return isCountMissing(known, past, members)
    ? 'How many requests of that time finished (not counted yet)'
    : undefined;
}
