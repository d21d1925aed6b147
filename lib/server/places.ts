import 'server-only';

/** Bounds how much of one kind is under way at once, where each holds memory for as long as its client likes. */
export class Places {
  /** For each that is taken what its client is known by. */
  readonly #taken = new Set<readonly string[]>();

  constructor(
    private readonly most: number,
    private readonly mostOfOne: number,
  ) {}

  /**
   * A place, given back by calling the result, any number of times; undefined when all are taken, or all that one client
   * may have.
   * @param client what a principal is known by; empty where there is only one client
   */
  take(client: readonly string[] = []): (() => void) | undefined {
    const takenBy = (key: string) => [...this.#taken].filter((keys) => keys.includes(key)).length;
    if (this.#taken.size >= this.most || client.some((key) => takenBy(key) >= this.mostOfOne))
      return undefined;
    const place = [...client];
    this.#taken.add(place);
    return () => void this.#taken.delete(place);
  }
}
