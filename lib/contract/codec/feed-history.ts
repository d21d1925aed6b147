import { type FeedMark, readFeedMarks } from './feed-marks';
import { type CompactFeed, readFeeds } from './feed-stream';

/**
 * What `GET /api/view/feeds/history` answers: the recent updates, of the last 30 minutes at most, from our server's memory, for a
 * chart that opens or a page that comes back. Nothing is asked of the service.
 */

/** `yes`: every update of the feed since `from` that our server received. `since N`: only those from unix second N on. */
export type HistoryComplete = 'yes' | `since ${number}`;

export type HistoryOfFeed = {
  id: string;
  /** By publish time, oldest first. */
  updates: CompactFeed[];
  complete: HistoryComplete;
};

/** A feed that our server doesn't watch has no updates. `marks`: those of the last 30 minutes that concern these feeds. */
export type FeedHistoryAnswer = { feeds: HistoryOfFeed[]; marks: FeedMark[] };

/** The advanced options of a stream; each differing set is a stream of its own. All absent: the usual stream. */
export type FeedStreamOptions = {
  /** Updates in any order of publish time. */
  unordered?: 'allowed';
  /** Only the first update of each publish time. */
  benchmarks?: 'only';
  /** An id that the service doesn't know fails the opening; our server names it as missing and opens without it. */
  invalidIds?: 'refused';
};

/** Feeds that one question may name. */
export const MAX_HISTORY_FEEDS = 60;
/** Bounds of `points`. */
export const LEAST_HISTORY_POINTS = 4;
export const MOST_HISTORY_POINTS = 10_000;

export type FeedHistoryQuery = {
  ids: readonly string[];
  /** Unix seconds. */
  fromS: number;
  /** At most so many updates per feed: the least and the greatest price of each part of the time are kept. */
  points?: number;
  options?: FeedStreamOptions;
};

/** Path and query of the question. */
export function feedHistoryPath({ ids, fromS, points, options }: FeedHistoryQuery): string {
  const query = new URLSearchParams({ from: String(Math.max(0, Math.floor(fromS))) });
  if (points !== undefined) {
    const bounded = Math.min(MOST_HISTORY_POINTS, Math.max(LEAST_HISTORY_POINTS, Math.floor(points)));
    query.set('points', String(bounded));
  }
  for (const [name, value] of streamOptionPairs(options)) query.set(name, value);
  // Commas as they are: ids are hex, and 60 of them make a long address already.
  return `/api/view/feeds/history?ids=${ids.join(',')}&${query}`;
}

/** The members of the query that stand for options, for the history and for `/api/feeds/stream`; none for the usual stream. */
export function streamOptionPairs(options: FeedStreamOptions = {}): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  if (options.unordered) pairs.push(['allow_unordered', 'true']);
  if (options.benchmarks) pairs.push(['benchmarks_only', 'true']);
  if (options.invalidIds) pairs.push(['ignore_invalid_price_ids', 'false']);
  return pairs;
}

/** JSON text of the answer. `updates`: those of a feed as JSON, with commas between them. */
export function feedHistoryText(
  feeds: readonly { id: string; updates: string; complete: HistoryComplete }[],
  marks: readonly FeedMark[],
): string {
  const texts = feeds.map(
    ({ id, updates, complete }) =>
      `{"id":${JSON.stringify(id)},"updates":[${updates}],"complete":${JSON.stringify(complete)}}`,
  );
  return `{"feeds":[${texts.join(',')}],"marks":${JSON.stringify(marks)}}`;
}

/** Reads the answer; undefined when it is none. Feeds and updates that can't be read are left out. */
export function readFeedHistoryAnswer(value: unknown): FeedHistoryAnswer | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { feeds, marks }: { feeds?: unknown; marks?: unknown } = value;
  if (!Array.isArray(feeds)) return undefined;
  return { feeds: feeds.flatMap((one) => readHistory(one) ?? []), marks: readFeedMarks(marks) };
}

function readHistory(value: unknown): HistoryOfFeed | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, updates, complete }: { id?: unknown; updates?: unknown; complete?: unknown } = value;
  if (typeof id !== 'string' || !isComplete(complete)) return undefined;
  return { id, updates: readFeeds(updates), complete };
}

function isComplete(value: unknown): value is HistoryComplete {
  return value === 'yes' || (typeof value === 'string' && /^since \d{1,15}$/.test(value));
}
