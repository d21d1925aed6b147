import { describe, expect, it } from 'vitest';
import { DEFAULT_PENDING_SETTINGS } from '@/lib/core/pending-settings';
import { stretchesToCheck } from '@/lib/pending/groups';
import { triageNetwork } from '@/lib/pending/incidents';
import { pendingNetwork } from '@/lib/pending/network';
import { diagnose } from './diagnose';
import type { Evidence, LoggedRow } from './evidence';
import { type RuleOfOne, ruleInput } from './rule';
import { RULE } from './rule-ids';
import {
  allRows,
  BASE,
  evidence,
  finishedRows,
  hashOf,
  judgeRule,
  knownPiece,
  NO_GROUP_VERDICTS,
  NOW,
  network,
  row,
  rows,
  senderOf,
} from './rules-fixture';

const DAY_S = 86_400;
const FAILED = { kind: 'failed', reason: 'x' } as const;
const stuck = row(7, { ageS: 500 });
const holdsIn = (rule: RuleOfOne, request: LoggedRow, pieces: Partial<Evidence>) =>
  judgeRule(rule, request, pieces).holds;
const triage = (list: LoggedRow[], done: LoggedRow[]) => {
  const shared = {
    keeper: 'main',
    networkId: BASE,
    settings: DEFAULT_PENDING_SETTINGS,
    nowMs: NOW,
    orphaned: new Set(''),
  };
  const facts = { evidence: network({ finished: finishedRows(done) }), pending: allRows(list) };
  return triageNetwork(pendingNetwork({ ...shared, ...facts }, list), []).incidents.map(({ rule }) => rule);
};

describe('normal age', () => {
  it('does not grow because an outage delayed requests for hours', () => {
    const late = [
      ...rows(900, 1000, { ageS: 20_000, tookS: 3 }),
      ...rows(100, 5000, { ageS: 20_000, tookS: 7000 }),
    ];
    const pieces = { finished: finishedRows(late) };
    expect(holdsIn(RULE.withinNormal, row(1, { ageS: 500 }), pieces)).toBe('no');
    expect(holdsIn(RULE.pastRetryBudget, row(1, { ageS: 500 }), pieces)).toBe('yes');
  });

  it('does not grow because requests failed after all retries', () => {
    const failing = rows(100, 1000, { ageS: 20_000, tookS: 300, state: FAILED });
    const pieces = { finished: finishedRows([...rows(900, 5000, { ageS: 20_000, tookS: 3 }), ...failing]) };
    expect(holdsIn(RULE.slow, row(1, { ageS: 200 }), pieces)).toBe('yes');
  });
});

it('rules about age compare it with the retry budget, and claim nothing about a process', () => {
  for (const [rule, ageS] of [
    [RULE.slow, 100],
    [RULE.retryBudgetEnding, 350],
    [RULE.pastRetryBudget, 500],
  ] as const) {
    expect(judgeRule(rule, row(1, { ageS })).headline).not.toMatch(/should|given up|exhausted|restart/);
  }
});

describe('reorged twin: another request had the sequence', () => {
  const request = row(7, { ageS: 500, requestBlock: '9000010' });
  const twin = (ageS: number, requestBlock: string | undefined) =>
    row(7, { ageS, requestBlock, tookS: 3, requestTxHash: hashOf(99) });
  it.each<[string, LoggedRow, string]>([
    ['a reorg of a minute ago', twin(560, '9000004'), 'yes'],
    ['three hours ago, at block 1,000: a test network was reset', twin(10_800, '1000'), 'no'],
    ['180 days ago, at block 1,000: a provider registered anew', twin(180 * DAY_S, '1000'), 'no'],
    ['180 days ago at a near block, as blocks can count anew', twin(180 * DAY_S, '9000004'), 'no'],
    ['just now at a far block: another contract', twin(510, '1000'), 'no'],
    ['just now at a block that nobody told', twin(510, undefined), 'no'],
    ['an hour before', twin(500 + 3600, '9000004'), 'yes'],
    ['more than an hour before', twin(501 + 3600, '9000004'), 'no'],
    ['15,000 blocks before', twin(510, '8985010'), 'yes'],
    ['15,001 blocks before', twin(510, '8985009'), 'no'],
  ])('%s', (_, other, holds) => {
    const { verdicts, topRule } = diagnose(
      ruleInput(
        request,
        evidence({ sameSequence: allRows([request, other]) }),
        DEFAULT_PENDING_SETTINGS,
        NOW,
      ),
      NO_GROUP_VERDICTS,
    );
    expect(verdicts.find(({ rule }) => rule === RULE.reorgedTwin)?.holds).toBe(holds);
    expect(topRule === RULE.reorgedTwin).toBe(holds === 'yes');
  });
});

describe('the age', () => {
  it('of a finished request dated before its creation never makes the normal time negative', () => {
    const early = rows(100, 1000, { ageS: 20_000, tookS: -5 });
    expect(holdsIn(RULE.withinNormal, row(1, { ageS: 30 }), { finished: finishedRows(early) })).toBe('yes');
    expect(holdsIn(RULE.slow, row(1, { ageS: 100 }), { finished: finishedRows(early) })).toBe('yes');
  });

  it('is unknown if the creation is dated in the future', () => {
    for (const rule of [RULE.slow, RULE.retryBudgetEnding, RULE.pastRetryBudget] as const) {
      expect(holdsIn(rule, row(1, { ageS: -5000 }), {})).toBe('no');
    }
  });
});

describe('the whole network', () => {
  /** @param others ages (s) of requests that are not pending */
  const isWhole = (list: LoggedRow[], others: number[], done: LoggedRow[] = []) => {
    const shared = { keeper: 'main', networkId: BASE, settings: DEFAULT_PENDING_SETTINGS, nowMs: NOW };
    const facts = { evidence: network({ finished: finishedRows(done) }), pending: allRows(list) };
    const pendingBase = pendingNetwork({ ...shared, ...facts, orphaned: new Set('') }, list);
    const times = knownPiece(others.map((ageS) => NOW - ageS * 1000));
    const checked = stretchesToCheck(pendingBase).map((stretch) => ({ stretch, others: times }));
    return triageNetwork(pendingBase, checked).incidents.some(({ rule }) => rule === RULE.wholeNetwork);
  };
  const pending = (count: number, ageS: number) =>
    rows(count, 100, (step) => ({ ageS: ageS - step, sender: senderOf(step) }));

  it('holds for an outage', () => {
    expect(isWhole(pending(12, 400), [390])).toBe(true);
  });

  it('does not hold for a busy moment in which nothing had the time to complete', () => {
    expect(isWhole(pending(30, 50), [])).toBe(false);
  });

  it('does not hold if another provider of the network answers', () => {
    expect(isWhole(pending(12, 400), new Array(40).fill(200))).toBe(false);
  });

  it('does not hold if everything is slow as usual', () => {
    const slow = rows(100, 5000, { ageS: 20_000, tookS: 280 });
    expect(isWhole(pending(12, 200), [], slow)).toBe(false);
    expect(isWhole(pending(12, 200), [])).toBe(true);
  });
});

describe('one sender', () => {
  const ofSender = rows(4, 100, (step) => ({ ageS: 400 - step, sender: senderOf(1) }));
  it('does not hold while the requests of others fail', () => {
    expect(triage(ofSender, rows(12, 500, { ageS: 200, tookS: 3 }))).toEqual([RULE.oneSender]);
    expect(triage(ofSender, rows(12, 500, { ageS: 200, tookS: 3, state: FAILED }))).not.toContain(
      RULE.oneSender,
    );
  });
});

describe('later ones completed', () => {
  it('does not hold because of later ones that failed', () => {
    const failed = rows(12, 8, { ageS: 200, tookS: 3, state: FAILED });
    expect(holdsIn(RULE.overtaken, stuck, { window: allRows(failed), finished: finishedRows([]) })).toBe(
      'no',
    );
    expect(triage([stuck, row(5, { ageS: 500 }), row(6, { ageS: 500 })], failed)).toEqual([
      RULE.pastRetryBudget,
    ]);
  });

  it('does not hold because of higher sequences from before a reset', () => {
    const before = rows(12, 2000, { ageS: 180 * DAY_S, tookS: 3 });
    expect(holdsIn(RULE.overtaken, stuck, { window: allRows([]), finished: finishedRows(before) })).toBe(
      'no',
    );
    expect(triage([stuck, row(5, { ageS: 500 }), row(6, { ageS: 500 })], before)).toEqual([
      RULE.pastRetryBudget,
    ]);
    const since = rows(12, 2000, { ageS: 200, tookS: 3 });
    expect(triage([stuck, row(5, { ageS: 500 }), row(6, { ageS: 500 })], [...before, ...since])).toEqual([
      RULE.overtaken,
    ]);
  });
});

describe('a quiet network', () => {
  it('is compared with the mean, which is called an average because a burst makes it untypical', () => {
    const pieces = { newest: knownPiece(row(9, { ageS: 7200 })), lastDay: knownPiece(5000) };
    expect(judgeRule(RULE.networkQuiet, stuck, pieces).headline).toMatch(/on average every/);
    expect(judgeRule(RULE.networkQuiet, stuck, pieces).headline).not.toMatch(/typical/);
  });

  it('explains nothing about a request that has its outcome', () => {
    const pieces = { newest: knownPiece(row(9, { ageS: 7200 })), lastDay: knownPiece(5000) };
    for (const state of [FAILED, { kind: 'completed', callback: 'failed' } as const]) {
      const over = row(7, { ageS: 9000, tookS: 400, state });
      expect(
        diagnose(ruleInput(over, evidence(pieces), DEFAULT_PENDING_SETTINGS, NOW), NO_GROUP_VERDICTS).topRule,
      ).toBeUndefined();
    }
  });
});

describe('beyond the catch-up range', () => {
  it('does not hold for a request still being retried on a network with four blocks a second', () => {
    const newest = knownPiece(row(9, { ageS: 5, requestBlock: '2200' }));
    expect(holdsIn(RULE.beyondCatchUp, row(7, { ageS: 280, requestBlock: '1000' }), { newest })).toBe('no');
    expect(holdsIn(RULE.beyondCatchUp, row(7, { ageS: 301, requestBlock: '1000' }), { newest })).toBe('yes');
  });

  it('does not hold if block numbers have been reset since', () => {
    const newest = knownPiece(row(9, { ageS: 5, requestBlock: '12' }));
    const old = row(7, { ageS: 3 * DAY_S, requestBlock: '9000010' });
    expect(judgeRule(RULE.beyondCatchUp, old, { newest })).toMatchObject({
      holds: 'unknown',
      missing: expect.stringContaining('restarted'),
    });
  });
});

describe('an unusual gas limit', () => {
  const usual = rows(40, 100, { tookS: 3 });
  const same = (count: number, gasLimit: string, state = row(1, { tookS: 1 }).state) =>
    rows(count, 500, { tookS: 3, gasLimit, state });
  it.each<[string, string, LoggedRow[], string]>([
    ['with which three completed keeps none from completing', '5000000', same(3, '5000000'), 'no'],
    ['with which larger ones completed', '5000000', same(3, '6000000'), 'no'],
    ['with which two completed', '5000000', same(2, '5000000'), 'yes'],
    ['with which three failed', '5000000', same(3, '5000000', FAILED), 'yes'],
    ['so low, with which three completed', '50000', same(3, '50000'), 'no'],
    ['so low, with which none did', '50000', [], 'yes'],
  ])('%s', (_, gasLimit, others, holds) => {
    const pieces = { finished: finishedRows([...usual, ...others]) };
    expect(holdsIn(RULE.unusualGas, row(7, { ageS: 500, gasLimit }), pieces)).toBe(holds);
  });
});

describe('missing sequences', () => {
  it('are not two million because a new contract began with 1', () => {
    const old = rows(5, 2_000_000, (step) => ({ ageS: 900 - step, tookS: 3 }));
    const begun = rows(3, 1, (step) => ({ ageS: 490 - step, tookS: 3 }));
    const request = row(4, { ageS: 480 });
    expect(
      judgeRule(RULE.missingSequences, request, { window: allRows([...old, ...begun, request]) }),
    ).toMatchObject({
      holds: 'unknown',
      missing: expect.stringContaining('restarted'),
    });
    expect(
      holdsIn(RULE.missingSequences, request, {
        window: allRows([...begun, request, row(9, { ageS: 470 })]),
      }),
    ).toBe('yes');
  });
});

describe('one replica', () => {
  const even = rows(9, 0, (step) => ({
    ageS: 500 - step,
    sequence: String(1000 + 2 * step),
    sender: senderOf(step % 2),
  }));
  const done = (sequences: number[]) => sequences.map((sequence) => row(sequence, { ageS: 300, tookS: 3 }));
  it.each<[string, LoggedRow[], boolean]>([
    ['the others work', done([501, 503, 505, 507]), true],
    ['nothing completes at all', [], false],
    ['all callbacks of this provider are even: those that completed too', done([500, 502, 504, 506]), false],
    ['both complete as usual', done([500, 501, 502, 503, 504, 505]), false],
    ['what completed failed', done([501, 503, 505, 507]).map((row) => ({ ...row, state: FAILED })), false],
  ])('%s', (_, completed, holds) => {
    expect(triage(even, completed).includes(RULE.replicaDown)).toBe(holds);
  });
});

it('three requests that failed in the same minute are no recovery', () => {
  const late = rows(3, 50, { ageS: 1000, tookS: 500, state: FAILED });
  expect(holdsIn(RULE.lateRecovery, row(1, { ageS: 2000 }), { finished: finishedRows(late) })).toBe('no');
});

it('the same hash on another network, or as the reveal of others, is no batch', () => {
  const request = row(1, { ageS: 500 });
  const elsewhere = row(2, { ageS: 500, requestTxHash: hashOf(1), networkId: '10' });
  expect(holdsIn(RULE.batch, request, { sameTransaction: allRows([request, elsewhere]) })).toBe('no');
  const revealedBy = { ...row(3, { ageS: 900, tookS: 3 }), revealTxHash: hashOf(1) };
  expect(holdsIn(RULE.batch, request, { sameTransaction: allRows([request, revealedBy]) })).toBe('no');
});

it('batch, gaps and a late recovery are known, but not named as the cause', () => {
  const request = row(1, { ageS: 500 });
  const batch = allRows([request, row(2, { ageS: 500, requestTxHash: hashOf(1) })]);
  expect(judgeRule(RULE.batch, request, { sameTransaction: batch }).headline).toBe(
    'One of a batch: 0 of 2 done',
  );
});
