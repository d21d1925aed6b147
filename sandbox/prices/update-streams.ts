import type { SandboxClock } from '@/sandbox/clock';
import type { SandboxStream } from '@/sandbox/responses';
import type { SandboxFeed } from './feeds';
import { isUpdated, previousPublishTime, publishTime, slotAt } from './slots';

export type ChosenUpdate = { feed: SandboxFeed; slot: number };

export type UpdateQuery = { feeds: SandboxFeed[]; encoding: 'hex' | 'base64'; parsed: boolean };

type StreamQuery = UpdateQuery & { allow_unordered: boolean; benchmarks_only: boolean };

type OpenStream = {
  stream: SandboxStream;
  query: StreamQuery;
  /** Streams with the same key share their text. */
  key: string;
  /** Sandbox time, unix ms. */
  openedAt: number;
  /** Real time, ms. */
  lastSentAt: number;
};

/** Real milliseconds. Returns a function that stops it. */
export type StartInterval = (ms: number, run: () => void) => () => void;

const TICK_MS = 50;
/** Age at which a stream is closed, by the sandbox's clock. */
const MAX_AGE_MS = 24 * 3_600_000;
const IDLE_COMMENT_MS = 15_000;
/** Time between dropping a slow client and cutting its connection. */
const CLOSING_GRACE_MS = 5_000;
/** Milliseconds. */
const MIN_GAP_MS = 200;
/** Streams that allow unordered updates repeat in every tenth slot an update of two slots ago. */
const UNORDERED_EVERY = 10;
const UNORDERED_BEHIND = 2;

function endWith(stream: SandboxStream, error: string): void {
  stream.write(`event: error\ndata: ${error}\n\n`);
  stream.end();
}

type StreamDeps = {
  /** Comments and slow clients follow the real time on which it is based. */
  clock: SandboxClock;
  every: StartInterval;
  body: (chosen: readonly ChosenUpdate[], form: UpdateQuery) => string;
};

/** An event has the updates of one slot; streams with the same query share its text. */
export class UpdateStreams {
  #open: OpenStream[] = [];
  #stopTicking = () => {};
  #slot = 0;
  #tickedAt = 0;

  constructor(private readonly deps: StreamDeps) {}

  /** The head has been sent. Updates come from the next slot on. */
  add(stream: SandboxStream, query: StreamQuery): void {
    const { clock, every } = this.deps;
    const real = clock.realNow();
    if (this.#open.length === 0) {
      this.#slot = slotAt(clock.now());
      this.#tickedAt = real;
      this.#stopTicking = every(TICK_MS, () => this.#tick());
    }
    const { feeds, encoding, parsed, benchmarks_only } = query;
    const key = [encoding, parsed, benchmarks_only, ...feeds.map(({ id }) => id)].join();
    this.#open.push({ stream, query, key, openedAt: clock.now(), lastSentAt: real });
  }

  #tick(): void {
    this.#open = this.#open.filter(({ stream }) => !stream.closed);
    if (this.#open.length === 0) this.#stopTicking();
    const now = this.deps.clock.now();
    const real = this.deps.clock.realNow();
    const texts = new Map<string, string>();
    const due = this.#dueSlots(now, real);
    for (const entry of this.#open) {
      entry.openedAt = Math.min(entry.openedAt, now); // The clock may have been set back.
      if (now - entry.openedAt >= MAX_AGE_MS) {
        endWith(entry.stream, 'Connection timeout reached (24h)');
        continue;
      }
      for (const slot of due) {
        this.#write(entry, this.#text(entry, slot, texts), real);
        if (!entry.query.allow_unordered || slot % UNORDERED_EVERY !== 0) continue;
        this.#write(entry, this.#text(entry, slot - UNORDERED_BEHIND, texts), real);
      }
      if (real - entry.lastSentAt >= IDLE_COMMENT_MS) this.#write(entry, ':\n\n', real);
    }
  }

  /** Due slots; after a jump, at most as many as real time allows. */
  #dueSlots(now: number, real: number): number[] {
    const current = slotAt(now);
    const maxSlots = 1 + Math.ceil((real - this.#tickedAt) / MIN_GAP_MS);
    const from = Math.max(this.#slot + 1, current - maxSlots + 1);
    this.#slot = current;
    this.#tickedAt = real;
    return Array.from({ length: Math.max(0, current - from + 1) }, (_, i) => from + i);
  }

  /** Empty if no feed of the stream has an update in the slot. */
  #text({ query, key }: OpenStream, slot: number, texts: Map<string, string>): string {
    const cached = texts.get(`${slot} ${key}`);
    if (cached !== undefined) return cached;
    const chosen = query.feeds
      .filter(({ cadence }) => isUpdated(cadence, slot))
      .filter(
        ({ cadence }) => !query.benchmarks_only || previousPublishTime(cadence, slot) !== publishTime(slot),
      )
      .map((feed) => ({ feed, slot }));
    const text = chosen.length > 0 ? `data:${this.deps.body(chosen, query)}\n\n` : '';
    texts.set(`${slot} ${key}`, text);
    return text;
  }

  #write(entry: OpenStream, text: string, real: number): void {
    const { stream } = entry;
    if (text === '' || stream.closed) return;
    entry.lastSentAt = real;
    if (stream.write(text) || stream.closed) return;
    endWith(stream, 'Slow consumer: disconnected');
    setTimeout(() => stream.destroy(), CLOSING_GRACE_MS).unref();
  }
}
