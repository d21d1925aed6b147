import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_PENDING_SETTINGS,
  pendingSettingsFrom,
  thresholdsProblem,
} from '@/lib/core/pending-settings';
import { diagnose } from './diagnose';
import type { Evidence, LoggedRow } from './evidence';
import { type RuleOfOne, ruleInput } from './rule';
import { RULE, type RuleId } from './rule-ids';
import { RULE_TITLES } from './rule-texts';
import {
  allRows,
  COMPLETED,
  durations,
  evidence,
  finishedRows,
  hashOf,
  judgeRule,
  knownPiece,
  NO_GROUP_VERDICTS,
  NOW,
  row,
  rows,
  senderOf,
} from './rules-fixture';
import { holds as holdingVerdict, type Verdict } from './verdict';

const AGES = [RULE.withinNormal, RULE.slow, RULE.retryBudgetEnding, RULE.pastRetryBudget] as const;
const isHolding = ({ holds }: Verdict) => holds === 'yes';

const holdingAt = (ageS: number, pieces = {}) =>
  AGES.map((rule) => judgeRule(rule, row(1, { ageS }), pieces))
    .filter(isHolding)
    .map(({ rule }) => rule);

describe('age', () => {
  it.each([
    [0, RULE.withinNormal],
    [59.999, RULE.withinNormal],
    [60, RULE.slow],
    [300, RULE.slow],
    [300.001, RULE.retryBudgetEnding],
    [420, RULE.retryBudgetEnding],
    [420.001, RULE.pastRetryBudget],
    [86_400, RULE.pastRetryBudget],
  ])('an age of %d s is reported by %s', (ageS, rule) => {
    expect(holdingAt(ageS)).toEqual([rule]);
  });

  it('normal reaches up to the 95th percentile if that is larger', () => {
    const slow = durations(Array.from({ length: 20 }, (_, index) => (index < 18 ? 30 : 90 + index)));
    expect(holdingAt(107.999, { finished: slow })).toEqual([RULE.withinNormal]);
    expect(holdingAt(108, { finished: slow })).toEqual([RULE.slow]);
  });

  it('a percentile of 19 finished rows does not count, and the verdict says so', () => {
    const pieces = { finished: durations(new Array(19).fill(200)) };
    expect(holdingAt(61, pieces)).toEqual([RULE.slow]);
    expect(judgeRule(RULE.slow, row(1, { ageS: 61 }), pieces).missing).toContain(
      'only 19 completed rows; 20 are needed',
    );
  });

  it('does not hold for finished requests, and is unknown for unknown states', () => {
    const finished = row(1, { ageS: 900, tookS: 5 });
    const odd = row(1, { ageS: 900, state: { kind: 'unknown', wireName: 'queued' } });
    expect(judgeRule(RULE.pastRetryBudget, finished)).toMatchObject({ holds: 'no' });
    expect(judgeRule(RULE.pastRetryBudget, odd)).toMatchObject({
      holds: 'unknown',
      missing: 'Unknown state',
    });
  });

  it('follows the settings of the network', () => {
    const settings = pendingSettingsFrom({ slowAfterS: 5, retryBudgetS: 10, stuckAfterS: 15 });
    const at = (ageS: number) =>
      AGES.map((rule) => judgeRule(rule, row(1, { ageS }), {}, settings)).filter(isHolding);
    expect([4, 10, 15, 16].flatMap(at).map(({ rule }) => rule)).toEqual([
      RULE.withinNormal,
      RULE.slow,
      RULE.retryBudgetEnding,
      RULE.pastRetryBudget,
    ]);
  });

  it('exclude each other, whatever the age, the percentile and the settings', () => {
    const seconds = fc.double({ min: 0, max: 2000, noNaN: true });
    fc.assert(
      fc.property(
        seconds,
        fc.array(seconds, { maxLength: 40 }),
        fc.tuple(seconds, seconds, seconds),
        (age, took, share) => {
          const [slowAfterS = 0, retryBudgetS = 0, stuckAfterS = 0] = [...share].sort((a, b) => a - b);
          const settings = pendingSettingsFrom({ slowAfterS, retryBudgetS, stuckAfterS });
          const request = row(1, { ageS: age });
          const verdicts = AGES.map((rule) =>
            judgeRule(rule, request, { finished: durations(took) }, settings),
          );
          expect(verdicts.map(({ holds }) => holds).sort()).toEqual(['no', 'no', 'no', 'yes']);
        },
      ),
    );
  });

  it('measures normal by completed requests, not by failed or pending ones', () => {
    const failed = rows(20, 100, { ageS: 5000, tookS: 200, state: { kind: 'failed' } });
    expect(holdingAt(150, { finished: finishedRows(failed) })).toEqual([RULE.slow]);
    expect(
      holdingAt(150, { finished: finishedRows(failed.map((request) => ({ ...request, state: COMPLETED }))) }),
    ).toEqual([RULE.withinNormal]);
    expect(holdingAt(150, { finished: finishedRows(rows(20, 100, { ageS: 5000 })) })).toEqual([RULE.slow]);
  });
});

type Case = [string, LoggedRow, Partial<Evidence>, Verdict['holds'] | Record<string, unknown>];

const saysOf =
  (rule: RuleOfOne) =>
  (_: string, request: LoggedRow, pieces: Partial<Evidence>, expected: Case[3]): void =>
    expect(judgeRule(rule, request, pieces)).toMatchObject(
      typeof expected === 'string' ? { holds: expected } : expected,
    );

describe('reorged twin', () => {
  const request = row(7, { ageS: 500 });
  const twin = row(7, { requestTxHash: hashOf(99), ageS: 400, tookS: 5 });
  const failed: LoggedRow = { ...twin, state: { kind: 'failed' } };
  const orphaned = expect.stringContaining('most likely orphaned');
  const settled = { holds: 'yes', decisive: true, proof: [twin.key], headline: orphaned };
  const upper = hashOf(7).toUpperCase().replace('0X', '0x');
  const same = (...list: LoggedRow[]) => ({ sameSequence: allRows(list) });
  const other = (change: Partial<LoggedRow>) =>
    same(row(7, { tookS: 5, requestTxHash: hashOf(99), ...change }));
  it.each<Case>([
    ['a completed one, of another transaction, settles it', request, same(request, twin), settled],
    [
      'a completed one of another sender replaces nothing',
      request,
      same(request, { ...twin, sender: senderOf(8) }),
      { holds: 'yes', headline: expect.stringMatching(/^Another sender’s request .* may not be on chain/) },
    ],
    ['one that is not completed is a duplicate', request, same(request, failed), 'yes'],
    ['the row itself, in other letters, is none', request, other({ requestTxHash: upper }), 'no'],
    ['one of another provider is none', request, other({ provider: '0x02' }), 'no'],
    ['one of another network is none', request, other({ networkId: '1' }), 'no'],
    ['one without transaction is none', request, other({ requestTxHash: undefined }), 'no'],
    [
      'unknown without the rows of its sequence',
      request,
      {},
      { missing: expect.stringContaining('not asked') },
    ],
    ['not told with rows unseen', request, { sameSequence: allRows([], 1) }, 'unknown'],
    ['not told without a provider', { ...request, provider: undefined }, same(), 'unknown'],
  ])('%s', saysOf(RULE.reorgedTwin));

  it('a duplicate that is not completed is only named', () => {
    const { decisive, headline } = judgeRule(RULE.reorgedTwin, request, same(request, failed));
    expect(decisive).toBeUndefined();
    expect(headline).not.toContain('orphaned');
  });
});

describe('overtaken', () => {
  const request = row(7, { ageS: 301 });
  const high = row(0, { ageS: 400, sequence: '9007199254740993' });
  const seen = (window: LoggedRow[], finished: LoggedRow[] = []) => {
    return { window: allRows(window), finished: finishedRows(finished) };
  };
  const later = (count: number, split = count) => {
    const higher = rows(count, 8, { ageS: 200, tookS: 3 });
    return seen(higher.slice(0, split), higher.slice(split));
  };
  const twice = rows(6, 8, { ageS: 200, tookS: 3 });
  const above = rows(10, 50, (step) => ({ tookS: 1, sequence: String(9007199254740994n + BigInt(step)) }));
  const others = [
    ...[...rows(5, 1, { tookS: 3 }), ...rows(9, 20, { tookS: 3, provider: '0x02' })],
    ...rows(9, 40, { ageS: 90 }),
  ];
  it.each<Case>([
    ['by 10 finished rows with higher numbers', request, later(10), { holds: 'yes', severity: 'warning' }],
    ['not by 9', request, later(9), 'no'],
    ['by the window and the last finished rows together', request, later(10, 4), 'yes'],
    ['not by a row of both twice', request, seen(twice, twice), 'no'],
    ['not by lower numbers, other providers or pending rows', request, seen(others), 'no'],
    ['by numbers beyond 2^53, digit by digit', high, seen(above), 'yes'],
    ['by enough of one piece', request, { window: later(10).window }, 'yes'],
    ['not told by too few of the rows around', request, { window: later(9).window }, 'unknown'],
    ['not told by too few finished ones', request, { finished: later(9, 0).finished }, 'unknown'],
  ])('%s', saysOf(RULE.overtaken));
});

describe('beyond the catch-up range', () => {
  const old = row(1, { ageS: 301 });
  const newest = (requestBlock: string | undefined) => ({ newest: knownPiece(row(9, { requestBlock })) });
  it.each<Case>([
    ['over 1000 blocks behind', old, newest('2001'), { holds: 'yes', proof: [row(9).key] }],
    ['not at 1000', old, newest('2000'), 'no'],
    ['not told without its block', { ...old, requestBlock: undefined }, newest('2001'), 'unknown'],
    ['not told without the block of the newest', old, newest(undefined), 'unknown'],
    ['not told of a network without rows', old, { newest: knownPiece(null) }, 'unknown'],
    ['not told without a newest row', old, {}, 'unknown'],
  ])('%s', saysOf(RULE.beyondCatchUp));
});

describe('unusual gas limit', () => {
  const finished = (list: LoggedRow[]) => ({ finished: finishedRows(list) });
  const usual = (count: number, gasLimit = '500000') => finished(rows(count, 100, { tookS: 3, gasLimit }));
  const of = (gasLimit: string | undefined) => row(1, { gasLimit });
  const few = [...rows(19, 100, { tookS: 3 }), row(200, { tookS: 3, gasLimit: undefined }), row(201)];
  it.each<Case>([
    ['10 times the p50 is unusual', of('5000000'), usual(20), { holds: 'yes', severity: 'notice' }],
    ['less is not', of('4999999'), usual(20), 'no'],
    ['a tenth of it is', of('50000'), usual(20), 'yes'],
    ['more is not', of('50001'), usual(20), 'no'],
    ['above the contract’s maximum is', of('655350001'), {}, { holds: 'yes', severity: 'warning' }],
    ['the maximum needs a p50', of('655350000'), {}, 'unknown'],
    ['19 rows make none', of('5000000'), usual(19), { missing: expect.stringContaining('only 19') }],
    ['rows without a limit or unfinished don’t count', of('5000000'), finished(few), 'unknown'],
    ['a p50 of 0 makes nothing unusual', of('1'), usual(20, '0'), 'no'],
    ['digits that are no gas are not shown', of('9'.repeat(100)), usual(20), 'unknown'],
    ['not told without a limit', of(undefined), usual(20), 'unknown'],
  ])('%s', saysOf(RULE.unusualGas));
});

describe('missing sequences', () => {
  const request = row(10, { ageS: 100 });
  const beside = (...list: LoggedRow[]) => ({ window: allRows([request, ...list]) });
  const headline = (text: RegExp) => ({ holds: 'yes', headline: expect.stringMatching(text) });
  it.each<Case>([
    ['are counted', request, beside(row(12), row(13), row(17)), headline(/^4 sequences missing: /)],
    ['one is enough', request, beside(row(12)), headline(/^1 sequence missing right beside this one: /)],
    ['none is none', request, beside(row(11), row(11), row(12)), 'no'],
    ['of other providers fill no gap', request, beside(row(11, { provider: '0x02' }), row(12)), 'yes'],
    ['not told by rows unseen', request, { window: allRows([request, row(12)], 1) }, 'unknown'],
    ['not told by one number', request, beside(), 'unknown'],
    ['not told without a window', request, {}, 'unknown'],
  ])('%s', saysOf(RULE.missingSequences));

  it('names the missing sequences', () => {
    const { figures } = judgeRule(RULE.missingSequences, request, beside(row(12), row(13), row(17)));
    expect(figures.at(-1)?.value).toBe('11, 14–16');
  });

  it('speaks of the request itself if all missing sequences adjoin it', () => {
    const verdictWith = (...sequences: number[]) => {
      const { covers, headline } = judgeRule(
        RULE.missingSequences,
        request,
        beside(...sequences.map((sequence) => row(sequence))),
      );
      return [covers, headline.includes('right beside this one')];
    };
    expect(verdictWith(6, 11)).toEqual([1, true]);
    expect(verdictWith(7, 13)).toEqual([1, true]);
    expect(verdictWith(7, 11, 13)).toEqual([0, false]);
    expect(verdictWith(5, 7, 8, 9)).toEqual([0, false]);
  });
});

describe('late recovery', () => {
  const request = row(1, { ageS: 2000 });
  const late = (count: number, tookS = 421) => rows(count, 50, { ageS: 1000, tookS });
  const finished = (list: LoggedRow[]) => ({ finished: finishedRows(list) });
  const ends = [59, 60, 61].map((second, index) =>
    row(50 + index, {
      createdAt: { text: '', ms: NOW - 900_000 + second * 1000 },
      updatedAt: { text: '', ms: NOW - 60_000 + second * 1000 },
      state: COMPLETED,
    }),
  );
  const before = { holds: 'no', headline: expect.stringContaining('since this request came') };
  it.each<Case>([
    ['3 rows of over 420 s that finished in the same minute', request, finished(late(3)), 'yes'],
    ['not 2', request, finished(late(2)), 'no'],
    ['not 420 s', request, finished(late(3, 420)), 'no'],
    ['the same minute is that of the clock', request, finished(ends), 'no'],
    ['before the request came says nothing about it', row(1, { ageS: 300 }), finished(late(3)), before],
    ['is seen in the window too', request, { window: allRows(late(3)) }, 'yes'],
    ['is not denied without finished rows', request, { window: allRows(late(2)) }, 'unknown'],
  ])('%s', saysOf(RULE.lateRecovery));
});

describe('network quiet', () => {
  const quiet = (ageS: number, rowsOfDay: number) => {
    return { newest: knownPiece(row(9, { ageS })), lastDay: knownPiece(rowsOfDay) };
  };
  const hour =
    'Nothing logged for 1 h 40 min, on average every 14 min 24 s: no demand, or nothing is captured';
  const few = 'only 49 requests in its last 24 hours; 50 are needed';
  const stale = { ...quiet(0, 5000), newest: knownPiece(row(9, { ageS: 3600 }), 'limit=1', NOW - 3_600_000) };
  it.each<Case>([
    ['not after 10 minutes on a busy network', row(1), quiet(600, 5000), 'no'],
    ['after more', row(1), quiet(600.001, 5000), { holds: 'yes', severity: 'warning' }],
    ['not after seven mean gaps on a slower one', row(1), quiet(7 * 864, 100), 'no'],
    ['after more, with both figures', row(1), quiet(7 * 864 + 1, 100), { headline: hour }],
    ['of 50 rows a day', row(1), quiet(86_000, 50), 'yes'],
    ['not told of fewer', row(1), quiet(86_000, 49), { missing: few }],
    ['not told of none', row(1), quiet(86_000, 0), 'unknown'],
    ['an old answer is no quiet network', row(1), stale, 'no'],
  ])('%s', saysOf(RULE.networkQuiet));
});

describe('one of a batch', () => {
  const request = row(1);
  const batch = [{ tookS: 3 }, {}].map((more, index) =>
    row(2 + index, { requestTxHash: hashOf(1), ...more }),
  );
  const done = { holds: 'yes', headline: 'One of a batch: 1 of 3 done', covers: 2 };
  it.each<Case>([
    [
      'says how many of the transaction are done',
      request,
      { sameTransaction: allRows([request, ...batch]) },
      done,
    ],
    [
      'rows that the search found by their reveal are none',
      request,
      { sameTransaction: allRows([request, row(2)]) },
      'no',
    ],
  ])('%s', saysOf(RULE.batch));
});

const topOf = (request: LoggedRow, pieces: Partial<Evidence> = {}) =>
  diagnose(ruleInput(request, evidence(pieces), DEFAULT_PENDING_SETTINGS, NOW), NO_GROUP_VERDICTS).topRule;

const done = (count: number, from = 500, ageS = 100) => rows(count, from, { ageS, tookS: 3 });

describe('diagnose', () => {
  it('applies every rule once, in order, and compares the age with finished requests', () => {
    const finished = durations(new Array(30).fill(34));
    const { verdicts, survival } = diagnose(
      ruleInput(row(1, { ageS: 40 }), evidence({ finished }), DEFAULT_PENDING_SETTINGS, NOW),
      NO_GROUP_VERDICTS,
    );
    expect(survival).toEqual({ finished: 30, longer: 0, p99Ms: 34_000 });
    expect(verdicts.map(({ rule }) => rule)).toEqual(Object.keys(RULE_TITLES));
  });

  it('without any evidence states the age and claims nothing else', () => {
    const request = row(1, { ageS: 500 });
    const { verdicts, topRule, survival } = diagnose(
      ruleInput(request, evidence(), DEFAULT_PENDING_SETTINGS, NOW),
      NO_GROUP_VERDICTS,
    );
    expect(topRule).toBe(RULE.pastRetryBudget);
    expect(verdicts.filter(({ holds: verdictHolds }) => verdictHolds === 'yes')).toHaveLength(1);
    expect(
      verdicts
        .filter(({ holds: verdictHolds }) => verdictHolds === 'unknown')
        .every(({ missing }) => missing !== undefined),
    ).toBe(true);
    expect(survival).toBeUndefined();
  });
});

describe('the likely cause', () => {
  const stuck = row(100, { ageS: 500 });
  it('is that of its incident, with the same severity, whatever else holds', () => {
    const lead = holdingVerdict(RULE.wholeNetwork, 'critical', 'Most requests are pending', { covers: 12 });
    const pieces = evidence({ window: allRows(done(12)), finished: finishedRows([]) });
    const diagnosed = diagnose(ruleInput(stuck, pieces, DEFAULT_PENDING_SETTINGS, NOW), {
      ...NO_GROUP_VERDICTS,
      lead,
    });
    expect(diagnosed.topRule).toBe(RULE.wholeNetwork);
    expect(diagnosed.verdicts[5]).toEqual(lead);
    expect(diagnosed.verdicts[7]).toMatchObject({ rule: RULE.overtaken, holds: 'yes' });
    const over = { ...stuck, state: COMPLETED };
    expect(
      diagnose(ruleInput(over, pieces, DEFAULT_PENDING_SETTINGS, NOW), { ...NO_GROUP_VERDICTS, lead })
        .verdicts[5]?.holds,
    ).toBe('no');
  });

  it('is as grave as its age: a completed duplicate of a stuck request is a warning everywhere', () => {
    const twin = row(100, { requestTxHash: hashOf(7), ageS: 490, tookS: 3 });
    const severityOf = (request: LoggedRow) => {
      const pieces = evidence({ sameSequence: allRows([request, twin]) });
      const { verdicts, topRule } = diagnose(
        ruleInput(request, pieces, DEFAULT_PENDING_SETTINGS, NOW),
        NO_GROUP_VERDICTS,
      );
      return [topRule, verdicts.find(({ rule }) => rule === topRule)?.severity];
    };
    expect(severityOf(stuck)).toEqual([RULE.reorgedTwin, 'warning']);
    expect(severityOf(row(100, { ageS: 20 }))).toEqual([RULE.reorgedTwin, 'notice']);
  });

  it('is not a batch if nothing else of it is pending', () => {
    const batch = (other: LoggedRow) => ({ sameTransaction: allRows([stuck, other]) });
    expect(topOf(stuck, batch(row(101, { requestTxHash: hashOf(100), tookS: 3 })))).toBe(
      RULE.pastRetryBudget,
    );
    expect(topOf(stuck, batch(row(101, { requestTxHash: hashOf(100) })))).toBe(RULE.batch);
  });

  it('has the time when the keeper last finished a request of its sender, if one is known', () => {
    const sender = allRows([
      row(3, { ageS: 900, tookS: 4, sender: senderOf(100) }),
      row(4, { ageS: 300, tookS: 4, sender: senderOf(100), networkId: '1' }),
    ]);
    const { verdicts } = diagnose(
      ruleInput(stuck, evidence({ sender }), DEFAULT_PENDING_SETTINGS, NOW),
      NO_GROUP_VERDICTS,
    );
    expect(verdicts[6]?.figures.at(-1)).toMatchObject({ value: NOW - 900_000, unit: 'moment' });
  });

  it('is duplicate, gas limit, later ones completed, quiet network or backlog, in this order, before the age', () => {
    const twin = row(100, { requestTxHash: hashOf(7) });
    const old = row(100, { ageS: 500, gasLimit: '900000000' });
    const pieces: Partial<Evidence> = {
      sameSequence: allRows([twin]),
      window: allRows(done(12)),
      newest: knownPiece(row(9, { ageS: 700, requestBlock: '5000' })),
      lastDay: knownPiece(5000),
    };
    const order: RuleId[] = [];
    order.push(topOf(old, pieces) ?? RULE.withinNormal);
    order.push(topOf(old, { ...pieces, sameSequence: allRows([]) }) ?? RULE.withinNormal);
    order.push(topOf(stuck, { ...pieces, sameSequence: allRows([]) }) ?? RULE.withinNormal);
    order.push(
      topOf(stuck, { ...pieces, sameSequence: allRows([]), window: allRows([]) }) ?? RULE.withinNormal,
    );
    order.push(topOf(stuck, { newest: knownPiece(row(9, { requestBlock: '5000' })) }) ?? RULE.withinNormal);
    order.push(topOf(stuck) ?? RULE.withinNormal);
    expect(order).toEqual([
      RULE.reorgedTwin,
      RULE.unusualGas,
      RULE.overtaken,
      RULE.networkQuiet,
      RULE.beyondCatchUp,
      RULE.pastRetryBudget,
    ]);
  });

  it('is normal while nothing else is stuck, whatever the circumstances', () => {
    const request = row(100, { ageS: 20, requestTxHash: hashOf(5) });
    const pieces = {
      sameTransaction: allRows([request, row(101, { requestTxHash: hashOf(5) })]),
      window: allRows([request, row(120)]),
    };
    expect(topOf(request, pieces)).toBe(RULE.withinNormal);
  });

  it('is a late recovery for requests that were there before it and are still stuck', () => {
    const late = rows(4, 50, { ageS: 1000, tookS: 500 });
    expect(topOf(row(100, { ageS: 1200 }), { finished: finishedRows([...late, ...done(20)]) })).toBe(
      RULE.lateRecovery,
    );
  });

  it('is an adjoining gap before its age, but its age if numbers are missing elsewhere too', () => {
    const beside = allRows([row(96, { tookS: 3, ageS: 520 }), stuck, row(101, { tookS: 3, ageS: 480 })]);
    expect(topOf(stuck, { window: beside })).toBe(RULE.missingSequences);
    const elsewhere = allRows([...beside.value.rows, row(110, { tookS: 3, ageS: 400 })]);
    expect(topOf(stuck, { window: elsewhere })).toBe(RULE.pastRetryBudget);
    expect(topOf(row(100, { ageS: 200 }), { window: beside })).toBe(RULE.slow);
    expect(topOf(row(100, { ageS: 310 }), { window: beside })).toBe(RULE.missingSequences);
    const backlog = { window: beside, newest: knownPiece(row(9, { requestBlock: '5000' })) };
    expect(topOf(stuck, backlog)).toBe(RULE.beyondCatchUp);
  });
});

it('settings in a wrong order are refused with a sentence', () => {
  expect(thresholdsProblem(DEFAULT_PENDING_SETTINGS)).toBeUndefined();
  expect(thresholdsProblem(pendingSettingsFrom({ slowAfterS: 301 }))).toContain('slowAfterS');
  expect(thresholdsProblem(pendingSettingsFrom({ stuckAfterS: 299 }))).toContain('retryBudgetS');
});
