import { backoffMs } from '@/lib/core/backoff';
import type { FailureKind } from '@/lib/core/outcome';
import type { Timers } from '@/lib/core/timers';
import type { FeedHost } from '@/lib/feeds/stream-events';

/** Time without a stream after which a host is down: longer than a restart; grows while both are down. */
const MOVE_BACKOFF = { firstMs: 15_000, maxMs: 240_000 };
/** Delay until the first host is tried again. It grows with each return that did not last. */
const RETURN_BACKOFF = { firstMs: 30_000, maxMs: 600_000 };
/** A return that lasts this long resets the delay. */
const STEADY_MS = 300_000;
/** A host that closes each stream before this time counts as down. */
const PROVEN_HOST_MS = 3_000;

/** Failures caused by our request, limits or settings, which another host would repeat. */
const OUR_FAILURES: readonly (FailureKind | undefined)[] = [
  'missing',
  'bad-request',
  'too-many',
  'unconfigured',
];

/** Chooses the second host while the first stays down, and later the first again. */
export class HostChoice {
  #current: FeedHost | undefined;
  /** Number of moves since a stream last proved its host. */
  #moves = 0;
  /** Number of returns to the first host since one that lasted. */
  #returns = 0;
  /** Time of the last change of host; on the first host, of the return to it. */
  #changedAtMs = Number.NEGATIVE_INFINITY;
  #cancelDown: (() => void) | undefined;
  #cancelProof: (() => void) | undefined;
  #cancelReturn: (() => void) | undefined;

  /** @param hosts those with an address, the preferred one first */
  constructor(
    private readonly timers: Timers,
    private readonly hosts: () => readonly FeedHost[],
    private readonly moved: () => void,
  ) {}

  get current(): FeedHost {
    return this.#current ?? this.hosts()[0] ?? 'updates';
  }

  /** Called when no stream is open. `kind` is undefined if the last one ended regularly. */
  down(kind?: FailureKind): void {
    this.#cancelProof?.();
    if (this.hosts().length < 2 || OUR_FAILURES.includes(kind)) return;
    this.#cancelDown ??= this.timers.after(backoffMs(MOVE_BACKOFF, this.#moves), () => this.#leave());
  }

  streamOpened(): void {
    this.#cancelProof?.();
    this.#cancelProof = this.timers.after(PROVEN_HOST_MS, () => {
      this.#cancelDown?.();
      this.#cancelDown = undefined;
      this.#moves = 0;
    });
  }

  reset(): void {
    for (const timer of [this.#cancelDown, this.#cancelProof, this.#cancelReturn]) timer?.();
    this.#cancelDown = this.#current = undefined;
    this.#moves = 0;
    this.#returns = 0;
  }

  #leave(): void {
    this.#cancelDown = undefined;
    this.#moves += 1;
    this.#cancelReturn?.();
    const [first, second] = this.hosts();
    const isFirst = this.current === first;
    if (isFirst) {
      if (this.timers.now() - this.#changedAtMs >= STEADY_MS) this.#returns = 0;
      this.#cancelReturn = this.timers.after(backoffMs(RETURN_BACKOFF, this.#returns), () => this.#go(first));
      this.#returns += 1;
    }
    this.#go(isFirst ? second : first);
  }

  #go(host: FeedHost | undefined): void {
    this.#current = host;
    this.#changedAtMs = this.timers.now();
    this.moved();
  }
}
