import { type FeedId, parseFeedId } from '@/lib/core/feed';
import type { ScaledInteger } from '@/lib/core/numbers';
import { stripWrapping, visibleText } from '@/lib/core/pasted';
import { inspectLink } from '@/lib/core/payload-link';
import { permittedChannels } from '@/lib/core/router-price';
import { clipped } from '@/lib/core/text';
import { microsToSeconds, secondsToMicros, type UnixMicros } from '@/lib/core/time';
import type { FeedSymbol } from './symbols-response';
import type { LookupSource, LookupView } from './view';

/** A feed with data from the directory. `key` is unique within the lookup. */
export type LookupFeed = Pick<
  FeedSymbol,
  'symbol' | 'feedId' | 'routerId' | 'minChannel' | 'state' | 'exponent'
> & { readonly key: string };

export type LookupRequest = {
  readonly feeds: readonly LookupFeed[];
  readonly at: UnixMicros | 'now';
  readonly options: Omit<LookupView, 'ids' | 'at' | 'mode' | 'figures'>;
  /** The symbol directory links the two ids of a feed. */
  readonly directory: 'known' | 'missing';
};

export type LookupCell =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'quote'; readonly quote: SourceQuote }
  /** `quote` is the service's own words, clipped. */
  | {
      readonly kind: 'none';
      readonly title: string;
      readonly text: string;
      readonly quote?: string;
      readonly isFault?: boolean;
      /** Moment of a signed payload that was received in place of a price. */
      readonly payloadOf?: UnixMicros | 'latest';
    };

/** A fact under the service's own name. */
export type QuoteFact = {
  readonly name: string;
  readonly value: string;
  /** `payload`: encoded bytes, too long to be shown in full. */
  readonly form: 'text' | 'time' | 'payload';
};

export type SourceQuote = {
  readonly price?: ScaledInteger;
  readonly conf?: ScaledInteger;
  readonly ema?: { readonly price: ScaledInteger; readonly conf?: ScaledInteger };
  readonly publishUs?: UnixMicros | undefined;
  /** Requested time in the precision of the service; absent for the latest price. */
  readonly requestedUs?: UnixMicros;
  /** Arrival, unix ms by our server's clock. */
  readonly receivedMs: number;
  readonly facts: readonly QuoteFact[];
};

/** A call to our gateway. `query` is percent-encoded and has no question mark. */
export type LookupCall = {
  readonly source: LookupSource;
  readonly feeds: readonly LookupFeed[];
  readonly path: `/api/${string}`;
  readonly query?: string;
  readonly body?: string;
  /** Requested time in the precision of the route; absent for the latest price. */
  readonly requestedUs?: UnixMicros;
};

/** Equal for equal calls. */
export const callKey = ({ path, query, body }: LookupCall) => `${path} ${query ?? body}`;

export const sourceService = (source: LookupSource) => (source === 'deprecated' ? 'updates' : source);

/** Feeds without repetition, and the texts that match no feed or several. */
export function resolveLookupFeeds(ids: readonly string[], symbols: readonly FeedSymbol[]) {
  const feeds = new Map<string, LookupFeed>();
  const unknown: string[] = [];
  for (const text of ids.map((id) => stripWrapping(visibleText(id))).filter(Boolean)) {
    const feed = resolved(text, symbols);
    if (feed === undefined) unknown.push(text);
    else if (!feeds.has(identityOf(feed))) feeds.set(identityOf(feed), feed);
  }
  return { feeds: [...feeds.values()], unknown };
}

const identityOf = ({ feedId, routerId }: LookupFeed) => `${routerId ?? ''}:${feedId ?? ''}`;

function resolved(text: string, symbols: readonly FeedSymbol[]): LookupFeed | undefined {
  const [, digits, hex] = /^(\d{1,19})(?::(.+))?$/.exec(text) ?? [];
  const routerId = digits?.replace(/^0+(?=\d)/, '');
  const feedId = parseFeedId(hex ?? text);
  if (hex !== undefined && feedId === undefined) return undefined;
  const feedSymbol = symbols.find((candidate) =>
    feedId === undefined ? candidate.routerId === routerId : candidate.feedId === feedId,
  );
  // Explicit ids take precedence over the directory.
  if (routerId !== undefined || feedId !== undefined)
    return lookupFeed(text, feedSymbol, { feedId, routerId });
  // The whole symbol, or the symbol without its class if only one feed has it.
  const name = text.toLowerCase();
  const whole = symbols.filter(({ symbol }) => symbol.toLowerCase() === name);
  const short = symbols.filter(({ symbol }) => symbol.toLowerCase().endsWith(`.${name}`));
  const [named, ...others] = whole.length > 0 ? whole : short;
  return named === undefined || others.length > 0 ? undefined : lookupFeed(text, named, {});
}

function lookupFeed(
  text: string,
  feedSymbol: FeedSymbol | undefined,
  { feedId = feedSymbol?.feedId, routerId = feedSymbol?.routerId }: { feedId?: FeedId; routerId?: string },
): LookupFeed {
  // Valid only for the router's own id.
  const routerSymbol = feedSymbol !== undefined && routerId === feedSymbol.routerId ? feedSymbol : undefined;
  return {
    key: text.toLowerCase(),
    symbol: feedSymbol?.symbol || text,
    feedId,
    routerId,
    minChannel: routerSymbol?.minChannel,
    state: routerSymbol?.state,
    exponent: routerSymbol?.exponent,
  };
}

/** The router has no price in these states, and decides in any other. */
const NOT_SERVED = ['coming_soon', 'inactive'];
/** The deprecated route takes one feed per call, on a host that answers a few calls per second. */
const MAX_DEPRECATED = 20;

function reasonNotToRequest(request: LookupRequest, source: LookupSource, feed: LookupFeed) {
  const { feeds, options, directory } = request;
  const isRouter = source === 'router';
  if ((isRouter ? feed.routerId : feed.feedId) === undefined) {
    return directory === 'missing'
      ? 'The symbol directory is unavailable. Give both ids as router id:feed id.'
      : `This feed has no ${isRouter ? 'router id' : 'id on the price update services'}.`;
  }
  if (!isRouter) {
    const isLate = source === 'deprecated' && feeds.indexOf(feed) >= MAX_DEPRECATED;
    return isLate ? `One feed per call: only the first ${MAX_DEPRECATED} are requested.` : undefined;
  }
  const { state = '', minChannel = '' } = feed;
  if (NOT_SERVED.includes(state)) return `State ${state}: the router has no price.`;
  // If the minimum is unknown, the router decides.
  const permitted = permittedChannels(minChannel);
  return permitted.length > 0 && !permitted.includes(options.channel)
    ? `The channel is below the feed’s minimum, ${minChannel}. Select that one or a slower one.`
    : undefined;
}

/** @param published publish time at other sources, which the deprecated route needs with `now` */
export function planCalls(
  request: LookupRequest,
  source: LookupSource,
  published: (feed: LookupFeed) => UnixMicros | undefined,
): { calls: LookupCall[]; cells: Map<string, LookupCell> } {
  const cells = new Map<string, LookupCell>();
  const needsSecond = source === 'deprecated' && request.at === 'now';
  const requested = request.feeds.filter((feed) => {
    const isUnpublished = needsSecond && published(feed) === undefined;
    const why =
      reasonNotToRequest(request, source, feed) ??
      (isUnpublished ? 'Needs a publish time, and no other source returned one.' : undefined);
    if (why !== undefined)
      cells.set(feed.key, { kind: 'none', title: 'Not requested', text: clipped(why, 200) });
    return why === undefined;
  });
  const together = requested.length === 0 ? [] : [requested];
  const parts = source === 'deprecated' ? requested.map((feed) => [feed]) : together;
  return { calls: parts.map((feeds) => lookupCall(request, source, feeds, published)), cells };
}

/** @param published publish time of a feed at other sources */
export function lookupCall(
  { at, options }: LookupRequest,
  source: LookupSource,
  feeds: readonly LookupFeed[],
  published: (feed: LookupFeed) => UnixMicros | undefined,
): LookupCall {
  const [feed] = feeds;
  const { channel, properties, formats, encoding, parsed, verbose, binary } = options;
  if (source === 'router') {
    const members = { channel, properties, formats, ...(at === 'now' ? {} : { timestamp: 0 }) };
    // The body is written as text, because ids and microseconds may exceed the integers of numbers.
    const body = JSON.stringify(members)
      .replace('{', `{"priceFeedIds":[${feeds.map(({ routerId }) => routerId).join(',')}],`)
      .replace('"timestamp":0', `"timestamp":${at}`);
    const path = `/api/router/v1/${at === 'now' ? 'latest_price' : 'price'}` as const;
    return { source, feeds, path, body, requestedUs: at === 'now' ? undefined : at };
  }
  // The deprecated route has no latest price, so it is queried for the publish time of another source.
  const latest = source === 'deprecated' ? feed && published(feed) : undefined;
  const moment = at === 'now' ? latest : at;
  const second = moment === undefined ? undefined : microsToSeconds(moment);
  const requestedUs = second === undefined ? undefined : secondsToMicros(second);
  if (source === 'deprecated') {
    const query = new URLSearchParams({
      id: feed?.feedId ?? '',
      publish_time: String(second ?? ''),
      verbose: String(verbose),
      binary: String(binary),
    });
    return { source, feeds, path: '/api/updates/api/get_price_feed', query: query.toString(), requestedUs };
  }
  const query = new URLSearchParams(feeds.map(({ feedId = '' }) => ['ids[]', feedId]));
  query.append('encoding', encoding);
  query.append('parsed', String(parsed));
  query.append('ignore_invalid_price_ids', String(options.ignore_invalid_price_ids));
  const path = `/api/${source}/v2/updates/price/${second ?? 'latest'}` as const;
  return { source, feeds, path, query: query.toString(), requestedUs };
}

/** Splits feeds into those named in the refusal and the others, else two halves. @param detail the service's words */
export function splitFeeds({ source, feeds }: LookupCall, detail: string): (readonly LookupFeed[])[] {
  const words = new Set(detail.toLowerCase().match(/[0-9a-z]+/g));
  const isNamed = ({ feedId, routerId }: LookupFeed) =>
    words.has((source === 'router' ? routerId : feedId) ?? '');
  const others = feeds.filter((feed) => !isNamed(feed));
  if (others.length > 0 && others.length < feeds.length) return [others, feeds.filter(isNamed)];
  const half = Math.ceil(feeds.length / 2);
  return [feeds.slice(0, half), feeds.slice(half)];
}

/** Explains publish times, the offsets beside them, and which price a source returns for a moment. */
export function howToRead(at: LookupRequest['at'], sources: readonly LookupSource[]): string {
  const hasSource = (...names: readonly LookupSource[]) => names.some((name) => sources.includes(name));
  const isNow = at === 'now';
  const returned = isNow
    ? [
        hasSource('updates', 'upgraded', 'router') && 'Each source returned its latest price.',
        hasSource('deprecated') &&
          'The deprecated route has no latest price: it returned the first update of the second in which another source’s price was published, and its offset is from that second.',
      ]
    : [
        hasSource('updates', 'upgraded', 'deprecated') &&
          'Update services return the first update at or after the second.',
        hasSource('router') && 'The router returns the price that was current.',
      ];
  return [
    `Below each price: its publish time and, in brackets, its offset from the ${isNow ? 'arrival of the answer' : 'requested time'}.`,
    sources.length > 1 && 'Differences are from the first column with a price, in basis points.',
    ...returned,
  ]
    .filter(Boolean)
    .join(' ');
}

/** The payload behind a price is the host's first update of that second. Undefined if there is none. */
export function inspectorPath(source: LookupSource, at: UnixMicros | 'latest', feeds: readonly LookupFeed[]) {
  const second = at === 'latest' ? at : microsToSeconds(at);
  const ids = feeds.flatMap(({ feedId }) => feedId ?? []);
  if (source === 'router' || second === undefined || ids.length === 0) return undefined;
  return inspectLink(source === 'upgraded' ? source : 'updates', second, ids);
}

const SETTINGS = { updates: 'UPDATES', upgraded: 'UPGRADED_UPDATES', router: 'ROUTER' } as const;

/**
 * Calls the service itself; address and key come from the environment. Neither the percent-encoded query (brackets too,
 * which curl would expand) nor the body of our own words and digits can end the quotes.
 */
export function callAsCurl({ source, path, query, body }: LookupCall): string {
  const service = sourceService(source);
  const url = `$${SETTINGS[service]}_URL${path.slice(`/api/${service}`.length)}`;
  const header = `curl -H "Authorization: Bearer $${SETTINGS[service]}_API_KEY"`;
  if (body === undefined) return `${header} "${url}?${query}"`;
  return `${header} -H "Content-Type: application/json" -d '${body.replaceAll("'", '')}' "${url}"`;
}
