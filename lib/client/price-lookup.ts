import type { LookupOptions, LookupSource, PriceReference } from '@/lib/contract/codec/prices-url';
import { priceReferenceText } from '@/lib/contract/codec/prices-url';
import type { FeedSymbol } from '@/lib/contract/codec/symbols';
import { type FeedEntry, type FeedId, findFeed } from '@/lib/domain/feed';
import type { Failure } from '@/lib/domain/outcome';
import type { ScaledInteger } from '@/lib/domain/scaled-number';
import type { UnixMicros } from '@/lib/domain/units';

/** A feed of a lookup, with what the directory tells of it. */
export type LookupFeed = {
  /** Unlike that of any other feed of the lookup. */
  readonly key: string;
  /** The symbol; the id where none is known. */
  readonly symbol: string;
  readonly feedId?: FeedId;
  /** Decimal digits. */
  readonly routerId?: string;
  /** As the router writes them. */
  readonly minChannel?: string;
  readonly state?: string;
  readonly exponent?: number;
};

/** Whether the directory could be asked which ids belong together. */
export type DirectoryStanding = 'known' | 'missing';

/** One question of a person: which feeds, when, of whom, and how. */
export type LookupAsk = {
  readonly feeds: readonly LookupFeed[];
  /** Absent: now. */
  readonly at?: UnixMicros;
  readonly options: LookupOptions;
  readonly directory: DirectoryStanding;
};

/** Why a source was not asked for a feed. */
export type NotAskedWhy =
  | 'no-feed-id'
  | 'no-router-id'
  | 'directory-missing'
  | 'below-min-channel'
  | 'not-served'
  | 'no-second';

/** What one source says of one feed. */
export type LookupCell =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'quote'; readonly quote: SourceQuote }
  /** Asked for without its parsed form. */
  | { readonly kind: 'binary-only'; readonly askedUs?: UnixMicros }
  /** The answer leaves this feed out. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly problem: string; readonly rawJson: string }
  /** `together`: refused in one call with so many other feeds, and not asked alone. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly together?: number }
  | { readonly kind: 'not-asked'; readonly why: NotAskedWhy; readonly detail?: string }
  | { readonly kind: 'cancelled' };

/** A further figure of an answer, by the name that the service gives it. */
export type QuoteFact = {
  readonly name: string;
  readonly value: string;
  /** `seconds`, `micros`: unix times in digits. `payload`: encoded bytes, too long to be shown whole. */
  readonly form: 'text' | 'seconds' | 'micros' | 'payload';
};

export type SourceQuote = {
  readonly price?: ScaledInteger;
  readonly conf?: ScaledInteger;
  readonly ema?: { readonly price: ScaledInteger; readonly conf?: ScaledInteger };
  readonly publishUs?: UnixMicros;
  /** The moment that the service was asked for, in its own precision; absent: the latest. */
  readonly askedUs?: UnixMicros;
  /** When the answer was here, unix milliseconds by this computer. */
  readonly receivedMs: number;
  readonly facts: readonly QuoteFact[];
};

/** What goes out to our gateway. `path` without its query; `query` percent-encoded, without question mark. */
export type LookupRequest =
  | { readonly method: 'GET'; readonly path: string; readonly query: string }
  | { readonly method: 'POST'; readonly path: string; readonly body: string };

/** One call of a lookup. */
export type LookupCall = {
  readonly source: LookupSource;
  readonly feeds: readonly LookupFeed[];
  readonly request: LookupRequest;
  /** The moment asked for, in the precision of the route; absent: the latest. */
  readonly askedUs?: UnixMicros;
};

/** The gateway's name of the service behind a source: what it limits, it limits for all sources of it. */
export function serviceOf(source: LookupSource): 'updates' | 'upgraded' | 'router' {
  return source === 'deprecated' ? 'updates' : source;
}

/** Names a cell. */
export function cellKey(feed: LookupFeed, source: LookupSource): string {
  return `${source} ${feed.key}`;
}

/** The feeds that the references mean, each once, and the symbols that nobody lists. */
export function resolveFeeds(
  references: readonly PriceReference[],
  symbols: readonly FeedSymbol[],
): { readonly feeds: readonly LookupFeed[]; readonly unknown: readonly string[] } {
  const feeds = new Map<string, LookupFeed>();
  const unknown: string[] = [];
  for (const reference of references) {
    const feed = resolved(reference, symbols);
    if (feed === undefined) unknown.push(priceReferenceText(reference));
    else if (![...feeds.values()].some((one) => isSame(one, feed))) feeds.set(feed.key, feed);
  }
  return { feeds: [...feeds.values()], unknown };
}

function isSame(a: LookupFeed, b: LookupFeed): boolean {
  if (a.feedId !== undefined || b.feedId !== undefined)
    return a.feedId === b.feedId && a.routerId === b.routerId;
  return a.routerId === b.routerId;
}

function resolved(reference: PriceReference, symbols: readonly FeedSymbol[]): LookupFeed | undefined {
  const key = priceReferenceText(reference);
  switch (reference.kind) {
    case 'id':
      return lookupFeed(
        key,
        symbols.find(({ feedId }) => feedId === reference.id),
        { feedId: reference.id },
      );
    case 'router':
      return lookupFeed(
        key,
        symbols.find(({ routerId }) => routerId === reference.routerId),
        {
          routerId: reference.routerId,
        },
      );
    case 'pair':
      // Who gives both ids means them, whatever a directory says.
      return lookupFeed(
        key,
        symbols.find(({ feedId }) => feedId === reference.id),
        {
          feedId: reference.id,
          routerId: reference.routerId,
        },
      );
    default: {
      const known = symbolNamed(symbols, reference.symbol);
      return known === undefined ? undefined : lookupFeed(key, known, {});
    }
  }
}

/** By the whole symbol, or by it without its class where only one feed is called that. */
function symbolNamed(symbols: readonly FeedSymbol[], text: string): FeedSymbol | undefined {
  const byText = new Map(symbols.map((one) => [one, one.symbol]));
  const entries = [...byText].map(([one, symbol]) => ({ id: '' as FeedId, symbol, assetType: '', one }));
  const found = findFeed(entries as readonly FeedEntry[], text);
  return entries.find((entry) => entry === found)?.one;
}

function lookupFeed(
  key: string,
  known: FeedSymbol | undefined,
  given: { feedId?: FeedId; routerId?: string },
): LookupFeed {
  const { feedId = known?.feedId, routerId = known?.routerId } = given;
  const isTold = known !== undefined && routerId === known.routerId;
  return {
    key: key.toLowerCase(),
    symbol: known === undefined || known.symbol === '' ? key : known.symbol,
    ...(feedId === undefined ? {} : { feedId }),
    ...(routerId === undefined ? {} : { routerId }),
    ...(isTold && known.minChannel !== undefined ? { minChannel: known.minChannel } : {}),
    ...(isTold && known.state !== undefined ? { state: known.state } : {}),
    ...(isTold && known.exponent !== undefined ? { exponent: known.exponent } : {}),
  };
}
