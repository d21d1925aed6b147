import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { feedCurrency, silentAfterS, usualPauseS } from './feed-cadence';
import type { TickTimes } from './feed-gaps';

const floors = { lateS: 5, staleS: 60 };

function every(pauseS: number, count: number): TickTimes[] {
  return Array.from({ length: count }, (_, at) => ({
    t: 1_000 + at * pauseS,
    pp: 1_000 + (at - 1) * pauseS,
  }));
}

describe('the cadence of a feed', () => {
  it('is its usual pause, whatever we missed', () => {
    expect(usualPauseS(every(2, 40).filter((_, at) => at % 5 === 0))).toBe(2);
  });

  it('is not moved by a night among the pauses', () => {
    expect(usualPauseS([...every(1, 30), { t: 90_000, pp: 1_029 }])).toBe(1);
  });

  it('is told by the updates themselves where the service does not tell the one before', () => {
    expect(usualPauseS([{ t: 10 }, { t: 40 }, { t: 70 }])).toBe(30);
    expect(usualPauseS([{ t: 10 }])).toBeUndefined();
    expect(usualPauseS([])).toBeUndefined();
  });

  it('sets when a pause is silence, with a floor', () => {
    expect(silentAfterS(undefined, floors)).toBe(5);
    expect(silentAfterS(60, floors)).toBe(180);
  });
});

describe('how current a feed is', () => {
  const fast = { pauseS: 1, floors };

  it('is judged by its own cadence', () => {
    expect(feedCurrency({ ...fast, ageS: 30 }).word).toBe('late');
    expect(feedCurrency({ ...fast, ageS: 61 }).word).toBe('stale');
    expect(feedCurrency({ pauseS: 60, floors, ageS: 61 }).word).toBe('fresh');
    expect(feedCurrency({ pauseS: 60, floors, ageS: 601 }).word).toBe('stale');
  });

  it('is closed, not stale, while its market is closed', () => {
    const market = { kind: 'closed', opensAtMs: 5 } as const;
    expect(feedCurrency({ ...fast, ageS: 900, market: () => market })).toMatchObject({
      word: 'closed',
      opensAtMs: 5,
    });
    expect(feedCurrency({ ...fast, ageS: 1, market: () => market }).word).toBe('fresh');
    expect(feedCurrency({ ...fast, ageS: 900, market: () => ({ kind: 'open' }) }).word).toBe('stale');
  });

  it('is inactive where the directory says that nobody publishes it', () => {
    expect(feedCurrency({ ...fast, ageS: 900, state: 'coming_soon' }).word).toBe('inactive');
    expect(feedCurrency({ ...fast, ageS: 900, state: 'something new' }).word).toBe('stale');
  });

  it('never gets better with age, and has no negative age', () => {
    const order = ['fresh', 'late', 'stale'];
    const age = fc.integer({ min: -1_000, max: 100_000 });
    fc.assert(
      fc.property(
        age,
        age,
        fc.option(fc.integer({ min: 1, max: 1_000 }), { nil: undefined }),
        (a, b, pauseS) => {
          const [young, old] = [Math.min(a, b), Math.max(a, b)].map((ageS) =>
            feedCurrency({ ageS, pauseS, floors }),
          );
          expect(order.indexOf(young?.word ?? '')).toBeLessThanOrEqual(order.indexOf(old?.word ?? ''));
          expect(young?.ageS).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});
