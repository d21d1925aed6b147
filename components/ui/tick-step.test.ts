import { describe, expect, it } from 'vitest';
import { stepIndex } from './tick-step';

describe('stepping through a list', () => {
  it('goes one on or back and stays at the ends', () => {
    expect([0, 1, 2].map((from) => stepIndex(3, from, 'next'))).toEqual([1, 2, 2]);
    expect([0, 1, 2].map((from) => stepIndex(3, from, 'previous'))).toEqual([0, 0, 1]);
  });

  it('goes to either end from anywhere', () => {
    expect(stepIndex(3, 1, 'first')).toBe(0);
    expect(stepIndex(3, 1, 'last')).toBe(2);
  });

  it('enters at the first from outside', () => {
    expect(stepIndex(3, -1, 'next')).toBe(0);
  });
});
