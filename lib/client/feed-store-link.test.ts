import { beforeEach, describe, expect, it } from 'vitest';
import { fakeUpdate, LIVE, storeStage } from './feed-fakes';

const BTC = 'aa'.repeat(32);
const ETH = 'bb'.repeat(32);

let { browser, store, begin, priceOf } = storeStage();

beforeEach(() => {
  ({ browser, store, begin, priceOf } = storeStage());
});

const nowS = () => Math.floor(browser.now / 1_000);

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
    browser.source.send('update', { feeds: [fakeUpdate(BTC, '100', 10)] });
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
    browser.source.send('update', { feeds: [fakeUpdate(BTC, '101', 11)] });
    browser.source.send('connection', { state: 'live', sinceMs: 6 });
    expect(link()).toEqual({ kind: 'live' });
    expect(store.linkAt(browser.now)).toEqual({ kind: 'live' });
  });

  it('says that the dashboard is lost when the browser has lost it, and keeps the prices', () => {
    begin([BTC], [fakeUpdate(BTC, '100', 10)]);
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
    browser.source.send('snapshot', { feeds: [], missing: [], connection: LIVE });
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
    begin([BTC], [fakeUpdate(BTC, '100', nowS() - behindS - 3)]);
    expect(store.stream().skewMs).toBe(0);
    browser.source.send('update', { feeds: [fakeUpdate(BTC, '101', nowS() - behindS)] });
    browser.paint();
    expect(store.stream().skewMs).toBe(600_000);
  });

  it('are not suspected while a prompt feed is among those watched', () => {
    begin([BTC, ETH], [fakeUpdate(BTC, '100', nowS() - 900), fakeUpdate(ETH, '7', nowS() - 1)]);
    browser.source.send('update', {
      feeds: [fakeUpdate(BTC, '101', nowS() - 600), fakeUpdate(ETH, '8', nowS())],
    });
    browser.paint();
    expect(store.stream().skewMs).toBe(0);
  });
});
