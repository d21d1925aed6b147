import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyView } from './any-view';
import { DEFAULT_LAYOUT } from './column-layout';
import {
  builtInViews,
  LONGEST_NAME,
  MOST_VIEWS,
  readSavedViews,
  savableView,
  savedViews,
  VIEWS_KEY,
  viewOf,
} from './saved-views';
import { defaultRequestsView } from './view';

class FakeStorage {
  items = new Map<string, string>();
  state: 'open' | 'full' = 'open';
  getItem(key: string) {
    return this.items.get(key) ?? null;
  }
  setItem(key: string, value: string) {
    if (this.state === 'full') throw new DOMException('full', 'QuotaExceededError');
    this.items.set(key, value);
  }
}

const view = defaultRequestsView();

describe('saved views', () => {
  it('are there again in a browser that kept them, whatever the view is', () => {
    fc.assert(
      fc.property(anyView, (any) => {
        const storage = new FakeStorage();
        const kept = savableView(any, DEFAULT_LAYOUT);
        expect(savedViews(storage).save('  Mine  here ', kept)).toBe('saved');
        const [saved] = savedViews(storage).read();
        expect(saved?.name).toBe('Mine here');
        expect(saved && viewOf(saved)).toEqual(kept);
      }),
    );
  });

  it('keep a relative range relative, and forget snapshot, page, row and the sender’s total', () => {
    const shown = { ...view, page: 4, asof: '2026-11-20', open: 'x', live: 3, expected: '5' };
    const kept = savableView(shown, DEFAULT_LAYOUT);
    expect(kept).toEqual({ ...view, time: { kind: 'last', range: '24h' }, columns: DEFAULT_LAYOUT });
  });

  it('are replaced under the same name, renamed, removed, and tell who listens', () => {
    const views = savedViews(new FakeStorage());
    let told = 0;
    const stop = views.subscribe(() => {
      told += 1;
    });
    expect(views.save('a', view)).toBe('saved');
    expect(views.save('a', { ...view, q: '1' })).toBe('replaced');
    expect(views.save('b', view)).toBe('saved');
    expect(views.rename('b', 'a')).toBe('taken');
    expect(views.rename('b', ' ')).toBe('no-name');
    expect(views.rename('b', 'c')).toBe('saved');
    expect(views.read().map(({ name, url }) => [name, url])).toEqual([
      ['a', '/requests?q=1'],
      ['c', '/requests'],
    ]);
    views.remove('a');
    expect(views.read()).toHaveLength(1);
    expect(told).toBe(5);
    stop();
  });

  it('are bounded in number and in the length of a name', () => {
    const views = savedViews(new FakeStorage());
    for (let n = 0; n < MOST_VIEWS; n++) expect(views.save(`view ${n}`, view)).toBe('saved');
    expect(views.save('one more', view)).toBe('full');
    expect(views.save('x'.repeat(LONGEST_NAME + 1), view)).toBe('no-name');
    expect(views.save('', view)).toBe('no-name');
  });

  it('last as long as the page where the storage is full or forbidden, which is said', () => {
    const storage = new FakeStorage();
    storage.state = 'full';
    const views = savedViews(storage);
    expect(views.save('a', view)).toBe('unkept');
    expect(views.read()).toHaveLength(1);
    expect(savedViews(undefined).save('a', view)).toBe('unkept');
  });

  it('of another tab are there after a reload', () => {
    const storage = new FakeStorage();
    const [here, there] = [savedViews(storage), savedViews(storage)];
    expect(here.read()).toEqual([]);
    there.save('a', view);
    here.reload();
    expect(here.read()).toHaveLength(1);
  });

  it.each([
    null,
    '',
    'no json',
    '{}',
    '[1,null,{}]',
    '[{"name":"a","url":"https://evil.example/requests"}]',
    '[{"name":"a","url":"/requestsX"}]',
    '[{"name":"","url":"/requests"}]',
    '[{"name":"a","url":"javascript:alert(1)"}]',
  ])('are none in %j', (text) => {
    expect(readSavedViews(text)).toEqual([]);
  });

  it('are read with everything that is not theirs taken out of their address', () => {
    const text = JSON.stringify([
      { name: 'a', url: '/requests?range=1h&evil=1#x' },
      { name: 'a', url: '/requests' },
    ]);
    expect(readSavedViews(text)).toEqual([{ name: 'a', url: '/requests?range=1h' }]);
    expect(VIEWS_KEY).toBe('ks-views');
  });
});

describe('built-in views', () => {
  const NOW = Date.parse('2026-11-20T15:30:00Z');

  it('ask what their names say', () => {
    const [stuck, callbacks, failures] = builtInViews(NOW, 'utc', 420).map(viewOf);
    expect(stuck).toEqual({
      ...view,
      states: ['pending'],
      time: { kind: 'between', to: '2026-11-20T15:23:00.000Z' },
      sort: 'created.asc',
    });
    expect(callbacks).toMatchObject({
      states: ['callback-failed'],
      time: { kind: 'between', from: '2026-11-20T00:00:00.000Z' },
    });
    expect(failures).toMatchObject({
      states: ['failed', 'callback-failed'],
      time: { kind: 'last', range: '7d' },
    });
  });
});
