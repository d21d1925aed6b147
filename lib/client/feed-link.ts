import type { FeedConnection } from '@/lib/contract/codec/feed-stream';
import type { SourceLink } from './feed-source';

/** Why something is not there: our word for it, and what was said. */
export type LinkTrouble = { readonly kind: string; readonly detail: string };

/** The state of the live stream as the page shows it. Times are unix milliseconds of this browser's clock. */
export type FeedLink =
  /** No feed is chosen. */
  | { readonly kind: 'idle' }
  /** Closed because nobody looks at the page. */
  | { readonly kind: 'paused' }
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** Connected to the service, and no update comes. */
  | { readonly kind: 'quiet'; readonly sinceMs: number }
  /** Our server lost the price service and tries again. */
  | { readonly kind: 'reconnecting'; readonly trouble?: LinkTrouble; readonly retryAtMs?: number }
  /** Our server can't get prices, and trying again soon will not help. */
  | { readonly kind: 'failed'; readonly trouble?: LinkTrouble; readonly retryAtMs?: number }
  /** This browser lost our server. */
  | { readonly kind: 'cut'; readonly retryAtMs?: number }
  /** Our server refuses the stream, for example because this browser has too many. */
  | { readonly kind: 'refused'; readonly trouble: LinkTrouble; readonly retryAtMs?: number };

/** What our server said last about its own connection to the price service, with the moment it said so. */
export type ToldConnection = { readonly connection: FeedConnection; readonly heardAtMs: number };

export type Refusal = { readonly trouble: LinkTrouble; readonly retryAtMs?: number };

/** One state from the two halves of the way; the half that is nearer to the reader is told first. */
export function feedLinkOf(facts: {
  readonly watching: boolean;
  readonly paused: boolean;
  readonly source: SourceLink;
  readonly told: ToldConnection | undefined;
  readonly refusal: Refusal | undefined;
}): FeedLink {
  if (!facts.watching) {
    return { kind: 'idle' };
  }
  if (facts.paused) {
    return { kind: 'paused' };
  }
  if (facts.refusal !== undefined) {
    return { kind: 'refused', ...facts.refusal };
  }
  if (facts.source.kind === 'lost') {
    return { kind: 'cut', retryAtMs: facts.source.retryAtMs };
  }
  if (facts.told === undefined) {
    return { kind: 'connecting' };
  }
  return linkOfTold(facts.told);
}

function linkOfTold({ connection, heardAtMs }: ToldConnection): FeedLink {
  if (connection.state === 'quiet') {
    return { kind: 'quiet', sinceMs: heardAtMs };
  }
  if (connection.state !== 'reconnecting' && connection.state !== 'failed') {
    return { kind: connection.state };
  }
  const { failure } = connection;
  const trouble = failure === undefined ? undefined : { kind: failure.kind, detail: failure.detail };
  const retryAtMs = failure?.retryAfterS === undefined ? undefined : heardAtMs + failure.retryAfterS * 1000;
  return { kind: connection.state, trouble, retryAtMs };
}

/** Links are compared by content, so that a page is not drawn again for the same news. */
export function sameLink(a: FeedLink, b: FeedLink): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
