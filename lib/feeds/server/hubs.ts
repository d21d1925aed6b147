import 'server-only';
import { type FeedStreamOptions, streamOptionPairs } from '@/lib/contract/codec/feed-history';
import { compactFeedText, deltaText, plainText, snapshotText } from '@/lib/contract/codec/feed-stream';
import type { FeedId } from '@/lib/domain/feed';
import { failed } from '@/lib/domain/outcome';
import { timedStream } from '@/lib/server/fan-out';
import { unconfigured } from '@/lib/server/gateway-routes';
import { services } from '@/lib/server/services';
import type { StreamEndReason } from './connection';
import type { FeedHost } from './host-choice';
import { FeedHub, type FeedHubStats } from './hub';
import type { HubConnection } from './subscribers';
import type { Timers } from './timers';

export type FeedHubsEdges = {
  timers: Timers;
  random: () => number;
  bug(error: unknown): void;
  /** Hears why an upstream stream is over that is to be opened anew. */
  ended?(reason: StreamEndReason): void;
  /** Hears how long it took to pass a piece of an upstream stream on. */
  passedOn?(ms: number): void;
};

/** A hub whose last reader is gone is given up when its upstream stream is closed; looked at this often. */
const TIDY_MS = 60_000;

/**
 * The hubs of our pages: one for the usual stream, and one for each set of options that somebody reads with. There are
 * three options of two values, so eight hubs at most.
 */
export class FeedHubs {
  readonly #hubs = new Map<string, FeedHub>();
  /** Counts of hubs that were given up. */
  #gone = emptyStats();
  #tidied: number;

  constructor(private readonly edges: FeedHubsEdges) {
    this.#tidied = edges.timers.now();
  }

  /** Sums over the hubs of all option sets. */
  get stats(): FeedHubStats {
    return [...this.#hubs.values()].map((hub) => hub.stats).reduce(addStats, this.#gone);
  }

  /** How the usual stream of the pages is; undefined before its first reader. */
  get connection(): HubConnection | undefined {
    return this.known({})?.connection;
  }

  /** The last update of each feed that anybody watches, in whatever order it is sent: in the compact form. */
  get lastTexts(): ReadonlyMap<FeedId, string> {
    const usual = this.known({});
    const others = [...this.#hubs.values()].filter((hub) => hub !== usual);
    return new Map([...others, ...(usual ? [usual] : [])].flatMap((hub) => [...hub.lastTexts]));
  }

  /** The hub for these options; made when it is first asked for. */
  of(options: FeedStreamOptions): FeedHub {
    const key = keyOf(options);
    const known = this.#hubs.get(key);
    if (known) return known;
    const hub = makeHub(key, options, this.edges);
    this.#hubs.set(key, hub);
    return hub;
  }

  /** The hub for these options where somebody reads with them. */
  known(options: FeedStreamOptions): FeedHub | undefined {
    return this.#hubs.get(keyOf(options));
  }

  heartbeat(): void {
    for (const hub of this.#hubs.values()) hub.heartbeat();
    if (this.edges.timers.now() - this.#tidied >= TIDY_MS) this.#tidy();
  }

  stop(): void {
    for (const hub of this.#hubs.values()) hub.stop();
  }

  #tidy(): void {
    this.#tidied = this.edges.timers.now();
    for (const [key, hub] of this.#hubs) {
      if (hub.stats.feeds > 0) continue;
      hub.stop();
      this.#gone = addStats(this.#gone, hub.stats);
      this.#hubs.delete(key);
    }
  }
}

/** The hosts that have an address; our pages want the first one, and use the second while that is down. */
export function hostsOfPages(): FeedHost[] {
  const { updates, upgraded } = services();
  return [...(updates ? ['updates' as const] : []), ...(upgraded ? ['upgraded' as const] : [])];
}

function makeHub(key: string, options: FeedStreamOptions, edges: FeedHubsEdges): FeedHub {
  const streamQuery = (ids: readonly FeedId[]) => hubQuery(ids, streamOptionPairs(options));
  const clientOf = (host: FeedHost) => services()[host];
  const none = (host: FeedHost) => failed(unconfigured(host));
  return new FeedHub({
    ...edges,
    // Each hub numbers its updates by itself, so a place in one stream is no place in another.
    epoch: `${Date.now().toString(36)}${key}`,
    order: options.unordered ? 'any' : undefined,
    hosts: hostsOfPages,
    open: async (host, ids, signal) =>
      timedStream((await clientOf(host)?.openStream(streamQuery(ids), signal)) ?? none(host), edges.passedOn),
    latest: async (host, ids, priority) => clientOf(host)?.latest(hubQuery(ids), priority) ?? none(host),
    codec: {
      feed: compactFeedText,
      snapshot: snapshotText,
      update: deltaText,
      connection: plainText,
      marks: (marks) => plainText({ marks }),
    },
  });
}

/** Unknown ids are left out by the service instead of failing all others; base64 is the shorter form of what we drop. */
function hubQuery(ids: readonly FeedId[], options: readonly [string, string][] = []): string {
  const query = new URLSearchParams(ids.map((id) => ['ids[]', id]));
  query.set('encoding', 'base64');
  query.set('parsed', 'true');
  query.set('ignore_invalid_price_ids', 'true');
  for (const [name, value] of options) query.set(name, value);
  return query.toString();
}

/** Empty for the usual stream, else one letter per option: it stands in event ids, which carry no spaces or dots. */
function keyOf({ unordered, benchmarks, invalidIds }: FeedStreamOptions): string {
  const letters = `${unordered ? 'u' : ''}${benchmarks ? 'b' : ''}${invalidIds ? 'i' : ''}`;
  return letters && `-${letters}`;
}

function emptyStats(): FeedHubStats {
  return {
    watchers: 0,
    feeds: 0,
    upstreamStreams: 0,
    historyBytes: 0,
    updates: 0,
    duplicates: 0,
    older: 0,
    unreadable: 0,
    losses: 0,
  };
}

function addStats(a: FeedHubStats, b: FeedHubStats): FeedHubStats {
  const sum = { ...a };
  for (const name of Object.keys(sum) as (keyof FeedHubStats)[]) sum[name] += b[name];
  return sum;
}
