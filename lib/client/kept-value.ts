/** The part of `localStorage` that is used. */
export type KeptStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** How a value is kept as text. `read` never throws and takes any text, since anybody may have written it. */
export type KeptForm<T> = {
  readonly key: string;
  readonly read: (text: string | null) => T;
  readonly write: (value: T) => string;
};

/** A value that a browser keeps, shared by its tabs. Where storage is full or forbidden it lasts as long as the page. */
export class KeptValue<T> {
  readonly #listeners = new Set<() => void>();
  #value: { readonly it: T } | undefined;
  /** Once writing has failed, what the storage holds is older than what is known here. */
  #isKept: 'yes' | 'no' = 'yes';

  constructor(
    private readonly storage: KeptStorage | undefined,
    private readonly form: KeptForm<T>,
  ) {}

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
    const before = this.#isKept === 'yes' && this.storage !== undefined ? this.#stored() : this.read();
    const after = make(before);
    if (after !== before) {
      this.#write(after);
      this.#set(after);
    }
    return this.storage !== undefined && this.#isKept === 'yes' ? 'kept' : 'unkept';
  }

  /** What another tab wrote. */
  readonly reload = (): void => this.#set(this.#stored());

  #set(it: T): void {
    this.#value = { it };
    for (const listener of [...this.#listeners]) listener();
  }

  #stored(): T {
    try {
      return this.form.read(this.storage?.getItem(this.form.key) ?? null);
    } catch {
      return this.form.read(null);
    }
  }

  #write(value: T): void {
    try {
      this.storage?.setItem(this.form.key, this.form.write(value));
      this.#isKept = 'yes';
    } catch {
      this.#isKept = 'no';
    }
  }
}
