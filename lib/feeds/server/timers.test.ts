import { describe, expect, it } from 'vitest';
import { Backoff } from './timers';

describe('back-off', () => {
  it('doubles up to its greatest delay', () => {
    const backoff = new Backoff({ firstMs: 500, maxMs: 4_000, random: () => 0.5 });
    expect([1, 2, 3, 4, 5].map(() => backoff.next())).toEqual([500, 1000, 2000, 4000, 4000]);
  });

  it('grows whatever the jitter is', () => {
    const jitter = [0.999, 0, 0.999, 0, 0.999, 0];
    const backoff = new Backoff({ firstMs: 500, maxMs: 1e9, random: () => jitter.shift() ?? 0 });
    const delays = [1, 2, 3, 4, 5, 6].map(() => backoff.next());
    expect(delays).toEqual([...delays].sort((a, b) => a - b));
    expect(new Set(delays).size).toBe(delays.length);
  });

  it('starts over after a reset', () => {
    const backoff = new Backoff({ firstMs: 500, maxMs: 4_000, random: () => 0.5 });
    backoff.next();
    backoff.next();
    backoff.reset();
    expect(backoff.next()).toBe(500);
  });
});
