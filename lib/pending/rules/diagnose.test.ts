import { describe, expect, it } from 'vitest';
import { ALL_RULES, diagnose } from './diagnose';
import type { Evidence, LoggedRow } from './evidence';
import {
  all,
  around,
  durations,
  evidence,
  finishedRows,
  hashOf,
  known,
  NOW,
  row,
  rows,
  senderOf,
} from './rules-fixture';
import { keeperActivity, nearestRank, settingsWith, thresholdsProblem, USUAL_SETTINGS } from './thresholds';
import { RULE_TITLES, type RuleId, spanText } from './verdict';

const topOf = (request: LoggedRow, given: Partial<Evidence> = {}) =>
  diagnose(request, evidence(given), USUAL_SETTINGS, NOW).topRule;

const done = (count: number, from = 500, ageS = 100) => rows(count, from, { ageS, tookS: 3 });

describe('diagnose', () => {
  it('asks every rule once, in order', () => {
    const { verdicts } = diagnose(row(1), evidence(), USUAL_SETTINGS, NOW);
    expect(verdicts.map(({ rule }) => rule)).toEqual(Object.keys(RULE_TITLES));
    expect(Object.keys(ALL_RULES)).toEqual(Object.keys(RULE_TITLES));
  });

  it('without any evidence tells the age and claims nothing else', () => {
    const request = row(1, { ageS: 500 });
    const { verdicts, topRule, survival } = diagnose(request, evidence(), USUAL_SETTINGS, NOW);
    expect(topRule).toBe('R4');
    expect(verdicts.filter(({ holds: held }) => held === 'yes')).toHaveLength(1);
    expect(
      verdicts.filter(({ holds: held }) => held === 'unknown').every(({ missing }) => missing !== undefined),
    ).toBe(true);
    expect(survival).toBeUndefined();
  });

  it('compares the age with finished requests when they are known', () => {
    const found = diagnose(
      row(1, { ageS: 40 }),
      evidence({ finished: durations(new Array(30).fill(34)) }),
      USUAL_SETTINGS,
      NOW,
    );
    expect(found.survival).toEqual({ finished: 30, longer: 0, p99Ms: 34_000 });
  });
});

describe('the top verdict', () => {
  const stuck = row(100, { ageS: 500 });
  it('is the network when the network is stuck, even for a request within normal', () => {
    const window = around([...rows(6, 100, { ageS: 500 }), row(200)]);
    expect(topOf(stuck, { window })).toBe('R6');
    expect(topOf(row(200), { window })).toBe('R6');
  });

  it('is the sender when its contract is, although later numbers have overtaken it', () => {
    const own = rows(4, 100, { ageS: 500, sender: senderOf(100) });
    expect(
      topOf(own[0] as LoggedRow, { window: around([...own, ...done(12)]), finished: finishedRows([]) }),
    ).toBe('R7');
  });

  it('is the batch when all that its sender waits for is one batch', () => {
    const own = rows(4, 100, { ageS: 500, sender: senderOf(100), requestTxHash: hashOf(100) });
    const given = {
      window: around([...own, ...done(12)]),
      sameTransaction: all(own),
      finished: finishedRows([]),
    };
    expect(topOf(own[0] as LoggedRow, given)).toBe('R15');
  });

  it('is the completed twin before anything else', () => {
    const twin = row(100, { requestTxHash: hashOf(7), ageS: 490, tookS: 3 });
    expect(
      topOf(stuck, { window: around(rows(6, 100, { ageS: 500 })), sameSequence: all([stuck, twin]) }),
    ).toBe('R5');
  });

  it('is the twin, the gas limit, being overtaken, silence, the backlog, in this order, before the age', () => {
    const twin = row(100, { requestTxHash: hashOf(7) });
    const old = row(100, { ageS: 500, gasLimit: '900000000' });
    const given: Partial<Evidence> = {
      sameSequence: all([twin]),
      window: around(done(12)),
      newest: known(row(9, { ageS: 700, requestBlock: '5000' })),
      lastDay: known(5000),
    };
    const order: RuleId[] = [];
    order.push(topOf(old, given) ?? 'R1');
    order.push(topOf(old, { ...given, sameSequence: all([]) }) ?? 'R1');
    order.push(topOf(stuck, { ...given, sameSequence: all([]) }) ?? 'R1');
    order.push(topOf(stuck, { ...given, sameSequence: all([]), window: around([]) }) ?? 'R1');
    order.push(topOf(stuck, { newest: known(row(9, { requestBlock: '5000' })) }) ?? 'R1');
    order.push(topOf(stuck) ?? 'R1');
    expect(order).toEqual(['R5', 'R11', 'R8', 'R9', 'R10', 'R4']);
  });

  it('is normal while nothing else is stuck, whatever stands beside it', () => {
    const request = row(100, { ageS: 20, requestTxHash: hashOf(5) });
    const given = {
      sameTransaction: all([request, row(101, { requestTxHash: hashOf(5) })]),
      window: around([request, row(120)]),
    };
    expect(topOf(request, given)).toBe('R1');
  });

  it('is a late recovery for what was there and is still stuck', () => {
    const late = rows(4, 50, { ageS: 1000, tookS: 500 });
    expect(topOf(row(100, { ageS: 1200 }), { finished: finishedRows([...late, ...done(20)]) })).toBe('R14');
  });

  it('is a gap that adjoins it before its age, and its age where numbers are missing elsewhere too', () => {
    const beside = around([row(96, { tookS: 3, ageS: 520 }), stuck, row(101, { tookS: 3, ageS: 480 })]);
    expect(topOf(stuck, { window: beside })).toBe('R12');
    const elsewhere = around([...beside.value.rows, row(110, { tookS: 3, ageS: 400 })]);
    expect(topOf(stuck, { window: elsewhere })).toBe('R4');
    expect(topOf(row(100, { ageS: 200 }), { window: beside })).toBe('R2');
    expect(topOf(row(100, { ageS: 310 }), { window: beside })).toBe('R12');
    const backlog = { window: beside, newest: known(row(9, { requestBlock: '5000' })) };
    expect(topOf(stuck, backlog)).toBe('R10');
  });
});

describe('settings', () => {
  it('in a wrong order or below 0 are refused with a sentence', () => {
    expect(thresholdsProblem(USUAL_SETTINGS)).toBeUndefined();
    expect(thresholdsProblem(settingsWith({ slowAfterS: 301 }))).toContain('slowAfterS');
    expect(thresholdsProblem(settingsWith({ stuckAfterS: 299 }))).toContain('retryBudgetS');
    expect(thresholdsProblem(settingsWith({ backlogBlocks: -1 }))).toContain('backlogBlocks');
    expect(thresholdsProblem(settingsWith({ backlogBlocks: Number.NaN }))).toContain('backlogBlocks');
  });
});

describe('what the keeper is doing', () => {
  it.each([
    [-5, 'first-tries'],
    [59_999, 'first-tries'],
    [60_000, 'retrying'],
    [300_000, 'retrying'],
    [300_001, 'last-look'],
    [420_000, 'last-look'],
    [420_001, 'given-up'],
  ])('at %d ms: %s', (ageMs, kind) => {
    expect(keeperActivity(ageMs, USUAL_SETTINGS).kind).toBe(kind);
  });
});

it.each([
  [850, '850 ms'],
  [3450, '3.4 s'],
  [34_000, '34 s'],
  [599_000, '599 s'],
  [600_000, '10 min'],
  [3 * 3_600_000, '3 h'],
  [3 * 86_400_000, '3 d'],
])('%d ms reads %s', (ms, text) => {
  expect(spanText(ms)).toBe(text);
});

describe('nearestRank', () => {
  it('is the smallest value that so many percent do not exceed', () => {
    const values = [15, 20, 35, 40, 50];
    expect([5, 20, 21, 40, 50, 100].map((percent) => nearestRank(values, percent))).toEqual([
      15, 15, 20, 20, 35, 50,
    ]);
  });
});
