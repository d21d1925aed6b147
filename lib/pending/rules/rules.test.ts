import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Evidence, LoggedRow } from './evidence';
import { caseOf, diagnose } from './rules';
import {
  all,
  around,
  ask,
  COMPLETED,
  durations,
  evidence,
  finishedRows,
  hashOf,
  known,
  NOW,
  OF_NONE,
  row,
  rows,
  senderOf,
} from './rules-fixture';
import { nearestRank, settingsWith, thresholdsProblem, USUAL_SETTINGS } from './thresholds';
import { holds as held, RULE_TITLES, type RuleId, type Verdict } from './verdict';

const AGES = ['R1', 'R2', 'R3', 'R4'] as const;
const isHeld = ({ holds }: Verdict) => holds === 'yes';

const heldAt = (ageS: number, given = {}) =>
  AGES.map((rule) => ask(rule, row(1, { ageS }), given))
    .filter(isHeld)
    .map(({ rule }) => rule);

describe('R1 to R4', () => {
  it.each([
    [0, 'R1'],
    [59.999, 'R1'],
    [60, 'R2'],
    [300, 'R2'],
    [300.001, 'R3'],
    [420, 'R3'],
    [420.001, 'R4'],
    [86_400, 'R4'],
  ])('an age of %d s is told by %s', (ageS, rule) => {
    expect(heldAt(ageS)).toEqual([rule]);
  });

  it('normal reaches up to the 95th percentile where that is larger', () => {
    const slow = durations(Array.from({ length: 20 }, (_, index) => (index < 18 ? 30 : 90 + index)));
    expect(heldAt(107.999, { finished: slow })).toEqual(['R1']);
    expect(heldAt(108, { finished: slow })).toEqual(['R2']);
  });

  it('a percentile of 19 finished rows does not count, and the verdict says so', () => {
    const given = { finished: durations(new Array(19).fill(200)) };
    expect(heldAt(61, given)).toEqual(['R2']);
    expect(ask('R2', row(1, { ageS: 61 }), given).missing).toContain('only 19 finished rows; 20 are needed');
  });

  it('does not hold for what is finished, and is not told for states that nobody knows', () => {
    const finished = row(1, { ageS: 900, tookS: 5 });
    const odd = row(1, { ageS: 900, state: { kind: 'unknown', wireName: 'queued' } });
    expect(ask('R4', finished)).toMatchObject({ holds: 'no' });
    expect(ask('R4', odd)).toMatchObject({
      holds: 'unknown',
      missing: 'Unknown state',
    });
  });

  it('follows the settings of the network', () => {
    const settings = settingsWith({ slowAfterS: 5, retryBudgetS: 10, stuckAfterS: 15 });
    const at = (ageS: number) => AGES.map((rule) => ask(rule, row(1, { ageS }), {}, settings)).filter(isHeld);
    expect([4, 10, 15, 16].flatMap(at).map(({ rule }) => rule)).toEqual(['R1', 'R2', 'R3', 'R4']);
  });

  it('exclude each other, whatever the age, the percentile and the settings', () => {
    const seconds = fc.double({ min: 0, max: 2000, noNaN: true });
    fc.assert(
      fc.property(
        seconds,
        fc.array(seconds, { maxLength: 40 }),
        fc.tuple(seconds, seconds, seconds),
        (age, took, given) => {
          const [slowAfterS = 0, retryBudgetS = 0, stuckAfterS = 0] = [...given].sort((a, b) => a - b);
          const settings = settingsWith({ slowAfterS, retryBudgetS, stuckAfterS });
          const request = row(1, { ageS: age });
          const verdicts = AGES.map((rule) => ask(rule, request, { finished: durations(took) }, settings));
          expect(verdicts.map(({ holds }) => holds).sort()).toEqual(['no', 'no', 'no', 'yes']);
        },
      ),
    );
  });

  it('counts failed requests among the finished, and pending ones not', () => {
    const failed = rows(20, 100, { ageS: 5000, tookS: 200, state: { kind: 'failed' } });
    expect(heldAt(150, { finished: finishedRows(failed) })).toEqual(['R1']);
    expect(
      heldAt(150, { finished: finishedRows(failed.map((one) => ({ ...one, state: COMPLETED }))) }),
    ).toEqual(['R1']);
    expect(heldAt(150, { finished: finishedRows(rows(20, 100, { ageS: 5000 })) })).toEqual(['R2']);
  });
});

describe('R5, reorged duplicate', () => {
  const request = row(7, { ageS: 500 });
  const twin = row(7, { requestTxHash: hashOf(99), ageS: 400, tookS: 5 });
  it('a completed row with the same number and another transaction settles it', () => {
    expect(ask('R5', request, { sameSequence: all([request, twin]) })).toMatchObject({
      holds: 'yes',
      decisive: true,
      proof: [twin.key],
      headline: expect.stringContaining('most likely orphaned'),
    });
  });

  it('a duplicate that is not completed is only named', () => {
    const failed = { ...twin, state: { kind: 'failed' as const } };
    const verdict = ask('R5', request, { sameSequence: all([request, failed]) });
    expect(verdict.holds).toBe('yes');
    expect(verdict.decisive).toBeUndefined();
    expect(verdict.headline).not.toContain('orphaned');
  });

  it.each([
    ['the row itself, in other letters', { requestTxHash: hashOf(7).toUpperCase().replace('0X', '0x') }],
    ['another provider', { requestTxHash: hashOf(99), provider: '0x02' }],
    ['another network', { requestTxHash: hashOf(99), networkId: '1' }],
    ['a row without transaction', { requestTxHash: undefined }],
  ])('%s is no duplicate', (_, change) => {
    expect(ask('R5', request, { sameSequence: all([row(7, { tookS: 5, ...change })]) }).holds).toBe('no');
  });

  it('is not told without E4, with rows unseen, or without a provider', () => {
    expect(ask('R5', request).missing).toContain('not asked');
    expect(ask('R5', request, { sameSequence: all([], 1) }).holds).toBe('unknown');
    expect(ask('R5', { ...request, provider: undefined }, { sameSequence: all([]) }).holds).toBe('unknown');
  });
});

describe('R8, later ones completed', () => {
  const request = row(7, { ageS: 301 });
  const given = (count: number, split = count) => {
    const higher = rows(count, 8, { ageS: 200, tookS: 3 });
    return { window: around(higher.slice(0, split)), finished: finishedRows(higher.slice(split)) };
  };
  it('by 10 finished rows with higher numbers, not by 9', () => {
    expect(ask('R8', request, given(10))).toMatchObject({ holds: 'yes', severity: 'warning' });
    expect(ask('R8', request, given(9)).holds).toBe('no');
  });

  it('counts E2 and the last finished rows together, each row once', () => {
    expect(ask('R8', request, given(10, 4)).holds).toBe('yes');
    const twice = rows(6, 8, { ageS: 200, tookS: 3 });
    expect(ask('R8', request, { window: around(twice), finished: finishedRows(twice) }).holds).toBe('no');
  });

  it('not by lower numbers, other providers or pending rows', () => {
    const others = [
      ...rows(5, 1, { tookS: 3 }),
      ...rows(9, 20, { tookS: 3, provider: '0x02' }),
      ...rows(9, 40, { ageS: 90 }),
    ];
    expect(ask('R8', request, { window: around(others), finished: finishedRows([]) }).holds).toBe('no');
  });

  it('compares numbers beyond 2^53 digit by digit', () => {
    const high = row(0, { ageS: 400, sequence: '9007199254740993' });
    const above = rows(10, 50, (step) => ({ tookS: 1, sequence: String(9007199254740994n + BigInt(step)) }));
    expect(ask('R8', high, { window: around(above), finished: finishedRows([]) }).holds).toBe('yes');
  });

  it('enough higher numbers are enough, too few are not told while a piece is missing', () => {
    expect(ask('R8', request, { window: given(10).window }).holds).toBe('yes');
    expect(ask('R8', request, { window: given(9).window }).holds).toBe('unknown');
    expect(ask('R8', request, { finished: given(9, 0).finished }).holds).toBe('unknown');
  });
});

describe('R10, outside the backlog', () => {
  const newest = (requestBlock: string | undefined) => ({ newest: known(row(9, { requestBlock })) });
  it('over 1000 blocks behind the newest logged one, not at 1000', () => {
    expect(ask('R10', row(1), newest('2001'))).toMatchObject({ holds: 'yes', proof: [row(9).key] });
    expect(ask('R10', row(1), newest('2000')).holds).toBe('no');
  });

  it('is not told without blocks or without a newest row', () => {
    expect(ask('R10', row(1), newest(undefined)).holds).toBe('unknown');
    expect(ask('R10', row(1, { requestBlock: undefined }), newest('2001')).holds).toBe('unknown');
    expect(ask('R10', row(1), { newest: known(null) }).holds).toBe('unknown');
    expect(ask('R10', row(1)).holds).toBe('unknown');
  });
});

describe('R11, gas limit', () => {
  const usual = (count: number, gasLimit = '500000') => ({
    finished: finishedRows(rows(count, 100, { tookS: 3, gasLimit })),
  });
  it('10 times the p50 or more is unusual', () => {
    expect(ask('R11', row(1, { gasLimit: '5000000' }), usual(20))).toMatchObject({
      holds: 'yes',
      severity: 'notice',
    });
    expect(ask('R11', row(1, { gasLimit: '4999999' }), usual(20)).holds).toBe('no');
  });

  it('a tenth of the p50 or less is unusual, too', () => {
    expect(ask('R11', row(1, { gasLimit: '50000' }), usual(20)).holds).toBe('yes');
    expect(ask('R11', row(1, { gasLimit: '50001' }), usual(20)).holds).toBe('no');
  });

  it('above the contract’s maximum needs no p50', () => {
    expect(ask('R11', row(1, { gasLimit: '655350001' }))).toMatchObject({
      holds: 'yes',
      severity: 'warning',
    });
    expect(ask('R11', row(1, { gasLimit: '655350000' })).holds).toBe('unknown');
  });

  it('19 rows make no p50, rows without a limit or unfinished don’t count', () => {
    const request = row(1, { gasLimit: '5000000' });
    expect(ask('R11', request, usual(19)).missing).toContain('only 19');
    const list = [...rows(19, 100, { tookS: 3 }), row(200, { tookS: 3, gasLimit: undefined }), row(201)];
    expect(ask('R11', request, { finished: finishedRows(list) }).holds).toBe('unknown');
  });

  it('a p50 of 0 makes nothing unusual, and digits that are no gas are not shown', () => {
    expect(ask('R11', row(1, { gasLimit: '1' }), usual(20, '0')).holds).toBe('no');
    expect(ask('R11', row(1, { gasLimit: '9'.repeat(100) }), usual(20)).holds).toBe('unknown');
    expect(ask('R11', row(1, { gasLimit: undefined }), usual(20)).holds).toBe('unknown');
  });
});

describe('R12, missing sequences', () => {
  const request = row(10, { ageS: 100 });
  it('counts and names what is missing between the lowest and the highest', () => {
    const verdict = ask('R12', request, { window: around([request, row(12), row(13), row(17)]) });
    expect(verdict).toMatchObject({
      holds: 'yes',
      headline: expect.stringMatching(/^4 sequences missing: /),
    });
    expect(verdict.figures.at(-1)?.value).toBe('11, 14–16');
  });

  it('one missing number is enough, none is none', () => {
    const { headline } = ask('R12', request, { window: around([request, row(12)]) });
    expect(headline).toMatch(/^1 sequence missing right beside this one: /);
    expect(ask('R12', request, { window: around([request, row(11), row(11), row(12)]) }).holds).toBe('no');
  });

  it('speaks of the request where all that is missing adjoins it', () => {
    const told = (...sequences: number[]) => {
      const verdict = ask('R12', request, {
        window: around([request, ...sequences.map((one) => row(one))]),
      });
      return [verdict.covers, verdict.headline.includes('right beside this one')];
    };
    expect(told(6, 11)).toEqual([1, true]);
    expect(told(7, 13)).toEqual([1, true]);
    expect(told(7, 11, 13)).toEqual([0, false]);
    expect(told(5, 7, 8, 9)).toEqual([0, false]);
  });

  it('numbers of other providers fill no gap', () => {
    const window = around([request, row(11, { provider: '0x02' }), row(12)]);
    expect(ask('R12', request, { window }).holds).toBe('yes');
  });

  it('is not told of a window that is not complete, or of one number', () => {
    expect(ask('R12', request, { window: around([request, row(12)], 1) }).holds).toBe('unknown');
    expect(ask('R12', request, { window: around([request]) }).holds).toBe('unknown');
    expect(ask('R12', request).holds).toBe('unknown');
  });
});

describe('R14, late recovery', () => {
  const request = row(1, { ageS: 2000 });
  const late = (count: number, tookS = 421) => rows(count, 50, { ageS: 1000, tookS });
  it('3 rows of over 420 s that finished in the same minute, not 2, not 420 s', () => {
    expect(ask('R14', request, { finished: finishedRows(late(3)) }).holds).toBe('yes');
    expect(ask('R14', request, { finished: finishedRows(late(2)) }).holds).toBe('no');
    expect(ask('R14', request, { finished: finishedRows(late(3, 420)) }).holds).toBe('no');
  });

  it('the same minute is the same minute of the clock', () => {
    const ends = [59, 60, 61].map((second, index) =>
      row(50 + index, {
        createdAt: { text: '', ms: NOW - 900_000 + second * 1000 },
        updatedAt: { text: '', ms: NOW - 60_000 + second * 1000 },
        state: COMPLETED,
      }),
    );
    expect(ask('R14', request, { finished: finishedRows(ends) }).holds).toBe('no');
  });

  it('before the request came says nothing about it', () => {
    const verdict = ask('R14', row(1, { ageS: 300 }), { finished: finishedRows(late(3)) });
    expect(verdict).toMatchObject({
      holds: 'no',
      headline: expect.stringContaining('since this request came'),
    });
  });

  it('is seen in E2 too, and not denied without finished rows', () => {
    expect(ask('R14', request, { window: around(late(3)) }).holds).toBe('yes');
    expect(ask('R14', request, { window: around(late(2)) }).holds).toBe('unknown');
  });
});

describe('R9, network quiet', () => {
  const quiet = (ageS: number, rowsOfDay: number) =>
    ask('R9', row(1), { newest: known(row(9, { ageS })), lastDay: known(rowsOfDay) });

  it('after 10 minutes on a busy network', () => {
    expect(quiet(600, 5000).holds).toBe('no');
    expect(quiet(600.001, 5000)).toMatchObject({ holds: 'yes', severity: 'warning' });
  });

  it('after seven mean gaps on a slower one', () => {
    expect(quiet(7 * 864, 100).holds).toBe('no');
    expect(quiet(7 * 864 + 1, 100).headline).toBe(
      'Nothing logged for 1 h 40 min, typically every 14 min 24 s: no demand, or capture has stopped',
    );
  });

  it('is not told of fewer than 50 rows a day', () => {
    expect(quiet(86_000, 50).holds).toBe('yes');
    expect(quiet(86_000, 49).missing).toBe('only 49 requests in the last 24 hours; 50 are needed');
    expect(quiet(86_000, 0).holds).toBe('unknown');
  });

  it('does not take an old answer for a quiet network', () => {
    const newest = known(row(9, { ageS: 3600 }), 'limit=1', NOW - 3_600_000);
    expect(ask('R9', row(1), { newest, lastDay: known(5000) }).holds).toBe('no');
  });
});

describe('R15, one of a batch', () => {
  const request = row(1);
  const tx = hashOf(1);
  it('says how many of the transaction are done', () => {
    const sameTransaction = all([
      request,
      row(2, { requestTxHash: tx, tookS: 3 }),
      row(3, { requestTxHash: tx }),
    ]);
    expect(ask('R15', request, { sameTransaction })).toMatchObject({
      holds: 'yes',
      headline: 'One of a batch: 1 of 3 done',
      covers: 2,
    });
  });

  it('a single row is no batch, nor are rows that the search found by their reveal', () => {
    expect(ask('R15', request, { sameTransaction: all([request, row(2)]) }).holds).toBe('no');
  });
});

const topOf = (request: LoggedRow, given: Partial<Evidence> = {}) =>
  diagnose(caseOf(request, evidence(given), USUAL_SETTINGS, NOW), OF_NONE).topRule;

const done = (count: number, from = 500, ageS = 100) => rows(count, from, { ageS, tookS: 3 });

describe('diagnose', () => {
  it('asks every rule once, in order, and compares the age with finished requests', () => {
    const finished = durations(new Array(30).fill(34));
    const { verdicts, survival } = diagnose(
      caseOf(row(1, { ageS: 40 }), evidence({ finished }), USUAL_SETTINGS, NOW),
      OF_NONE,
    );
    expect(survival).toEqual({ finished: 30, longer: 0, p99Ms: 34_000 });
    expect(verdicts.map(({ rule }) => rule)).toEqual(Object.keys(RULE_TITLES));
  });

  it('without any evidence tells the age and claims nothing else', () => {
    const request = row(1, { ageS: 500 });
    const { verdicts, topRule, survival } = diagnose(
      caseOf(request, evidence(), USUAL_SETTINGS, NOW),
      OF_NONE,
    );
    expect(topRule).toBe('R4');
    expect(verdicts.filter(({ holds: held }) => held === 'yes')).toHaveLength(1);
    expect(
      verdicts.filter(({ holds: held }) => held === 'unknown').every(({ missing }) => missing !== undefined),
    ).toBe(true);
    expect(survival).toBeUndefined();
  });
});

describe('the likely cause', () => {
  const stuck = row(100, { ageS: 500 });
  it('is that of its incident, as grave as there, whatever else holds', () => {
    const lead = held('R6', 'critical', 'Most requests are pending', { covers: 12 });
    const given = evidence({ window: around(done(12)), finished: finishedRows([]) });
    const found = diagnose(caseOf(stuck, given, USUAL_SETTINGS, NOW), { ...OF_NONE, lead });
    expect(found.topRule).toBe('R6');
    expect(found.verdicts[5]).toEqual(lead);
    expect(found.verdicts[7]).toMatchObject({ rule: 'R8', holds: 'yes' });
    const over = { ...stuck, state: COMPLETED };
    expect(diagnose(caseOf(over, given, USUAL_SETTINGS, NOW), { ...OF_NONE, lead }).verdicts[5]?.holds).toBe(
      'no',
    );
  });

  it('is as grave as its age: a completed duplicate of a stuck request is a warning everywhere', () => {
    const twin = row(100, { requestTxHash: hashOf(7), ageS: 490, tookS: 3 });
    const severityOf = (request: LoggedRow) => {
      const given = evidence({ sameSequence: all([request, twin]) });
      const { verdicts, topRule } = diagnose(caseOf(request, given, USUAL_SETTINGS, NOW), OF_NONE);
      return [topRule, verdicts.find(({ rule }) => rule === topRule)?.severity];
    };
    expect(severityOf(stuck)).toEqual(['R5', 'warning']);
    expect(severityOf(row(100, { ageS: 20 }))).toEqual(['R5', 'notice']);
  });

  it('is no batch of which nothing else is pending', () => {
    const batch = (other: LoggedRow) => ({ sameTransaction: all([stuck, other]) });
    expect(topOf(stuck, batch(row(101, { requestTxHash: hashOf(100), tookS: 3 })))).toBe('R4');
    expect(topOf(stuck, batch(row(101, { requestTxHash: hashOf(100) })))).toBe('R15');
  });

  it('says when the keeper last finished something of its sender, if E3 tells', () => {
    const sender = all([
      row(3, { ageS: 900, tookS: 4, sender: senderOf(100) }),
      row(4, { ageS: 300, tookS: 4, sender: senderOf(100), networkId: '1' }),
    ]);
    const { verdicts } = diagnose(caseOf(stuck, evidence({ sender }), USUAL_SETTINGS, NOW), OF_NONE);
    expect(verdicts[6]?.figures.at(-1)).toMatchObject({ value: NOW - 900_000, unit: 'moment' });
  });

  it('is the duplicate, the gas limit, later ones completed, a quiet network, the backlog, in this order, before the age', () => {
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

it('settings in a wrong order are refused with a sentence', () => {
  expect(thresholdsProblem(USUAL_SETTINGS)).toBeUndefined();
  expect(thresholdsProblem(settingsWith({ slowAfterS: 301 }))).toContain('slowAfterS');
  expect(thresholdsProblem(settingsWith({ stuckAfterS: 299 }))).toContain('retryBudgetS');
});

it('nearestRank is the smallest value that so many percent do not exceed', () => {
  const values = [15, 20, 35, 40, 50];
  expect([5, 20, 21, 40, 50, 100].map((percent) => nearestRank(values, percent))).toEqual([
    15, 15, 20, 20, 35, 50,
  ]);
});
