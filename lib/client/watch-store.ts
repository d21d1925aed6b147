import { EMPTY_BOOK, readWatchBook, type WatchBook } from './watch-book';

/** The part of `localStorage` that is used. */
export type WatchStorage = Pick<Storage, 'getItem' | 'setItem'>;

export const WATCH_KEY = 'ks-watch';

/** The book of a browser, shared by its tabs. Where storage is full or forbidden it lasts as long as the page. */
export class WatchStore {
  readonly #storage: WatchStorage | undefined;
  readonly #listeners = new Set<() => void>();
  #book: WatchBook | undefined;
  /** Once writing has failed, what the storage holds is older than what is known here. */
  #isKept: 'yes' | 'no' = 'yes';

  constructor(storage: WatchStorage | undefined) {
    this.#storage = storage;
  }

  /** The same object until something changes. */
  readonly read = (): WatchBook => {
    this.#book ??= this.#stored();
    return this.#book;
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Changes what all tabs know: another tab may have written since. */
  change<T>(make: (book: WatchBook) => { book: WatchBook; result: T }): T {
    const before = this.#isKept === 'yes' && this.#storage !== undefined ? this.#stored() : this.read();
    const { book, result } = make(before);
    if (book !== before) {
      this.#write(book);
      this.#set(book);
    } else if (this.#book === undefined || JSON.stringify(this.#book) !== JSON.stringify(before)) {
      this.#set(before);
    }
    return result;
  }

  /** What another tab wrote. */
  readonly reload = (): void => this.#set(this.#stored());

  #set(book: WatchBook): void {
    this.#book = book;
    for (const listener of [...this.#listeners]) listener();
  }

  #stored(): WatchBook {
    try {
      return readWatchBook(this.#storage?.getItem(WATCH_KEY) ?? null);
    } catch {
      return EMPTY_BOOK;
    }
  }

  #write(book: WatchBook): void {
    try {
      this.#storage?.setItem(WATCH_KEY, JSON.stringify(book));
      this.#isKept = 'yes';
    } catch {
      this.#isKept = 'no';
    }
  }
}
