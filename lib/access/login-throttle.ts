import 'server-only';
import { createHash, createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { failed, type Outcome, ok } from '@/lib/core/outcome';

/** So many wrong guesses are free; then each next one doubles the wait, from a second up. */
const FREE_GUESSES = 5;
/** After so long without a guess an address begins anew, in ms. */
const FORGIVEN_AFTER_MS = 60 * 60_000;
/** Addresses whose guesses are remembered; over it the one that guessed longest ago is forgotten. */
const MAX_ADDRESSES = 10_000;

export class LoginThrottle {
  readonly #guesses: LRUCache<string, { count: number; untilMs: number }>;

  /** @param maxWaitS the longest wait in seconds. @param now unix milliseconds */
  constructor(
    private readonly maxWaitS: number,
    private readonly now: () => number = Date.now,
  ) {
    this.#guesses = timedCache(MAX_ADDRESSES, FORGIVEN_AFTER_MS, now);
  }

  waitS(address: string): number {
    const untilMs = this.#guesses.peek(address)?.untilMs ?? 0;
    return Math.max(0, Math.ceil((untilMs - this.now()) / 1000));
  }

  /** Counts a wrong guess, or one whose answer is not known yet. */
  count(address: string): void {
    const count = (this.#guesses.peek(address)?.count ?? 0) + 1;
    const waitS = count < FREE_GUESSES ? 0 : Math.min(2 ** (count - FREE_GUESSES), this.maxWaitS);
    this.#guesses.set(address, { count, untilMs: this.now() + waitS * 1000 });
  }

  forgive(address: string): void {
    this.#guesses.delete(address);
  }
}

/** What is not set anew for so long is forgotten. */
function timedCache<T extends object | true>(max: number, ttl: number, now: () => number) {
  return new LRUCache<string, T>({ max, ttl, ttlResolution: 0, perf: { now } });
}

/** What whoever has to wait is told. `what`: a sentence that says why. */
export function tooManyFailure(what: string, retryAfterS: number) {
  return { kind: 'too-many', detail: `${what} Try again in ${retryAfterS} s.`, retryAfterS } as const;
}

/** One of the settings of the OWASP password storage cheat sheet: 32 MB and about 0.2 s of one thread. */
const COST = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 };
const KEY_BYTES = 32;
const MAX_WAIT_S = 15 * 60;
/** Guesses of all addresses that may be worked on or wait: each takes a thread of four for 0.2 s. */
const MAX_CONCURRENT_CHECKS = 8;
/** A program sends its password with every call: one that was right is known again for so long, in ms. */
const KNOWN_FOR_MS = 5 * 60_000;
const MAX_KNOWN_PASSWORDS = 100;

export type Derive = (password: string, salt: Buffer) => Promise<Buffer>;

/** Says whether a password is right, slowly, and more slowly to those who guess. `now` is unix milliseconds. */
export class PasswordGate {
  readonly #salt = randomBytes(16);
  readonly #waits: LoginThrottle;
  readonly #known: LRUCache<string, true>;
  #wanted?: { password: string; key: Promise<Buffer> };
  #atWork = 0;

  constructor(
    now: () => number = Date.now,
    private readonly derive: Derive = byScrypt,
  ) {
    this.#waits = new LoginThrottle(MAX_WAIT_S, now);
    this.#known = timedCache(MAX_KNOWN_PASSWORDS, KNOWN_FOR_MS, now);
  }

  async check(given: string, wanted: string, address: string): Promise<Outcome<boolean>> {
    const waitS = this.#waits.waitS(address);
    // Before anything else: a known password that is let through here would tell whoever has to wait that it is right.
    if (waitS > 0) return failed(tooManyFailure('Too many wrong passwords.', waitS));
    if (this.#known.has(this.#markOf(given, wanted))) return ok(true);
    if (this.#atWork >= MAX_CONCURRENT_CHECKS) return failed(tooManyFailure('Too many sign-ins at once.', 1));
    this.#atWork += 1;
    // Counted before the answer is known, so that guesses sent all at once are not free; a right one takes it back.
    this.#waits.count(address);
    try {
      const [a, b] = await Promise.all([this.derive(given, this.#salt), this.#keyOf(wanted)]);
      if (!timingSafeEqual(a, b)) return ok(false);
      this.#waits.forgive(address);
      this.#known.set(this.#markOf(given, wanted), true);
      return ok(true);
    } finally {
      this.#atWork -= 1;
    }
  }

  #keyOf(password: string): Promise<Buffer> {
    if (this.#wanted?.password === password) return this.#wanted.key;
    const key = this.derive(password, this.#salt);
    this.#wanted = { password, key };
    // Kept, a failure for want of memory would keep everybody out until the next start.
    key.catch(() => {
      if (this.#wanted?.key === key) this.#wanted = undefined;
    });
    return key;
  }

  /** Neither password can be read from it, and another `wanted` makes all marks worthless. */
  #markOf(given: string, wanted: string): string {
    const key = createHash('sha256').update(this.#salt).update(wanted).digest();
    return createHmac('sha256', key).update(given).digest('base64');
  }
}

const byScrypt: Derive = (password, salt) =>
  new Promise((resolve, reject) => {
    scrypt(password, salt, KEY_BYTES, COST, (error, key) => (error ? reject(error) : resolve(key)));
  });
