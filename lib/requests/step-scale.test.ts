import { describe, expect, it } from 'vitest';
import { stepScale } from './step-scale';

const shares = (moments: number[], of = moments) => {
  const { shareOf } = stepScale(moments);
  return of.map((ms) => Number(shareOf(ms).toFixed(3)));
};

describe('the scale of the steps of a request', () => {
  it('is in proportion while no span dwarfs the others', () => {
    expect(shares([0, 1000, 2000, 4000])).toEqual([0, 0.25, 0.5, 1]);
    expect(stepScale([0, 1000, 5000]).broken).toBeUndefined();
  });

  it('is broken in a span more than four times as long as all others', () => {
    // 1 s, 1 s, then 193 s until the keeper logged the answer of somebody else.
    expect(shares([0, 1000, 2000, 195_000])).toEqual([0, 0.2, 0.4, 1]);
    expect(stepScale([0, 1000, 2000, 195_000]).broken).toEqual({ from: 0.4, to: 1 });
    // Inside of it, too, later is further right.
    expect(shares([0, 100_000, 101_000, 102_000], [50_000, 101_000])).toEqual([0.3, 0.8]);
  });

  it('bounds other moments, and has one place for a single moment', () => {
    expect(shares([0, 1000], [-5, 2000])).toEqual([0, 1]);
    expect(shares([7, 7], [7, 9])).toEqual([0, 0]);
  });
});
