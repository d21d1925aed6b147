import { describe, expect, it } from 'vitest';
import type { LoadedRequests } from '@/lib/requests/load';
import type { ListedRow } from '@/lib/requests/requests-response';
import { defaultRequestsView } from '@/lib/requests/view';
import { type Following, follow, NOT_FOLLOWING, showWaiting } from './following';

const row = (key: string, rawJson = key): ListedRow => ({
  kind: 'unreadable',
  keeper: 'main',
  key,
  rawJson,
  problem: '',
});
const page = (rows: ListedRow[], viewKey = '/requests'): LoadedRequests => ({
  viewKey,
  view: defaultRequestsView(),
  atMs: 0,
  rows,
  total: String(rows.length),
  asof: '2026-11-20T08:00:00.000Z',
  cursor: undefined,
  clocks: [],
  previous: undefined,
  revision: 1,
  index: [],
});
const first = page([row('a'), row('b')]);
const start = follow(NOT_FOLLOWING, first, 'free');
const marksOf = (state: Following) =>
  Object.fromEntries([...state.marks].map(([key, { mark }]) => [key, mark]));
const keysOf = (state: Following) => state.shown?.rows.map(({ rawJson }) => rawJson);

describe('follow', () => {
  it('marks new and changed rows', () => {
    const next = page([row('c'), row('a', 'finished'), row('b')]);
    const state = follow(start, next, 'free');
    expect(state.shown).toBe(next);
    expect(marksOf(state)).toEqual({ c: 'new', a: 'changed' });
  });

  it('keeps a mark until it has faded, however fast answers follow', () => {
    const rows = [row('c'), row('a'), row('b')];
    const at = (atMs: number, shown = rows): LoadedRequests => ({ ...page(shown), atMs });
    const marked = follow(start, at(1_000), 'free');
    const soon = follow(marked, at(6_000, [row('d'), ...rows]), 'free');
    expect(marksOf(soon)).toEqual({ c: 'new', d: 'new' });
    expect(marksOf(follow(soon, at(7_500, [row('d'), ...rows]), 'free'))).toEqual({ d: 'new' });
  });

  it('while held, updates rows in place, counts new ones, and shows them on demand', () => {
    const next = page([row('c'), row('a', 'finished')]);
    const unchanged = follow(start, next, 'held');
    expect(keysOf(unchanged)).toEqual(['finished', 'b']);
    expect(marksOf(unchanged)).toEqual({ a: 'changed' });
    expect(unchanged.waiting).toEqual({ page: next, added: 1, reach: 'some' });
    expect(follow(unchanged, next, 'held')).toBe(unchanged);
    for (const freed of [follow(unchanged, next, 'free'), showWaiting(unchanged)]) {
      expect(freed.shown).toBe(next);
      expect(freed.waiting).toBeUndefined();
    }
  });

  it('shows rows at once, even while held, if they only follow the shown ones', () => {
    const next = { ...page([row('a'), row('b', 'finished'), row('older')]), total: '900' };
    expect(follow(start, next, 'held').shown).toBe(next);
    const empty = follow(NOT_FOLLOWING, page([]), 'held');
    expect(follow(empty, next, 'held')).toEqual({ ...NOT_FOLLOWING, shown: next });
  });

  it('reports that every row is new, because there may be more', () => {
    expect(follow(start, page([row('x'), row('y')]), 'held').waiting).toMatchObject({
      added: 2,
      reach: 'all',
    });
  });

  it('does not change on the same answer', () => {
    const state = follow(start, page([row('c'), row('a')]), 'free');
    expect(follow(state, state.shown, 'free')).toBe(state);
    expect(follow(start, first, 'held')).toBe(start);
  });

  it('shows another view at once, held or not', () => {
    const other = page([row('x')], '/requests?state=failed');
    expect(follow(start, other, 'held')).toEqual({ ...NOT_FOLLOWING, shown: other });
  });
});
