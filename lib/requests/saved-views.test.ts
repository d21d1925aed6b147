import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withRenamed } from '@/lib/core/named-urls';
import { anyView } from './any-view-fixture';
import { DEFAULT_LAYOUT } from './columns';
import { builtInViews, readSavedViews, savableView, savedView, withView } from './saved-views';
import { defaultRequestsView } from './view';

const MAX_NAMED_URLS = 50;

const view = defaultRequestsView();

describe('saved views', () => {
  it('are restored in a browser that stored them, whatever the view is', () => {
    fc.assert(
      fc.property(anyView, (any) => {
        const stored = savableView(any, DEFAULT_LAYOUT);
        const { list } = withView([], '  Mine  here ', stored);
        const [saved] = readSavedViews(JSON.stringify(list));
        expect(saved?.name).toBe('Mine here');
        expect(saved && savedView(saved)).toEqual(stored);
      }),
    );
  });

  it('are restored with 330 senders', () => {
    const senders = Array.from({ length: 330 }, (_, index) => `0x${String(index).padStart(40, '0')}`);
    const { list } = withView([], 'many', { ...view, senders });
    const [saved] = readSavedViews(JSON.stringify(list));
    expect(saved && savedView(saved).senders).toHaveLength(330);
  });

  it('keep a relative range relative, and forget snapshot, page, row and the sender’s total', () => {
    const shown = { ...view, page: 4, asof: '2026-11-20', open: 'x', live: 3, expected: '5' };
    const stored = savableView(shown, DEFAULT_LAYOUT);
    expect(stored).toEqual({ ...view, time: { kind: 'last', range: '24h' }, columns: DEFAULT_LAYOUT });
  });

  it('are replaced under the same name, and can only be renamed to an unused one', () => {
    let { list: views = [] } = withView([], 'a', view);
    views = withView(views, 'a', { ...view, q: '1' }).list ?? [];
    views = withView(views, 'b', view).list ?? [];
    expect(withRenamed(views, 'b', 'a')).toEqual({ problem: 'Name already in use' });
    expect(withRenamed(views, 'b', ' ')).toEqual({ problem: expect.stringContaining('characters') });
    expect(withRenamed(views, 'b', 'c').list).toEqual([
      { name: 'a', url: '/requests?q=1' },
      { name: 'c', url: '/requests' },
    ]);
  });

  it('are bounded in number and in the length of a name', () => {
    const full = Array.from({ length: MAX_NAMED_URLS }, (_, index) => ({
      name: `view ${index}`,
      url: '/requests',
    }));
    expect(withView(full, 'one more', view).list).toBeUndefined();
    expect(withView(full, 'view 3', view).list).toHaveLength(MAX_NAMED_URLS);
    expect(withView([], 'x'.repeat(60), view).list).toHaveLength(1);
    expect(withView([], 'x'.repeat(61), view).list).toBeUndefined();
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

  it('are read without any foreign part of their address', () => {
    const text = JSON.stringify([
      { name: 'a', url: '/requests?range=1h&evil=1#x' },
      { name: 'a', url: '/requests' },
    ]);
    expect(readSavedViews(text)).toEqual([{ name: 'a', url: '/requests?range=1h' }]);
  });
});

describe('built-in views', () => {
  const NOW = Date.parse('2026-11-20T15:30:00Z');

  it('have the filters that their names say', () => {
    const [stuck, callbacks, failures] = builtInViews(NOW, 'utc', 300).map(savedView);
    expect(stuck).toEqual({
      ...view,
      states: ['pending'],
      time: { kind: 'between', to: '2026-11-20T15:25:00.000Z' },
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
