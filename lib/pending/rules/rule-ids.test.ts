import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { byRule, RULE } from './rule-ids';
import { RULE_TITLES } from './rule-texts';

it('ids of rules stay as they are stored and sent', () => {
  expect(RULE).toEqual({
    withinNormal: 'R1',
    slow: 'R2',
    retryBudgetEnding: 'R3',
    pastRetryBudget: 'R4',
    reorgedTwin: 'R5',
    wholeNetwork: 'R6',
    oneSender: 'R7',
    overtaken: 'R8',
    networkQuiet: 'R9',
    beyondCatchUp: 'R10',
    unusualGas: 'R11',
    missingSequences: 'R12',
    replicaDown: 'R13',
    lateRecovery: 'R14',
    batch: 'R15',
  });
});

it('rules sort by number', () => {
  const verdicts = [{ rule: RULE.beyondCatchUp }, { rule: RULE.networkQuiet }, { rule: RULE.slow }];
  expect(verdicts.sort(byRule)).toEqual([{ rule: 'R2' }, { rule: 'R9' }, { rule: 'R10' }]);
});

it('the manual explains each rule under its id and title', () => {
  const manual = readFileSync('docs/troubleshooting.md', 'utf8');
  const explained = [...manual.matchAll(/^\| (R\d+) \| ([^|]+) \|/gm)].map(([, id, title]) => [id, title]);
  expect(explained).toEqual(Object.values(RULE).map((id) => [id, RULE_TITLES[id]]));
});
