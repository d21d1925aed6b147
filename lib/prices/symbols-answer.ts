import * as z from 'zod/mini';
import { type FeedId, parseFeedId } from '@/lib/core/feed';
import type { Failure } from '@/lib/core/outcome';
import type { RouterSymbol } from '@/lib/core/router-price';

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

/** A feed by whichever of its ids the services tell. Texts are theirs, empty where they tell none; the symbol is an id then. */
export type FeedSymbol = Readonly<
  Omit<RouterSymbol, 'routerId' | 'feedId' | 'quoteCurrency'> & { routerId?: string; feedId?: FeedId }
>;

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
