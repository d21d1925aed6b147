import { expect, test } from 'vitest';
import { DEFAULT_PENDING_SETTINGS } from '@/lib/core/pending-settings';
import { ageRuleOf, isStuckAge } from '@/lib/pending/rules/thresholds';
import { stuckAgeS, type TriageView } from './use-triage';

test('the view “Stuck” begins at the age from which the badge counts a request', () => {
  const settings = DEFAULT_PENDING_SETTINGS;
  const ageMs = stuckAgeS({ answer: undefined } as TriageView) * 1000;
  const isStuck = (ms: number) => isStuckAge(ageRuleOf(ms, { ms: settings.slowAfterS * 1000 }, settings));
  expect([isStuck(ageMs), isStuck(ageMs + 1)]).toEqual([false, true]);
});
