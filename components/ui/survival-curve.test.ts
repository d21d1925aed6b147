import { describe, expect, it } from 'vitest';
import { curvePath } from './survival-curve';

const SIZE = { width: 200, height: 40 };
const CURVE = [
  { ms: 0, share: 1 },
  { ms: 2_000, share: 0.5 },
  { ms: 34_000, share: 0 },
];

describe('the survival curve as a drawing', () => {
  it('falls in steps from the top to the bottom', () => {
    const { line } = curvePath(CURVE, 1_000, SIZE);
    const heights = [...line.matchAll(/V([\d.]+)/g)].map(([, y]) => Number(y));
    expect(heights).toEqual([1, 20, 39]);
    expect(line.endsWith(`H${SIZE.width}`)).toBe(true);
  });

  it('holds an age that is far beyond all of them', () => {
    const { age, line } = curvePath(CURVE, 86_400_000, SIZE);
    expect(age).toBeGreaterThan(150);
    expect(age).toBeLessThanOrEqual(SIZE.width);
    expect(line).not.toContain('NaN');
  });

  it('is drawn for requests that took no time at all', () => {
    expect(curvePath([{ ms: 0, share: 0 }], 0, SIZE)).toEqual({ line: 'M0 1H0V39H200', age: 0 });
  });
});
