import type { FeedId } from '@/lib/core/feed';
import type { Failure } from '@/lib/core/outcome';

/**
 * What `GET /api/view/symbols` answers: every feed that the router's symbols or the list of the price update service
 * name, each once, sorted by symbol. Feeds that only one of the two knows are kept.
 */
export type SymbolsAnswer = {
  readonly symbols: readonly FeedSymbol[];
  readonly sources: Readonly<Record<SymbolSource, SourceStatus>>;
  /** Rows of both lists that name no feed. */
  readonly unreadable: number;
  /** Unix ms: when the older of the lists in use was received; absent when there is none. */
  readonly asOfMs?: number;
};

export type SymbolSource = 'router' | 'updates';

/** How a list was had. `failed` with `asOfMs`: the rows are those of an earlier answer, received at that unix ms. */
export type SourceStatus =
  | { readonly state: 'ok'; readonly asOfMs: number }
  | { readonly state: 'failed'; readonly failure: Failure; readonly asOfMs?: number }
  | { readonly state: 'unconfigured' };

/** A feed as the services name it. Texts are the services' own; empty where they tell none. */
export type FeedSymbol = {
  /** The id at the router, decimal digits; absent for a feed that its list does not name. */
  readonly routerId?: string;
  /** The id at the price update service; absent for a feed of the router alone. */
  readonly feedId?: FeedId;
  readonly listedBy: 'both' | SymbolSource;
  /** For example `Crypto.BTC/USD`; the id where no service tells one. */
  readonly symbol: string;
  readonly name: string;
  readonly description: string;
  readonly assetType: string;
  readonly exponent?: number;
  /** As the router writes it, see `permittedChannels`. */
  readonly minChannel?: string;
  /** As the router writes it: `stable`, `coming_soon`, `inactive` … */
  readonly state?: string;
  /** When its market trades: for `parseMarketSchedule`. */
  readonly schedule?: string;
  readonly quoteCurrency?: string;
};
