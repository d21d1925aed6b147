import type { FeedConnection, FeedTrouble } from '@/lib/feeds/stream-events';
import type { StreamWay } from './stream';

/** Why something is not there: our word for it, and what was said. */
export type LinkTrouble = Pick<FeedTrouble, 'kind' | 'detail'>;

/** The state of the live stream as the page shows it. Times are unix milliseconds of this browser's clock. */
export type FeedLink =
  /** `idle`: no feed is chosen. `paused`: closed because nobody looks at the page. */
  | { readonly kind: 'idle' | 'paused' | 'connecting' | 'live' }
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
  /**
   * `reconnecting`: our server lost the price service and tries again; `failed`: it can't get prices, and trying again soon
   * will not help. `cut`: this browser lost our server. `refused`: our server refuses the stream, for example because this
   * browser has too many.
   */
  | {
      readonly kind: 'reconnecting' | 'failed' | 'cut' | 'refused';
      readonly trouble?: LinkTrouble;
      readonly retryAtMs?: number;
    };

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
  const isSame = before?.connection.state === 'quiet' && before.connection.sinceMs === connection.sinceMs;
  if (isSame) return { ...before, connection };
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

/** One state from the two halves of the way; the half that is nearer to the reader is told first. */
export function feedLinkOf(
  standing: 'idle' | 'paused' | 'watching',
  way: StreamWay,
  told: ToldConnection | undefined,
): FeedLink {
  if (standing !== 'watching') return { kind: standing };
  if (way.kind === 'lost') return { kind: 'cut', retryAtMs: way.retryAtMs };
  if (way.kind === 'refused') {
    const { kind, detail } = way.trouble;
    // What no retry can mend is still tried, but no countdown is promised.
    const isHopeless = kind === 'bad-request' || kind === 'unconfigured';
    return { kind: 'refused', trouble: { kind, detail }, retryAtMs: isHopeless ? undefined : way.retryAtMs };
  }
  if (told === undefined) return { kind: 'connecting' };
  const { connection, heardAtMs, pricesUntilMs } = told;
  const { state, failure } = connection;
  if (state === 'quiet') {
    const sign = failure === undefined ? 'alive' : 'none';
    const after = pricesUntilMs === undefined ? 'opening' : 'prices';
    return { kind: 'quiet', sinceMs: pricesUntilMs ?? heardAtMs, after, sign };
  }
  if (state !== 'reconnecting' && state !== 'failed') return { kind: state };
  const trouble = failure && { kind: failure.kind, detail: failure.detail };
  const retryAtMs = failure?.retryAfterS === undefined ? undefined : heardAtMs + failure.retryAfterS * 1000;
  return { kind: state, trouble, retryAtMs };
}
