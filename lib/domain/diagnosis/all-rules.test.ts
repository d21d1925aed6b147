import { describe, expect, it } from 'vitest';
import { ALL_RULES, diagnose, topVerdict } from './all-rules';
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
} from './diagnosis-fixture';
import { USUAL_SETTINGS } from './diagnosis-settings';
import type { Evidence, LoggedRow } from './evidence';
import { holds, RULE_TITLES, type RuleId } from './verdict';

const topOf = (request: LoggedRow, given: Partial<Evidence> = {}) =>
  diagnose(request, evidence(given), USUAL_SETTINGS, NOW).top?.rule;

const done = (count: number, from = 500, ageS = 100) => rows(count, from, { ageS, tookS: 3 });

describe('diagnose', () => {
  it('asks every rule once, in order', () => {
    const { verdicts } = diagnose(row(1), evidence(), USUAL_SETTINGS, NOW);
    expect(verdicts.map(({ rule }) => rule)).toEqual(Object.keys(RULE_TITLES));
    expect(Object.keys(ALL_RULES)).toEqual(Object.keys(RULE_TITLES));
  });

  it('without any evidence tells the age and claims nothing else', () => {
    const { verdicts, top, activity, survival } = diagnose(
      row(1, { ageS: 500 }),
      evidence(),
      USUAL_SETTINGS,
      NOW,
    );
    expect(top?.rule).toBe('R4');
    expect(verdicts.filter(({ holds: held }) => held === 'yes')).toHaveLength(1);
    expect(
      verdicts.filter(({ holds: held }) => held === 'unknown').every(({ missing }) => missing !== undefined),
    ).toBe(true);
    expect(activity?.kind).toBe('given-up');
    expect(survival).toBeUndefined();
  });

  it('compares the age with finished requests when they are known', () => {
    const found = diagnose(
      row(1, { ageS: 40 }),
      evidence({ finished: durations(new Array(30).fill(34)) }),
      USUAL_SETTINGS,
      NOW,
    );
    expect(found.survival).toMatchObject({ finished: 30, longer: 0 });
  });

  it('of a finished request no age is told', () => {
    const { top, activity } = diagnose(row(1, { ageS: 900, tookS: 4 }), evidence(), USUAL_SETTINGS, NOW);
    expect([top, activity]).toEqual([undefined, undefined]);
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
      topOf(stuck, { window: around(rows(6, 100, { ageS: 500 })), sameNumber: all([stuck, twin]) }),
    ).toBe('R5');
  });

  it('is the twin, the gas limit, being overtaken, silence, the backlog, in this order, before the age', () => {
    const twin = row(100, { requestTxHash: hashOf(7) });
    const old = row(100, { ageS: 500, gasLimit: '900000000' });
    const given: Partial<Evidence> = {
      sameNumber: all([twin]),
      window: around(done(12)),
      newest: known(row(9, { ageS: 700, requestBlock: '5000' })),
      lastDay: known(5000),
    };
    const order: RuleId[] = [];
    order.push(topOf(old, given) ?? 'R1');
    order.push(topOf(old, { ...given, sameNumber: all([]) }) ?? 'R1');
    order.push(topOf(stuck, { ...given, sameNumber: all([]) }) ?? 'R1');
    order.push(topOf(stuck, { ...given, sameNumber: all([]), window: around([]) }) ?? 'R1');
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

  it('leaves the list of verdicts as it was', () => {
    const verdicts = Object.freeze([
      holds('R12', 'notice', { headline: '', covers: 0 }),
      holds('R4', 'warning', { headline: '' }),
    ]);
    expect(topVerdict(verdicts)?.rule).toBe('R4');
  });
});
