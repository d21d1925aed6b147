import { type Outcome, ok } from '@/lib/core/outcome';
import { ManualTimers } from '@/lib/core/timers-fixture';
import type { HistoryOfFeed, SamplesAnswer } from '@/lib/feeds/past-response';
import type { CompactFeed } from '@/lib/feeds/stream-events';
import type { PastEdges } from './past';
import type { FeedStoreEdges } from './store';
import type { EventSourceLike } from './stream';

/** For tests: an EventSource that does what it is told. */
export class ScriptedSource implements EventSourceLike {
  readyState = 0;
  readonly #listeners = new Map<string, ((event: { data?: unknown }) => void)[]>();

  constructor(readonly url: string) {}

  addEventListener(type: string, listener: (event: { data?: unknown }) => void): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  close(): void {
    this.readyState = 2;
  }

  open(): void {
    this.readyState = 1;
    this.emit('open', {});
  }

  send(name: string, value: unknown): void {
    this.emit(name, { data: JSON.stringify(value) });
  }

  /** @param readyState 0: the browser will try again by itself; 2: it gave up, the answer was no stream */
  fail(readyState: 0 | 2): void {
    this.readyState = readyState;
    this.emit('error', {});
  }

  emit(type: string, event: { data?: unknown }): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event);
  }
}

/** For tests: a browser whose time, frames and connections are moved by hand. */
export class ScriptedBrowser {
  readonly timers = new ManualTimers(1_000_000_000_000);
  readonly sources: ScriptedSource[] = [];
  /** What was asked for of the past, and what is answered. */
  readonly requested: string[] = [];
  history: readonly HistoryOfFeed[] = [];
  samples: (times: readonly number[]) => Omit<SamplesAnswer, 'failure'> & { problem?: unknown } = (
    times,
  ) => ({ samples: times.map((t) => ({ t, feeds: [] })) });
  #frames: (() => void)[] = [];

  readonly edges: FeedStoreEdges = {
    create: (url) => {
      const source = new ScriptedSource(url);
      this.sources.push(source);
      return source;
    },
    now: () => this.timers.now(),
    after: (ms, run) => this.timers.after(ms, run),
    random: () => 0,
    requestFrame: (run) => this.#frames.push(run),
  };

  readonly pastEdges: PastEdges = {
    get: async (path): Promise<Outcome<string>> => {
      this.requested.push(path);
      const times = new URL(path, 'http://page').searchParams.get('times')?.split(',').map(Number);
      return ok(JSON.stringify(times === undefined ? { feeds: this.history } : this.samples(times)));
    },
    wait: (ms) => new Promise<void>((resolve) => this.timers.after(ms, resolve)),
  };

  /** The source that was made last. */
  get source(): ScriptedSource {
    const last = this.sources.at(-1);
    if (last === undefined) throw new Error('no source was made');
    return last;
  }

  /** How many sources are not closed. */
  get openSources(): number {
    return this.sources.filter(({ readyState }) => readyState !== 2).length;
  }

  paint(): void {
    const frames = this.#frames;
    this.#frames = [];
    for (const run of frames) run();
  }
}

/** An update of a feed with two decimals, received a tenth of a second after its publication (unix seconds). */
export function scriptedUpdate(
  id: string,
  price: string,
  t: number,
  more: Partial<CompactFeed> = {},
): CompactFeed {
  return { id, p: price, c: '1', e: -2, t, r: t * 1_000 + 100, ...more };
}
