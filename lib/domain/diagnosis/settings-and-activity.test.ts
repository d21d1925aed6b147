import { describe, expect, it } from 'vitest';
import { settingsWith, thresholdsProblem, USUAL_SETTINGS } from './diagnosis-settings';
import { keeperActivity } from './keeper-activity';
import { spanText } from './span-text';

describe('settings', () => {
  it('are the usual ones until somebody says otherwise', () => {
    expect(settingsWith({ slowAfterS: undefined })).toEqual(USUAL_SETTINGS);
    expect(settingsWith({ slowAfterS: 90 })).toEqual({
      ...USUAL_SETTINGS,
      slowAfterS: 90,
      origin: 'configured',
    });
  });

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
    [-5, 'first-tries', 60_000],
    [59_999, 'first-tries', 1],
    [60_000, 'retrying', 240_000],
    [300_000, 'retrying', 0],
    [300_001, 'last-look', 119_999],
    [420_000, 'last-look', 0],
    [420_001, 'given-up', undefined],
  ])('at %d ms: %s', (ageMs, kind, remainingMs) => {
    expect(keeperActivity(ageMs, USUAL_SETTINGS)).toMatchObject({
      kind,
      ...(remainingMs === undefined ? {} : { remainingMs }),
    });
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
