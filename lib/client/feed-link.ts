import type { FeedConnection, FeedRefusal } from '@/lib/contract/codec/feed-stream';
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
  /**
   * No update comes. `after` prices: `sinceMs` is when the last one came, else when the stream began. `sign`: whether the
   * service is known to be connected all the same, or the way may be dead.
   */
  | {
      readonly kind: 'quiet';
      readonly sinceMs: number;
      readonly after: 'opening' | 'prices';
      readonly sign: 'alive' | 'none';
    }
  /** Our server lost the price service and tries again. */
  | { readonly kind: 'reconnecting'; readonly trouble?: LinkTrouble; readonly retryAtMs?: number }
  /** Our server can't get prices, and trying again soon will not help. */
  | { readonly kind: 'failed'; readonly trouble?: LinkTrouble; readonly retryAtMs?: number }
  /** This browser lost our server. */
  | { readonly kind: 'cut'; readonly retryAtMs?: number }
  /** Our server refuses the stream, for example because this browser has too many. */
  | { readonly kind: 'refused'; readonly trouble: LinkTrouble; readonly retryAtMs?: number };

/**
 * What our server said last about its own connection to the price service, with the moment it said so. `pricesUntilMs`:
 * when the last update came, where it says that no more come.
 */
export type ToldConnection = {
  readonly connection: FeedConnection;
  readonly heardAtMs: number;
  readonly pricesUntilMs?: number;
};

/** A quiet that goes on is the same quiet, though a new stream tells it again. */
export function toldAnew(
  before: ToldConnection | undefined,
  connection: FeedConnection,
  nowMs: number,
  lastUpdateMs: number | undefined,
): ToldConnection {
  if (connection.state !== 'quiet') return { connection, heardAtMs: nowMs };
  if (before?.connection.state === 'quiet' && before.connection.sinceMs === connection.sinceMs) {
    return { ...before, connection };
  }
  const pricesUntilMs = before?.connection.state === 'live' ? lastUpdateMs : undefined;
  return { connection, heardAtMs: nowMs, pricesUntilMs };
}

/** Where nothing has come for so long, prices are not called live, whatever was said last: the way may be dead. */
export const SILENT_AFTER_MS = 20_000;

/** The link as it may be shown at a moment. @param lastUpdateMs when this browser heard the last update, or the stream began */
export function linkShown(link: FeedLink, lastUpdateMs: number | undefined, nowMs: number): FeedLink {
  const isSilent = lastUpdateMs !== undefined && nowMs - lastUpdateMs >= SILENT_AFTER_MS;
  return link.kind === 'live' && isSilent
    ? { kind: 'quiet', sinceMs: lastUpdateMs, after: 'prices', sign: 'none' }
    : link;
}

/** Whether the service is known to be there: then it is the feeds that are silent. */
export function isConnected(link: FeedLink): boolean {
  return link.kind === 'live' || (link.kind === 'quiet' && link.sign === 'alive');
}

export type Refusal = { readonly trouble: LinkTrouble; readonly retryAtMs?: number };

const REFUSED_RETRY_MS = 30_000;

/** When a stream that was refused is asked for again, milliseconds from then. */
export function refusalWaitMs({ retryAfterS }: FeedRefusal): number {
  return retryAfterS === undefined ? REFUSED_RETRY_MS : retryAfterS * 1000;
}

/** What no retry can mend (a wrong address, a service that is not configured) is still tried, but no countdown is promised. */
export function refusalOf(value: FeedRefusal, now: number): Refusal {
  const { kind, detail } = value;
  const hopeless = kind === 'bad-request' || kind === 'unconfigured';
  return { trouble: { kind, detail }, retryAtMs: hopeless ? undefined : now + refusalWaitMs(value) };
}

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

function linkOfTold({ connection, heardAtMs, pricesUntilMs }: ToldConnection): FeedLink {
  if (connection.state === 'quiet') {
    const sign = connection.failure === undefined ? 'alive' : 'none';
    const after = pricesUntilMs === undefined ? 'opening' : 'prices';
    return { kind: 'quiet', sinceMs: pricesUntilMs ?? heardAtMs, after, sign };
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
