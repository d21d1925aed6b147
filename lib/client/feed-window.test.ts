import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONGEST_SPAN_MS, SHORTEST_SPAN_MS } from '@/lib/contract/codec/feed-page-url';
import { panned, windowAfterKey, windowEdges, zoomed } from './feed-window';

const NOW = Date.UTC(2026, 10, 20, 12);
const MINUTE = 60_000;
const live = { spanMs: 5 * MINUTE };
const past = { spanMs: 5 * MINUTE, toMs: NOW - 60 * MINUTE };

describe('a window that is moved', () => {
  it('leaves the present, and is live again as soon as it is back there', () => {
    const before = panned(live, -MINUTE, NOW);
    expect(before).toEqual({ spanMs: 5 * MINUTE, toMs: NOW - MINUTE });
    expect(panned(before, MINUTE, NOW)).toEqual(live);
    expect(panned(before, 99 * MINUTE, NOW)).toEqual(live);
  });
});

describe('a window that is zoomed', () => {
  it('keeps the moment under the pointer where it is', () => {
    const { fromMs } = windowEdges(past, NOW);
    const anchorMs = fromMs + past.spanMs / 4;
    const closer = zoomed(past, 0.5, anchorMs, NOW);
    const edges = windowEdges(closer, NOW);
    expect((anchorMs - edges.fromMs) / closer.spanMs).toBeCloseTo(0.25);
  });

  it('stays live, and within the shortest and the longest span, whatever is done', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0.01, max: 100, noNaN: true }), { maxLength: 20 }), (factors) => {
        let window: ReturnType<typeof zoomed> = live;
        for (const factor of factors) window = zoomed(window, factor, NOW - 1_000, NOW);
        expect(window.toMs).toBeUndefined();
        expect(window.spanMs).toBeGreaterThanOrEqual(SHORTEST_SPAN_MS);
        expect(window.spanMs).toBeLessThanOrEqual(LONGEST_SPAN_MS);
        expect(window.spanMs % 1000).toBe(0);
      }),
    );
  });

  it('never reaches into the future', () => {
    expect(zoomed({ spanMs: MINUTE, toMs: NOW - 1_000 }, 10, NOW - MINUTE, NOW)).toEqual({
      spanMs: 10 * MINUTE,
    });
  });
});

describe('keys', () => {
  it('move, stretch and bring back', () => {
    expect(windowAfterKey(past, 'ArrowLeft', NOW)?.toMs).toBe(past.toMs - MINUTE / 2);
    expect(windowAfterKey(past, 'ArrowRight', NOW)?.toMs).toBe(past.toMs + MINUTE / 2);
    expect(windowAfterKey(past, '+', NOW)?.spanMs).toBe(200_000);
    expect(windowAfterKey(past, '-', NOW)?.spanMs).toBe(450_000);
    expect(windowAfterKey(past, 'End', NOW)).toEqual(live);
    expect(windowAfterKey(past, 'a', NOW)).toBeUndefined();
  });
});
