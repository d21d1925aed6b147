import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { USUAL_SETTINGS } from '@/lib/domain/diagnosis/diagnosis-settings';
import { clockScale } from './clock-scale';

describe('the scale of the retry clock', () => {
  it('has a stretch for each of the four things that a keeper may be doing, together the whole bar', () => {
    const { stretches, ticks } = clockScale(0, USUAL_SETTINGS);
    expect(stretches.map(({ kind }) => kind)).toEqual(['first-tries', 'retrying', 'last-look', 'given-up']);
    expect(stretches.reduce((sum, { width }) => sum + width, 0)).toBeCloseTo(100, 1);
    expect(ticks.map(({ label }) => label)).toEqual(['0', '60 s', '300 s', '420 s']);
  });

  it('puts an age of the retry budget on the mark of the budget', () => {
    const { place, ticks } = clockScale(300_000, USUAL_SETTINGS);
    expect(place).toBe(ticks.find(({ label }) => label === '300 s')?.at);
  });

  it('keeps an age behind its end at the end, and says so', () => {
    expect(clockScale(420_000 * 1.25, USUAL_SETTINGS)).toMatchObject({ place: 100 });
    expect(clockScale(420_000 * 1.25, USUAL_SETTINGS).beyond).toBeUndefined();
    expect(clockScale(3 * 86_400_000, USUAL_SETTINGS)).toMatchObject({ place: 100, beyond: 'yes' });
  });

  it('leaves out a label that a later one would cover', () => {
    const close = { ...USUAL_SETTINGS, slowAfterS: 290, retryBudgetS: 300, stuckAfterS: 301 };
    expect(clockScale(0, close).ticks.map(({ label }) => label)).toEqual(['0', '301 s']);
  });

  it('stays within the bar for any age and any settings that make sense', () => {
    const seconds = fc.nat({ max: 1_000_000 });
    fc.assert(
      fc.property(seconds, seconds, seconds, fc.double({ noNaN: true }), (one, other, third, age) => {
        const [slowAfterS = 0, retryBudgetS = 0, stuckAfterS = 0] = [one, other, third].sort((a, b) => a - b);
        const { place, stretches } = clockScale(age, {
          ...USUAL_SETTINGS,
          slowAfterS,
          retryBudgetS,
          stuckAfterS,
        });
        expect(place).toBeGreaterThanOrEqual(0);
        expect(place).toBeLessThanOrEqual(100);
        for (const { width } of stretches) expect(width).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
