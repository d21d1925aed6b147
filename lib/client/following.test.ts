import { describe, expect, it } from 'vitest';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { defaultRequestsView } from '@/lib/requests/view';
import { type Following, follow, NOTHING_FOLLOWED } from './following';
import type { LoadedRequests } from './requests';

const row = (key: string, rawJson = key): ListedRow => ({
  kind: 'unreadable',
  keeper: 'main',
  key,
  rawJson,
  problem: '',
});
const page = (rows: ListedRow[], viewKey = '/requests', size = 50): LoadedRequests => ({
  viewKey,
  view: { ...defaultRequestsView(), size },
  atMs: 0,
  rows,
  total: String(rows.length),
  asof: '2026-11-20T08:00:00.000Z',
  offset: '0',
  cursor: undefined,
  changed: 0,
  unserved: [],
  clocks: [],
  previous: undefined,
  unreadable: 0,
  revision: 1,
  index: [],
});
const first = page([row('a'), row('b')]);
const start = follow(NOTHING_FOLLOWED, first, 'free');
const marksOf = (state: Following) => Object.fromEntries(state.marks);

describe('follow', () => {
  it('shows the first answer without marks', () => {
    expect(start).toEqual({ ...NOTHING_FOLLOWED, shown: first });
  });

  it('marks what is new and what changed since', () => {
    const next = page([row('c'), row('a', 'finished'), row('b')]);
    const state = follow(start, next, 'free');
    expect(state.shown).toBe(next);
    expect(marksOf(state)).toEqual({ c: 'new', a: 'changed' });
  });

  it('holds an answer back while somebody reads, counts what waits, and shows it afterwards', () => {
    const next = page([row('c'), row('a', 'finished')]);
    const held = follow(start, next, 'held');
    expect(held.shown).toBe(first);
    expect(held.waiting).toEqual({ page: next, added: 1, changed: 1, reach: 'some' });
    expect(follow(held, next, 'held')).toBe(held);
    const freed = follow(held, next, 'free');
    expect(freed.shown).toBe(next);
    expect(freed.waiting).toBeUndefined();
    expect(marksOf(freed)).toEqual({ c: 'new', a: 'changed' });
  });

  it('settles: the same answer again changes nothing', () => {
    const state = follow(start, page([row('c'), row('a')]), 'free');
    expect(follow(state, state.shown, 'free')).toBe(state);
    expect(follow(start, first, 'held')).toBe(start);
  });

  it('shows another view at once, held or not', () => {
    const other = page([row('x')], '/requests?state=failed');
    expect(follow(start, other, 'held')).toEqual({ ...NOTHING_FOLLOWED, shown: other });
  });

  it('remembers when a full page first had no row in common with the one before, until the view is another', () => {
    const full = follow(NOTHING_FOLLOWED, page([row('a'), row('b')], '/requests', 2), 'free');
    expect(follow(full, page([row('c'), row('a')], '/requests', 2), 'free').skippedAtMs).toBeUndefined();
    const apart = { ...page([row('d'), row('c')], '/requests', 2), atMs: 7 };
    const skipped = follow(full, apart, 'free');
    expect(skipped.skippedAtMs).toBe(7);
    const later = follow(skipped, { ...page([row('e'), row('d')], '/requests', 2), atMs: 9 }, 'free');
    expect(later.skippedAtMs).toBe(7);
    expect(follow(later, page([], '/requests?q=1'), 'free').skippedAtMs).toBeUndefined();
    expect(follow(full, apart, 'held').waiting).toMatchObject({ added: 2, reach: 'all' });
  });
});
