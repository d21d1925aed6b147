import 'server-only';
import type { FeedDirectory, FeedEntry } from '@/lib/core/feed';
import type { RouterSymbol, RouterSymbols } from '@/lib/core/router-price';
import type { FeedSymbol, SourceStatus, SymbolsAnswer } from '@/lib/prices/symbols-answer';
import { type KeptList, type PriceLists, priceLists } from './price-lists';

/** Every feed that the services name, with what each knows of it. Never fails: the answer says which list is missing. */
export async function symbolDirectory(lists: PriceLists = priceLists()): Promise<SymbolsAnswer> {
  const [router, updates] = await Promise.all([lists.router, lists.updates]);
  const times = [router?.good?.atMs, updates?.good?.atMs].filter((atMs) => atMs !== undefined);
  return {
    ...symbolsOf(router?.good?.value, updates?.good?.value),
    sources: { router: standingOf(router), updates: standingOf(updates) },
    ...(times.length === 0 ? {} : { asOfMs: Math.min(...times) }),
  };
}

type Symbols = Pick<SymbolsAnswer, 'symbols' | 'unreadable'>;

/** The lists are kept for minutes: what was made of them does for everybody who asks meanwhile. */
let made: { router: unknown; updates: unknown; symbols: Symbols } | undefined;

function symbolsOf(router: RouterSymbols | undefined, updates: FeedDirectory | undefined): Symbols {
  if (made !== undefined && made.router === router && made.updates === updates) return made.symbols;
  const { symbols, repeated } = joined(router, updates);
  const unreadable = (router?.unreadable.length ?? 0) + (updates?.unreadable.length ?? 0) + repeated;
  made = { router, updates, symbols: { symbols, unreadable } };
  return made.symbols;
}

function standingOf(list: KeptList<unknown> | undefined): SourceStatus {
  if (list === undefined) return { state: 'unconfigured' };
  const asOf = list.good && { asOfMs: list.good.atMs };
  if (!list.answer.ok) return { state: 'failed', failure: list.answer.failure, ...asOf };
  return { state: 'ok', asOfMs: asOf?.asOfMs ?? 0 };
}

const bySymbol = new Intl.Collator('en', { numeric: true });

/**
 * One row per feed, sorted by symbol: the ids of both services are linked by what the router says. `repeated`: rows of a
 * list that name a feed which that list has named before.
 */
export function joined(
  router: RouterSymbols | undefined,
  updates: FeedDirectory | undefined,
): { symbols: FeedSymbol[]; repeated: number } {
  const told = { entries: updates?.entries ?? [], symbols: router?.symbols ?? [] };
  const entries = firsts(told.entries, ({ id }) => id);
  const symbols = firsts(told.symbols, ({ routerId, feedId }) => `${routerId}/${feedId}`);
  const linked = new Set([...symbols.values()].map(({ feedId }) => feedId));
  const rows = [
    ...[...symbols.values()].map((one) =>
      ofRouter(one, one.feedId === null ? undefined : entries.get(one.feedId)),
    ),
    ...[...entries.values()].filter(({ id }) => !linked.has(id)).map(ofUpdates),
  ];
  return {
    symbols: rows.sort((a, b) => bySymbol.compare(a.symbol, b.symbol)),
    repeated: told.entries.length - entries.size + told.symbols.length - symbols.size,
  };
}

/** The first of each name, in their order. */
function firsts<T, K>(all: readonly T[], nameOf: (one: T) => K): Map<K, T> {
  const found = new Map<K, T>();
  for (const one of all) {
    if (!found.has(nameOf(one))) found.set(nameOf(one), one);
  }
  return found;
}

/** The router knows more of a feed, so its words come first. */
function ofRouter(symbol: RouterSymbol, entry: FeedEntry | undefined): FeedSymbol {
  const { routerId, feedId, exponent, minChannel, state } = symbol;
  const schedule = symbol.schedule ?? entry?.schedule;
  const quoteCurrency = symbol.quoteCurrency ?? entry?.quoteCurrency;
  return {
    routerId,
    ...(feedId === null ? {} : { feedId }),
    listedBy: entry === undefined ? 'router' : 'both',
    symbol: symbol.symbol || entry?.symbol || symbol.name || routerId,
    name: symbol.name,
    description: symbol.description || (entry?.description ?? ''),
    assetType: symbol.assetType || (entry?.assetType ?? ''),
    ...(exponent === undefined ? {} : { exponent }),
    ...(minChannel === undefined ? {} : { minChannel }),
    ...(state === undefined ? {} : { state }),
    ...(schedule === undefined ? {} : { schedule }),
    ...(quoteCurrency === undefined ? {} : { quoteCurrency }),
  };
}

function ofUpdates(entry: FeedEntry): FeedSymbol {
  const { id, symbol, assetType, description, schedule, quoteCurrency } = entry;
  return {
    feedId: id,
    listedBy: 'updates',
    symbol,
    name: '',
    description: description ?? '',
    assetType,
    ...(schedule === undefined ? {} : { schedule }),
    ...(quoteCurrency === undefined ? {} : { quoteCurrency }),
  };
}
