import { describe, expect, it } from 'vitest';
import { clockSkewMs, FeedRhythm, freshnessOf } from './feed-freshness';

const floors = { lateS: 5, staleS: 60 };
const at = (ageS: number, rhythmMs?: number, skewMs = 0) =>
  freshnessOf({ publishTimeS: 1_000, rhythmMs, skewMs, nowMs: (1_000 + ageS) * 1_000, floors });

describe('freshness', () => {
  it('goes from fresh to late to stale by the floors while the rhythm is unknown', () => {
    expect([5, 6, 60, 61].map((ageS) => at(ageS).word)).toEqual(['fresh', 'late', 'late', 'stale']);
  });

  it('judges a feed that is slower by nature by its own rhythm', () => {
    expect(at(59, 20_000).word).toBe('fresh');
    expect(at(61, 20_000).word).toBe('late');
    expect(at(201, 20_000).word).toBe('stale');
  });

  it('never lets a fast rhythm undercut the floors', () => {
    expect(at(4, 400).word).toBe('fresh');
  });

  it('never shows a negative age when the publishing clock is ahead', () => {
    expect(at(-600).ageMs).toBe(0);
  });

  it('corrects the age by the difference of the clocks', () => {
    expect(at(601, undefined, 600_000)).toMatchObject({ word: 'fresh', ageMs: 1_000 });
    expect(at(-540, undefined, -600_000)).toMatchObject({ word: 'late', ageMs: 60_000 });
  });
});

describe('the rhythm of a feed', () => {
  const rhythmOf = (pausesMs: number[]) => {
    const rhythm = new FeedRhythm();
    for (const pause of pausesMs) {
      rhythm.note(pause);
    }
    return rhythm.usualPauseMs();
  };

  it('is unknown before the first pause', () => {
    expect(rhythmOf([])).toBeUndefined();
    expect(rhythmOf([0, 0])).toBeUndefined();
  });

  it('is not moved by a single outage', () => {
    expect(rhythmOf([1_000, 1_000, 600_000, 1_000, 1_000])).toBe(1_000);
  });

  it('follows the last pauses and forgets the old ones', () => {
    expect(rhythmOf([...Array(30).fill(1_000), ...Array(20).fill(30_000)])).toBe(30_000);
  });
});

describe('the difference of the clocks', () => {
  it('is none while lags are ordinary', () => {
    expect(clockSkewMs([])).toBe(0);
    expect(clockSkewMs([400, 1_200, 25_000])).toBe(0);
    expect(clockSkewMs([-2_000])).toBe(0);
  });

  it('is the smallest lag, since delay only ever adds', () => {
    expect(clockSkewMs([600_400, 601_000, 900_000])).toBe(600_400);
    expect(clockSkewMs([-599_600, 400])).toBe(-599_600);
  });

  it('does not take one slow feed among prompt ones for a wrong clock', () => {
    expect(clockSkewMs([700_000, 300])).toBe(0);
  });
});
