'use client';
import { useSyncExternalStore } from 'react';

export type BrowserStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** How a value is kept as text. `read` never throws and takes any text, since anybody may have written it. */
export type StorageFormat<T> = {
  readonly key: string;
  /** @param older gives what another key holds: what earlier versions wrote */
  readonly read: (text: string | null, older: (key: string) => string | null) => T;
  readonly write: (value: T) => string;
};

/** A value that a browser keeps, shared by its tabs. Where storage is full or forbidden it lasts as long as the page. */
export class StoredValue<T> {
  readonly #listeners = new Set<() => void>();
  /** As on the server, which has no storage. */
  readonly none: () => T;
  #value: { readonly it: T } | undefined;
  /** Once writing has failed, what the storage holds is older than what is known here. */
  #isKept = true;

  /** @param storage looked for when it is needed: a browser may forbid even to look at it */
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

  /** The same object until something changes. */
  readonly read = (): T => {
    this.#value ??= { it: this.#stored() };
    return this.#value.it;
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Changes what all tabs know: another tab may have written since. @returns `unkept` where it lasts as long as the page only */
  change(make: (value: T) => T): 'kept' | 'unkept' {
    const before = this.#isKept ? this.#stored() : this.read();
    const after = make(before);
    if (after !== before) {
      try {
        const storage = this.storage();
        storage?.setItem(this.form.key, this.form.write(after));
        this.#isKept = storage !== undefined;
      } catch {
        this.#isKept = false;
      }
      this.#set(after);
    }
    return this.#isKept ? 'kept' : 'unkept';
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
