import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  EMPTY_BOOK,
  MOST_WATCHED,
  OPEN,
  OVER,
  readWatchBook,
  type WatchBook,
  type Watched,
  withoutWatched,
  withSightings,
  withWatched,
} from './watch-book';

const NOW = Date.UTC(2026, 10, 20, 12);

const request = (sequence: number, state = 'pending'): Watched => ({
  kind: 'request',
  id: `main/8453/0xab/${sequence}/0xcd`,
  keeper: 'main',
  networkId: '8453',
  sinceMs: NOW,
  state,
});
const incident = (size: number): Watched => ({
  kind: 'incident',
  id: 'main/8453/network',
  keeper: 'main',
  networkId: '8453',
  sinceMs: NOW,
  state: OPEN,
  size,
  notedSize: size,
});
const bookOf = (...watched: Watched[]): WatchBook => ({ ...EMPTY_BOOK, watched });

describe('what is watched', () => {
  it('is kept newest first, each once, fifty at most', () => {
    let book = EMPTY_BOOK;
    for (let sequence = 0; sequence < 60; sequence++) book = withWatched(book, request(sequence));
    expect(book.watched.length).toBe(MOST_WATCHED);
    expect(book.watched[0]).toEqual(request(49));
    expect(withWatched(book, request(49))).toBe(book);
    expect(withoutWatched(book, request(49).id).watched[0]).toEqual(request(48));
  });

  it('tells every transition, and nothing of what stays', () => {
    const one = request(1, 'failed');
    const first = withSightings(bookOf(one, request(2)), [{ id: one.id, state: 'failed' }], NOW);
    expect(first.changes).toEqual([]);
    const { book, changes } = withSightings(first.book, [{ id: one.id, state: 'completed' }], NOW + 1);
    const { kind, id, keeper, networkId } = one;
    expect(changes).toEqual([{ kind, id, keeper, networkId, from: 'failed', to: 'completed' }]);
    expect(book.watched[0]).toMatchObject({
      state: 'completed',
      checkedAtMs: NOW + 1,
      was: { state: 'failed', atMs: NOW + 1 },
    });
    expect(book.watched[1]?.checkedAtMs).toBeUndefined();
  });

  it('says of an incident when it is over, when it is back, and when it changed by half', () => {
    const { id } = incident(40);
    let book = bookOf(incident(40));
    const words: string[] = [];
    for (const size of [41, 59, 60, 62, 41, 40, 0, 0, 3]) {
      const state = size === 0 ? OVER : OPEN;
      const seen = withSightings(book, [{ id, state, size }], NOW);
      book = seen.book;
      words.push(...seen.changes.map(({ from, to }) => `${from} → ${to}`));
    }
    expect(words).toEqual([
      '40 pending → 60 pending',
      '60 pending → 40 pending',
      '40 pending → over',
      'over → 3 pending',
    ]);
    expect(book.watched[0]?.size).toBe(3);
  });
});

describe('the book in the storage', () => {
  it('is read as it was written', () => {
    const seen = withSightings(
      bookOf(request(1), incident(4)),
      [{ id: request(1).id, state: 'failed' }],
      NOW,
    );
    const book: WatchBook = { ...seen.book, notify: 'yes' };
    expect(readWatchBook(JSON.stringify(book))).toEqual(book);
  });

  it('loses only what is none of ours', () => {
    const good = { ...request(1), was: { state: 'failed', atMs: NOW } };
    const stored = {
      watched: [
        good,
        good,
        null,
        7,
        { ...request(2), id: 'main/unreadable/1' },
        { ...request(3), keeper: 'other' },
        { ...request(4), networkId: 'base' },
        { ...request(5), sinceMs: Number.MAX_VALUE },
        { ...request(6), state: 'x'.repeat(61) },
        { ...request(7), kind: 'page' },
        { ...request(8), was: { state: 'failed', atMs: '12:00' } },
      ],
      journal: [{ ...good, atMs: NOW, from: 'failed', to: 'completed' }],
      notify: true,
    };
    const read = readWatchBook(JSON.stringify(stored));
    expect(read).toEqual({ watched: [good, request(8)], notify: 'no' });
  });

  it('is a book whatever the text is', () => {
    for (const text of [null, '', '[]', '{', 'null', '5', '{"watched":{}}']) {
      expect(readWatchBook(text)).toEqual(EMPTY_BOOK);
    }
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(readWatchBook(text).watched.length).toBeLessThanOrEqual(MOST_WATCHED);
      }),
    );
  });
});
