import {
  FEED_STREAM_EVENTS,
  type FeedDelta,
  type FeedRefusal,
  type FeedSnapshot,
  type FeedStreamEvent,
  readFeedStreamEvent,
} from '@/lib/contract/codec/feed-stream';
import { FeedHandover } from './feed-handover';
import { refusalWaitMs } from './feed-link';
import { FeedPicture } from './feed-picture';
import { hasReached, readPlace, type StreamPlace } from './feed-place';
import { FeedSource, type SourceEdges, type SourceLink } from './feed-source';
import { type FeedWish, streamAddress, suffices } from './feed-wish';

/** What concerns all feeds of a stream. */
export type LineNews = Extract<FeedStreamEvent, { name: 'connection' | 'marks' | 'refused' }>;

export type LineEars = {
  /** News of feeds, each update once. */
  readonly onUpdates: (delta: FeedDelta) => void;
  /** The picture of these feeds was told as a whole. */
  readonly onSnapshot: (ids: ReadonlySet<string>) => void;
  /** The picture knows it already. */
  readonly onNews: (event: LineNews) => void;
  readonly onLink: (link: SourceLink) => void;
};

/** Wishes that change together (tabs that open at once) cost one new stream, not one each. */
const GATHER_MS = 50;
/** A stream that carries much more than is wanted is made anew after this long: not because a page was reloaded. */
const SHRINK_MS = 30_000;
/** At the end of this the old stream has had its time to come as far as the new one: its own rate is at least one a second. */
const DRAIN_MS = 1_500;
/** Several tabs wake at once; the stream is made anew for the first of them. */
const WAKE_ONCE_MS = 1_000;
/** Timers take no longer waits than this, and run at once when they are given one. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const TIMERS = ['gather', 'shrink', 'drain', 'refused'] as const;
/** The place of a stream that does not say where it is. */
const NOWHERE: StreamPlace = { epoch: '', seq: 0 };
type TimerName = (typeof TIMERS)[number];

/** A new stream that takes over. */
type Next = { readonly carried: Carried; readonly handover: FeedHandover };

type Carried = {
  source: FeedSource;
  wish: FeedWish;
  ids: ReadonlySet<string>;
  place: StreamPlace | undefined;
};

/**
 * Feeds on one stream of our server. When more is wanted than it carries, a new stream is made before the old one is
 * dropped; a refusal is waited for as long as it says.
 */
export class FeedLine {
  readonly picture = new FeedPicture();
  /** Stands while our server refuses the stream. */
  refusal: { readonly value: FeedRefusal; readonly untilMs: number } | undefined;
  #wanted: FeedWish | undefined;
  #now: Carried | undefined;
  #next: Next | undefined;
  /** After a handover, until the new stream has passed the place at which the old one was closed. */
  #careful: { handover: FeedHandover; until: StreamPlace | undefined } | undefined;
  #madeAtMs = Number.NEGATIVE_INFINITY;
  readonly #timers: Partial<Record<TimerName, unknown>> = {};

  constructor(
    private readonly edges: SourceEdges,
    private readonly ears: LineEars,
  ) {}

  get link(): SourceLink {
    return this.#now?.source.link ?? { kind: 'closed' };
  }

  /** The feeds that it carries, or will. */
  get wanted(): readonly string[] {
    return this.#wanted?.ids ?? [];
  }

  /** The rate at which the stream comes; undefined: every update. */
  get maxPerS(): number | undefined {
    return this.#now?.wish.maxPerS;
  }

  want(wish: FeedWish): void {
    this.#wanted = wish;
    if (this.#now === undefined) {
      if (this.refusal === undefined) this.#open();
      return;
    }
    const { ids, wish: has } = this.#now;
    const covered = wish.ids.every((id) => ids.has(id)) && suffices(has.maxPerS, wish.maxPerS);
    const idle = covered && (ids.size >= 2 * wish.ids.length || has.maxPerS !== wish.maxPerS);
    if (!covered) this.#timers.gather ??= this.edges.setTimer(() => this.#change(), GATHER_MS);
    if (!idle) this.#clear('shrink');
    else this.#timers.shrink ??= this.edges.setTimer(() => this.#change(), SHRINK_MS);
  }

  /** A stream that may be dead without a word is made anew, once for all who ask at the same time. */
  wake(): void {
    const fresh = this.edges.now() - this.#madeAtMs < WAKE_ONCE_MS;
    if (this.#wanted !== undefined && this.refusal === undefined && !fresh) this.#open();
  }

  close(): void {
    for (const name of TIMERS) this.#clear(name);
    this.#next?.carried.source.close();
    this.#next = undefined;
    this.#now?.source.close();
    this.#now = undefined;
    this.#wanted = undefined;
  }

  /** One stream for what is wanted, and none beside it. */
  #open(): void {
    const wanted = this.#wanted;
    if (wanted === undefined) return;
    for (const name of TIMERS) this.#clear(name);
    this.#next?.carried.source.close();
    this.#next = undefined;
    this.#careful = undefined;
    const source = this.#now?.source ?? this.#source();
    this.#now = { source, wish: wanted, ids: new Set(wanted.ids), place: undefined };
    this.#madeAtMs = this.edges.now();
    source.open(streamAddress(wanted));
  }

  /** Another stream for what is wanted now, beside the present one until it has begun. */
  #change(): void {
    this.#clear('gather');
    this.#clear('shrink');
    const now = this.#now;
    const wanted = this.#wanted;
    if (now === undefined || wanted === undefined) return;
    // A way that is lost has nothing to hand over.
    if (now.source.link.kind !== 'open' || now.place === undefined) {
      this.#open();
      return;
    }
    this.#clear('drain');
    this.#next?.carried.source.close();
    const carried = { source: this.#source(), wish: wanted, ids: new Set(wanted.ids), place: undefined };
    this.#next = { carried, handover: new FeedHandover(now.ids) };
    this.#madeAtMs = this.edges.now();
    carried.source.open(streamAddress(wanted));
  }

  #source(): FeedSource {
    const source: FeedSource = new FeedSource(this.edges, FEED_STREAM_EVENTS, {
      onEvent: (name, data, id) => {
        const event = readFeedStreamEvent(name, data);
        if (event === undefined) return;
        if (source === this.#now?.source) this.#heard(this.#now, event, readPlace(id));
        else if (source === this.#next?.carried.source) this.#heardNext(this.#next, event, readPlace(id));
      },
      onLink: (link) => {
        if (source === this.#now?.source) this.ears.onLink(link);
      },
    });
    return source;
  }

  #heard(now: Carried, event: FeedStreamEvent, place: StreamPlace | undefined): void {
    if (event.name === 'refused') {
      this.#refused(event.value);
      return;
    }
    now.place = place ?? now.place;
    this.#endRefusal();
    if (event.name === 'snapshot') this.#tellSnapshot(event.value, now.ids, place);
    else if (event.name === 'update') this.#tellUpdates(event.value, place);
    else this.#tellNews(event);
    const next = this.#next;
    if (event.name === 'update') next?.handover.oldTold(event.value.feeds);
    if (next?.carried.place !== undefined && next.handover.isDone(now.place)) this.#takeOver();
  }

  #heardNext(next: Next, event: FeedStreamEvent, place: StreamPlace | undefined): void {
    const { carried, handover } = next;
    if (event.name === 'refused') {
      // One stream too many: the present one makes room for it.
      this.#open();
      return;
    }
    const first = carried.place === undefined;
    // Before its snapshot it has nothing to say that the present stream does not say.
    if (first && event.name !== 'snapshot') return;
    carried.place = place ?? carried.place ?? NOWHERE;
    if (event.name === 'snapshot') this.#tellNextSnapshot(next, event.value, place);
    else if (event.name === 'update') this.#publish({ feeds: handover.newBrought(event.value.feeds) });
    else this.#tellNews(event);
    if (first) this.#timers.drain = this.edges.setTimer(() => this.#takeOver(), DRAIN_MS);
    if (first && handover.isDone(this.#now?.place)) this.#takeOver();
  }

  /** Of the feeds that only the new stream has. */
  #tellNextSnapshot({ carried, handover }: Next, value: FeedSnapshot, place: StreamPlace | undefined): void {
    const fresh = new Set([...carried.ids].filter((id) => this.#now?.ids.has(id) !== true));
    const feeds = handover.begun(value.feeds, place);
    const missing = value.missing.filter((id) => fresh.has(id));
    this.#tellSnapshot({ ...value, feeds, missing }, fresh, place);
  }

  /** The new stream is the one from now on. */
  #takeOver(): void {
    this.#clear('drain');
    const next = this.#next;
    const old = this.#now;
    if (next === undefined || old === undefined) return;
    this.#next = undefined;
    old.source.close();
    this.#now = next.carried;
    this.picture.keepOnly(next.carried.ids);
    this.#careful = { handover: next.handover, until: old.place };
    const rest = next.handover.rest(this.picture.latest);
    this.#publish({ feeds: rest });
    this.ears.onLink(this.link);
    if (this.#wanted !== undefined) this.want(this.#wanted);
  }

  #tellSnapshot(snapshot: FeedSnapshot, ids: ReadonlySet<string>, place: StreamPlace | undefined): void {
    this.picture.takeSnapshot(snapshot, ids, place?.epoch);
    this.ears.onSnapshot(ids);
  }

  #tellUpdates(delta: FeedDelta, place: StreamPlace | undefined): void {
    const careful = this.#careful;
    if (careful === undefined) {
      this.#publish(delta);
      return;
    }
    const feeds = careful.handover.untold(delta.feeds, this.picture.latest);
    // The first event behind that place may still hold what the old stream told; the next ones can't.
    if (!hasReached(careful.until, place)) this.#careful = undefined;
    this.#publish({ ...delta, feeds });
  }

  #publish(delta: FeedDelta): void {
    if (delta.feeds.length === 0 && delta.folded === undefined) return;
    for (const update of delta.feeds) this.picture.take(update);
    this.ears.onUpdates(delta);
  }

  #tellNews(event: Exclude<LineNews, { name: 'refused' }>): void {
    if (event.name === 'connection') this.picture.connection = event.value;
    else this.picture.mark(event.value.marks);
    this.ears.onNews(event);
  }

  /** Trying at once again would only be refused again, so the browser's own retry is stopped. */
  #refused(value: FeedRefusal): void {
    const waitMs = refusalWaitMs(value);
    this.#now?.source.close();
    this.refusal = { value, untilMs: this.edges.now() + waitMs };
    this.ears.onNews({ name: 'refused', value });
    this.#clear('refused');
    this.#timers.refused = this.edges.setTimer(() => this.#open(), Math.min(waitMs, LONGEST_TIMER_MS));
  }

  #endRefusal(): void {
    this.refusal = undefined;
    this.#clear('refused');
  }

  #clear(name: TimerName): void {
    this.edges.clearTimer(this.#timers[name]);
    this.#timers[name] = undefined;
  }
}
