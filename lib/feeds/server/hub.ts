import 'server-only';
import { type FeedId, type FeedUpdate, readUpdateBody, type UpdateBody } from '@/lib/core/feed';
import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import type { Timers } from '@/lib/core/timers';
import { compactFeedText, type FeedConnection, type FeedHost } from '@/lib/feeds/stream-events';
import { unconfigured } from '@/lib/server/gateway';
import { services } from '@/lib/server/services';
import { timedStream } from '@/lib/server/stream-response';
import { HistoryBuffer, type KeptUpdate, keptOf } from './history-buffer';
import { HostChoice } from './host-choice';
import { type FeedNews, type Subscriber, Subscribers, type WatchRequest } from './subscribers';
import {
  MAX_FEEDS_PER_STREAM,
  type OpenCause,
  type StreamEndReason,
  type UpstreamEdges,
  UpstreamStreams,
} from './upstream-streams';

export type FeedHubEdges = UpstreamEdges & {
  /** The hosts that have an address, the wanted one first. */
  hosts(): readonly FeedHost[];
  /** The latest update of each feed; feeds that the service doesn't know are left out of the answer. */
  latest(host: FeedHost, ids: readonly FeedId[], priority: Priority): Promise<Outcome<UpdateBody>>;
  epoch: string;
};

/** Figures for metrics; the counts only grow. */
export type FeedHubStats = {
  watchers: number;
  feeds: number;
  upstreamStreams: number;
  /** Characters of updates that are kept. */
  historyBytes: number;
  updates: number;
  duplicates: number;
  older: number;
  unreadable: number;
  losses: number;
};

/**
 * What is remembered of a feed, and how many watch it. `lacking` a price: the first question is under way, it was not
 * answered, or the service doesn't know the feed, which must not be in a question for others.
 */
type WatchedFeed = {
  readonly history: HistoryBuffer;
  watchers: number;
  idleSinceMs: number;
  lacking?: 'asked' | 'unanswered' | 'missing' | undefined;
};
type Priority = 'user' | 'background';

/** Different feeds watched by everybody together: four thousand updates a second at most. */
export const MAX_HUB_FEEDS = 500;
/** A feed outlives its last watcher by this, so that a reload of the page finds its stream open. */
export const LINGER_MS = 30_000;
/** Changes of the union within this time open one stream, not one each. */
const GATHER_MS = 25;
/** However often the union changes, streams are opened anew at most so often: each opening is a call of the budget. */
const REPLAN_MS = 1_000;
/** Feeds without a value are asked for again this often, as long as someone watches them. */
const ASK_AGAIN_MS = 30_000;

/** All browsers on one upstream stream: the union of what anyone watches. Readers get a snapshot, then what is new. */
export class FeedHub {
  readonly #counts = { updates: 0, duplicates: 0, older: 0, unreadable: 0, losses: 0 };
  /** Number of the last event that brought news. */
  #seq = 0;
  #stopped = false;
  #cancelGather: (() => void) | undefined;
  #cancelSweep: (() => void) | undefined;
  #cancelAskAgain: (() => void) | undefined;
  #replannedAtMs = 0;
  /** Where the last stream was opened. */
  #openedOn: FeedHost | undefined;
  /** The feeds that anyone watches, or did until a moment ago. */
  readonly #feeds = new Map<FeedId, WatchedFeed>();
  readonly #hosts: HostChoice;
  readonly #streams: UpstreamStreams;
  readonly #subscribers: Subscribers;

  constructor(private readonly edges: FeedHubEdges) {
    const { timers, epoch } = edges;
    this.#hosts = new HostChoice(timers, edges.hosts, () => this.#streams.moveHost());
    this.#streams = new UpstreamStreams(edges, () => this.#hosts.current, {
      event: (event) => this.#read(event.data),
      opened: (ids, cause) => this.#opened(ids, cause),
      attemptFailed: (failure, ids) => this.#attemptFailed(failure, ids),
      over: (failure) => {
        if (failure) this.#counts.losses += 1;
        this.#noticeDown(failure);
      },
      stateChanged: () => this.#subscribers.connectionChanged(),
    });
    this.#subscribers = new Subscribers({
      timers,
      epoch,
      seq: () => this.#seq,
      history: (id) => this.#feeds.get(id)?.history,
      isMissing: (id) => this.#isMissing(id),
      isAsked: (id) => this.#feeds.get(id)?.lacking === 'asked',
      state: () => this.connection,
    });
  }

  get stats(): FeedHubStats {
    const histories = [...this.#feeds.values()].map(({ history }) => history.bytes);
    return {
      ...this.#counts,
      historyBytes: histories.reduce((sum, bytes) => sum + bytes, 0),
      watchers: this.#subscribers.count,
      feeds: this.#feeds.size,
      upstreamStreams: this.#streams.openCount,
    };
  }

  /** The last update of each watched feed that has one, as the readers get it. */
  get lastTexts(): [FeedId, string][] {
    return [...this.#feeds].flatMap(([id, { history }]) =>
      history.lastText === undefined ? [] : [[id, history.lastText]],
    );
  }

  /** How the streams are, and on which host. */
  get connection(): FeedConnection {
    const host = this.#host;
    // Between the first watcher and the opening of the stream there is no stream that could say so.
    if (this.#cancelGather && this.#streams.count === 0) {
      return { state: 'connecting', sinceMs: this.edges.timers.now(), host };
    }
    return { ...this.#streams.state(), host };
  }

  /** Adds a reader until the returned function is called or its sink ends. `too-many` over `MAX_HUB_FEEDS`. */
  watch(request: WatchRequest): Outcome<() => void> {
    const ids = [...new Set(request.ids)].sort();
    const fresh = ids.filter((id) => !this.#feeds.has(id));
    if (this.#stopped) return failed({ kind: 'too-many', detail: 'The dashboard is shutting down.' });
    if (this.#feeds.size + fresh.length > MAX_HUB_FEEDS) {
      return failed({
        kind: 'too-many',
        detail: `This dashboard watches at most ${MAX_HUB_FEEDS} feeds at once.`,
      });
    }
    for (const id of ids) {
      const feed = this.#feeds.get(id) ?? {
        history: new HistoryBuffer(this.#seq, () => keptOf(this.#feeds.size)),
        watchers: 0,
        idleSinceMs: 0,
      };
      feed.watchers += 1;
      this.#feeds.set(id, feed);
    }
    const subscriber = this.#subscribers.admit({ ...request, ids });
    if (fresh.length > 0) {
      this.#replanSoon();
      this.#askLatest(fresh, 'user');
    }
    this.#subscribers.welcome(subscriber);
    return ok(() => this.#release(subscriber));
  }

  /** By publish time; undefined for a feed that nobody watches. `completeSinceS`: all received since is there. */
  past(
    id: FeedId,
    fromS: number,
  ): { updates: readonly KeptUpdate[]; completeSinceS: number | undefined } | undefined {
    return this.#feeds.get(id)?.history.from(fromS, this.edges.timers.now());
  }

  heartbeat(): void {
    this.#subscribers.heartbeat();
  }

  /** Ends every reader in good order and closes all streams; the hub can't be used again. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#cancelGather?.();
    this.#cancelSweep?.();
    this.#cancelAskAgain?.();
    this.#streams.stop();
    this.#hosts.rest();
    this.#subscribers.stop();
    this.#feeds.clear();
  }

  /** Where updates come from; while the first host is asked again, still the second. */
  get #host(): FeedHost {
    return this.#openedOn ?? this.#hosts.current;
  }

  /** Reads one upstream event. Gives whether it brought a price; one that can't be read is counted and skipped. */
  #read(text: string): boolean {
    const body = readUpdateBody(text);
    if (body.ok) return this.#take(body.value);
    this.#counts.unreadable += 1;
    return false;
  }

  /** Takes the updates of a body. Gives whether there are any. */
  #take(body: UpdateBody): boolean {
    this.#counts.unreadable += body.unreadable.length;
    const receivedAtMs = this.edges.timers.now();
    const cameBack = new Set<FeedId>();
    const news: FeedNews[] = [];
    for (const update of body.updates) {
      const feed = this.#feeds.get(update.id);
      if (!feed) continue;
      if (feed.lacking === 'missing') cameBack.add(update.id);
      feed.lacking = undefined;
      const text = this.#keep(feed.history, update, receivedAtMs);
      if (text !== undefined) news.push({ id: update.id, text });
    }
    this.#counts.updates += news.length;
    if (news.length > 0) {
      this.#seq += 1;
      this.#subscribers.dispatch(news);
    }
    if (cameBack.size > 0) this.#subscribers.pricesSettled(cameBack);
    return body.updates.length > 0;
  }

  /** Remembers an update, and gives what the readers are told of it: nothing when it is no news. */
  #keep(history: HistoryBuffer, update: FeedUpdate, receivedAtMs: number): string | undefined {
    const novelty = history.judge(update);
    if (novelty === 'duplicate') this.#counts.duplicates += 1;
    if (novelty === 'older') this.#counts.older += 1;
    if (novelty !== 'new') return undefined;
    const text = compactFeedText(update, receivedAtMs);
    history.keep(update, this.#seq + 1, text);
    return text;
  }

  #release(subscriber: Subscriber): void {
    if (this.#stopped || !this.#subscribers.dismiss(subscriber)) return;
    for (const id of subscriber.group.ids) {
      const feed = this.#feeds.get(id);
      if (!feed) continue;
      feed.watchers -= 1;
      feed.idleSinceMs = this.edges.timers.now();
    }
    this.#sweepIn(LINGER_MS);
  }

  /** Forgets what nobody has watched for a while; with the last one the upstream streams are closed. */
  #sweepIn(ms: number): void {
    this.#cancelSweep ??= this.edges.timers.after(ms, () => {
      this.#cancelSweep = undefined;
      const now = this.edges.timers.now();
      const idle = [...this.#feeds].filter(([, { watchers }]) => watchers === 0);
      const leftMs = (feed: WatchedFeed) => feed.idleSinceMs + LINGER_MS - now;
      for (const [id, feed] of idle) if (leftMs(feed) <= 0) this.#feeds.delete(id);
      this.#replan();
      const nextMs = Math.min(...idle.map(([, feed]) => leftMs(feed)).filter((left) => left > 0));
      if (Number.isFinite(nextMs)) this.#sweepIn(nextMs);
      if (this.#feeds.size > 0) return;
      this.#hosts.rest();
      this.#openedOn = undefined;
    });
  }

  #replanSoon(): void {
    const sinceMs = this.edges.timers.now() - this.#replannedAtMs;
    this.#cancelGather ??= this.edges.timers.after(Math.max(GATHER_MS, REPLAN_MS - sinceMs), () => {
      this.#cancelGather = undefined;
      this.#replan();
    });
  }

  /** What the service doesn't know is left out: one bad id must not cost the others theirs. */
  #replan(): void {
    if (this.#stopped) return;
    this.#replannedAtMs = this.edges.timers.now();
    this.#streams.cover(new Set([...this.#feeds.keys()].filter((id) => !this.#isMissing(id))));
  }

  #opened(ids: readonly FeedId[], cause: OpenCause): void {
    const now = this.edges.timers.now();
    for (const id of ids) this.#feeds.get(id)?.history.begin(now);
    this.#hosts.streamOpened();
    const before = this.#openedOn;
    this.#openedOn = this.#hosts.current;
    // A return to the first host changes no state, so nothing else would say it.
    if (before !== undefined && before !== this.#openedOn) this.#subscribers.connectionChanged();
    // Slow feeds may have moved during the outage and not move again for long.
    if (cause === 'again') this.#askLatest(ids, 'background');
  }

  #isMissing(id: FeedId): boolean {
    return this.#feeds.get(id)?.lacking === 'missing';
  }

  /** Asks for the latest update: at first, after an outage, and of feeds that the service doesn't know again and again. */
  #askLatest(ids: readonly FeedId[], priority: Priority): void {
    if (priority === 'user') this.#mark(ids, 'asked');
    for (let from = 0; from < ids.length; from += MAX_FEEDS_PER_STREAM) {
      const some = ids.slice(from, from + MAX_FEEDS_PER_STREAM);
      this.#askSome(some, priority).catch((error: unknown) => {
        this.edges.bug(error);
        this.#settle(some, 'unanswered');
      });
    }
  }

  async #askSome(ids: readonly FeedId[], priority: Priority): Promise<void> {
    if (ids.length === 0) return;
    const outcome = await this.edges.latest(this.#host, ids, priority);
    if (this.#stopped) return;
    if (!outcome.ok) {
      const named = outcome.failure.kind === 'missing' ? this.#markNamed(outcome.failure.detail, ids) : [];
      const rest = ids.filter((id) => !named.includes(id));
      // The text is cut at 500 characters, so it may name only some; each round leaves fewer.
      return named.length > 0 ? this.#askSome(rest, priority) : this.#settle(rest, 'unanswered');
    }
    const { updates, unreadable, parsedPresent } = outcome.value;
    // A row that can't be read is no proof that the feed doesn't exist.
    const unread = unreadable.flatMap(({ rawJson }) => rawJson.toLowerCase().match(/[0-9a-f]{64}/g) ?? []);
    const present = new Set<string>([...updates.map(({ id }) => id), ...unread]);
    const found = ids.filter((id) => present.has(id) && this.#isMissing(id));
    this.#take(outcome.value);
    this.#mark(
      ids.filter((id) => present.has(id)),
      undefined,
    );
    const lacking = ids.filter((id) => !present.has(id));
    this.#settle(lacking, parsedPresent ? 'missing' : 'unanswered', found);
  }

  #mark(ids: readonly FeedId[], lacking: WatchedFeed['lacking']): void {
    for (const feed of ids.map((id) => this.#feeds.get(id))) if (feed) feed.lacking = lacking;
  }

  /** Marks the ids that a 404 of the service names: `Price ids not found: <id>, <id>`. Gives those among `asked`. */
  #markNamed(detail: string, asked: readonly FeedId[]): FeedId[] {
    const text = detail.toLowerCase();
    const named = asked.filter((id) => text.includes(id));
    if (named.length > 0) this.#settle(named, 'missing');
    return named;
  }

  /** A question is settled, answered or not. Feeds that went missing or are known again get another stream. */
  #settle(ids: readonly FeedId[], as: 'unanswered' | 'missing', found: readonly FeedId[] = []): void {
    const lost = ids.filter((id) => as === 'missing' && !this.#isMissing(id));
    this.#mark(ids, as);
    this.#askAgainLater();
    const changed = new Set([...found, ...lost]);
    this.#streams.lack(changed);
    if (changed.size > 0) this.#replanSoon();
    this.#subscribers.pricesSettled(changed);
  }

  #askAgainLater(): void {
    const lacking = () => [...this.#feeds].flatMap(([id, feed]) => (feed.lacking ? id : []));
    if (this.#cancelAskAgain || this.#stopped || lacking().length === 0) return;
    this.#cancelAskAgain = this.edges.timers.after(ASK_AGAIN_MS, () => {
      this.#cancelAskAgain = undefined;
      this.#askLatest(lacking(), 'background');
      this.#askAgainLater();
    });
  }

  #noticeDown(failure: Failure | undefined): void {
    if (this.#streams.openCount === 0) this.#hosts.down(failure?.kind);
  }

  #attemptFailed(failure: Failure, ids: readonly FeedId[]): void {
    this.#noticeDown(failure);
    if (failure.kind !== 'missing') return;
    // At once: the next attempt, which is waited for already, asks without them.
    if (this.#markNamed(failure.detail, ids).length > 0) this.#replan();
  }
}

/** The hosts that have an address; our pages want the first one, and use the second while that is down. */
export function hostsOfPages(): FeedHost[] {
  const { updates, upgraded } = services();
  return [...(updates ? ['updates' as const] : []), ...(upgraded ? ['upgraded' as const] : [])];
}

export function makeFeedHub(edges: {
  timers: Timers;
  random: () => number;
  bug(error: unknown): void;
  /** Hears why an upstream stream is over that is to be opened anew. */
  ended?(reason: StreamEndReason): void;
  /** Hears how long it took to pass a piece of an upstream stream on. */
  passedOn?(ms: number): void;
}): FeedHub {
  const clientOf = (host: FeedHost) => services()[host];
  const none = (host: FeedHost) => failed(unconfigured(host));
  return new FeedHub({
    ...edges,
    epoch: Date.now().toString(36),
    hosts: hostsOfPages,
    open: async (host, ids, signal) =>
      timedStream((await clientOf(host)?.openStream(hubQuery(ids), signal)) ?? none(host), edges.passedOn),
    latest: async (host, ids, priority) => clientOf(host)?.latest(hubQuery(ids), priority) ?? none(host),
  });
}

/** Unknown ids are left out by the service instead of failing all others; base64 is the shorter form of what we drop. */
function hubQuery(ids: readonly FeedId[]): string {
  const query = new URLSearchParams(ids.map((id) => ['ids[]', id]));
  query.set('encoding', 'base64');
  query.set('parsed', 'true');
  query.set('ignore_invalid_price_ids', 'true');
  return query.toString();
}
