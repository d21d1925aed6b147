import { describe, expect, it } from 'vitest';
import { backlogRule } from './backlog-rule';
import { batchRule } from './batch-rule';
import {
  all,
  around,
  ask,
  COMPLETED,
  finishedRows,
  hashOf,
  known,
  NOW,
  row,
  rows,
} from './diagnosis-fixture';
import { gapRule } from './gap-rule';
import { gasRule } from './gas-rule';
import { overtakenRule } from './overtaken-rule';
import { recoveryRule } from './recovery-rule';
import { twinRule } from './twin-rule';

describe('R5, reorganisation twin', () => {
  const request = row(7, { ageS: 500 });
  const twin = row(7, { requestTxHash: hashOf(99), ageS: 400, tookS: 5 });
  it('a completed row with the same number and another transaction settles it', () => {
    expect(ask(twinRule, request, { sameNumber: all([request, twin]) })).toMatchObject({
      holds: 'yes',
      decisive: 'yes',
      proof: [twin.key],
      headline: expect.stringContaining('most likely orphaned'),
    });
  });

  it('a twin that is not completed is only named', () => {
    const failed = { ...twin, state: { kind: 'failed' as const } };
    const verdict = ask(twinRule, request, { sameNumber: all([request, failed]) });
    expect(verdict.holds).toBe('yes');
    expect(verdict.decisive).toBeUndefined();
    expect(verdict.headline).not.toContain('orphaned');
  });

  it.each([
    ['the row itself, in other letters', { requestTxHash: hashOf(7).toUpperCase().replace('0X', '0x') }],
    ['another provider', { requestTxHash: hashOf(99), provider: '0x02' }],
    ['another network', { requestTxHash: hashOf(99), networkId: '1' }],
    ['a row without transaction', { requestTxHash: undefined }],
  ])('%s is no twin', (_, change) => {
    expect(ask(twinRule, request, { sameNumber: all([row(7, { tookS: 5, ...change })]) }).holds).toBe('no');
  });

  it('before E4 is asked for, one among the last finished rows is one; that none is there says nothing', () => {
    const seen = ask(twinRule, request, { finished: finishedRows([twin, row(8, { tookS: 2 })]) });
    expect(seen).toMatchObject({ holds: 'yes', decisive: 'yes', evidence: [{ id: 'finished' }] });
    expect(ask(twinRule, request, { finished: finishedRows([row(8, { tookS: 2 })]) }).holds).toBe('unknown');
  });

  it('is not told without E4, with rows unseen, or without a provider', () => {
    expect(ask(twinRule, request).missing).toContain('not asked');
    expect(ask(twinRule, request, { sameNumber: all([], 1) }).holds).toBe('unknown');
    expect(ask(twinRule, { ...request, provider: undefined }, { sameNumber: all([]) }).holds).toBe('unknown');
  });
});

describe('R8, overtaken', () => {
  const request = row(7, { ageS: 301 });
  const given = (count: number, split = count) => {
    const higher = rows(count, 8, { ageS: 200, tookS: 3 });
    return { window: around(higher.slice(0, split)), finished: finishedRows(higher.slice(split)) };
  };
  it('by 10 finished rows with higher numbers, not by 9', () => {
    expect(ask(overtakenRule, request, given(10))).toMatchObject({ holds: 'yes', severity: 'warning' });
    expect(ask(overtakenRule, request, given(9)).holds).toBe('no');
  });

  it('counts E2 and the last finished rows together, each row once', () => {
    expect(ask(overtakenRule, request, given(10, 4)).holds).toBe('yes');
    const twice = rows(6, 8, { ageS: 200, tookS: 3 });
    expect(ask(overtakenRule, request, { window: around(twice), finished: finishedRows(twice) }).holds).toBe(
      'no',
    );
  });

  it('only past the retry budget', () => {
    expect(ask(overtakenRule, row(7, { ageS: 300 }), given(10)).holds).toBe('no');
  });

  it('not by lower numbers, other providers or pending rows', () => {
    const others = [
      ...rows(5, 1, { tookS: 3 }),
      ...rows(9, 20, { tookS: 3, provider: '0x02' }),
      ...rows(9, 40, { ageS: 90 }),
    ];
    expect(ask(overtakenRule, request, { window: around(others), finished: finishedRows([]) }).holds).toBe(
      'no',
    );
  });

  it('compares numbers beyond 2^53 digit by digit', () => {
    const high = row(0, { ageS: 400, sequence: '9007199254740993' });
    const above = rows(10, 50, (step) => ({ tookS: 1, sequence: String(9007199254740994n + BigInt(step)) }));
    expect(ask(overtakenRule, high, { window: around(above), finished: finishedRows([]) }).holds).toBe('yes');
  });

  it('enough higher numbers are enough, too few are not told while a piece is missing', () => {
    expect(ask(overtakenRule, request, { window: given(10).window }).holds).toBe('yes');
    expect(ask(overtakenRule, request, { window: given(9).window }).holds).toBe('unknown');
    expect(ask(overtakenRule, request, { finished: given(9, 0).finished }).holds).toBe('unknown');
  });
});

describe('R10, outside the backlog', () => {
  const newest = (requestBlock: string | undefined) => ({ newest: known(row(9, { requestBlock })) });
  it('over 1000 blocks behind the newest logged one, not at 1000', () => {
    expect(ask(backlogRule, row(1), newest('2001'))).toMatchObject({ holds: 'yes', proof: [row(9).key] });
    expect(ask(backlogRule, row(1), newest('2000')).holds).toBe('no');
  });

  it('is not told without blocks or without a newest row', () => {
    expect(ask(backlogRule, row(1), newest(undefined)).holds).toBe('unknown');
    expect(ask(backlogRule, row(1, { requestBlock: undefined }), newest('2001')).holds).toBe('unknown');
    expect(ask(backlogRule, row(1), { newest: known(null) }).holds).toBe('unknown');
    expect(ask(backlogRule, row(1)).holds).toBe('unknown');
  });
});

describe('R11, gas limit', () => {
  const usual = (count: number, gasLimit = '500000') => ({
    finished: finishedRows(rows(count, 100, { tookS: 3, gasLimit })),
  });
  it('10 times the median or more is unusual', () => {
    expect(ask(gasRule, row(1, { gasLimit: '5000000' }), usual(20))).toMatchObject({
      holds: 'yes',
      severity: 'notice',
    });
    expect(ask(gasRule, row(1, { gasLimit: '4999999' }), usual(20)).holds).toBe('no');
  });

  it('above the contract’s maximum needs no median', () => {
    expect(ask(gasRule, row(1, { gasLimit: '655350001' }))).toMatchObject({
      holds: 'yes',
      severity: 'warning',
    });
    expect(ask(gasRule, row(1, { gasLimit: '655350000' })).holds).toBe('unknown');
  });

  it('19 rows make no median, rows without a limit or unfinished don’t count', () => {
    const request = row(1, { gasLimit: '5000000' });
    expect(ask(gasRule, request, usual(19)).missing).toContain('only 19');
    const list = [...rows(19, 100, { tookS: 3 }), row(200, { tookS: 3, gasLimit: undefined }), row(201)];
    expect(ask(gasRule, request, { finished: finishedRows(list) }).holds).toBe('unknown');
  });

  it('a median of 0 makes nothing unusual, and digits that are no gas are not told', () => {
    expect(ask(gasRule, row(1, { gasLimit: '1' }), usual(20, '0')).holds).toBe('no');
    expect(ask(gasRule, row(1, { gasLimit: '9'.repeat(100) }), usual(20)).holds).toBe('unknown');
    expect(ask(gasRule, row(1, { gasLimit: undefined }), usual(20)).holds).toBe('unknown');
  });
});

describe('R12, missing numbers', () => {
  const request = row(10, { ageS: 100 });
  it('counts and names what is missing between the lowest and the highest', () => {
    const verdict = ask(gapRule, request, { window: around([request, row(12), row(13), row(17)]) });
    expect(verdict).toMatchObject({
      holds: 'yes',
      headline: expect.stringMatching(/^4 numbers not in this log/),
    });
    expect(verdict.figures.at(-1)?.value).toBe('11, 14–16');
  });

  it('one missing number is enough, none is none', () => {
    const { headline } = ask(gapRule, request, { window: around([request, row(12)]) });
    expect(headline).toMatch(/^1 number right beside this one not/);
    expect(ask(gapRule, request, { window: around([request, row(11), row(11), row(12)]) }).holds).toBe('no');
  });

  it('speaks of the request where all that is missing adjoins it', () => {
    const told = (...sequences: number[]) => {
      const verdict = ask(gapRule, request, {
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
    expect(ask(gapRule, request, { window }).holds).toBe('yes');
  });

  it('is not told of a window that is not complete, or of one number', () => {
    expect(ask(gapRule, request, { window: around([request, row(12)], 1) }).holds).toBe('unknown');
    expect(ask(gapRule, request, { window: around([request]) }).holds).toBe('unknown');
    expect(ask(gapRule, request).holds).toBe('unknown');
  });
});

describe('R14, late recovery', () => {
  const request = row(1, { ageS: 2000 });
  const late = (count: number, tookS = 421) => rows(count, 50, { ageS: 1000, tookS });
  it('3 rows of over 420 s that finished in the same minute, not 2, not 420 s', () => {
    expect(ask(recoveryRule, request, { finished: finishedRows(late(3)) }).holds).toBe('yes');
    expect(ask(recoveryRule, request, { finished: finishedRows(late(2)) }).holds).toBe('no');
    expect(ask(recoveryRule, request, { finished: finishedRows(late(3, 420)) }).holds).toBe('no');
  });

  it('the same minute is the same minute of the clock', () => {
    const ends = [59, 60, 61].map((second, index) =>
      row(50 + index, {
        createdAt: { text: '', ms: NOW - 900_000 + second * 1000 },
        updatedAt: { text: '', ms: NOW - 60_000 + second * 1000 },
        state: COMPLETED,
      }),
    );
    expect(ask(recoveryRule, request, { finished: finishedRows(ends) }).holds).toBe('no');
  });

  it('before the request came says nothing about it', () => {
    const verdict = ask(recoveryRule, row(1, { ageS: 300 }), { finished: finishedRows(late(3)) });
    expect(verdict).toMatchObject({
      holds: 'no',
      headline: expect.stringContaining('since this request came'),
    });
  });

  it('is seen in E2 too, and not denied without finished rows', () => {
    expect(ask(recoveryRule, request, { window: around(late(3)) }).holds).toBe('yes');
    expect(ask(recoveryRule, request, { window: around(late(2)) }).holds).toBe('unknown');
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
    expect(ask(batchRule, request, { sameTransaction })).toMatchObject({
      holds: 'yes',
      headline: 'One of a batch: 1 of 3 done',
      covers: 2,
    });
  });

  it('a single row is no batch, nor are rows that the search found by their reveal', () => {
    expect(ask(batchRule, request, { sameTransaction: all([request, row(2)]) }).holds).toBe('no');
  });

  it('is not told without E5, with rows unseen, or without a transaction', () => {
    expect(ask(batchRule, request).holds).toBe('unknown');
    expect(ask(batchRule, request, { sameTransaction: all([request], 1) }).holds).toBe('unknown');
    expect(ask(batchRule, { ...request, requestTxHash: undefined }).holds).toBe('unknown');
  });
});
