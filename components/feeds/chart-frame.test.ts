import { describe, expect, it } from 'vitest';
import type { FeedPoint } from '@/lib/client/feed-history';
import { chartFrameOf, priceAxisOf, priceTickText, timeTickText } from './chart-frame';

const START = Date.UTC(2026, 10, 20, 12, 0, 0);

function point(atS: number, price: number, conf = 0): FeedPoint {
  return { atMs: START + atS * 1_000, price, conf, exact: { p: String(price), e: 0 } };
}

const look = (toS: number) => ({ toMs: START + toS * 1_000, columns: 300, usualPauseMs: undefined });
const spanS = (toS: number) => {
  const frame = chartFrameOf([point(0, 1), point(1, 2)], look(toS));
  return (frame.toMs - frame.fromMs) / 1_000;
};
const axisOf = (low: number, high: number) => priceAxisOf([{ atMs: 0, price: low, band: [low, high] }]);

describe('the time axis', () => {
  it('grows in steps with what has been seen, up to five minutes', () => {
    expect([10, 60, 61, 150, 200, 900].map(spanS)).toEqual([60, 60, 120, 180, 300, 300]);
  });

  it('has marks on round times, none cut off at the left edge', () => {
    const frame = chartFrameOf([point(0, 1)], look(45));
    expect(frame.timeTicks.map((at) => timeTickText(at, frame.tickMs))).toEqual([
      '12:00:00',
      '12:00:20',
      '12:00:40',
    ]);
    expect(timeTickText(START, 60_000)).toBe('12:00');
  });
});

describe('the price axis', () => {
  it('holds every band, and has at least two ticks with as many decimals as tell them apart', () => {
    for (const [low, high] of [
      [86_000.1, 86_131],
      [1.1624, 1.1634],
      [-36.49, -36.46],
      [1.2e-16, 1.3e-16],
      [-0.02, 0.02],
      [12_455_000_000, 12_466_000_000],
    ] as const) {
      const axis = axisOf(low, high);
      const texts = axis.priceTicks.map((tick) => tick.toFixed(axis.priceDecimals));
      expect(axis.low).toBeLessThanOrEqual(low);
      expect(axis.high).toBeGreaterThanOrEqual(high);
      expect(texts.length).toBeGreaterThanOrEqual(2);
      expect(new Set(texts).size).toBe(texts.length);
    }
  });

  it('has room around a price that does not move, also around zero', () => {
    for (const price of [0, 5, -5, 1e-18]) {
      const axis = axisOf(price, price);
      expect(axis.high).toBeGreaterThan(axis.low);
    }
  });

  it('is empty without prices', () => {
    expect(priceAxisOf([]).priceTicks).toEqual([]);
  });

  it('writes labels that would be too long with an exponent', () => {
    expect(priceTickText(0.05, 2)).toBe('0.05');
    expect(priceTickText(1.25e-16, 18)).toBe('1.250000e-16');
  });
});

describe('the EMA', () => {
  const emaAt = (ema: number | undefined) => {
    const point = { atMs: 0, price: 100, conf: 1, exact: { p: '100', e: 0 } };
    const history = [{ ...point, ema }];
    return chartFrameOf(history, { toMs: 1_000, columns: 100, usualPauseMs: undefined }).emaPlace;
  };

  it('is inside of the scale, or said to be above or below it', () => {
    expect([emaAt(100), emaAt(500), emaAt(-500), emaAt(undefined)]).toEqual([
      'inside',
      'above',
      'below',
      undefined,
    ]);
  });
});

describe('gaps', () => {
  const prices = (usualPauseMs: number | undefined) =>
    chartFrameOf([point(0, 1), point(1, 2), point(40, 3)], { ...look(50), usualPauseMs }).points.map(
      ({ price }) => price,
    );

  it('break the line, so that nothing is drawn that was not seen', () => {
    expect(prices(undefined)).toEqual([1, 2, null, 3]);
  });

  it('do not break the line of a feed that is as slow as that', () => {
    expect(prices(20_000)).toEqual([1, 2, 3]);
  });
});
