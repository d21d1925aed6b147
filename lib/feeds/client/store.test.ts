import { describe, expect, it, vi } from 'vitest';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import { ScriptedBrowser, scriptedUpdate } from './browser-fixtures';
import { FeedStore } from './store';

const [A, B] = ['a'.repeat(64), 'b'.repeat(64)] as const;
const S = 1_000_000_000;
const LIVE = { state: 'live', sinceMs: 0 };

function stage(seeds: readonly CompactFeed[] = []) {
  const browser = new ScriptedBrowser();
  const store = new FeedStore(browser.edges, seeds);
  store.watch([A, B], 5);
  store.setPaused(false);
  browser.source.open();
  const tell = (name: string, value: unknown) => {
    browser.source.send(name, value);
    browser.paint();
  };
  const snapshot = (feeds: readonly CompactFeed[], missing: readonly string[] = []) =>
    tell('snapshot', { feeds, missing, connection: LIVE });
  const update = (...feeds: readonly CompactFeed[]) => tell('update', { feeds });
  return { browser, store, tell, snapshot, update, priceOf: (id: string) => store.feed(id).latest?.p };
}

describe('the feeds of a page', () => {
  it('begin with what the server knew, and go on with the stream of those that are wanted', () => {
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
      scriptedUpdate(A, '3', S + 5, { r: (S + 6) * 1000 }),
    );
    expect([priceOf(A), store.points(A).map((point) => point.update.p)]).toEqual(['3', ['2', '3']]);
  });

  it('tell listeners once per frame, and give the same object while nothing changed', () => {
    const { browser, store, update } = stage();
    const heard = vi.fn();
    store.subscribe(heard);
    for (let t = 1; t <= 100; t += 1)
      browser.source.send('update', { feeds: [scriptedUpdate(A, String(t), S + t)] });
    expect(heard).not.toHaveBeenCalled();
    browser.paint();
    expect(heard).toHaveBeenCalledTimes(1);
    const before = [store.feed(A), store.stream()];
    update(scriptedUpdate(B, '1', S));
    expect([store.feed(A) === before[0], store.stream() === before[1]]).toEqual([true, true]);
  });

  it('forget a feed that is not wanted any more, and keep the others', () => {
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

  it('tells the nearer half first: ours when it is lost, else what our server says of the service', () => {
    const { browser, store, tell, snapshot } = stage();
    snapshot([]);
    const failure = { kind: 'rate-limited', detail: 'Wait.', retryAfterS: 9 };
    tell('connection', { state: 'failed', sinceMs: 1, failure, host: 'upgraded' });
    expect(store.stream()).toMatchObject({
      link: { kind: 'failed', trouble: { kind: 'rate-limited' }, retryAtMs: browser.timers.nowMs + 9_000 },
      host: 'upgraded',
    });
    browser.source.fail(0);
    browser.paint();
    expect(store.stream().link.kind).toBe('cut');
  });

  it('counts how often it came back and had missed something', () => {
    const { store, snapshot } = stage();
    snapshot([scriptedUpdate(A, '1', S)]);
    snapshot([scriptedUpdate(A, '1', S)]);
    expect(store.stream().gaps).toBe(0);
    snapshot([scriptedUpdate(A, '2', S + 60)]);
    expect(store.stream().gaps).toBe(1);
  });

  it('corrects ages by a publishing clock that is far off, and not by an ordinary delay', () => {
    const { browser, store, update } = stage();
    const at = (agoS: number) => Math.floor(browser.timers.nowMs / 1000) - agoS;
    update(scriptedUpdate(A, '1', at(3)));
    update(scriptedUpdate(A, '2', at(2)));
    expect(store.stream().skewMs).toBe(0);
    browser.timers.nowMs += 3_600_000;
    update(scriptedUpdate(B, '1', at(600)));
    update(scriptedUpdate(B, '2', at(599)));
    expect(store.stream().skewMs).toBe(599_000);
  });
});
