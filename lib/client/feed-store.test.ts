import { beforeEach, describe, expect, it } from 'vitest';
import { fakeUpdate, LIVE, storeStage } from './feed-fakes';
import { FeedStore } from './feed-store';

const BTC = 'aa'.repeat(32);
const ETH = 'bb'.repeat(32);

let { browser, store, begin, priceOf } = storeStage();

beforeEach(() => {
  ({ browser, store, begin, priceOf } = storeStage());
});

describe('what the store shows of a feed', () => {
  it('waits before anything was heard, and knows what the server wrote into the page', () => {
    const seeded = new FeedStore(browser.edges, [{ update: fakeUpdate(BTC, '100', 5), rhythmMs: 20_000 }]);
    expect(seeded.feed(BTC)).toMatchObject({ standing: 'known', rhythmMs: 20_000, latest: { p: '100' } });
    expect(seeded.feed(ETH)).toEqual({ standing: 'waiting' });
    expect(seeded.history(BTC).points()).toHaveLength(1);
    expect(browser.sources).toHaveLength(0);
  });

  it('takes a snapshot and then what changes', () => {
    begin([BTC, ETH], [fakeUpdate(BTC, '100', 10), fakeUpdate(ETH, '7', 10)]);
    browser.source.send('update', { feeds: [fakeUpdate(BTC, '101', 11)] });
    browser.paint();
    expect([priceOf(BTC), priceOf(ETH)]).toEqual(['101', '7']);
  });

  it('keeps every digit of a price', () => {
    begin([BTC], [fakeUpdate(BTC, '-1234567890123456789012', 10, { e: -18 })]);
    expect(priceOf(BTC)).toBe('-1234567890123456789012');
  });

  it('never lets the price go back to an update that was published earlier', () => {
    begin([BTC], [fakeUpdate(BTC, '100', 10)]);
    browser.source.send('update', { feeds: [fakeUpdate(BTC, '99', 9)] });
    browser.source.send('snapshot', { feeds: [fakeUpdate(BTC, '98', 8)], missing: [], connection: LIVE });
    browser.paint();
    expect(priceOf(BTC)).toBe('100');
    expect(store.history(BTC).points()).toHaveLength(1);
  });

  it('orders updates of one second by when they were received', () => {
    begin([BTC], [fakeUpdate(BTC, '100', 10, { r: 10_500 })]);
    browser.source.send('update', { feeds: [fakeUpdate(BTC, '99', 10, { r: 10_400 })] });
    browser.source.send('update', { feeds: [fakeUpdate(BTC, '101', 10, { r: 10_900 })] });
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
    begin([BTC], [fakeUpdate(BTC, '100', 10)]);
    browser.source.send('update', { feeds: [fakeUpdate(BTC, '100', 10)] });
    browser.source.send('snapshot', {
      feeds: [fakeUpdate(BTC, '100', 10, { r: 99_000 })],
      missing: [],
      connection: LIVE,
    });
    browser.paint();
    expect(store.history(BTC).points()).toHaveLength(1);
  });

  it('shows a price with a publish time beyond all dates, and does not draw it', () => {
    begin([BTC], [fakeUpdate(BTC, '100', 10)]);
    browser.source.send('update', { feeds: [fakeUpdate(BTC, '101', 1e15)] });
    browser.paint();
    expect(priceOf(BTC)).toBe('101');
    expect(store.history(BTC).points()).toHaveLength(1);
  });

  it('marks a feed that the service does not know, while the others go on', () => {
    begin([BTC, ETH], [fakeUpdate(BTC, '100', 10)], [ETH]);
    browser.source.send('update', { feeds: [fakeUpdate(BTC, '101', 11)] });
    browser.paint();
    expect(store.feed(ETH).standing).toBe('missing');
    expect(store.feed(BTC)).toMatchObject({ standing: 'known', latest: { p: '101' } });
  });

  it('keeps the last price of a feed that vanishes, and takes it back when it returns', () => {
    begin([BTC], [fakeUpdate(BTC, '100', 10)]);
    browser.source.send('snapshot', { feeds: [], missing: [BTC], connection: LIVE });
    browser.paint();
    expect(store.feed(BTC)).toMatchObject({ standing: 'missing', latest: { p: '100' } });
    browser.source.send('update', { feeds: [fakeUpdate(BTC, '102', 12)] });
    browser.paint();
    expect(store.feed(BTC).standing).toBe('known');
  });

  it('goes on after an event that can’t be read', () => {
    begin([BTC], [fakeUpdate(BTC, '100', 10)]);
    browser.source.send('update', 'nonsense');
    browser.source.send('update', { feeds: [{ id: BTC, p: 'x' }, fakeUpdate(BTC, '101', 11)] });
    browser.paint();
    expect(priceOf(BTC)).toBe('101');
  });

  it('learns the rhythm of a feed from updates that follow one another, not from what it missed', () => {
    begin([BTC], [fakeUpdate(BTC, '100', 10)]);
    browser.source.send('update', { feeds: [fakeUpdate(BTC, '101', 30)] });
    browser.source.send('snapshot', { feeds: [fakeUpdate(BTC, '102', 900)], missing: [], connection: LIVE });
    browser.source.send('update', { feeds: [fakeUpdate(BTC, '103', 920)] });
    browser.paint();
    expect(store.feed(BTC).rhythmMs).toBe(20_000);
  });
});

describe('how the store tells', () => {
  it('tells once per frame, however much arrived', () => {
    begin([BTC], [fakeUpdate(BTC, '1', 10)]);
    let told = 0;
    store.subscribe(() => {
      told += 1;
    });
    for (let index = 0; index < 1_000; index += 1) {
      browser.source.send('update', { feeds: [fakeUpdate(BTC, String(index), 11 + index)] });
    }
    expect(browser.waitingFrames).toBe(1);
    expect(priceOf(BTC)).toBe('1');
    browser.paint();
    expect([told, priceOf(BTC)]).toEqual([1, '999']);
  });

  it('gives the same object for a feed that did not change', () => {
    begin([BTC, ETH], [fakeUpdate(BTC, '100', 10), fakeUpdate(ETH, '7', 10)]);
    const [btc, eth] = [store.feed(BTC), store.feed(ETH)];
    browser.source.send('update', { feeds: [fakeUpdate(BTC, '101', 11)] });
    browser.paint();
    expect(store.feed(BTC)).not.toBe(btc);
    expect(store.feed(ETH)).toBe(eth);
  });

  it('works updates in without a frame before they pile up, as on a hidden page', () => {
    begin([BTC], [fakeUpdate(BTC, '1', 10)]);
    for (let index = 0; index < 2_000; index += 1) {
      browser.source.send('update', { feeds: [fakeUpdate(BTC, String(index), 11 + index)] });
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
    begin([BTC, ETH], [fakeUpdate(BTC, '100', 10)]);
    store.watch([ETH]);
    expect(browser.openSources).toBe(1);
    expect(store.feed(BTC).standing).toBe('waiting');
    expect(store.history(BTC).points()).toHaveLength(0);
  });

  it('closes while it is paused, keeps what it shows, and opens again', () => {
    begin([BTC], [fakeUpdate(BTC, '100', 10)]);
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
