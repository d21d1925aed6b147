import type { FailureKind, Outcome } from '@/lib/core/outcome';
import type { FeedHost } from '@/lib/feeds/stream-events';
import { readSse } from '@/lib/upstream/sse';
import { Backoff, type TimerHandle, type Timers } from './timers';
import type { OpenStream } from './upstream-streams';

export type HostChoiceEdges = {
  /** Those that have an address; the first is the one that is wanted. Never empty while something is watched. */
  hosts(): readonly FeedHost[];
  /** Whether a stream of this host stands and brings something. Closes it again. */
  probe(host: FeedHost, signal: AbortSignal): Promise<boolean>;
  timers: Timers;
  random: () => number;
  bug(error: unknown): void;
};

/** A host counts as staying down after this long without a stream: a restart of the service is shorter. */
export const MOVE_AFTER_MS = 15_000;
/** When the other host is down too, the time until the next change doubles, up to this. */
const MOST_MOVE_AFTER_MS = 240_000;
/** On the other host the first one is tried this often; each return that did not last doubles it. */
export const PROBE_MS = { firstMs: 30_000, maxMs: 600_000 };
/**
 * A stream that has stood this long proves that its host works. One that opens each stream and closes it at once, even
 * with a first price, is as good as down.
 */
export const PROVEN_MS = 3_000;
/** A return that lasted this long was one. */
const STEADY_MS = 300_000;

/** The host answered, and what it refused was our question: it works. */
const ANSWERED: readonly FailureKind[] = ['missing', 'bad-request'];
/** These are our own limits and settings and say nothing about the host. */
const OUR_OWN: readonly FailureKind[] = ['too-many', 'unconfigured'];

/**
 * Which host the streams are opened on. It moves to the other one when the present one stays down, and back when the first
 * one has been seen to work. Moving is asked for by `moved`; the streams do it, each opened before the old one is dropped.
 */
export class HostChoice {
  #current: FeedHost | undefined;
  #down: TimerHandle | undefined;
  /** Runs while a stream stands that has not proven anything yet. */
  #proof: TimerHandle | undefined;
  /** Changes of the host since a stream stood. */
  #moves = 0;
  #probe: TimerHandle | undefined;
  #probing: AbortController | undefined;
  #returnedAtMs = Number.NEGATIVE_INFINITY;
  readonly #probes: Backoff;

  constructor(
    private readonly edges: HostChoiceEdges,
    private readonly moved: () => void,
  ) {
    this.#probes = new Backoff({ ...PROBE_MS, random: edges.random });
  }

  get current(): FeedHost {
    return this.#current ?? this.edges.hosts()[0] ?? 'updates';
  }

  /**
   * No stream stands: the last one is over, or the last attempt failed. Without a kind the service ended it in good order,
   * which means something only where no stream lasts.
   */
  down(kind?: FailureKind): void {
    this.edges.timers.clear(this.#proof);
    this.#proof = undefined;
    if (kind === undefined) this.#moveIfNoneLasts();
    else if (ANSWERED.includes(kind)) this.#works();
    else if (!this.#down && !OUR_OWN.includes(kind) && this.edges.hosts().length > 1) this.#moveLater();
  }

  #moveIfNoneLasts(): void {
    if (!this.#down && this.edges.hosts().length > 1) this.#moveLater();
  }

  #moveLater(ms = Math.min(MOST_MOVE_AFTER_MS, MOVE_AFTER_MS * 2 ** Math.min(this.#moves, 10))): void {
    this.#down = this.edges.timers.after(ms, () => {
      this.#down = undefined;
      // It has just come back, perhaps to stay: that is waited for.
      if (this.#proof) return this.#moveLater(PROVEN_MS);
      this.#moves += 1;
      const other = this.edges.hosts().find((host) => host !== this.current);
      if (other) this.#move(other);
    });
  }

  /** A stream stands, from now on. */
  stands(): void {
    this.edges.timers.clear(this.#proof);
    this.#proof = this.edges.timers.after(PROVEN_MS, () => this.#works());
  }

  #works(): void {
    this.edges.timers.clear(this.#proof);
    this.#proof = undefined;
    this.#moves = 0;
    this.edges.timers.clear(this.#down);
    this.#down = undefined;
  }

  /** Nothing is watched any more: starts over with the first host. */
  rest(): void {
    this.#works();
    this.#stopProbing();
    this.#current = undefined;
  }

  #move(host: FeedHost): void {
    const first = this.edges.hosts()[0];
    const now = this.edges.timers.now();
    if (this.current === first && now - this.#returnedAtMs >= STEADY_MS) this.#probes.reset();
    this.#current = host;
    this.#stopProbing();
    if (host === first) this.#returnedAtMs = now;
    else this.#probeLater();
    this.moved();
  }

  #stopProbing(): void {
    this.edges.timers.clear(this.#probe);
    this.#probe = undefined;
    this.#probing?.abort();
    this.#probing = undefined;
  }

  #probeLater(): void {
    this.#probe = this.edges.timers.after(this.#probes.next(), () => {
      this.#tryFirst().catch((error: unknown) => this.edges.bug(error));
    });
  }

  async #tryFirst(): Promise<void> {
    const first = this.edges.hosts()[0];
    if (first === undefined) return;
    const probing = new AbortController();
    this.#probing = probing;
    const works = await this.edges.probe(first, probing.signal);
    if (probing.signal.aborted) return;
    this.#probing = undefined;
    if (works) this.#move(first);
    else this.#probeLater();
  }
}

/** A service sends a comment about every 15 s; a stream that brings nothing in this time does not work. */
const PROBE_LIFE_MS = 20_000;

/**
 * Opens a stream only to see whether it works: whether it brings an update or a comment. Closes it in any case. False
 * also when it was aborted.
 */
export async function probeStream(
  open: () => Promise<Outcome<OpenStream>>,
  timers: Timers,
  signal: AbortSignal,
): Promise<boolean> {
  const opened = await open();
  if (!opened.ok) return false;
  const stream = opened.value;
  const close = () => stream.close();
  const enough = timers.after(PROBE_LIFE_MS, close);
  signal.addEventListener('abort', close, { once: true });
  try {
    if (signal.aborted) return false;
    for await (const item of readSse(stream.body)) {
      if (signal.aborted) return false;
      if (item.kind === 'comment' || (item.kind === 'event' && item.event !== 'error')) return true;
    }
    return false;
  } catch {
    // A body throws when the connection breaks: then it doesn't work.
    return false;
  } finally {
    timers.clear(enough);
    signal.removeEventListener('abort', close);
    stream.close();
  }
}
