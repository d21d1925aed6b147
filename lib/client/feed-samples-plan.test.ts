import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampledMoments, sampleStepS } from './feed-samples-plan';

const NOW_MS = Date.UTC(2026, 10, 20, 12, 0, 7);
const MINUTE = 60_000;
const last = (spanMs: number, columns = 1000) => ({
  fromMs: NOW_MS - spanMs,
  toMs: NOW_MS,
  columns,
  nowMs: NOW_MS,
});
const SPANS = [1, 5, 15, 60, 360, 1_440, 10_080].map((minutes) => minutes * MINUTE);

describe('the moments of a window', () => {
  it('are about as many as its pixels can tell apart', () => {
    expect(SPANS.map((span) => sampleStepS(last(span)))).toEqual([1, 5, 10, 30, 300, 1_800, 7_200]);
    for (const span of SPANS) {
      const count = sampledMoments(last(span)).length;
      expect(count).toBeGreaterThanOrEqual(40);
      expect(count).toBeLessThanOrEqual(130);
    }
    expect(sampledMoments(last(60 * MINUTE, 350)).length).toBeLessThan(70);
  });

  it('are coarse first: half a dozen of them span the whole window', () => {
    const first = sampledMoments(last(60 * MINUTE)).slice(0, 8);
    expect(Math.max(...first) - Math.min(...first)).toBeGreaterThan(45 * 60);
  });

  it('are the same ones for a window that was moved a little, as far as both reach', () => {
    const moved = { ...last(60 * MINUTE), fromMs: NOW_MS - 63 * MINUTE, toMs: NOW_MS - 3 * MINUTE };
    const here = new Set(sampledMoments(last(60 * MINUTE)));
    const common = sampledMoments(moved).filter((at) => at * 1000 >= NOW_MS - 60 * MINUTE);
    expect(common.every((at) => here.has(at))).toBe(true);
  });

  it('lie on round seconds from the left edge to now, each once, never in the future', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10_000, max: 604_800_000 }),
        fc.integer({ min: -604_800_000, max: 604_800_000 }),
        fc.integer({ min: 1, max: 3_000 }),
        (spanMs, shiftMs, columns) => {
          const window = {
            fromMs: NOW_MS + shiftMs - spanMs,
            toMs: NOW_MS + shiftMs,
            columns,
            nowMs: NOW_MS,
          };
          const stepS = sampleStepS(window);
          const moments = sampledMoments(window);
          expect(new Set(moments).size).toBe(moments.length);
          for (const at of moments.filter((one) => one * 1000 > window.fromMs)) {
            expect(at % stepS).toBe(0);
            expect(at * 1000).toBeLessThanOrEqual(Math.min(NOW_MS, window.toMs));
          }
          if (moments.length > 0) expect((moments[0] ?? 0) * 1000).toBeLessThanOrEqual(window.fromMs);
        },
      ),
    );
  });
});
