import type { FeedId, FeedUpdate, UpdateBody } from '@/lib/domain/feed';
import type { Outcome } from '@/lib/domain/outcome';
import type { ConnectionState } from './connection';
import type { FeedLinesEdges } from './feed-lines';
import type { FeedMark } from './feed-marks';
import type { PastBudget } from './feed-past';
import type { FeedHost } from './host-choice';
import type { Sink } from './sink-gate';

/** How the streams are, and on which host. */
export type HubConnection = ConnectionState & { host?: FeedHost };

/** Writes what the readers get. JSON texts; feeds are encoded once and joined into many events. */
export type FeedCodec = {
  /** ASCII without line ends. `filled`: it was missed, and asked for afterwards. */
  feed(update: FeedUpdate, receivedAtMs: number, origin?: 'filled'): string;
  snapshot(
    feeds: readonly string[],
    missing: readonly string[],
    connection: HubConnection,
    marks: readonly FeedMark[],
  ): string;
  update(feeds: readonly string[], folded: number): string;
  connection(state: HubConnection): string;
  marks(marks: readonly FeedMark[]): string;
};

export type FeedHubEdges = FeedLinesEdges & {
  /** The hosts that have an address, the wanted one first. */
  hosts(): readonly FeedHost[];
  /** The latest update of each feed; feeds that the service doesn't know are left out of the answer. */
  latest(
    host: FeedHost,
    ids: readonly FeedId[],
    priority: 'user' | 'background',
  ): Promise<Outcome<UpdateBody>>;
  /** The first update of each feed at or after a unix second, in the background. */
  atTime(host: FeedHost, second: number, ids: readonly FeedId[]): Promise<Outcome<UpdateBody>>;
  codec: FeedCodec;
  /** Told apart from every other run of the process, so that a reader from before a restart is not resumed. */
  epoch: string;
  /** What the charts' memory may take; all hubs of the process share one. */
  past: PastBudget;
  /** `any`: updates that are older than the last one are passed on too, because the readers asked for them. */
  order?: 'any';
};

export type WatchRequest = {
  ids: readonly FeedId[];
  /** What was asked for and is no id: told as missing. */
  malformed: readonly string[];
  /** At most so many update events per second; undefined sends every update. */
  maxPerS?: number;
  /** The `Last-Event-ID` of a reader that comes back. */
  lastEventId?: string;
  sink: Sink;
};

/** Figures for metrics; the counts only grow. */
export type FeedHubStats = {
  watchers: number;
  feeds: number;
  upstreamStreams: number;
  updates: number;
  duplicates: number;
  older: number;
  unreadable: number;
  losses: number;
  /** Updates that were missed and filled in afterwards. */
  filled: number;
};
