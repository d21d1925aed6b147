import { describe, expect, it } from 'vitest';
import { clockOffSentence, serviceClockAheadMs } from './service-clock';

const NOW = Date.UTC(2026, 10, 20, 8);
const ahead = (...minutes: number[]) =>
  serviceClockAheadMs(
    minutes.map((one) => NOW + one * 60_000),
    NOW,
  ) / 60_000;

describe('how far a service’s clock is ahead', () => {
  it('is told by its newest record, where most of the newest ones are ahead', () => {
    expect(ahead(1, 5, 3, 9)).toBe(9);
    expect(ahead(60, 59, 58, 57, 56, 55, -1, -2, -3, -4)).toBe(60);
    expect(ahead(-1, -2, -3)).toBe(0);
  });

  it('is not told by one record, however near', () => {
    for (const minutes of [0.1, 3, 180, 1430]) {
      expect(ahead(minutes, -1, -2, -3)).toBe(0);
      expect(ahead(minutes, -1)).toBe(0);
      expect(ahead(minutes)).toBe(0);
    }
    expect(ahead(180, 170, -1, -2, -3, -4)).toBe(0);
    expect(ahead()).toBe(0);
  });

  it('is told by all where there are few', () => {
    expect(ahead(4, 3)).toBe(4);
    expect(ahead(4, 3, -1)).toBe(0);
  });

  it('leaves one odd record out where the clock is ahead indeed', () => {
    expect(ahead(180, 10, 9, 8, 7)).toBe(10);
    expect(ahead(180, 1441, 10, 9, 8, 7)).toBe(10);
  });

  it('does not reach further than a day', () => {
    expect(ahead(1441, 1442, 1443)).toBe(0);
    expect(ahead(1439, 1438, 1437)).toBe(1439);
  });
});

const EFFECTS = { ahead: 'all looks younger', behind: 'all looks older' };
const main = { keeper: 'main', offByMs: -600_000 };
const test = { keeper: 'test', offByMs: -300_000 };

it('names the keeper where there are several', () => {
  expect(clockOffSentence([main], EFFECTS, false)).toBe(
    'The request log service’s clock is 10 min 00 s behind this dashboard’s, by the dates of its answers: all looks older. Either clock may be off.',
  );
  expect(clockOffSentence([{ keeper: 'main', offByMs: 120_000 }], EFFECTS, true)).toBe(
    'The clock of keeper main’s request log service is 2 min 00 s ahead of this dashboard’s, by the dates of its answers: all looks younger. Either clock may be off.',
  );
});

it('names all that are off the same way as the one that is furthest off', () => {
  const ahead = { keeper: 'third', offByMs: 90_000 };
  expect(clockOffSentence([test, ahead, main], EFFECTS, true)).toBe(
    'The clocks of the request log services of keepers test, main are up to 10 min 00 s behind this dashboard’s, by the dates of their answers: all looks older. Either clock may be off.',
  );
});
