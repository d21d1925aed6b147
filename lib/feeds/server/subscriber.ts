import type { FeedId } from '@/lib/domain/feed';
import { type Sink, SinkGate } from './sink-gate';
import type { Timers } from './timers';

/** One update on its way to the readers. `late`: its feed has a newer price already. */
export type FeedNews = { id: FeedId; text: string; late?: 'late' };

/** Encoded updates that wait to be sent. */
export class Pending {
  #texts: FeedNews[] = [];
  readonly #place = new Map<FeedId, number>();
  #folded = 0;

  /** `latest`: one update per feed, the newest wins and the others are counted. `every`: all of them. */
  constructor(private readonly keep: 'every' | 'latest') {}

  get empty(): boolean {
    return this.#texts.length === 0;
  }

  /** Updates that were left out because a newer one of the same feed came. */
  get folded(): number {
    return this.#folded;
  }

  get texts(): string[] {
    return this.#texts.map((entry) => entry.text);
  }

  add(news: FeedNews): void {
    const place = this.keep === 'latest' ? this.#place.get(news.id) : undefined;
    if (place === undefined) {
      this.#place.set(news.id, this.#texts.length);
      this.#texts.push(news);
    } else {
      if (!news.late) this.#texts[place] = news;
      this.#folded += 1;
    }
  }

  /** Takes over what another one holds, in its order. */
  addAll(other: Pending): void {
    for (const news of other.#texts) this.add(news);
    this.#folded += other.#folded;
  }
}

/** What a subscriber sends by itself when its reader has caught up. The hub writes the bytes. */
export type SubscriberEvents = {
  snapshot(): Uint8Array;
  update(pending: Pending): Uint8Array;
  connection(): Uint8Array;
  /** All marks of the last half an hour. */
  marks(): Uint8Array;
};

/**
 * One browser. While its buffer is full nothing is queued but the newest price of each of its feeds, so what it costs is
 * bounded by the feeds it watches; one that stays full is cut by its gate.
 */
export class Subscriber {
  /** Whether it has its snapshot (or its replay) and takes news. */
  joined = false;
  readonly #gate: SinkGate;
  #held = new Pending('latest');
  #owesSnapshot = false;
  #owesConnection = false;
  #owesMarks = false;

  /**
   * @param ids sorted, without repeats
   * @param malformed what the reader asked for and is no id, told as missing
   */
  constructor(
    readonly ids: readonly FeedId[],
    readonly malformed: readonly string[],
    sink: Sink,
    timers: Timers,
    private readonly events: (watcher: Subscriber) => SubscriberEvents,
  ) {
    this.#gate = new SinkGate(sink, timers, () => this.#catchUp());
  }

  /** Sends an update event, the same bytes for every subscriber of the group; a full reader keeps what is in it for later. */
  update(bytes: Uint8Array, pending: Pending): void {
    if (!this.#gate.write(bytes)) this.#held.addAll(pending);
  }

  snapshot(): void {
    this.joined = true;
    if (this.#gate.open) this.#gate.write(this.events(this).snapshot());
    else this.#owesSnapshot = true;
  }

  connection(bytes: Uint8Array): void {
    if (!this.#gate.write(bytes)) this.#owesConnection = true;
  }

  marks(bytes: Uint8Array): void {
    if (!this.#gate.write(bytes)) this.#owesMarks = true;
  }

  /** Bytes without news; a reader that is full needs no sign of life. */
  heartbeat(bytes: Uint8Array): void {
    this.#gate.write(bytes);
  }

  end(): void {
    this.#gate.end();
  }

  /** The reader is gone. */
  close(): void {
    this.#gate.close();
  }

  // In the order that a reader needs: a snapshot holds everything; else the prices first, then how the connection is.
  #catchUp(): void {
    const events = this.events(this);
    const held = this.#held;
    const [owesSnapshot, owesConnection] = [this.#owesSnapshot, this.#owesConnection];
    const owesMarks = this.#owesMarks;
    this.#held = new Pending('latest');
    this.#owesSnapshot = false;
    this.#owesConnection = false;
    this.#owesMarks = false;
    if (owesSnapshot) this.snapshot();
    else if (!held.empty) this.update(events.update(held), held);
    if (owesConnection && !owesSnapshot) this.connection(events.connection());
    if (owesMarks && !owesSnapshot) this.marks(events.marks());
  }
}
