import { type FeedId, parseFeedId } from '@/lib/domain/feed';
import type { Failure } from '@/lib/domain/outcome';
import { isProblemKind } from '@/lib/domain/problem';

/**
 * What `GET /api/view/symbols` answers: every feed that the router's symbols or the list of the price update service
 * name, each once, sorted by symbol. Feeds that only one of the two knows are kept.
 */
export type SymbolsAnswer = {
  readonly symbols: readonly FeedSymbol[];
  readonly sources: Readonly<Record<SymbolSource, SourceStanding>>;
  /** Rows of both lists that name no feed. */
  readonly unreadable: number;
  /** Unix ms: when the older of the lists in use was received; absent when there is none. */
  readonly asOfMs?: number;
};

export type SymbolSource = 'router' | 'updates';

/** How a list was had. `failed` with `asOfMs`: the rows are those of an earlier answer, received at that unix ms. */
export type SourceStanding =
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

/** Reads the answer; undefined when it is none. Symbols that can't be read are left out. */
export function readSymbolsAnswer(value: unknown): SymbolsAnswer | undefined {
  if (!isObject(value) || !Array.isArray(value.symbols) || !isObject(value.sources)) return undefined;
  const router = readStanding(value.sources.router);
  const updates = readStanding(value.sources.updates);
  if (router === undefined || updates === undefined) return undefined;
  return {
    symbols: value.symbols.flatMap((one) => readSymbol(one) ?? []),
    sources: { router, updates },
    unreadable: typeof value.unreadable === 'number' ? value.unreadable : 0,
    ...(typeof value.asOfMs === 'number' ? { asOfMs: value.asOfMs } : {}),
  };
}

type Loose = Record<string, unknown>;

function isObject(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null;
}

function readStanding(value: unknown): SourceStanding | undefined {
  if (!isObject(value)) return undefined;
  const asOf: { asOfMs?: number } = typeof value.asOfMs === 'number' ? { asOfMs: value.asOfMs } : {};
  if (value.state === 'unconfigured') return { state: 'unconfigured' };
  if (value.state === 'ok' && asOf.asOfMs !== undefined) return { state: 'ok', asOfMs: asOf.asOfMs };
  return value.state === 'failed' && isFailure(value.failure)
    ? { state: 'failed', failure: value.failure, ...asOf }
    : undefined;
}

function isFailure(value: unknown): value is Failure {
  return isObject(value) && isProblemKind(value.kind) && typeof value.detail === 'string';
}

const LISTED_BY = ['both', 'router', 'updates'] as const;

function readSymbol(value: unknown): FeedSymbol | undefined {
  if (!isObject(value)) return undefined;
  const listedBy = LISTED_BY.find((one) => one === value.listedBy);
  const routerId = text(value.routerId);
  const feedId = parseFeedId(text(value.feedId) ?? '');
  if (listedBy === undefined || (routerId === undefined && feedId === undefined)) return undefined;
  return {
    ...told({ routerId, feedId }),
    listedBy,
    symbol: text(value.symbol) ?? '',
    name: text(value.name) ?? '',
    description: text(value.description) ?? '',
    assetType: text(value.assetType) ?? '',
    ...told({
      exponent: typeof value.exponent === 'number' ? value.exponent : undefined,
      minChannel: text(value.minChannel),
      state: text(value.state),
      schedule: text(value.schedule),
      quoteCurrency: text(value.quoteCurrency),
    }),
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The members that are known. */
function told<T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
