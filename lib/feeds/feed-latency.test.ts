import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LatencyReader, median, summarizeLatency, type UpdateLatency } from './feed-latency';
import type { FeedTick } from './feed-tick';

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
    const filled = tick({ publishS: 100, serverMs: 100_900, browserMs: 1, filled: 'yes' });
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
