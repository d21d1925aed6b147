import type { SourceEdges } from './feed-source';
import { FeedSwitchboard } from './feed-switchboard';
import type { FeedTabPort } from './feed-tab-port';
import type { FeedCarrier, FeedEars, FeedWish, WishEnd } from './feed-wish';

/** A worker that has said nothing after this long is not there: its script did not load, or it died. */
export const HELLO_MS = 5_000;
/** A worker that runs answers within milliseconds; a page that wakes has 2 s to be fresh. */
export const PONG_MS = 1_500;
export const PING_MS = 10_000;
/** After so many workers that never spoke, this page goes without. */
const MOST_SILENT = 2;

export type SharedEdges = SourceEdges & {
  /** The way to the worker that all pages share; undefined where the browser has none. `failed`: it can't be loaded. */
  readonly connect: (failed: () => void) => FeedTabPort | undefined;
};

/** A page with a stream of its own. */
export function directCarrier(edges: SourceEdges, ears: FeedEars): FeedCarrier {
  return new FeedSwitchboard(edges, 0).join(ears);
}

/**
 * A page on the stream that all pages of the browser share. Where there is no worker, or it does not answer, the page
 * makes a stream of its own: it costs one of the browser's connections, and works.
 */
export class SharedCarrier implements FeedCarrier {
  readonly #direct: FeedCarrier;
  #wish: FeedWish | undefined;
  #port: FeedTabPort | undefined;
  #way: 'none' | 'greeting' | 'shared' | 'direct' = 'none';
  #silent = 0;
  #timer: unknown;

  constructor(
    private readonly edges: SharedEdges,
    private readonly ears: FeedEars,
  ) {
    this.#direct = directCarrier(edges, ears);
  }

  follow(wish: FeedWish | undefined, end?: WishEnd): void {
    this.#wish = wish;
    if (wish === undefined) this.#rest(end);
    else if (this.#way === 'direct') this.#direct.follow(wish);
    else if (this.#way === 'shared') this.#ask({ kind: 'wish', wish }, PONG_MS);
    else if (this.#way === 'none') this.#greet();
  }

  wake(): void {
    if (this.#wish === undefined) return;
    if (this.#way === 'direct') this.#direct.wake();
    else if (this.#way === 'shared') this.#ask({ kind: 'wake' }, PONG_MS);
  }

  /** Nothing is wanted: the next wish looks for the worker anew, as the page may have slept until then. */
  #rest(end?: WishEnd): void {
    this.edges.clearTimer(this.#timer);
    this.#direct.follow(undefined);
    this.#hangUp(end);
    this.#way = 'none';
    this.ears.onLink({ kind: 'closed' });
  }

  #greet(): void {
    this.#hangUp();
    this.edges.clearTimer(this.#timer);
    const port = this.#silent < MOST_SILENT ? this.edges.connect(() => this.#lost(port)) : undefined;
    if (port === undefined) {
      this.#goDirect();
      return;
    }
    this.#way = 'greeting';
    this.#port = port;
    this.ears.onLink({ kind: 'opening' });
    this.#timer = this.edges.setTimer(() => this.#lost(port), HELLO_MS);
    port.listen((message) => {
      if (port !== this.#port) return;
      if (message.kind === 'hello') this.#greeted();
      else if (message.kind === 'pong') this.#alive();
      else if (message.kind === 'event') this.ears.onEvent(message.event);
      else this.ears.onLink(message.link);
    });
  }

  /** The worker is there, and does not know this page: it has just come, or the worker took it for gone. */
  #greeted(): void {
    this.#silent = 0;
    this.#way = 'shared';
    if (this.#wish !== undefined) this.#ask({ kind: 'wish', wish: this.#wish }, HELLO_MS);
  }

  #alive(): void {
    this.edges.clearTimer(this.#timer);
    this.#timer = this.edges.setTimer(() => this.#ask({ kind: 'ping' }, HELLO_MS), PING_MS);
  }

  #ask(message: Parameters<FeedTabPort['send']>[0], withinMs: number): void {
    const port = this.#port;
    this.edges.clearTimer(this.#timer);
    this.#timer = this.edges.setTimer(() => this.#lost(port), withinMs);
    port?.send(message);
  }

  /** Looks for the worker once more, then goes without. */
  #lost(port: FeedTabPort | undefined): void {
    if (port !== this.#port || this.#wish === undefined) return;
    if (this.#way === 'greeting') this.#silent += 1;
    this.#greet();
  }

  #goDirect(): void {
    this.#hangUp();
    this.#way = 'direct';
    if (this.#wish !== undefined) this.#direct.follow(this.#wish);
  }

  #hangUp(end?: WishEnd): void {
    this.#port?.send(end === undefined ? { kind: 'bye' } : { kind: 'bye', end });
    this.#port?.close();
    this.#port = undefined;
  }
}
