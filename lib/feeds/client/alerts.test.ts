import { describe, expect, it, vi } from 'vitest';
import type { FeedAlert } from '@/lib/alerts/watch-list';
import type { AlertCondition, AlertLook } from '@/lib/feeds/feed-alerts';
import { AlertWatch, alertText } from './alerts';

const num = (value: number) => ({ mantissa: BigInt(value), expo: 0 });
const alert = (condition: AlertCondition, feedId = 'btc'): FeedAlert => ({
  id: `${condition.kind} ${feedId}`,
  feedId,
  symbol: feedId,
  condition,
});

describe('the alerts of a page', () => {
  it('are raised when their price comes, keep their state when another is made, and tell listeners of changes only', () => {
    let look: AlertLook | undefined;
    const watch = new AlertWatch(() => look);
    const heard = vi.fn();
    watch.subscribe(heard);
    const above = alert({ kind: 'above', price: num(105) });
    watch.follow([above]);
    expect(watch.look(0)).toEqual([]);
    look = { price: num(100), conf: num(0), currency: 'fresh' };
    watch.look(1_000);
    heard.mockClear();
    watch.look(2_000);
    expect(heard).not.toHaveBeenCalled();
    look = { ...look, price: num(106) };
    expect(watch.look(3_000)).toEqual([{ alert: above, event: { kind: 'raised', loud: true } }]);
    expect(heard).toHaveBeenCalledTimes(1);
    watch.follow([above, alert({ kind: 'stale' })]);
    expect(watch.look(4_000)).toEqual([]);
    expect(watch.states().get(above.id)?.phase).toBe('raised');
  });

  it('are named by feed and condition', () => {
    const change = alert({ kind: 'change', percent: num(5), windowS: 300 }, 'Crypto.BTC/USD');
    expect(alertText(change)).toBe('BTC/USD: price moves more than 5 % within 5 min');
  });
});
