import { describe, expect, it } from 'vitest';
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
});
