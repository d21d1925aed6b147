'use client';
import { useSyncExternalStore } from 'react';

export type BrowserStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** `read` never throws and accepts any text, because other code may have written it. */
export type StorageFormat<T> = {
  readonly key: string;
  /** @param older reads another key, such as one of an earlier version */
  readonly read: (text: string | null, older: (key: string) => string | null) => T;
  readonly write: (value: T) => string;
};

/** Shared by tabs. If storage is full or forbidden, the value lasts as long as the page. */
export class StoredValue<T> {
  readonly #listeners = new Set<() => void>();
  /** The value without storage, as on the server. */
  readonly none: () => T;
  #value: { readonly it: T } | undefined;
  /** After a failed write, the storage is older than the value in memory. */
  #isStored = true;

  /** @param storage resolved on use, because a browser may forbid access by throwing */
  constructor(
    private readonly form: StorageFormat<T>,
    private readonly storage: () => BrowserStorage | undefined = () => window.localStorage,
  ) {
    const none = form.read(null, () => null);
    this.none = () => none;
    globalThis.window?.addEventListener('storage', ({ key }) => {
      if (key === form.key || key === null) this.#set(this.#stored());
    });
  }

  /** An unchanged value is the same object. */
  readonly read = (): T => {
    this.#value ??= { it: this.#stored() };
    return this.#value.it;
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Reads again first: another tab may have written. @returns `not-stored` if it lasts only as long as the page */
  change(make: (value: T) => T): 'stored' | 'not-stored' {
    const previous = this.#isStored ? this.#stored() : this.read();
    const changed = make(previous);
    if (changed !== previous) {
      try {
        const storage = this.storage();
        storage?.setItem(this.form.key, this.form.write(changed));
        this.#isStored = storage !== undefined;
      } catch {
        this.#isStored = false;
      }
      this.#set(changed);
    }
    return this.#isStored ? 'stored' : 'not-stored';
  }

  #set(it: T): void {
    this.#value = { it };
    for (const listener of [...this.#listeners]) listener();
  }

  #stored(): T {
    try {
      const storage = this.storage();
      const get = (key: string) => storage?.getItem(key) ?? null;
      return this.form.read(get(this.form.key), get);
    } catch {
      return this.none();
    }
  }
}

export function useStoredValue<T>(value: StoredValue<T>): T {
  return useSyncExternalStore(value.subscribe, value.read, value.none);
}
