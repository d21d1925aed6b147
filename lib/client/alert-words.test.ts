import { describe, expect, it } from 'vitest';
import type { AlertCondition } from '@/lib/domain/feed-alerts';
import type { FeedAlert } from './alert-book';
import { alertText, conditionText, raisedText, standingWord } from './alert-words';

const num = (mantissa: bigint, expo = 0) => ({ mantissa, expo });
const alert = (condition: AlertCondition, symbol = 'Crypto.BTC/USD'): FeedAlert => ({
  id: 'a',
  feedId: 'ab'.repeat(32),
  symbol,
  condition,
});

describe('an alert in words', () => {
  it('says what it waits for', () => {
    expect(conditionText({ kind: 'above', price: num(6_500_050n, -2) })).toBe('price above 65,000.5');
    expect(conditionText({ kind: 'change', percent: num(5n, -1), windowS: 300 })).toBe(
      'price moves more than 0.5 % within 5 min',
    );
    expect(conditionText({ kind: 'wide', bps: num(10n) })).toBe('confidence wider than 10 bp');
    expect(alertText(alert({ kind: 'below', price: num(-1n) }))).toBe('BTC/USD: price below -1');
  });

  it('cuts a name that is too long', () => {
    expect(alertText(alert({ kind: 'stale' }, 'X'.repeat(5_000))).length).toBeLessThan(120);
  });

  it('says how it stands', () => {
    expect(standingWord(undefined)).toBe('Waiting for a price');
    expect(standingWord({ phase: 'calm', sinceMs: 0 })).toBe('Watching');
    expect(standingWord({ phase: 'absent', sinceMs: 0 })).toBe('Not watched here');
  });

  it('tells of what was raised in one sentence, and not of what is over', () => {
    const one = alert({ kind: 'stale' });
    const raised = { alert: one, event: { kind: 'raised' } } as const;
    expect(raisedText([{ alert: one, event: { kind: 'cleared' } }])).toBeUndefined();
    expect(raisedText([raised, raised])).toBe(
      'Alert: BTC/USD: no update for longer than usual (stale), and 1 more',
    );
  });
});
