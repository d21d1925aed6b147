import * as z from 'zod/mini';
import { type FeedId, parseFeedId } from '@/lib/core/feed';
import type { Failure } from '@/lib/core/outcome';

export type SymbolSource = 'router' | 'updates';

/** How a list was had. `failed` with `asOfMs`: the rows are those of an earlier answer, received at that unix ms. */
const source = z.discriminatedUnion('state', [
  z.object({ state: z.literal('ok'), asOfMs: z.number() }),
  z.object({
    state: z.literal('failed'),
    failure: z.custom<Failure>((value) => typeof (value as Failure | null)?.detail === 'string'),
    asOfMs: z.optional(z.number()),
  }),
  z.object({ state: z.literal('unconfigured') }),
]);
export type SourceStatus = z.infer<typeof source>;

/** A feed as the services name it. Texts are the services' own; empty where they tell none. */
export type FeedSymbol = {
  /** The id at the router, decimal digits; absent for a feed that its list does not name. */
  readonly routerId?: string;
  /** The id at the price update service; absent for a feed of the router alone. */
  readonly feedId?: FeedId;
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
};

/** `GET /api/view/symbols`: every feed that either service names, each once, by symbol. */
export const symbolsAnswer = z.object({
  symbols: z.pipe(
    z.array(z.unknown()),
    z.transform((rows: unknown[]) => rows.filter(isSymbol)),
  ),
  sources: z.object({ router: source, updates: source }),
  /** Rows of both lists that name no feed. */
  unreadable: z.number(),
});
export type SymbolsAnswer = z.infer<typeof symbolsAnswer>;

/** Rows that name no feed are left out. */
function isSymbol(row: unknown): row is FeedSymbol {
  const { routerId, feedId } = (row ?? {}) as Partial<FeedSymbol>;
  return typeof routerId === 'string' || (feedId !== undefined && parseFeedId(String(feedId)) === feedId);
}
