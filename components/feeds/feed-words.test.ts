import { describe, expect, it } from 'vitest';
import { ageText, utcTimeText } from './age-text';
import { confidenceInBps, feedNumbersOf, moveText } from './feed-words';

const update = { id: '', p: '8611156281231', c: '6560875000', e: -8, t: 0, r: 0 };

describe('the words of a card', () => {
  it('give the confidence in basis points of the price', () => {
    expect(confidenceInBps(feedNumbersOf(update))).toBe('7.62 bp');
    expect(confidenceInBps(feedNumbersOf({ ...update, p: '-8611156281231' }))).toBe('7.62 bp');
    expect(confidenceInBps(feedNumbersOf({ ...update, p: '0' }))).toBeUndefined();
  });

  it('read an EMA with an exponent of its own', () => {
    expect(feedNumbersOf({ ...update, ep: '5', ec: '1', ee: -2 }).ema).toEqual({
      price: { mantissa: 5n, expo: -2 },
      conf: { mantissa: 1n, expo: -2 },
    });
    expect(feedNumbersOf(update).ema).toBeUndefined();
  });

  it('tell a move with its sign, and none too small to be written', () => {
    const move = (from: bigint, to: bigint) =>
      moveText({ mantissa: from, expo: 0 }, { mantissa: to, expo: 0 });
    expect(move(1_000n, 1_012n)).toEqual({ text: '+1.20 %', direction: 'up' });
    expect(move(1_000n, 988n)).toEqual({ text: '-1.20 %', direction: 'down' });
    expect(move(-1_000n, -988n)).toEqual({ text: '+1.20 %', direction: 'up' });
    expect(move(1_000_000n, 1_000_001n)).toEqual({ text: '0.00 %', direction: 'level' });
    expect(move(0n, 5n)).toBeUndefined();
  });

  it('write an age in its two largest units', () => {
    expect([0, 7_999, 60_000, 125_000, 10_920_000, 349_200_000].map(ageText)).toEqual([
      '0 s',
      '7 s',
      '1 min',
      '2 min 5 s',
      '3 h 2 min',
      '4 d 1 h',
    ]);
    expect(ageText(-5_000)).toBe('0 s');
  });

  it('write a time in UTC, with its date when that is not today', () => {
    const now = Date.UTC(2026, 10, 20, 12);
    expect(utcTimeText(Date.UTC(2026, 10, 20, 0, 3, 7), now)).toBe('00:03:07');
    expect(utcTimeText(Date.UTC(2026, 10, 19, 23, 59, 59), now)).toBe('2026-11-19 23:59:59');
    expect(utcTimeText(1e20, now)).toBe('unknown');
  });
});
