import { describe, expect, it } from 'vitest';
import type { FeedPoint } from './history';
import {
  clockSentences,
  LatencyLog,
  latencyPartText,
  latencySummaryText,
  latencyText,
  SHOWN_UPDATES,
} from './latency';

function point(t: number, delayMs: number, heard: 'live' | 'fetched' = 'live'): FeedPoint {
  const r = t * 1000 + 400;
  const update = { id: 'x', p: '1', c: '0', e: 0, t, pa: t, r };
  const base = { atMs: r, price: 1, update };
  return heard === 'live' ? { ...base, heardMs: r + delayMs } : base;
}

describe('the way of the last updates', () => {
  it('is read once each', () => {
    const log = new LatencyLog();
    const points = [point(100, 20), point(101, 30)];
    expect(log.read(points)?.summary.count).toBe(2);
    expect(log.read(points)?.summary.count).toBe(2);
    expect(log.read([...points, point(102, 40)])?.summary.count).toBe(3);
  });

  it('knows nothing of what was fetched', () => {
    const log = new LatencyLog();
    expect(log.read([point(100, 20, 'fetched')])).toBeUndefined();
    expect(log.read([point(100, 20, 'fetched'), point(101, 20)])?.summary.count).toBe(1);
  });

  it('is kept for the last updates only', () => {
    const many = Array.from({ length: 200 }, (_, at) => point(100 + at, 20));
    const picture = new LatencyLog().read(many);
    expect(picture?.updates).toHaveLength(SHOWN_UPDATES);
    expect(picture?.updates.at(-1)?.atMs).toBe(299_420);
  });

  it('is told in one sentence', () => {
    const picture = new LatencyLog().read([point(100, 20)]);
    expect(picture && latencySummaryText('BTC/USD', picture)).toBe(
      'Latency of BTC/USD over the last update, p50: Published → proof 0 ms ±1 s, Proof → our server 400 ms ±1 s, Our server → this browser 20 ms; total 420 ms, max 420 ms',
    );
  });
});

describe('latency in words', () => {
  it('says how exact it is', () => {
    expect(latencyPartText('proof', 1_000)).toBe('1.0 s ±1 s');
    expect(latencyPartText('browser', 40.4)).toBe('40 ms');
    expect(latencyText(123_000)).toBe('2 min 03 s');
  });

  it('says what was taken off for clocks that disagree', () => {
    expect(clockSentences({ serverMs: 0, browserMs: 0 })).toEqual([]);
    const [browser, server] = clockSentences({ serverMs: -2_000, browserMs: 90_000 });
    expect(browser).toContain('1 min 30 s ahead of our server’s');
    expect(server).toContain('2 s behind the publisher’s');
  });
});
