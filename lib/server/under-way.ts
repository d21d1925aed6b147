import 'server-only';

export type UnderWayOptions = {
  /** At once for one key, such as an address. */
  mostOfOne: number;
  /** At once altogether. */
  most: number;
};

/** Bounds how much of one kind is under way at once, where each holds memory for as long as its caller likes. */
export class UnderWay {
  readonly #options: UnderWayOptions;
  readonly #byKey = new Map<string, number>();
  #count = 0;

  constructor(options: UnderWayOptions) {
    this.#options = options;
  }

  /** Whether there is room for one of a key that has room. */
  get hasRoom(): boolean {
    return this.#count < this.#options.most;
  }

  /** Runs the work while there is room for one more of this key; undefined when there is none. */
  async run<T>(key: string, work: () => Promise<T>): Promise<{ done: T } | undefined> {
    const own = this.#byKey.get(key) ?? 0;
    if (own >= this.#options.mostOfOne || this.#count >= this.#options.most) return undefined;
    this.#byKey.set(key, own + 1);
    this.#count += 1;
    try {
      return { done: await work() };
    } finally {
      this.#leave(key);
    }
  }

  #leave(key: string): void {
    this.#count -= 1;
    const left = (this.#byKey.get(key) ?? 1) - 1;
    if (left > 0) this.#byKey.set(key, left);
    else this.#byKey.delete(key);
  }
}
