import * as z from 'zod/mini';
import { type FeedId, parseFeedId } from '@/lib/core/feed';
import { answerReader } from '@/lib/core/gateway';
import type { Failure } from '@/lib/core/outcome';
import type { RouterSymbol } from '@/lib/core/router-price';

export type SymbolSource = 'router' | 'updates';

/** `failed` with `asOfMs`: the rows are from an answer that was received then, unix ms. */
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

/** Texts come from the services and may be empty. A feed without a symbol is shown by its id. */
export type FeedSymbol = Readonly<
  Omit<RouterSymbol, 'routerId' | 'feedId' | 'quoteCurrency'> & { routerId?: string; feedId?: FeedId }
>;

/** `GET /api/view/symbols`: every feed of either service once, ordered by symbol. */
const symbolsAnswer = z.object({
  symbols: z.pipe(
    z.array(z.unknown()),
    z.transform((rows: unknown[]) => rows.filter(isSymbol)),
  ),
  sources: z.object({ router: source, updates: source }),
  /** Rows of both lists without a feed id. */
  unreadable: z.number(),
});
export type SymbolsAnswer = z.infer<typeof symbolsAnswer>;

/** False without a feed id. */
function isSymbol(row: unknown): row is FeedSymbol {
  const { routerId, feedId } = (row ?? {}) as Partial<FeedSymbol>;
  return typeof routerId === 'string' || (feedId !== undefined && parseFeedId(String(feedId)) === feedId);
}

/** Rows without a feed id are left out. */
export const readSymbolsAnswer = answerReader(symbolsAnswer, 'symbol directory');
