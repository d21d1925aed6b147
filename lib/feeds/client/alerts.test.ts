import { describe, expect, it, vi } from 'vitest';
import type { FeedAlert } from '@/lib/alerts/watch-list';
import type { AlertCondition } from '@/lib/feeds/feed-alerts';
import { type AlertHappening, AlertWatch, alertText, type FeedMoment, type PastPrice } from './alerts';

const num = (value: number) => ({ mantissa: BigInt(value), expo: 0 });

function alert(condition: AlertCondition, feedId = 'btc'): FeedAlert {
  return { id: `${condition.kind} ${feedId}`, feedId, symbol: feedId, condition };
}

/** A page with one feed whose price is set by hand. */
class Page {
  moment: FeedMoment | undefined = { key: '0', price: num(100), conf: num(0), currency: 'fresh' };
  past: PastPrice[] = [];
  happened: AlertHappening[] = [];
  #turn = 0;
  readonly watch = new AlertWatch({ moment: () => this.moment, past: () => this.past });

  price(value: number, nowMs: number): void {
    this.#turn += 1;
    this.moment = { key: String(this.#turn), price: num(value), conf: num(0), currency: 'fresh' };
    this.look(nowMs);
  }

  look(nowMs: number): void {
    this.happened.push(...this.watch.look(nowMs));
  }

  get words(): string[] {
    return this.happened.map(({ event }) => `${event.kind}${event.loud ? ' loud' : ''}`);
  }
}

describe('the alerts of a page', () => {
  it('are raised when their price comes', () => {
    const page = new Page();
    page.watch.follow([alert({ kind: 'above', price: num(105) })]);
    page.price(104, 0);
    page.price(106, 1_000);
    expect(page.words).toEqual(['raised loud']);
    expect(page.watch.states().get('above btc')?.phase).toBe('raised');
  });

  it('know the prices from before they were made', () => {
    const page = new Page();
    page.past = [{ atMs: -30_000, price: num(90) }];
    page.watch.follow([alert({ kind: 'change', percent: num(10), windowS: 60 })]);
    page.price(100, 0);
    expect(page.words).toEqual(['raised']);
  });

  it('measure a change in their window only', () => {
    const page = new Page();
    page.watch.follow([alert({ kind: 'change', percent: num(10), windowS: 60 })]);
    page.price(100, 0);
    page.price(106, 70_000);
    page.price(112, 135_000);
    expect(page.words).toEqual([]);
    page.price(118, 136_000);
    page.price(124, 137_000);
    expect(page.words).toEqual(['raised loud']);
  });

  it('take the price in force for what a rare update has changed', () => {
    const page = new Page();
    page.watch.follow([alert({ kind: 'change', percent: num(10), windowS: 60 })]);
    page.price(100, 0);
    for (let second = 1; second < 300; second += 1) page.look(second * 1_000);
    page.price(120, 300_000);
    expect(page.words).toEqual(['raised loud']);
  });

  it('are over when a feed stays where it is', () => {
    const page = new Page();
    page.watch.follow([alert({ kind: 'change', percent: num(10), windowS: 60 })]);
    page.price(100, 0);
    page.price(120, 1_000);
    page.look(2_000);
    page.look(120_000);
    page.look(140_000);
    expect(page.words).toEqual(['raised loud', 'cleared']);
  });

  it('keep their state when another is made', () => {
    const page = new Page();
    const first = alert({ kind: 'above', price: num(99) });
    page.watch.follow([first]);
    page.price(100, 0);
    page.watch.follow([first, alert({ kind: 'stale' })]);
    page.price(101, 1_000);
    expect(page.words).toEqual(['raised']);
  });

  it('are named by feed and condition', () => {
    const change = alert({ kind: 'change', percent: num(5), windowS: 300 }, 'Crypto.BTC/USD');
    expect(alertText(change)).toBe('BTC/USD: price moves more than 5 % within 5 min');
  });

  it('tell listeners only when something changed', () => {
    const page = new Page();
    const heard = vi.fn();
    page.watch.subscribe(heard);
    page.watch.follow([alert({ kind: 'above', price: num(105) })]);
    page.price(100, 0);
    page.price(101, 1_000);
    page.look(2_000);
    expect(heard).toHaveBeenCalledTimes(1);
    const before = page.watch.states();
    page.look(3_000);
    expect(page.watch.states()).toBe(before);
  });
});
