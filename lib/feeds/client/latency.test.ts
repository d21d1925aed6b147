import { describe, expect, it } from 'vitest';
import { scriptedUpdate } from './browser-fixtures';
import { type FeedPoint, pointOf } from './history';
import {
  ageAtServerMs,
  clockSentences,
  latencyParts,
  latencySamples,
  type UpdateLatency,
  updateLatency,
} from './latency';

const S = 1_000_000;
/** Published at a second and proved a second later. Both receipts are in ms after the publication. */
const arrivedPoint = (second: number, receivedMs: number, arrivedMs: number) => {
  const publishedMs = (S + second) * 1000;
  const update = scriptedUpdate('a', '1', S + second, {
    prevPublishTimeS: S + second - 1,
    proofAtS: S + second + 1,
    receivedMs: publishedMs + receivedMs,
  });
  return pointOf(update, { nowMs: publishedMs + arrivedMs, skewMs: 0 });
};

const ways = (points: readonly FeedPoint[]) => [...updateLatency(points, 0).latencies.values()];

describe('update latency', () => {
  it('is split into stages, and known for every update that our server received live, but for no backfilled one', () => {
    const backfilled = pointOf(scriptedUpdate('a', '1', S, { isBackfilled: true }));
    const before = { ...arrivedPoint(0, 1_300, 0), arrivedMs: undefined };
    const some = [backfilled, before, arrivedPoint(1, 1_400, 1_440), arrivedPoint(2, 1_200, 1_260)];
    expect(ways(some)).toEqual([
      { proof: 1_000, upstream: 300, browser: null, isFirstOfSecond: true },
      { proof: 1_000, upstream: 400, browser: 40, isFirstOfSecond: true },
      { proof: 1_000, upstream: 200, browser: 60, isFirstOfSecond: true },
    ]);
    expect(ways(some).map(ageAtServerMs)).toEqual([1_300, 1_400, 1_200]);
    expect(ways(some).map(latencyParts)).toEqual([
      'proof 1.0 s, to our server 300 ms',
      'proof 1.0 s, to our server 400 ms, to this browser 40 ms',
      'proof 1.0 s, to our server 200 ms, to this browser 60 ms',
    ]);
    expect(clockSentences(updateLatency(some, 0).offsets)).toEqual([]);
  });

  it('is never negative: differing clocks are corrected, and the correction is shown', () => {
    // This browser is 55 s ahead of the publisher's clock, and our server 5 s behind.
    const points = [arrivedPoint(1, 1_400, 1_400 + 60_100), arrivedPoint(2, -4_000, -4_000 + 60_000)];
    const { latencies, offsets } = updateLatency(points, 55_000);
    expect([...latencies.values()].map(({ upstream, browser }) => [upstream, browser])).toEqual([
      [5_400, 100],
      [0, 0],
    ]);
    expect(clockSentences(offsets)).toEqual([
      expect.stringMatching(/^This computer’s clock is about 1 min ahead of our server’s/),
      expect.stringMatching(/^Our server’s clock is about 5 s behind the publisher’s/),
    ]);
  });

  it('is shown unchanged if no clock is proven to differ: the service or the network is slow', () => {
    const late = [arrivedPoint(1, 61_000, 67_500), arrivedPoint(2, 60_500, 66_500)];
    const { latencies, offsets } = updateLatency(late, 0);
    expect(clockSentences(offsets)).toEqual([]);
    expect([...latencies.values()].map(({ upstream, browser }) => [upstream, browser])).toEqual([
      [60_000, 6_500],
      [59_500, 6_000],
    ]);
  });

  it('is unknown for a price published long before the stream began, which proves nothing about clocks either', () => {
    const dayMs = 86_400_000;
    const old = { ...arrivedPoint(0, dayMs, 0), arrivedMs: undefined };
    expect(ways([old])).toEqual([]);
    expect(clockSentences(updateLatency([old], 0).offsets)).toEqual([]);
    expect(ways([old, arrivedPoint(86_400, 1_400, 1_440)])).toEqual([
      { proof: 1_000, upstream: 400, browser: 40, isFirstOfSecond: true },
    ]);
  });

  it('lacks a stage that the service does not report, and counts that time as transport to our server', () => {
    const withoutProof = pointOf(
      scriptedUpdate('a', '1', S, { prevPublishTimeS: S - 1, receivedMs: S * 1000 + 300 }),
      {
        nowMs: S * 1000 + 350,
        skewMs: 0,
      },
    );
    expect(ways([withoutProof])).toEqual([
      { proof: null, upstream: 300, browser: 50, isFirstOfSecond: true },
    ]);
  });

  it('is sampled by the first update of each second, because later ones only seem slower', () => {
    const within = (second: number, delayMs: number, more: object = {}) => {
      const receivedMs = (S + second) * 1000 + delayMs;
      return pointOf(scriptedUpdate('a', '1', S + second, { receivedMs, ...more }));
    };
    const byService = [26, 428, 829].map((ms, index) =>
      within(1, ms, { prevPublishTimeS: index === 0 ? S : S + 1 }),
    );
    expect(ways(byService).map(ageAtServerMs)).toEqual([26, 428, 829]);
    expect(latencySamples(ways(byService)).map(ageAtServerMs)).toEqual([26]);
    expect(latencyParts(ways(byService)[1] as UpdateLatency)).toBe(
      'a later update of its published second, so its latency is lower',
    );
    // Otherwise the previous update decides. Before the first there may have been another.
    const byOrder = [within(1, 428), within(1, 829), within(2, 30), within(2, 430)];
    expect(latencySamples(ways(byOrder)).map(ageAtServerMs)).toEqual([30]);
  });
});
