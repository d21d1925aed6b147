import type { FeedStreamOptions } from '@/lib/contract/codec/feed-history';
import type { FeedHost } from '@/lib/contract/codec/feed-marks';
import type { CompactFeed } from '@/lib/contract/codec/feed-stream';
import type { FillEdges } from './feed-fill';
import type { FeedLink } from './feed-link';
import type { SourceEdges } from './feed-source';
import type { FeedCarrier, FeedEars } from './feed-wish';

export type FeedStoreEdges = SourceEdges &
  FillEdges & {
    /** `requestAnimationFrame`: listeners hear of news at most once per frame. */
    readonly requestFrame: (run: () => void) => void;
    /** The way to the streams; absent: one of this page's own. */
    readonly carrier?: (ears: FeedEars) => FeedCarrier;
  };

/** What concerns all feeds of the page. */
export type StreamView = {
  readonly link: FeedLink;
  /** How far publish times are behind this browser's clock, ms; 0 while the difference is ordinary. */
  readonly skewMs: number;
  /** The host that our server asks, as far as it said so. */
  readonly host?: FeedHost;
};

/** How a page wants its feeds. */
export type WatchManner = {
  /** Absent: `UPDATES_PER_S`. */
  readonly rate?: number | 'every';
  readonly options?: FeedStreamOptions;
};

/** What the server already knew of a feed when it wrote the page. */
export type FeedSeed = { readonly update: CompactFeed; readonly rhythmMs?: number };

/** Nobody reads numbers that change faster; of what comes in between the latest wins. */
export const UPDATES_PER_S = 5;
