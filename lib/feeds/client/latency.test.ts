import { describe, expect, it } from 'vitest';
import { scriptedUpdate } from './browser-fixtures';
import { pointOf } from './history';
import { clockSentences, latencyOf, latencyText, percentile } from './latency';

const S = 1_000_000;
const FLOORS = { lateS: 5, staleS: 60 };
/** Published at a second, proved a second later, received and heard so many ms after the publication. */
const heard = (second: number, receivedMs: number, heardMs: number) => {
  const publishedMs = (S + second) * 1000;
  const update = scriptedUpdate('a', '1', S + second, { pa: S + second + 1, r: publishedMs + receivedMs });
  return pointOf(update, { nowMs: publishedMs + heardMs, skewMs: 0 });
};

describe('update latency', () => {
  it('is split into stages for pushed updates', () => {
    const seeded = pointOf(scriptedUpdate('a', '1', S, { f: 1 }));
    const { updates, offsets } = latencyOf([seeded, heard(1, 1_400, 1_440), heard(2, 1_200, 1_260)], FLOORS);
    expect(updates).toMatchObject([
      { proof: 1_000, upstream: 400, browser: 40, total: 1_440 },
      { proof: 1_000, upstream: 200, browser: 60, total: 1_260 },
    ]);
    expect(clockSentences(offsets)).toEqual([]);
  });

  it('is never negative: clocks that differ are corrected, and that is shown', () => {
    const { updates, offsets } = latencyOf(
      [heard(1, 1_400, 1_400 + 60_100), heard(2, -4_000, -4_000 + 60_000)],
      FLOORS,
    );
    expect(updates.map(({ upstream, browser }) => [upstream, browser])).toEqual([
      [5_400, 100],
      [0, 0],
    ]);
    expect(clockSentences(offsets)).toEqual([
      expect.stringMatching(/^This computer’s clock is about 1 min ahead of our server’s/),
      expect.stringMatching(/^Our server’s clock is about 5 s behind the publisher’s/),
    ]);
  });

  it('has no stage that the service does not tell, and is part of the way to our server then', () => {
    const untold = pointOf(scriptedUpdate('a', '1', S, { r: S * 1000 + 300 }), {
      nowMs: S * 1000 + 350,
      skewMs: 0,
    });
    expect(latencyOf([untold], FLOORS).updates).toMatchObject([
      { proof: null, upstream: 300, browser: 50, total: 350 },
    ]);
  });

  it('says where nothing was pushed for nine minutes, and nothing of pauses that are usual', () => {
    const { updates } = latencyOf(
      [heard(1, 1_200, 1_250), heard(2, 1_200, 1_250), heard(542, 1_200, 1_250)],
      FLOORS,
    );
    expect(updates.map(({ gapS }) => gapS)).toEqual([undefined, undefined, 540]);
  });

  it('has percentiles that were measured', () => {
    expect([percentile([3, 1, 2], 0.5), percentile([3, 1, 2], 0.95), percentile([], 0.5)]).toEqual([2, 3, 0]);
    expect([40, 1_340, 123_000].map(latencyText)).toEqual(['40 ms', '1.3 s', '2 min 03 s']);
  });
});
