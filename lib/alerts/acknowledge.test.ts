import { describe, expect, it } from 'vitest';
import { RULE } from '@/lib/pending/rules/rule-ids';
import { PAGE_SIZES } from '@/lib/requests/view';
import { acknowledgedCause, isStillAcknowledged, MAX_TARGETS } from './acknowledge';

const HOUR_MS = 3_600_000;
const acknowledged = { untilMs: null, size: 12, cause: RULE.wholeNetwork };

describe('an acknowledged problem stays acknowledged', () => {
  it.each([
    ['while nothing changes', acknowledged, { size: 12, cause: RULE.wholeNetwork }, true],
    ['while it shrinks', acknowledged, { size: 1, cause: RULE.wholeNetwork }, true],
    ['while it grows a little', acknowledged, { size: 23, cause: RULE.wholeNetwork }, true],
    ['no longer when there are twice as many', acknowledged, { size: 24, cause: RULE.wholeNetwork }, false],
    ['no longer with another likely cause', acknowledged, { size: 12, cause: RULE.oneSender }, false],
    [
      'before its time',
      { ...acknowledged, untilMs: HOUR_MS + 1 },
      { size: 12, cause: RULE.wholeNetwork },
      true,
    ],
    [
      'not from its time on',
      { ...acknowledged, untilMs: HOUR_MS },
      { size: 12, cause: RULE.wholeNetwork },
      false,
    ],
    [
      'a silent network with nothing stuck',
      { ...acknowledged, size: 0 },
      { size: 0, cause: RULE.wholeNetwork },
      true,
    ],
    [
      'not when something is stuck on it',
      { ...acknowledged, size: 0 },
      { size: 1, cause: RULE.wholeNetwork },
      false,
    ],
    [
      'a group of failures, which has no cause',
      { ...acknowledged, cause: null },
      { size: 20, cause: null },
      true,
    ],
  ])('%s', (_when, acknowledged, now, isAcknowledged) => {
    expect(isStillAcknowledged(acknowledged, now, HOUR_MS)).toBe(isAcknowledged);
  });

  it('a request that only grows older keeps its cause', () => {
    expect(acknowledgedCause(RULE.retryBudgetEnding)).toBe(acknowledgedCause(RULE.beyondCatchUp));
    expect(acknowledgedCause(RULE.pastRetryBudget)).not.toBe(acknowledgedCause(RULE.unusualGas));
  });
});

it('an order has room for all rows of the largest page', () => {
  expect(MAX_TARGETS).toBeGreaterThanOrEqual(Math.max(...PAGE_SIZES));
});
