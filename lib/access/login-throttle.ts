import 'server-only';
import { createHash, createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { backoffMs } from '@/lib/core/backoff';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@/lib/core/time';

/** Wrong guesses without a wait. Each further guess doubles the wait, beginning at one second. */
const FREE_GUESSES = 5;
/** Time without a guess after which an address starts over. */
const FORGIVEN_AFTER_MS = HOUR_MS;
/** Limit of addresses. Beyond it, the least recently used one is forgotten. */
const MAX_ADDRESSES = 10_000;

export class LoginThrottle {
  readonly #guesses: LRUCache<string, { count: number; untilMs: number }>;

  /** @param now unix ms */
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

  /** Called for a wrong guess, or one whose result is not known yet. */
  count(address: string): void {
    const count = (this.#guesses.peek(address)?.count ?? 0) + 1;
    const backoff = { firstMs: SECOND_MS, maxMs: this.maxWaitS * SECOND_MS };
    const waitMs = count < FREE_GUESSES ? 0 : backoffMs(backoff, count - FREE_GUESSES);
    this.#guesses.set(address, { count, untilMs: this.now() + waitMs });
  }

  forgive(address: string): void {
    this.#guesses.delete(address);
  }
}

/** Entries expire `ttl` ms after they were last set. */
function timedCache<T extends object | true>(max: number, ttl: number, now: () => number) {
  return new LRUCache<string, T>({ max, ttl, ttlResolution: 0, perf: { now } });
}

/** @param what a sentence that gives the reason */
export function tooManyFailure(what: string, retryAfterS: number) {
  return { kind: 'too-many', detail: `${what} Try again in ${retryAfterS} s.`, retryAfterS } as const;
}

/** Cost from the OWASP password storage cheat sheet: 32 MB and about 0.2 s of one thread. */
const COST = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 };
const KEY_BYTES = 32;
const MAX_WAIT_S = 15 * 60;
/** Guesses of all addresses that run or wait. Each occupies one of four threads for 0.2 s. */
const MAX_CONCURRENT_CHECKS = 8;
/** Time without scrypt after a correct password: programs send it with every call. */
const KNOWN_FOR_MS = 5 * MINUTE_MS;
const MAX_KNOWN_PASSWORDS = 100;

export type Derive = (password: string, salt: Buffer) => Promise<Buffer>;

/** Each check is slow, and repeated wrong guesses have to wait. `now` is unix ms. */
export class PasswordGate {
  readonly #salt = randomBytes(16);
  readonly #waits: LoginThrottle;
  readonly #accepted: LRUCache<string, true>;
  #wanted?: { password: string; key: Promise<Buffer> };
  #atWork = 0;

  constructor(
    now: () => number = Date.now,
    private readonly derive: Derive = byScrypt,
  ) {
    this.#waits = new LoginThrottle(MAX_WAIT_S, now);
    this.#accepted = timedCache(MAX_KNOWN_PASSWORDS, KNOWN_FOR_MS, now);
  }

  async check(password: string, expected: string, address: string): Promise<Outcome<boolean>> {
    const waitS = this.#waits.waitS(address);
    // Checked first: accepting a known password would confirm it to a guesser who has to wait.
    if (waitS > 0) return failed(tooManyFailure('Too many wrong passwords.', waitS));
    if (this.#accepted.has(this.#markOf(password, expected))) return ok(true);
    if (this.#atWork >= MAX_CONCURRENT_CHECKS) return failed(tooManyFailure('Too many sign-ins at once.', 1));
    this.#atWork += 1;
    // Counted before the result is known, so that concurrent guesses are not free. A correct one resets the count.
    this.#waits.count(address);
    try {
      const [a, b] = await Promise.all([this.derive(password, this.#salt), this.#keyOf(expected)]);
      if (!timingSafeEqual(a, b)) return ok(false);
      this.#waits.forgive(address);
      this.#accepted.set(this.#markOf(password, expected), true);
      return ok(true);
    } finally {
      this.#atWork -= 1;
    }
  }

  #keyOf(password: string): Promise<Buffer> {
    if (this.#wanted?.password === password) return this.#wanted.key;
    const key = this.derive(password, this.#salt);
    this.#wanted = { password, key };
    // A cached rejection (for lack of memory, for example) would lock everybody out until the next start.
    key.catch(() => {
      if (this.#wanted?.key === key) this.#wanted = undefined;
    });
    return key;
  }

  /** Neither password can be derived from this key, and a change of the configured one invalidates all keys. */
  #markOf(password: string, expected: string): string {
    const key = createHash('sha256').update(this.#salt).update(expected).digest();
    return createHmac('sha256', key).update(password).digest('base64');
  }
}

const byScrypt: Derive = (password, salt) =>
  new Promise((resolve, reject) => {
    scrypt(password, salt, KEY_BYTES, COST, (error, key) => (error ? reject(error) : resolve(key)));
  });
