import { beforeEach, describe, expect, it } from 'vitest';
import type { CompactFeed } from '@/lib/contract/codec/feed-stream';
import { FakeBrowser } from './feed-fakes';
import { FeedStore } from './feed-store';

const BTC = 'aa'.repeat(32);
const ETH = 'bb'.repeat(32);
const live = { state: 'live', sinceMs: 0 };

let browser: FakeBrowser;
let store: FeedStore;

beforeEach(() => {
  browser = new FakeBrowser();
  store = new FeedStore(browser.edges, []);
});

function update(id: string, p: string, t: number, more: Partial<CompactFeed> = {}): CompactFeed {
  return { id, p, c: '1', e: -2, t, r: t * 1_000 + 100, ...more };
}

const nowS = () => Math.floor(browser.now / 1_000);
const priceOf = (id: string) => store.feed(id).latest?.p;

function begin(
  ids: readonly string[],
  feeds: readonly CompactFeed[] = [],
  missing: readonly string[] = [],
): void {
  store.watch(ids);
  browser.source.open();
  browser.source.send('snapshot', { feeds, missing, connection: live });
  browser.paint();
}

describe('what the store shows of a feed', () => {
  it('waits before anything was heard, and knows what the server wrote into the page', () => {
    const seeded = new FeedStore(browser.edges, [{ update: update(BTC, '100', 5), rhythmMs: 20_000 }]);
    expect(seeded.feed(BTC)).toMatchObject({ standing: 'known', rhythmMs: 20_000, latest: { p: '100' } });
    expect(seeded.feed(ETH)).toEqual({ standing: 'waiting' });
    expect(seeded.history(BTC).points()).toHaveLength(1);
    expect(browser.sources).toHaveLength(0);
  });

  it('takes a snapshot and then what changes', () => {
    begin([BTC, ETH], [update(BTC, '100', 10), update(ETH, '7', 10)]);
    browser.source.send('update', { feeds: [update(BTC, '101', 11)] });
    browser.paint();
    expect([priceOf(BTC), priceOf(ETH)]).toEqual(['101', '7']);
  });

  it('keeps every digit of a price', () => {
    begin([BTC], [update(BTC, '-1234567890123456789012', 10, { e: -18 })]);
    expect(priceOf(BTC)).toBe('-1234567890123456789012');
  });

  it('never lets the price go back to an update that was published earlier', () => {
    begin([BTC], [update(BTC, '100', 10)]);
    browser.source.send('update', { feeds: [update(BTC, '99', 9)] });
    browser.source.send('snapshot', { feeds: [update(BTC, '98', 8)], missing: [], connection: live });
    browser.paint();
    expect(priceOf(BTC)).toBe('100');
    expect(store.history(BTC).points()).toHaveLength(1);
  });

  it('orders updates of one second by when they were received', () => {
    begin([BTC], [update(BTC, '100', 10, { r: 10_500 })]);
    browser.source.send('update', { feeds: [update(BTC, '99', 10, { r: 10_400 })] });
    browser.source.send('update', { feeds: [update(BTC, '101', 10, { r: 10_900 })] });
    browser.paint();
    expect(priceOf(BTC)).toBe('101');
    expect(
      store
        .history(BTC)
        .points()
        .map(({ exact }) => exact.p),
    ).toEqual(['100', '101']);
  });

  it('draws a repeated update once', () => {
    begin([BTC], [update(BTC, '100', 10)]);
    browser.source.send('update', { feeds: [update(BTC, '100', 10)] });
    browser.source.send('snapshot', {
      feeds: [update(BTC, '100', 10, { r: 99_000 })],
      missing: [],
      connection: live,
    });
    browser.paint();
    expect(store.history(BTC).points()).toHaveLength(1);
  });

  it('shows a price with a publish time beyond all dates, and does not draw it', () => {
    begin([BTC], [update(BTC, '100', 10)]);
    browser.source.send('update', { feeds: [update(BTC, '101', 1e15)] });
    browser.paint();
    expect(priceOf(BTC)).toBe('101');
    expect(store.history(BTC).points()).toHaveLength(1);
  });

  it('marks a feed that the service does not know, while the others go on', () => {
    begin([BTC, ETH], [update(BTC, '100', 10)], [ETH]);
    browser.source.send('update', { feeds: [update(BTC, '101', 11)] });
    browser.paint();
    expect(store.feed(ETH).standing).toBe('missing');
    expect(store.feed(BTC)).toMatchObject({ standing: 'known', latest: { p: '101' } });
  });

  it('keeps the last price of a feed that vanishes, and takes it back when it returns', () => {
    begin([BTC], [update(BTC, '100', 10)]);
    browser.source.send('snapshot', { feeds: [], missing: [BTC], connection: live });
    browser.paint();
    expect(store.feed(BTC)).toMatchObject({ standing: 'missing', latest: { p: '100' } });
    browser.source.send('update', { feeds: [update(BTC, '102', 12)] });
    browser.paint();
    expect(store.feed(BTC).standing).toBe('known');
  });

  it('goes on after an event that can’t be read', () => {
    begin([BTC], [update(BTC, '100', 10)]);
    browser.source.send('update', 'nonsense');
    browser.source.send('update', { feeds: [{ id: BTC, p: 'x' }, update(BTC, '101', 11)] });
    browser.paint();
    expect(priceOf(BTC)).toBe('101');
  });

  it('learns the rhythm of a feed from updates that follow one another, not from what it missed', () => {
    begin([BTC], [update(BTC, '100', 10)]);
    browser.source.send('update', { feeds: [update(BTC, '101', 30)] });
    browser.source.send('snapshot', { feeds: [update(BTC, '102', 900)], missing: [], connection: live });
    browser.source.send('update', { feeds: [update(BTC, '103', 920)] });
    browser.paint();
    expect(store.feed(BTC).rhythmMs).toBe(20_000);
  });
});

describe('how the store tells', () => {
  it('tells once per frame, however much arrived', () => {
    begin([BTC], [update(BTC, '1', 10)]);
    let told = 0;
    store.subscribe(() => {
      told += 1;
    });
    for (let index = 0; index < 1_000; index += 1) {
      browser.source.send('update', { feeds: [update(BTC, String(index), 11 + index)] });
    }
    expect(browser.waitingFrames).toBe(1);
    expect(priceOf(BTC)).toBe('1');
    browser.paint();
    expect([told, priceOf(BTC)]).toEqual([1, '999']);
  });

  it('gives the same object for a feed that did not change', () => {
    begin([BTC, ETH], [update(BTC, '100', 10), update(ETH, '7', 10)]);
    const [btc, eth] = [store.feed(BTC), store.feed(ETH)];
    browser.source.send('update', { feeds: [update(BTC, '101', 11)] });
    browser.paint();
    expect(store.feed(BTC)).not.toBe(btc);
    expect(store.feed(ETH)).toBe(eth);
  });

  it('works updates in without a frame before they pile up, as on a hidden page', () => {
    begin([BTC], [update(BTC, '1', 10)]);
    for (let index = 0; index < 2_000; index += 1) {
      browser.source.send('update', { feeds: [update(BTC, String(index), 11 + index)] });
    }
    expect(store.history(BTC).points().length).toBeGreaterThan(1);
  });
});

describe('which stream the store opens', () => {
  it('opens one for the chosen feeds, and none for no feed', () => {
    store.watch([]);
    browser.paint();
    expect(store.stream().link.kind).toBe('idle');
    expect(browser.sources).toHaveLength(0);
    store.watch([ETH, BTC, ETH]);
    expect(browser.source.url).toBe(`/api/feeds/stream?ids=${BTC},${ETH}&max_per_s=5`);
  });

  it('has one stream at most when the choice changes, and forgets feeds that are not chosen', () => {
    begin([BTC, ETH], [update(BTC, '100', 10)]);
    store.watch([ETH]);
    expect(browser.openSources).toBe(1);
    expect(store.feed(BTC).standing).toBe('waiting');
    expect(store.history(BTC).points()).toHaveLength(0);
  });

  it('closes while it is paused, keeps what it shows, and opens again', () => {
    begin([BTC], [update(BTC, '100', 10)]);
    store.pause();
    browser.paint();
    expect([browser.openSources, store.stream().link.kind, priceOf(BTC)]).toEqual([0, 'paused', '100']);
    store.resume();
    expect(browser.openSources).toBe(1);
  });

  it('makes a new stream on waking, and none more when it is resumed awake', () => {
    begin([BTC]);
    store.resume();
    expect(browser.sources).toHaveLength(1);
    browser.pass(1_000);
    store.wake();
    store.wake();
    expect([browser.sources.length, browser.openSources]).toEqual([2, 1]);
  });
});

describe('what the store says about the connection', () => {
  const link = () => {
    browser.paint();
    return store.stream().link;
  };

  it('goes from connecting to live, and tells what our server hears from the service', () => {
    store.watch([BTC]);
    expect(link()).toEqual({ kind: 'connecting' });
    begin([BTC]);
    expect(link()).toEqual({ kind: 'live' });
    browser.source.send('connection', { state: 'reconnecting', sinceMs: 1 });
    expect(link()).toMatchObject({ kind: 'reconnecting' });
    browser.source.send('connection', {
      state: 'failed',
      sinceMs: 1,
      failure: { kind: 'rate-limited', detail: 'too fast', retryAfterS: 12 },
    });
    expect(link()).toEqual({
      kind: 'failed',
      trouble: { kind: 'rate-limited', detail: 'too fast' },
      retryAtMs: browser.now + 12_000,
    });
  });

  it('tells a quiet connection apart, and counts the quiet from when it began', () => {
    begin([BTC]);
    browser.source.send('connection', { state: 'quiet', sinceMs: 5 });
    const sinceMs = browser.now;
    browser.pass(20_000);
    browser.source.send('snapshot', { feeds: [], missing: [], connection: { state: 'quiet', sinceMs: 5 } });
    expect(link()).toEqual({ kind: 'quiet', sinceMs, after: 'prices', sign: 'alive' });
  });

  it('does not call prices live of which none comes, and says since when, whichever half of the way is dead', () => {
    begin([BTC]);
    browser.source.send('update', { feeds: [update(BTC, '100', 10)] });
    browser.paint();
    const sinceMs = browser.now;
    expect(store.linkAt(sinceMs + 19_999)).toEqual({ kind: 'live' });
    const silent = { kind: 'quiet', sinceMs, after: 'prices', sign: 'none' };
    expect(store.linkAt(sinceMs + 20_000)).toEqual(silent);
    browser.pass(20_000);
    const failure = { kind: 'timeout', detail: 'No update has come for a while.' };
    browser.source.send('connection', { state: 'quiet', sinceMs: 5, failure });
    expect(link()).toEqual(silent);
    browser.source.send('connection', { state: 'quiet', sinceMs: 5 });
    expect(link()).toEqual({ ...silent, sign: 'alive' });
    browser.source.send('update', { feeds: [update(BTC, '101', 11)] });
    browser.source.send('connection', { state: 'live', sinceMs: 6 });
    expect(link()).toEqual({ kind: 'live' });
    expect(store.linkAt(browser.now)).toEqual({ kind: 'live' });
  });

  it('says that the dashboard is lost when the browser has lost it, and keeps the prices', () => {
    begin([BTC], [update(BTC, '100', 10)]);
    browser.source.giveUp();
    expect(link()).toEqual({ kind: 'cut', retryAtMs: browser.now + 1_000 });
    expect(priceOf(BTC)).toBe('100');
  });

  it('waits as long as a refusal says before it asks again, so that it does not hammer', () => {
    store.watch([BTC]);
    browser.source.open();
    browser.source.send('refused', { kind: 'too-many', detail: 'Too many.', retryAfterS: 40 });
    expect(link()).toMatchObject({ kind: 'refused', retryAtMs: browser.now + 40_000 });
    browser.pass(39_999);
    expect(browser.sources).toHaveLength(1);
    browser.pass(1);
    expect(browser.openSources).toBe(1);
    browser.source.open();
    browser.source.send('snapshot', { feeds: [], missing: [], connection: live });
    expect(link()).toEqual({ kind: 'live' });
  });

  it('promises no countdown for what no retry can mend', () => {
    store.watch([BTC]);
    browser.source.open();
    browser.source.send('refused', { kind: 'unconfigured', detail: '' });
    expect(link()).toEqual({
      kind: 'refused',
      trouble: { kind: 'unconfigured', detail: '' },
      retryAtMs: undefined,
    });
  });
});

describe('clocks that differ', () => {
  it('are noticed by updates that move on, and not by old prices', () => {
    const behindS = 600;
    begin([BTC], [update(BTC, '100', nowS() - behindS - 3)]);
    expect(store.stream().skewMs).toBe(0);
    browser.source.send('update', { feeds: [update(BTC, '101', nowS() - behindS)] });
    browser.paint();
    expect(store.stream().skewMs).toBe(600_000);
  });

  it('are not suspected while a prompt feed is among those watched', () => {
    begin([BTC, ETH], [update(BTC, '100', nowS() - 900), update(ETH, '7', nowS() - 1)]);
    browser.source.send('update', { feeds: [update(BTC, '101', nowS() - 600), update(ETH, '8', nowS())] });
    browser.paint();
    expect(store.stream().skewMs).toBe(0);
  });
});
