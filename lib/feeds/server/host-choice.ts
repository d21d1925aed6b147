import type { FailureKind } from '@/lib/core/outcome';
import type { Timers } from '@/lib/core/timers';
import type { FeedHost } from '@/lib/feeds/stream-events';

/** A host counts as staying down after this long without a stream: a restart of the service is shorter. */
const MOVE_AFTER_MS = 15_000;
/** When the other host is down too, the time until the next change doubles, up to this. */
const MAX_MOVE_AFTER_MS = 240_000;
/** So long after it was left the first host is asked again; twice as long after each return that did not last. */
const RETURN_AFTER_MS = 30_000;
const MAX_RETURN_AFTER_MS = 600_000;
/** A return that lasted this long was one. */
const STEADY_MS = 300_000;
/** A stream that has been open this long proves that its host works: one that closes each at once is as good as down. */
const PROVEN_MS = 3_000;

/** These are about our question, our limits and our settings, and say nothing against the host. */
const OUR_OWN: readonly (FailureKind | undefined)[] = ['missing', 'bad-request', 'too-many', 'unconfigured'];

/** On which host streams are opened: the other one when this one stays down, the first one again after a while. */
export class HostChoice {
  #current: FeedHost | undefined;
  #moveAfterMs = MOVE_AFTER_MS;
  #returnAfterMs = RETURN_AFTER_MS;
  #returnedAtMs = Number.NEGATIVE_INFINITY;
  #cancelDown: (() => void) | undefined;
  #cancelProof: (() => void) | undefined;
  #cancelReturn: (() => void) | undefined;

  /** @param hosts those that have an address; the first is the one that is wanted */
  constructor(
    private readonly timers: Timers,
    private readonly hosts: () => readonly FeedHost[],
    private readonly moved: () => void,
  ) {}

  get current(): FeedHost {
    return this.#current ?? this.hosts()[0] ?? 'updates';
  }

  /** No stream is open: the last one is over (without a kind in good order), or the last attempt failed. */
  down(kind?: FailureKind): void {
    this.#cancelProof?.();
    if (this.hosts().length < 2 || OUR_OWN.includes(kind)) return;
    this.#cancelDown ??= this.timers.after(this.#moveAfterMs, () => this.#leave());
  }

  streamOpened(): void {
    this.#cancelProof?.();
    this.#cancelProof = this.timers.after(PROVEN_MS, () => {
      this.#cancelDown?.();
      this.#cancelDown = undefined;
      this.#moveAfterMs = MOVE_AFTER_MS;
    });
  }

  /** Nothing is watched any more: starts over with the first host. */
  rest(): void {
    for (const timer of [this.#cancelDown, this.#cancelProof, this.#cancelReturn]) timer?.();
    this.#cancelDown = this.#current = undefined;
    this.#moveAfterMs = MOVE_AFTER_MS;
    this.#returnAfterMs = RETURN_AFTER_MS;
  }

  #leave(): void {
    this.#cancelDown = undefined;
    this.#moveAfterMs = Math.min(MAX_MOVE_AFTER_MS, this.#moveAfterMs * 2);
    this.#cancelReturn?.();
    const [first, second] = this.hosts();
    const isFirst = this.current === first;
    if (isFirst) {
      if (this.timers.now() - this.#returnedAtMs >= STEADY_MS) this.#returnAfterMs = RETURN_AFTER_MS;
      this.#cancelReturn = this.timers.after(this.#returnAfterMs, () => this.#go(first));
      this.#returnAfterMs = Math.min(MAX_RETURN_AFTER_MS, this.#returnAfterMs * 2);
    }
    this.#go(isFirst ? second : first);
  }

  #go(host: FeedHost | undefined): void {
    this.#current = host;
    this.#returnedAtMs = this.timers.now();
    this.moved();
  }
}
