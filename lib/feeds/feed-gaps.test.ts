import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FeedGap, feedGaps, gapCounts, gapText, type TickTimes } from './feed-gaps';

const rules = { silentAfterS: 5 };

const tick = (t: number, pp?: number): TickTimes => ({ t, pp });

/** What a feed published in these seconds, each with what the service says of the one before. */
function published(seconds: readonly number[]): TickTimes[] {
  return seconds.map((t, at) => tick(t, seconds[at - 1] ?? t - 1));
}

/** A feed that pauses for 0 (the same second) up to 20 seconds, and which of its updates came through. */
const anyRun = fc
  .array(fc.record({ pauseS: fc.constantFrom(0, 0, 1, 1, 2, 4, 9, 20), came: fc.boolean() }), {
    minLength: 2,
    maxLength: 80,
  })
  .map((steps) => {
    let nowS = 1_000;
    const seconds = steps.map(({ pauseS }) => {
      nowS += pauseS;
      return nowS;
    });
    const all = published(seconds);
    return { all, received: all.filter((_, at) => steps[at]?.came) };
  });

const missed = (fromS: number, untilS: number): FeedGap => ({ kind: 'missed', fromS, untilS });
const silent = (fromS: number, untilS: number): FeedGap => ({ kind: 'silent', fromS, untilS });
const unknown = (fromS: number, untilS: number): FeedGap => ({ kind: 'unknown', fromS, untilS });

describe('attribution of gaps', () => {
  it.each([
    ['we have not the last one before', [tick(100, 99), tick(110, 109)], [missed(100, 109)]],
    ['we have the last one before', [tick(100, 99), tick(110, 100)], [silent(100, 110)]],
    ['both is so', [tick(100, 99), tick(130, 104)], [missed(100, 104), silent(104, 130)]],
    ['an earlier one of the same second is not there', [tick(100, 99), tick(110, 110)], [missed(100, 110)]],
    ['that is so within a second', [tick(100, 99), tick(101, 101)], []],
    ['nothing is told', [tick(100), tick(110)], [unknown(100, 110)]],
    ['nothing is told, and the pause is usual', [tick(100), tick(104)], []],
    ['the one before is in the future', [tick(100), tick(110, 400)], [unknown(100, 110)]],
    ['an update is older than the one before it', [tick(100, 99), tick(90, 89), tick(101, 100)], []],
    ['there is no update', [], []],
  ])('where %s', (_, ticks, gaps) => {
    expect(feedGaps(ticks, rules)).toEqual(gaps);
  });

  it('calls the live edge silent while we are connected, and unknown while we are not', () => {
    const ticks = [tick(100, 99)];
    const edge = { nowS: 120, link: 'up' } as const;
    expect(feedGaps(ticks, { ...rules, edge })).toEqual([
      { kind: 'silent', fromS: 100, untilS: 120, isOpen: true },
    ]);
    expect(feedGaps(ticks, { ...rules, edge: { ...edge, link: 'down' } })[0]?.kind).toBe('unknown');
    expect(feedGaps(ticks, { ...rules, edge: { ...edge, nowS: 105 } })).toEqual([]);
  });
});

describe('gaps of any feed', () => {
  it('covers every second of which all updates were missed', () => {
    fc.assert(
      fc.property(anyRun, ({ all, received }) => {
        const gaps = feedGaps(received, rules).filter(({ kind }) => kind === 'missed');
        const have = new Set(received.map(({ t }) => t));
        const [first, last] = [received[0]?.t ?? 0, received.at(-1)?.t ?? 0];
        for (const { t: publishS } of all) {
          if (have.has(publishS) || publishS < first || publishS > last) continue;
          expect(gaps.some(({ fromS, untilS }) => fromS < publishS && publishS <= untilS)).toBe(true);
        }
      }),
    );
  });

  it('accuses us only where an update is missing, and the feed only where it published nothing', () => {
    fc.assert(
      fc.property(anyRun, ({ all, received }) => {
        for (const { kind, fromS, untilS } of feedGaps(received, rules)) {
          const lost = all.filter((one) => !received.includes(one));
          if (kind === 'missed') {
            expect(lost.some(({ t }) => t > fromS && t <= untilS)).toBe(true);
          } else {
            expect(kind).toBe('silent');
            expect(untilS - fromS).toBeGreaterThan(rules.silentAfterS);
            expect(all.some(({ t }) => t > fromS && t < untilS)).toBe(false);
          }
        }
      }),
    );
  });

  it('finds no miss where everything came', () => {
    fc.assert(
      fc.property(anyRun, ({ all }) => {
        expect(feedGaps(all, rules).filter(({ kind }) => kind !== 'silent')).toEqual([]);
      }),
    );
  });

  it('names gaps in order of time, none over another', () => {
    fc.assert(
      fc.property(anyRun, ({ received }) => {
        const gaps = feedGaps(received, rules);
        for (const [at, gap] of gaps.entries()) {
          expect(gap.untilS).toBeGreaterThan(gap.fromS);
          expect(gap.fromS).toBeGreaterThanOrEqual(gaps[at - 1]?.untilS ?? 0);
        }
      }),
    );
  });
});

it('gaps are told by their kind and length, and counted', () => {
  const gaps = [missed(100, 109), missed(120, 122), silent(200, 230)];
  expect(gaps.map(gapText)).toEqual([
    'Missed updates for 9 s',
    'Missed updates for 2 s',
    'Feed silent for 30 s',
  ]);
  expect(gapText({ ...unknown(0, 9), isOpen: true })).toBe('Unknown gap for 9 s so far');
  expect(gapCounts(gaps)).toBe('Missed updates: 2 (11 s) · Feed silent: 1 (30 s)');
  expect(gapCounts([])).toBe('');
});
