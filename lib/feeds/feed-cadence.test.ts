import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type FeedGap,
  feedCurrency,
  feedGaps,
  type GapRules,
  gapCounts,
  gapText,
  isTrading,
  silentAfterS,
  type TickTimes,
  typicalPauseS,
} from './feed-cadence';

const floors = { lateS: 5, staleS: 60 };

function every(pauseS: number, count: number): TickTimes[] {
  return Array.from({ length: count }, (_, index) => ({
    publishTimeS: 1_000 + index * pauseS,
    prevPublishTimeS: 1_000 + (index - 1) * pauseS,
  }));
}

describe('the cadence of a feed', () => {
  it('is its typical interval, whatever updates we missed', () => {
    expect(typicalPauseS(every(2, 40).filter((_, index) => index % 5 === 0))).toBe(2);
  });

  it('is not moved by a night among the pauses', () => {
    expect(typicalPauseS([...every(1, 30), { publishTimeS: 90_000, prevPublishTimeS: 1_029 }])).toBe(1);
  });

  it('is computed from the updates when the service omits the previous publish time', () => {
    expect(typicalPauseS([{ publishTimeS: 10 }, { publishTimeS: 40 }, { publishTimeS: 70 }])).toBe(30);
    expect(typicalPauseS([{ publishTimeS: 10 }])).toBeUndefined();
    expect(typicalPauseS([])).toBeUndefined();
  });

  it('excludes nights and weekends, which dominate samples of a week', () => {
    const schedule = `Etc/UTC;${'1430-2100,'.repeat(5)}C,C;`;
    const day = (date: number, clock: string) => Date.parse(`2026-11-${date}T${clock}Z`) / 1000;
    const samples = [23, 24, 25, 26, 27].flatMap((date): TickTimes[] => [
      { publishTimeS: day(date, '14:30'), prevPublishTimeS: day(date - 1, '20:59'), isBackfilled: true },
      { publishTimeS: day(date, '18:00'), prevPublishTimeS: day(date, '18:00') - 2, isBackfilled: true },
    ]);
    expect(typicalPauseS(samples, { schedule })).toBe(2);
    const nowMs = Date.parse('2026-11-28T12:00Z');
    const facts = { latestS: day(27, '20:59'), ticks: samples, nowMs, floors, market: { schedule } };
    expect(feedCurrency(facts).word).toBe('closed');
  });

  it('does not follow the distance of samples', () => {
    expect(
      typicalPauseS([
        { publishTimeS: 0, isBackfilled: true },
        { publishTimeS: 21_600, isBackfilled: true },
        { publishTimeS: 43_200, isBackfilled: true },
      ]),
    ).toBeUndefined();
  });

  it('sets when a pause is too long, with a minimum', () => {
    expect(silentAfterS(undefined, floors)).toBe(5);
    expect(silentAfterS(60, floors)).toBe(180);
  });
});

const CLOSED = 'Etc/UTC;C,C,C,C,C,C,C;';
const OPEN = 'Etc/UTC;O,O,O,O,O,O,O;';
type Facts = Parameters<typeof feedCurrency>[0];

function word(ageS: number, pauseS?: number, market?: Facts['market']) {
  const nowMs = 1_700_000_000_000;
  const latestS = nowMs / 1000 - ageS;
  const ticks = pauseS === undefined ? [] : [{ publishTimeS: latestS, prevPublishTimeS: latestS - pauseS }];
  return feedCurrency({ latestS, ticks, nowMs, floors, market }).word;
}

describe('how current a feed is', () => {
  it.each([
    [
      'by the floors where nothing of its cadence is known',
      [4, 6, 61],
      undefined,
      undefined,
      'fresh late stale',
    ],
    ['by its own cadence', [61, 200, 601], 60, undefined, 'fresh late stale'],
    ['never of a negative age', [-600], 1, undefined, 'fresh'],
    ['while its market is closed', [1, 900, 200 * 86_400], 1, { schedule: CLOSED }, 'fresh closed closed'],
    ['while its market is open', [900], 1, { schedule: OPEN }, 'stale'],
    ['where nobody publishes it', [1, 900], 1, { state: 'coming_soon' }, 'fresh inactive'],
    ['as late at most while its hours may still come', [1, 900], 1, { areHoursPending: true }, 'fresh late'],
    ['where the directory says something new', [900], 1, { state: 'something new' }, 'stale'],
  ] as const)('is judged %s', (_, ages, pauseS, market, words) => {
    expect(ages.map((ageS) => word(ageS, pauseS, market)).join(' ')).toBe(words);
  });

  it('counts only the time since its market opened', () => {
    const market = { schedule: 'America/New_York;O,O,O,O,0000-1700,C,1700-2400;0101/C,1225/C' };
    const wordAt = (last: string, now: string) => {
      const latestS = Date.parse(last) / 1000;
      const ticks = [{ publishTimeS: latestS, prevPublishTimeS: latestS - 1 }];
      return feedCurrency({ latestS, ticks, nowMs: Date.parse(now), floors, market });
    };
    const friday = '2026-11-20T21:59:59Z';
    expect(wordAt(friday, '2026-11-22T21:59:59Z').word).toBe('closed');
    expect(wordAt(friday, '2026-11-22T22:00:02Z').word).toBe('late');
    expect(wordAt(friday, '2026-11-22T22:01:02Z')).toEqual({
      word: 'stale',
      sinceMs: Date.parse('2026-11-22T22:00:00Z'),
    });
    // A feed that fell silent during market hours still counts as stale after the market has closed.
    expect(wordAt('2026-11-20T21:50:00Z', '2026-11-21T12:00:00Z')).toEqual({
      word: 'stale',
      sinceMs: Date.parse('2026-11-20T21:50:00Z'),
      opensAtMs: Date.parse('2026-11-22T22:00:00Z'),
    });
    // A holiday is not a silence either, nor is the hour by which clocks are set back on a closed day.
    expect(wordAt('2026-12-25T04:59:59Z', '2026-12-26T05:00:10Z').word).toBe('closed');
    expect(wordAt('2027-01-01T04:59:59Z', '2027-01-03T22:00:10Z').word).toBe('late');
    expect(wordAt('2026-10-30T20:59:59Z', '2026-11-01T22:00:10Z').word).toBe('late');
    expect(wordAt('2026-11-20T21:50:00Z', '2026-11-22T22:00:02Z')).toEqual({
      word: 'stale',
      sinceMs: Date.parse('2026-11-20T21:50:00Z'),
    });
  });

  it('never gets better with age', () => {
    const order = ['fresh', 'late', 'stale'];
    const age = fc.integer({ min: -1_000, max: 100_000 });
    const anyPause = fc.option(fc.integer({ min: 1, max: 1_000 }), { nil: undefined });
    fc.assert(
      fc.property(age, age, anyPause, (a, b, pauseS) => {
        const [young, old] = [Math.min(a, b), Math.max(a, b)].map((ageS) =>
          order.indexOf(word(ageS, pauseS)),
        );
        expect(young).toBeLessThanOrEqual(old ?? -1);
      }),
    );
  });
});

it('prices are expected from a published feed while the directory has its market as open', () => {
  const markets = [{ schedule: OPEN }, { schedule: CLOSED }, { schedule: OPEN, state: 'coming_soon' }, {}];
  expect(markets.map((market) => isTrading(market, 0))).toEqual([true, false, false, undefined]);
});

const rules = { silentAfterS: 5 };

const tick = (publishTimeS: number, prevPublishTimeS?: number): TickTimes => ({
  publishTimeS,
  prevPublishTimeS,
});

/** Each update has the publish time of the previous one. */
function published(seconds: readonly number[]): TickTimes[] {
  return seconds.map((t, index) => tick(t, seconds[index - 1] ?? t - 1));
}

/** Pauses from 0 (the same second) to 20 seconds, and which of the updates were received. */
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
    return { all, received: all.filter((_, index) => steps[index]?.came) };
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

describe('gaps between updates that were requested by their time', () => {
  const sampled = (...ticks: TickTimes[]) =>
    ticks.map((tick): TickTimes => ({ ...tick, isBackfilled: true }));
  const every300 = { silentAfterS: 5, sampledEveryS: 300 };

  it.each([
    ['the usual distance', sampled(tick(0), tick(300), tick(601)), []],
    ['nine minutes between five', sampled(tick(0), tick(300), tick(840)), [unknown(300, 840)]],
    [
      'a missing one beside the stream',
      [{ publishTimeS: 0, isBackfilled: true as const }, tick(540), tick(541, 540)],
      [unknown(0, 540)],
    ],
    ['a silence that is told', sampled(tick(0, -1), tick(540, 2)), [silent(2, 540)]],
    [
      'more than a step before a told silence',
      sampled(tick(0), tick(900, 600)),
      [unknown(0, 600), silent(600, 900)],
    ],
  ])('%s', (_, ticks, gaps) => {
    expect(feedGaps(ticks, every300)).toEqual(gaps);
  });

  it('updates from before the stream are judged like samples', () => {
    const ticks = [tick(0, -1), tick(400, 399), tick(940, 939), tick(1_480, 1_479)];
    expect(feedGaps(ticks, { ...every300, liveFromS: 940 })).toEqual([unknown(400, 940), missed(940, 1_479)]);
  });

  it('the ends of a window without data are gaps', () => {
    const edge = { nowS: 2_000, link: 'past' } as const;
    expect(feedGaps(sampled(tick(900)), { ...every300, beginsS: 0, edge })).toEqual([
      unknown(0, 900),
      { ...unknown(900, 2_000), isOpen: false },
    ]);
    expect(feedGaps([], { ...every300, beginsS: 0, edge: { nowS: 900, link: 'up' } })).toEqual([
      { ...unknown(0, 900), isOpen: true },
    ]);
  });
});

describe('gaps while a market is closed', () => {
  const at = (text: string) => Date.parse(text) / 1000;
  const market = { schedule: 'America/New_York;O,O,O,O,0000-1700,C,1700-2400;' };
  const closes = at('2026-11-20T22:00Z');
  const opens = at('2026-11-22T22:00Z');
  const closed: FeedGap = { kind: 'closed', fromS: closes, untilS: opens };

  it('a weekend is a closed market, by samples of seven days and by the stream', () => {
    const friday = at('2026-11-20T18:00Z');
    const sunday = at('2026-11-23T00:00Z');
    const samples: TickTimes[] = [friday, sunday].map((publishTimeS) => ({
      publishTimeS,
      isBackfilled: true,
    }));
    expect(feedGaps(samples, { silentAfterS: 5, sampledEveryS: 21_600, market })).toEqual([closed]);
    expect(feedGaps([tick(closes - 1), tick(opens + 2, closes - 1)], { silentAfterS: 5, market })).toEqual([
      closed,
    ]);
  });

  it('gaps beside it are reported', () => {
    const ticks = [tick(closes - 540), tick(opens + 2, closes - 540)];
    expect(feedGaps(ticks, { silentAfterS: 5, market })).toEqual([silent(closes - 540, closes), closed]);
    expect(feedGaps([tick(closes - 540), tick(opens, closes - 300)], { silentAfterS: 5, market })).toEqual([
      missed(closes - 540, closes - 300),
      silent(closes - 300, closes),
      closed,
    ]);
  });

  it('goes on while it is closed, and is silence once it is open', () => {
    const edge = (nowS: number) => ({ nowS, link: 'up' as const });
    const last = [tick(closes - 1, closes - 2)];
    expect(feedGaps(last, { ...rules, market, edge: edge(closes + 900) })).toEqual([
      { ...closed, untilS: closes + 900, isOpen: true },
    ]);
    expect(feedGaps(last, { ...rules, market, edge: edge(opens + 60) })).toEqual([
      closed,
      { ...silent(opens, opens + 60), isOpen: true },
    ]);
  });

  it('no feed is silent before its hours are known, which may show that its market is closed', () => {
    const edge = { nowS: closes + 900, link: 'up' } as const;
    const ticks = [tick(closes - 600, closes - 601), tick(closes - 1, closes - 540)];
    const kinds = (hours: GapRules['market']) =>
      feedGaps(ticks, { ...rules, market: hours, edge }).map(({ kind }) => kind);
    expect(kinds({ areHoursPending: true })).toEqual(['missed', 'unjudged', 'unjudged']);
    expect(kinds(market)).toEqual(['missed', 'silent', 'closed']);
    expect(kinds({})).toEqual(['missed', 'silent', 'silent']);
  });

  it('an unpublished feed has no gaps either', () => {
    const edge = { nowS: 1_000, link: 'up' } as const;
    expect(feedGaps([tick(0)], { ...rules, market: { state: 'inactive' }, edge })).toEqual([
      { kind: 'inactive', fromS: 0, untilS: 1_000, isOpen: true },
    ]);
  });
});

describe('gaps of any feed', () => {
  it('covers every second whose updates were all missed', () => {
    fc.assert(
      fc.property(anyRun, ({ all, received }) => {
        const gaps = feedGaps(received, rules).filter(({ kind }) => kind === 'missed');
        const have = new Set(received.map(({ publishTimeS }) => publishTimeS));
        const first = received[0]?.publishTimeS ?? 0;
        const last = received.at(-1)?.publishTimeS ?? 0;
        for (const { publishTimeS: publishS } of all) {
          if (have.has(publishS) || publishS < first || publishS > last) continue;
          expect(gaps.some(({ fromS, untilS }) => fromS < publishS && publishS <= untilS)).toBe(true);
        }
      }),
    );
  });

  it('blames us only for a missing update, and the feed only for publishing nothing', () => {
    fc.assert(
      fc.property(anyRun, ({ all, received }) => {
        for (const { kind, fromS, untilS } of feedGaps(received, rules)) {
          const lost = all.filter((tick) => !received.includes(tick));
          if (kind === 'missed') {
            expect(lost.some(({ publishTimeS: s }) => s > fromS && s <= untilS)).toBe(true);
          } else {
            expect(kind).toBe('silent');
            expect(untilS - fromS).toBeGreaterThan(rules.silentAfterS);
            expect(all.some(({ publishTimeS: s }) => s > fromS && s < untilS)).toBe(false);
          }
        }
      }),
    );
  });

  it('finds no gap when everything arrived', () => {
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

it('gaps are described by kind and length, and counted', () => {
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
