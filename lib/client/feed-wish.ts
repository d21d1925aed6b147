import { type FeedStreamOptions, streamOptionPairs } from '@/lib/contract/codec/feed-history';
import type { FeedStreamEvent } from '@/lib/contract/codec/feed-stream';
import type { SourceLink } from './feed-source';

/** What a page wants of the live stream. Plain data: it travels between a page and the worker that all pages share. */
export type FeedWish = {
  /** Canonical ids, sorted, each once, at least one. */
  readonly ids: readonly string[];
  /** At most so many updates of a feed per second, the latest wins; absent: every update. */
  readonly maxPerS?: number;
  /** Feeds that are asked for with other options come on a stream of their own. */
  readonly options?: FeedStreamOptions;
};

/**
 * `at once`: nothing that lingers would come to its end, since the browser puts the page away as it is, and with the last
 * page the worker that all share.
 */
export type WishEnd = 'at once';

/** Carries what a page wants to it, over whatever way there is. */
export type FeedCarrier = {
  /** From now on this, and at once whatever is known of it; undefined: nothing more. @param end of nothing more */
  follow(wish: FeedWish | undefined, end?: WishEnd): void;
  /** The way may be dead without a word (after sleep, or offline): it is made anew. Nothing happens without a wish. */
  wake(): void;
};

/** What a page hears. Feeds that it did not ask for are not among it. */
export type FeedEars = {
  readonly onEvent: (event: FeedStreamEvent) => void;
  readonly onLink: (link: SourceLink) => void;
};

/** The greater of two rates; absent is every update. */
export function fasterRate(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : Math.max(a, b);
}

/** Whether a stream at one rate has all that a reader at another wants. */
export function suffices(has: number | undefined, wanted: number | undefined): boolean {
  return fasterRate(has, wanted) === has;
}

/** Text that is the same for the same options; empty for the usual stream. */
export function optionsKey(options: FeedStreamOptions | undefined): string {
  return streamOptionPairs(options)
    .map(([name, value]) => `&${name}=${value}`)
    .join('');
}

/** Where the stream of these feeds is. */
export function streamAddress({ ids, maxPerS, options }: FeedWish): string {
  const rate = maxPerS === undefined ? '' : `&max_per_s=${maxPerS}`;
  return `/api/feeds/stream?ids=${ids.join(',')}${rate}${optionsKey(options)}`;
}
