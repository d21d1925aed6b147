import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { feedCurrency, isTrading, silentAfterS, usualPauseS } from './feed-cadence';
import type { TickTimes } from './feed-gaps';

const floors = { lateS: 5, staleS: 60 };

function every(pauseS: number, count: number): TickTimes[] {
  return Array.from({ length: count }, (_, at) => ({
    t: 1_000 + at * pauseS,
    pp: 1_000 + (at - 1) * pauseS,
  }));
}

describe('the cadence of a feed', () => {
  it('is its typical interval, whatever we missed', () => {
    expect(usualPauseS(every(2, 40).filter((_, at) => at % 5 === 0))).toBe(2);
  });

  it('is not moved by a night among the pauses', () => {
    expect(usualPauseS([...every(1, 30), { t: 90_000, pp: 1_029 }])).toBe(1);
  });

  it('is told by the updates themselves where the service does not tell the one before', () => {
    expect(usualPauseS([{ t: 10 }, { t: 40 }, { t: 70 }])).toBe(30);
    expect(usualPauseS([{ t: 10 }])).toBeUndefined();
    expect(usualPauseS([])).toBeUndefined();
  });

  it('sets when a pause is too long, with a minimum', () => {
    expect(silentAfterS(undefined, floors)).toBe(5);
    expect(silentAfterS(60, floors)).toBe(180);
  });
});

const CLOSED = 'Etc/UTC;C,C,C,C,C,C,C;';
const OPEN = 'Etc/UTC;O,O,O,O,O,O,O;';
type Facts = Parameters<typeof feedCurrency>[0];

/** A feed so many seconds after its last update. */
function word(ageS: number, pauseS?: number, market?: Facts['market']) {
  const nowMs = 1_700_000_000_000;
  const latestS = nowMs / 1000 - ageS;
  const ticks = pauseS === undefined ? [] : [{ t: latestS, pp: latestS - pauseS }];
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
    ['while its market is closed', [1, 900], 1, { schedule: CLOSED }, 'fresh closed'],
    ['while its market is open', [900], 1, { schedule: OPEN }, 'stale'],
    ['where nobody publishes it', [1, 900], 1, { state: 'coming_soon' }, 'fresh inactive'],
    ['where the directory says something new', [900], 1, { state: 'something new' }, 'stale'],
  ] as const)('is judged %s', (_, ages, pauseS, market, words) => {
    expect(ages.map((ageS) => word(ageS, pauseS, market)).join(' ')).toBe(words);
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

it('prices are expected of a feed that is published while its market is open, as far as the directory tells', () => {
  const markets = [{ schedule: OPEN }, { schedule: CLOSED }, { schedule: OPEN, state: 'coming_soon' }, {}];
  expect(markets.map((market) => isTrading(market, 0))).toEqual([true, false, false, undefined]);
});
