import { describe, expect, it } from 'vitest';
import type { FeedId } from '@/lib/core/feed';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import type { RouterSymbol } from '@/lib/core/router-price';
import type { ReadRows } from '@/lib/core/wire-json';
import { priceLists } from './symbol-directory';

const FEED = 'ab'.repeat(32) as FeedId;
const ABOUT = { name: '', description: '', assetType: 'crypto' };
const symbolOf = (routerId: string, symbol: string): RouterSymbol => {
  return { ...ABOUT, routerId, symbol, feedId: null };
};
const listed = (symbol: string): ReadRows<RouterSymbol> => ({
  rows: [symbolOf('1', symbol)],
  unreadable: [],
});
const list = (symbol: string) => ok(listed(symbol));
const down = failed({ kind: 'unreachable', detail: 'gone' });

/** Answers in sequence. */
function routerOf(...answers: Outcome<ReadRows<RouterSymbol>>[]) {
  const calls: string[] = [];
  const router = {
    symbols: async (_query: string, priority: string) => {
      calls.push(priority);
      return answers[calls.length - 1] ?? down;
    },
  };
  return { services: { router }, calls };
}

describe('the lists of the price services', () => {
  it('are requested once in the background for all callers, and cached for ten minutes', async () => {
    const { services, calls } = routerOf(list('old'), list('new'));
    let nowMs = 0;
    const clock = () => nowMs;
    const first = priceLists(services, clock);
    expect(priceLists(services, clock).router).toBe(first.router);
    await first.router;
    nowMs = 599_999;
    expect(priceLists(services, clock).router).toBe(first.router);
    nowMs = 600_000;
    expect(await priceLists(services, clock).router).toMatchObject({ good: { value: listed('new') } });
    expect(calls).toEqual(['background', 'background']);
  });

  it('are kept up to a limit, and rows beyond it count as unreadable', async () => {
    const symbols = Array.from({ length: 20_003 }, (_, index) => symbolOf(String(index), 'x'));
    const { services } = routerOf(ok({ rows: symbols, unreadable: [{ rawJson: '7', problem: 'no' }] }));
    const directory = async () =>
      ok({ rows: symbols.map(() => ({ id: FEED, symbol: 'x', assetType: 'crypto' })), unreadable: [] });
    const both = { ...services, updates: { directory } };
    const { router, updates } = priceLists(both, () => 0);
    const routerList = (await router)?.good?.value;
    const updatesList = (await updates)?.good?.value;
    expect([routerList?.rows.length, routerList?.unreadable.length]).toEqual([20_000, 4]);
    expect([updatesList?.rows.length, updatesList?.unreadable.length]).toEqual([20_000, 3]);
  });

  it('never reject: after our own exception a list is requested again like a failed one', async () => {
    let calls = 0;
    const symbols = async () => {
      calls += 1;
      if (calls === 1) throw new RangeError('no reader expected that');
      return list('new');
    };
    const services = { router: { symbols } };
    let nowMs = 0;
    const clock = () => nowMs;
    expect(await priceLists(services, clock).router).toMatchObject({ answer: { ok: false } });
    nowMs = 30_000;
    expect(await priceLists(services, clock).router).toMatchObject({ good: { value: listed('new') } });
  });

  it('are requested again soon after a failure, and the last good list is kept with its time', async () => {
    const { services, calls } = routerOf(list('old'), down, list('new'));
    let nowMs = 1_000;
    const clock = () => nowMs;
    await priceLists(services, clock).router;
    nowMs += 600_000;
    expect(await priceLists(services, clock).router).toEqual({
      answer: down,
      good: { value: listed('old'), atMs: 1_000 },
    });
    nowMs += 29_999;
    await priceLists(services, clock).router;
    expect(calls).toHaveLength(2);
    nowMs += 1;
    expect(await priceLists(services, clock).router).toMatchObject({
      answer: { ok: true },
      good: { atMs: nowMs },
    });
  });

  it('belong to their services, so other clients are queried again', async () => {
    const router = routerOf(list('one'));
    const other = routerOf(down);
    await priceLists(router.services).router;
    expect(await priceLists(other.services).router).toEqual({ answer: down });
    expect(priceLists({})).toEqual({});
  });
});
