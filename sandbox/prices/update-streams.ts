import type { SandboxClock } from '@/sandbox/clock';
import type { SandboxStream } from '@/sandbox/responses';
import type { SandboxFeed } from './feeds';
import { isUpdated, previousPublishTime, publishTime, slotAt } from './slots';

export type ChosenUpdate = { feed: SandboxFeed; slot: number };

export type UpdateQuery = { feeds: SandboxFeed[]; encoding: 'hex' | 'base64'; parsed: boolean };

type StreamQuery = UpdateQuery & { allowUnordered: boolean; benchmarksOnly: boolean };

type OpenStream = {
  stream: SandboxStream;
  asked: StreamQuery;
  /** Streams with the same key get the same text. */
  key: string;
  /** Sandbox time, unix ms. */
  openedAt: number;
  /** Real time, ms. */
  lastSentAt: number;
};

/** A connection lasts at most 24 hours of the sandbox's clock. */
const MAX_AGE_MS = 24 * 3_600_000;
const IDLE_COMMENT_MS = 15_000;
const COMMENT = ':\n\n';
/** How long a dropped slow reader may take to read what is left, before its connection is cut. */
const LEAVING_MS = 5_000;
/** The shortest gap between two slots, ms. */
const SHORTEST_GAP_MS = 200;
/** Every tenth slot, an update that is two slots old comes once more: for those who allow unordered ones. */
const UNORDERED_EVERY = 10;
const UNORDERED_BEHIND = 2;

function errorEvent(text: string): string {
  return `event: error\ndata: ${text}\n\n`;
}

type StreamEdges = {
  clock: SandboxClock;
  /** Real milliseconds: comments and slow readers do not depend on the sandbox's clock. */
  realNow: () => number;
  body: (chosen: readonly ChosenUpdate[], form: UpdateQuery) => string;
};

/** All open streams of one host. An event has the updates of one slot; streams with the same query share its text. */
export class UpdateStreams {
  readonly #open = new Set<OpenStream>();
  #stopTicking: (() => void) | undefined;
  #slot = 0;
  #tickedAt = 0;

  constructor(private readonly edges: StreamEdges) {}

  /** Takes over a stream whose head is sent. It gets the updates from the next slot on. */
  add(stream: SandboxStream, asked: StreamQuery): void {
    const { clock, realNow } = this.edges;
    if (!this.#stopTicking) {
      this.#slot = slotAt(clock.now());
      this.#tickedAt = realNow();
      this.#stopTicking = clock.onTick(() => this.#tick());
    }
    const { feeds, encoding, parsed, benchmarksOnly } = asked;
    const key = [encoding, parsed, benchmarksOnly, ...feeds.map(({ id }) => id)].join();
    const entry = { stream, asked, key, openedAt: clock.now(), lastSentAt: realNow() };
    this.#open.add(entry);
    stream.onClose(() => {
      this.#open.delete(entry);
      if (this.#open.size > 0) return;
      this.#stopTicking?.();
      this.#stopTicking = undefined;
    });
  }

  #tick(): void {
    const now = this.edges.clock.now();
    const real = this.edges.realNow();
    const texts = new Map<string, string>();
    const due = this.#dueSlots(now, real);
    for (const entry of [...this.#open]) {
      entry.openedAt = Math.min(entry.openedAt, now); // the clock may have been set back
      if (now - entry.openedAt >= MAX_AGE_MS) {
        entry.stream.write(errorEvent('Connection timeout reached (24h)'));
        entry.stream.end();
        continue;
      }
      for (const slot of due) {
        this.#write(entry, this.#text(entry, slot, texts), real);
        if (!entry.asked.allowUnordered || slot % UNORDERED_EVERY !== 0) continue;
        this.#write(entry, this.#text(entry, slot - UNORDERED_BEHIND, texts), real);
      }
      if (real - entry.lastSentAt >= IDLE_COMMENT_MS) this.#write(entry, COMMENT, real);
    }
  }

  /** The slots begun since the last tick; after a jump only as many as a true clock could have brought. */
  #dueSlots(now: number, real: number): number[] {
    const current = slotAt(now);
    const most = 1 + Math.ceil((real - this.#tickedAt) / SHORTEST_GAP_MS);
    const from = Math.max(this.#slot + 1, current - most + 1);
    this.#slot = current;
    this.#tickedAt = real;
    return Array.from({ length: Math.max(0, current - from + 1) }, (_, i) => from + i);
  }

  /** The event of a slot, or an empty text when no feed of the stream has an update in it. */
  #text(entry: OpenStream, slot: number, texts: Map<string, string>): string {
    const key = `${slot} ${entry.key}`;
    const known = texts.get(key);
    if (known !== undefined) return known;
    const { feeds, benchmarksOnly } = entry.asked;
    const chosen = feeds
      .filter(({ cadence }) => isUpdated(cadence, slot))
      .filter(({ cadence }) => !benchmarksOnly || previousPublishTime(cadence, slot) !== publishTime(slot))
      .map((feed) => ({ feed, slot }));
    const text = chosen.length > 0 ? `data:${this.edges.body(chosen, entry.asked)}\n\n` : '';
    texts.set(key, text);
    return text;
  }

  #write(entry: OpenStream, text: string, real: number): void {
    const { stream } = entry;
    if (text === '' || stream.closed) return;
    entry.lastSentAt = real;
    if (stream.write(text) || stream.closed) return;
    stream.write(errorEvent('Slow consumer: disconnected'));
    stream.end();
    setTimeout(() => stream.destroy(), LEAVING_MS).unref();
  }
}
