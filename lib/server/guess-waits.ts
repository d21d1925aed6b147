import 'server-only';

/** So many wrong guesses are free; then each next one doubles the wait, from a second up. */
const FREE_GUESSES = 5;

/** After so long without a guess an address begins anew, in ms. */
const FORGIVEN_AFTER_MS = 60 * 60_000;

/** Addresses whose guesses are remembered; over it the one that guessed longest ago is forgotten. */
const MOST_ADDRESSES = 10_000;

type Guesses = { count: number; untilMs: number; lastMs: number };

/** Makes an address wait longer with each wrong guess at a secret. */
export class GuessWaits {
  readonly #guesses = new Map<string, Guesses>();

  /**
   * @param longestS the longest wait in seconds
   * @param now unix milliseconds
   */
  constructor(
    private readonly longestS: number,
    private readonly now: () => number = Date.now,
  ) {}

  /** Whole seconds that an address still has to wait; 0 when it may guess. */
  waitS(address: string): number {
    const guesses = this.#guesses.get(address);
    return guesses ? Math.max(0, Math.ceil((guesses.untilMs - this.now()) / 1000)) : 0;
  }

  /** Counts a wrong guess, or one whose answer is not known yet. */
  count(address: string): void {
    const now = this.now();
    const before = this.#guesses.get(address);
    const isForgiven = before === undefined || now - before.lastMs > FORGIVEN_AFTER_MS;
    const count = (isForgiven ? 0 : before.count) + 1;
    const waitS = count < FREE_GUESSES ? 0 : Math.min(2 ** (count - FREE_GUESSES), this.longestS);
    this.#guesses.delete(address);
    this.#guesses.set(address, { count, untilMs: now + waitS * 1000, lastMs: now });
    for (const oldest of this.#guesses.keys()) {
      if (this.#guesses.size <= MOST_ADDRESSES) return;
      this.#guesses.delete(oldest);
    }
  }

  /** Forgets the guesses of an address: it knew the secret. */
  forgive(address: string): void {
    this.#guesses.delete(address);
  }
}

/** What whoever has to wait is told. `what`: a sentence that says why. */
export function mustWait(what: string, retryAfterS: number) {
  return { kind: 'too-many', detail: `${what} Try again in ${retryAfterS} s.`, retryAfterS } as const;
}
