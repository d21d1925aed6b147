import { describe, expect, it, vi } from 'vitest';
import type { PriceUpdate } from '@/lib/feeds/price-update';
import { ScriptedBrowser, scriptedUpdate } from './browser-fixtures';
import { FeedStore } from './store';

const [A, B] = ['a'.repeat(64), 'b'.repeat(64)] as const;
const S = 1_000_000_000;
const LIVE = { state: 'live', sinceMs: 0 };

function stage(seeds: readonly PriceUpdate[] = []) {
  const browser = new ScriptedBrowser();
  const store = new FeedStore(browser.deps, seeds);
  store.watch([A, B], 5);
  store.setPaused(false);
  browser.source.open();
  const emit = (name: string, value: unknown) => {
    browser.source.send(name, value);
    browser.paint();
  };
  const snapshot = (feeds: readonly PriceUpdate[], missing: readonly string[] = []) =>
    emit('snapshot', { feeds, missing, connection: LIVE });
  const update = (...feeds: readonly PriceUpdate[]) => emit('update', { feeds });
  return {
    browser,
    store,
    emit,
    snapshot,
    update,
    priceOf: (id: string) => store.feed(id).latest?.price.mantissa.toString(),
  };
}

describe('the feeds of a page', () => {
  it('begin with the server’s data, and continue with the stream of the wanted feeds', () => {
    const { browser, store, snapshot, update, priceOf } = stage([scriptedUpdate(A, '1', S)]);
    expect([priceOf(A), store.feed(B).status]).toEqual(['1', 'waiting']);
    expect(browser.source.url).toBe(`/api/feeds/stream?ids=${A},${B}&max_per_s=5`);
    snapshot([scriptedUpdate(A, '2', S + 1)], [B]);
    expect([priceOf(A), store.feed(B).status]).toEqual(['2', 'missing']);
    update(scriptedUpdate(B, '7', S + 2));
    expect([priceOf(B), store.feed(B).status, store.feed(B).liveFromS]).toEqual(['7', 'known', S + 2]);
  });

  it('never go back in time, and keep each update once', () => {
    const { store, snapshot, update, priceOf } = stage();
    snapshot([scriptedUpdate(A, '2', S + 5)]);
    update(
      scriptedUpdate(A, '1', S + 4),
      scriptedUpdate(A, '2', S + 5),
      scriptedUpdate(A, '3', S + 5, { receivedMs: (S + 6) * 1000 }),
    );
    expect([priceOf(A), store.points(A).map((point) => String(point.update.price.mantissa))]).toEqual([
      '3',
      ['2', '3'],
    ]);
  });

  it('notify listeners once per frame, and give the same object while nothing changed', () => {
    const { browser, store, update } = stage();
    const listener = vi.fn();
    store.subscribe(listener);
    for (let t = 1; t <= 100; t += 1)
      browser.source.send('update', { feeds: [scriptedUpdate(A, String(t), S + t)] });
    expect(listener).not.toHaveBeenCalled();
    browser.paint();
    expect(listener).toHaveBeenCalledTimes(1);
    const before = [store.feed(A), store.stream()];
    update(scriptedUpdate(B, '1', S));
    expect([store.feed(A) === before[0], store.stream() === before[1]]).toEqual([true, true]);
  });

  it('drop a feed that is no longer wanted, and keep the others', () => {
    const { browser, store, snapshot, priceOf } = stage();
    snapshot([scriptedUpdate(A, '1', S), scriptedUpdate(B, '2', S)]);
    store.watch([B]);
    const only = [undefined, '2', 1, `/api/feeds/stream?ids=${B}`];
    expect([priceOf(A), priceOf(B), browser.openSources, browser.source.url]).toEqual(only);
  });

  it('hold a price beyond every calendar, which is not drawn', () => {
    const { store, update, priceOf } = stage();
    update(scriptedUpdate(A, '5', 9e12));
    expect([priceOf(A), store.points(A)]).toEqual(['5', []]);
  });
});

describe('the connection of a page', () => {
  it('is none without feeds, and none while it is paused', () => {
    const { browser, store, snapshot } = stage();
    snapshot([scriptedUpdate(A, '1', S)]);
    store.setPaused(true);
    browser.paint();
    expect([store.stream().link.kind, browser.openSources]).toEqual(['paused', 0]);
    store.setPaused(false);
    store.setPaused(false);
    browser.paint();
    expect([store.stream().link.kind, browser.openSources]).toEqual(['connecting', 1]);
    store.watch([]);
    browser.paint();
    expect([store.stream().link.kind, browser.openSources]).toEqual(['idle', 0]);
  });

  it('names the nearer half first: our own connection if it is lost, otherwise the service’s', () => {
    const { browser, store, emit, snapshot } = stage();
    snapshot([]);
    const failure = { kind: 'rate-limited', detail: 'Wait.', retryAfterS: 9 };
    emit('connection', { state: 'failed', sinceMs: 1, failure, host: 'upgraded' });
    expect(store.stream()).toMatchObject({
      link: { kind: 'failed', trouble: { kind: 'rate-limited' }, retryAtMs: browser.timers.nowMs + 9_000 },
      host: 'upgraded',
    });
    browser.source.fail(0);
    browser.paint();
    expect(store.stream().link.kind).toBe('cut');
  });

  it('counts how often it returned after missing updates', () => {
    const { browser, store, snapshot } = stage();
    snapshot([scriptedUpdate(A, '1', S)]);
    snapshot([scriptedUpdate(A, '1', S)]);
    expect(store.stream().gaps).toBe(0);
    browser.timers.pass(60_000);
    snapshot([scriptedUpdate(A, '2', S + 60)]);
    expect(store.stream().gaps).toBe(1);
  });

  it('corrects ages by the clock of our server, counted from the event that travelled fastest', () => {
    const { browser, store, emit } = stage();
    const heartbeat = (behindMs: number) => emit('heartbeat', { nowMs: browser.timers.nowMs - behindMs });
    heartbeat(1_500);
    expect(store.stream().skewMs).toBe(0);
    browser.timers.pass(3_600_000);
    heartbeat(600_200);
    heartbeat(612_000);
    heartbeat(601_000);
    expect(store.stream().skewMs).toBe(0);
    heartbeat(609_000);
    expect(store.stream().skewMs).toBe(600_000);
    emit('connection', { ...LIVE, nowMs: browser.timers.nowMs + 40_000 });
    expect(store.stream().skewMs).toBe(-40_000);
  });
});

describe('an update whose publish time can’t be right', () => {
  it.each([31_536_000, 120, 8])('%i s ahead: is counted on its feed, and all feeds go on', (aheadS) => {
    const { browser, store, update, snapshot, priceOf } = stage();
    snapshot([scriptedUpdate(A, '1', S), scriptedUpdate(B, '1', S)]);
    browser.timers.pass(1_000);
    update(scriptedUpdate(A, '2', S + 1 + aheadS), scriptedUpdate(B, '2', S + 1));
    expect([priceOf(A), priceOf(B), store.feed(A).misdated?.last.misdating]).toEqual(['1', '2', 'ahead']);
    browser.timers.pass(1_000);
    update(scriptedUpdate(A, '3', S + 2), scriptedUpdate(B, '3', S + 2));
    expect([priceOf(A), priceOf(B), store.stream().skewMs]).toEqual(['3', '3', 0]);
    expect(store.points(A).map(({ update: { price } }) => String(price.mantissa))).toEqual(['1', '3']);
    expect(store.serviceNowMs([A, B])).toBe((S + 2) * 1000);
    expect(store.feed(A).misdated?.count).toBe(1);
    expect(store.feed(B).misdated).toBeUndefined();
  });

  it.each(['ahead', 'behind', 'ms', 'us', 'ns'] as const)(
    'marked %s by our server: likewise',
    (misdating) => {
      const { store, update, priceOf } = stage();
      update(
        scriptedUpdate(A, '1', S),
        scriptedUpdate(A, '2', S, { misdating }),
        scriptedUpdate(A, '3', S, { receivedMs: S * 1000 + 200 }),
      );
      expect([priceOf(A), store.feed(A).misdated?.count, store.points(A).length]).toEqual(['3', 1, 2]);
    },
  );

  it('is the price of a feed without any other price, and is not drawn', () => {
    const { store, update } = stage();
    update(scriptedUpdate(A, '5', S, { misdating: 'ms' }));
    expect([store.feed(A).latest?.price.mantissa, store.feed(A).latest?.misdating, store.points(A)]).toEqual([
      5n,
      'ms',
      [],
    ]);
  });

  it('is no gap after a reconnection, and not part of the past', () => {
    const { store, snapshot, priceOf } = stage();
    snapshot([scriptedUpdate(A, '1', S)]);
    snapshot([scriptedUpdate(A, '1', S), scriptedUpdate(A, '2', S + 9_000)]);
    store.addHistory([{ id: A, updates: [scriptedUpdate(A, '7', S + 9_000)], liveFromS: S }]);
    store.addSamples([scriptedUpdate(A, '8', S + 9_000, { isBackfilled: true })]);
    expect([store.stream().gaps, priceOf(A), store.points(A).length]).toEqual([0, '1', 1]);
  });

  it('from before the clock was known does not block later updates', () => {
    const { store, update, priceOf } = stage([scriptedUpdate(A, '1', S + 7_200)]);
    expect(priceOf(A)).toBe('1');
    update(scriptedUpdate(A, '2', S));
    expect([priceOf(A), store.feed(A).misdated]).toEqual(['2', undefined]);
  });
});
