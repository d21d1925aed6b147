import { describe, expect, it, vi } from 'vitest';
import { type Watched, withWatched } from './watch-book';
import { WATCH_KEY, type WatchStorage, WatchStore } from './watch-store';

function memory(): WatchStorage & { text: () => string | null } {
  let kept: string | null = null;
  return {
    text: () => kept,
    getItem: (key) => (key === WATCH_KEY ? kept : null),
    setItem: (_key, value) => {
      kept = value;
    },
  };
}

const request = (sequence: number): Watched => ({
  kind: 'request',
  id: `main/1/0xab/${sequence}/0xcd`,
  keeper: 'main',
  networkId: '1',
  sinceMs: 5,
  state: 'pending',
});

const add = (store: WatchStore, sequence: number) =>
  store.change((book) => ({ book: withWatched(book, request(sequence)), result: undefined }));

const numbers = (store: WatchStore) => store.read().watched.map(({ id }) => id.split('/')[3]);

describe('the book of a browser', () => {
  it('is the same object until it changes, and tells its listeners when it does', () => {
    const store = new WatchStore(memory());
    const listener = vi.fn();
    store.subscribe(listener);
    const before = store.read();
    expect(store.read()).toBe(before);
    add(store, 1);
    expect(listener).toHaveBeenCalledTimes(1);
    expect(numbers(store)).toEqual(['1']);
    add(store, 1);
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it('loses nothing that another tab has written since it was read', () => {
    const storage = memory();
    const [one, other] = [new WatchStore(storage), new WatchStore(storage)];
    one.read();
    other.read();
    add(one, 1);
    add(other, 2);
    expect(numbers(other)).toEqual(['2', '1']);
    expect(numbers(one)).toEqual(['1']);
    one.reload();
    expect(numbers(one)).toEqual(['2', '1']);
  });

  it('lasts as long as the page where the storage is full, forbidden or absent', () => {
    const full: WatchStorage = {
      getItem: () => null,
      setItem: () => {
        throw new DOMException('full', 'QuotaExceededError');
      },
    };
    const forbidden: WatchStorage = {
      ...full,
      getItem: () => {
        throw new DOMException('no', 'SecurityError');
      },
    };
    for (const storage of [full, forbidden, undefined]) {
      const store = new WatchStore(storage);
      add(store, 1);
      add(store, 2);
      expect(numbers(store)).toEqual(['2', '1']);
    }
  });
});
