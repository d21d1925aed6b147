import { describe, expect, it } from 'vitest';
import { clockSkewMs, FeedRhythm } from './feed-freshness';

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
