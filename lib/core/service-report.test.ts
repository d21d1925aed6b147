import { describe, expect, it } from 'vitest';
import { historySteps } from './service-report';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = 1_800_000_000_000;
const stepsAt = (ageMs: number) => historySteps(START, START + ageMs);

describe('steps of the history of calls', () => {
  it.each([
    [3 * MINUTE, 1],
    [2 * HOUR, 1],
    [4 * HOUR, 2],
    [11 * HOUR, 5],
    [23 * HOUR, 10],
    [100 * HOUR, 10],
  ])('of a server of %i ms are of %i minutes, and 144 at most', (ageMs, minutes) => {
    const { stepMs, count } = stepsAt(ageMs);
    expect(stepMs).toBe(minutes * MINUTE);
    expect(count).toBeLessThanOrEqual(144);
  });

  it('begin at the start of the server, at most a day ago, and end with the current step', () => {
    for (const ageMs of [10 * MINUTE, HOUR, 7 * HOUR, 23 * HOUR, 50 * HOUR]) {
      const { fromMs, endMs, stepMs, count } = stepsAt(ageMs);
      const now = START + ageMs;
      expect(endMs).toBeGreaterThan(now);
      expect(endMs - now).toBeLessThanOrEqual(stepMs);
      expect(endMs - fromMs).toBe(count * stepMs);
      const beginMs = Math.max(START, now - 24 * HOUR);
      expect(Math.abs(fromMs - beginMs)).toBeLessThanOrEqual(stepMs);
    }
  });

  it('have room for ten in the first minutes', () => {
    expect(stepsAt(0).count).toBe(11);
  });
});
