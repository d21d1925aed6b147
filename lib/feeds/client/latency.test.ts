import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeedTick } from '@/lib/feeds/feed-tick';
import type { FeedPoint } from './history';
import {
  clockSentences,
  LatencyLog,
  LatencyReader,
  latencyPartText,
  latencySummaryText,
  latencyText,
  median,
  RunningMinimum,
  SHOWN_UPDATES,
  summarizeLatency,
  type UpdateLatency,
} from './latency';

it('gives the smallest value of the window, whatever came', () => {
  const steps = fc.array(fc.record({ afterMs: fc.nat(400), value: fc.integer({ min: -50, max: 50 }) }), {
    minLength: 1,
    maxLength: 200,
  });
  fc.assert(
    fc.property(steps, (all) => {
      const minimum = new RunningMinimum(1_000);
      const seen: { atMs: number; value: number }[] = [];
      let nowMs = 0;
      for (const { afterMs, value } of all) {
        nowMs += afterMs;
        minimum.add(nowMs, value);
        seen.push({ atMs: nowMs, value });
        const inside = seen.filter(({ atMs }) => atMs >= nowMs - 1_000);
        expect(minimum.value()).toBe(Math.min(...inside.map((one) => one.value)));
      }
    }),
  );
});

it('knows nothing before the first value, and stays bounded', () => {
  const minimum = new RunningMinimum(1e12);
  expect(minimum.value()).toBeUndefined();
  for (let at = 0; at < 10_000; at += 1) minimum.add(at, at);
  expect(minimum.value()).toBe(10_000 - 4_096);
});

const zero = { mantissa: 0n, expo: 0 };

function tick(times: Partial<FeedTick> & Pick<FeedTick, 'publishS' | 'serverMs'>): FeedTick {
  return { price: zero, conf: zero, ...times };
}

function namesAndTimes(latency: UpdateLatency | undefined) {
  return latency?.parts.map(({ name, ms }) => `${name} ${ms}`);
}

describe('the way of an update', () => {
  it('goes from publishing over the proof and our server to this browser', () => {
    const latency = new LatencyReader().read(
      tick({ publishS: 100, proofS: 101, serverMs: 101_250, browserMs: 101_290 }),
    );
    expect(namesAndTimes(latency)).toEqual(['proof 1000', 'upstream 250', 'browser 40']);
    expect(latency?.totalMs).toBe(1_290);
  });

  it('has one part up to our server where no proof time is sent', () => {
    const latency = new LatencyReader().read(tick({ publishS: 100, serverMs: 100_900, browserMs: 100_950 }));
    expect(namesAndTimes(latency)).toEqual(['to-server 900', 'browser 50']);
  });

  it('says nothing of what was fetched or filled in', () => {
    const reader = new LatencyReader();
    expect(reader.read(tick({ publishS: 100, serverMs: 100_900 }))).toBeUndefined();
    const filled = tick({ publishS: 100, serverMs: 100_900, browserMs: 1, filled: true });
    expect(reader.read(filled)).toBeUndefined();
    expect(reader.offsets()).toEqual({ serverMs: 0, browserMs: 0 });
  });

  it('takes off what the clock of this browser is behind or ahead', () => {
    for (const skewMs of [-90_000, 90_000]) {
      const reader = new LatencyReader();
      reader.read(tick({ publishS: 100, serverMs: 100_500, browserMs: 100_520 + skewMs }));
      const slow = reader.read(tick({ publishS: 101, serverMs: 101_500, browserMs: 101_620 + skewMs }));
      expect(reader.offsets().browserMs).toBe(20 + skewMs);
      expect(namesAndTimes(slow)).toEqual(['to-server 500', 'browser 100']);
    }
  });

  it('takes off what the clock of our server is behind the publisher', () => {
    const reader = new LatencyReader();
    reader.read(tick({ publishS: 100, proofS: 100, serverMs: 98_000, browserMs: 98_010 }));
    const latency = reader.read(tick({ publishS: 101, proofS: 101, serverMs: 99_400, browserMs: 99_410 }));
    expect(reader.offsets().serverMs).toBe(-2_000);
    expect(namesAndTimes(latency)).toEqual(['proof 0', 'upstream 400', 'browser 10']);
  });

  it('leaves a slow service slow while the clocks can agree', () => {
    const reader = new LatencyReader();
    const latency = reader.read(tick({ publishS: 100, serverMs: 108_000, browserMs: 108_010 }));
    expect(reader.offsets()).toEqual({ serverMs: 0, browserMs: 0 });
    expect(latency?.totalMs).toBe(8_010);
  });

  it('forgets a difference after ten minutes', () => {
    const reader = new LatencyReader();
    reader.read(tick({ publishS: 100, serverMs: 100_100, browserMs: 40_000 }));
    expect(reader.offsets().browserMs).toBeLessThan(0);
    reader.read(tick({ publishS: 1_000, serverMs: 1_000_100, browserMs: 1_000_120 }));
    expect(reader.offsets().browserMs).toBe(0);
  });

  it('is never negative, and its parts add up', () => {
    const anyTime = fc.integer({ min: -100_000, max: 10_000_000 });
    const anyTick = fc.record({
      publishS: fc.nat(10_000),
      proofS: fc.option(fc.nat(10_000), { nil: undefined }),
      serverMs: anyTime,
      browserMs: anyTime,
    });
    fc.assert(
      fc.property(fc.array(anyTick, { maxLength: 40 }), (ticks) => {
        const reader = new LatencyReader();
        for (const times of ticks) {
          const latency = reader.read(tick(times));
          expect(latency?.parts.every(({ ms }) => ms >= 0)).toBe(true);
          expect(latency?.totalMs).toBe(latency?.parts.reduce((sum, { ms }) => sum + ms, 0));
        }
      }),
    );
  });
});

describe('the middle of many', () => {
  it('is told for each part', () => {
    const reader = new LatencyReader();
    const updates = [10, 30, 20].flatMap((ms, at) => {
      const publishS = 100 + at;
      const serverMs = publishS * 1000 + 500;
      return reader.read(tick({ publishS, proofS: publishS, serverMs, browserMs: serverMs + ms })) ?? [];
    });
    expect(summarizeLatency(updates)).toEqual({
      count: 3,
      medians: [
        { name: 'proof', ms: 0 },
        { name: 'upstream', ms: 500 },
        { name: 'browser', ms: 20 },
      ],
      medianTotalMs: 520,
      slowestMs: 530,
    });
    expect(summarizeLatency([])).toBeUndefined();
  });

  it('is a value that was there', () => {
    expect(median([])).toBeUndefined();
    expect(median([4, 1, 3, 2])).toBe(2);
  });
});

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
