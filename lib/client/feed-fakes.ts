import type { CompactFeed } from '@/lib/contract/codec/feed-stream';
import type { EventSourceLike } from './feed-source';
import { FeedStore } from './feed-store';
import type { FeedStoreEdges } from './feed-watching';

type Heard = { data?: unknown; lastEventId?: string };

/** For tests: an EventSource that does what it is told. */
export class FakeEventSource implements EventSourceLike {
  readyState = 0;
  readonly #listeners = new Map<string, ((event: Heard) => void)[]>();

  constructor(readonly url: string) {}

  addEventListener(type: string, listener: (event: Heard) => void): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  close(): void {
    this.readyState = 2;
  }

  open(): void {
    this.readyState = 1;
    this.#emit('open', {});
  }

  /** `id` is where the stream is, as `Last-Event-ID` would say it. */
  send(name: string, value: unknown, id = ''): void {
    this.#emit(name, { data: JSON.stringify(value), lastEventId: id });
  }

  /** The connection broke, and the browser will try again by itself. */
  breakOff(): void {
    this.readyState = 0;
    this.#emit('error', {});
  }

  /** The answer was no stream: the browser gives up. */
  giveUp(): void {
    this.readyState = 2;
    this.#emit('error', {});
  }

  #emit(type: string, event: Heard): void {
    for (const listener of this.#listeners.get(type) ?? []) {
      listener(event);
    }
  }
}

/** For tests: a browser whose time, frames and connections are moved by hand. */
export class FakeBrowser {
  now = 1_000_000_000_000;
  readonly sources: FakeEventSource[] = [];
  #frames: (() => void)[] = [];
  #timers: { run: () => void; dueMs: number }[] = [];

  readonly edges: FeedStoreEdges = {
    create: (url) => {
      const source = new FakeEventSource(url);
      this.sources.push(source);
      return source;
    },
    now: () => this.now,
    random: () => 0,
    requestFrame: (run) => this.#frames.push(run),
    setTimer: (run, ms) => {
      const timer = { run, dueMs: this.now + ms };
      this.#timers.push(timer);
      return timer;
    },
    clearTimer: (timer) => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    },
  };

  /** The source that is in use; throws when none was made. */
  get source(): FakeEventSource {
    const last = this.sources.at(-1);
    if (last === undefined) {
      throw new Error('no source was made');
    }
    return last;
  }

  /** How many sources are not closed. */
  get openSources(): number {
    return this.sources.filter(({ readyState }) => readyState !== 2).length;
  }

  get waitingFrames(): number {
    return this.#frames.length;
  }

  get waitingTimers(): number {
    return this.#timers.length;
  }

  paint(): void {
    const frames = this.#frames;
    this.#frames = [];
    for (const run of frames) {
      run();
    }
  }

  pass(ms: number): void {
    const endMs = this.now + ms;
    for (;;) {
      const due = this.#timers.filter(({ dueMs }) => dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs)[0];
      if (due === undefined) {
        break;
      }
      this.now = Math.max(this.now, due.dueMs);
      this.edges.clearTimer(due);
      due.run();
    }
    this.now = endMs;
  }
}

/** An update of a feed with two decimals, received a tenth of a second after its publication (unix seconds). */
export function fakeUpdate(
  id: string,
  price: string,
  publishS: number,
  more: Partial<CompactFeed> = {},
): CompactFeed {
  return { id, p: price, c: '1', e: -2, t: publishS, r: publishS * 1_000 + 100, ...more };
}

/** What the server tells of its own connection while all is well. */
export const LIVE = { state: 'live', sinceMs: 0 };

/** Watches the feeds and brings the first event of the stream. */
export function beginWatching(
  { browser, store }: { browser: FakeBrowser; store: FeedStore },
  ids: readonly string[],
  feeds: readonly CompactFeed[] = [],
  missing: readonly string[] = [],
): void {
  store.watch(ids);
  browser.source.open();
  browser.source.send('snapshot', { feeds, missing, connection: LIVE });
  browser.paint();
}

/** A store in a browser of its own. `begin`: watches feeds and hears a first snapshot of them. */
export function storeStage() {
  const browser = new FakeBrowser();
  const store = new FeedStore(browser.edges, []);
  const begin = (ids: readonly string[], feeds?: readonly CompactFeed[], missing?: readonly string[]) =>
    beginWatching({ browser, store }, ids, feeds, missing);
  return { browser, store, begin, priceOf: (id: string) => store.feed(id).latest?.p };
}
