'use client';
import { useQuery } from '@tanstack/react-query';
import { type FeedSymbol, readSymbolsAnswer, type SymbolsAnswer } from '@/lib/contract/codec/symbols';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import { fetchGatewayText } from './gateway';

/** The symbol directory as a page has it: each state says all that can be shown of it. */
export type SymbolsStanding =
  | { readonly state: 'loading' }
  /** Our own server gave no directory. */
  | { readonly state: 'failed'; readonly failure: Failure }
  | { readonly state: 'loaded'; readonly answer: SymbolsAnswer };

const LOADING: SymbolsStanding = { state: 'loading' };

/** Fetches the directory. A service that has none is no failure: the answer says so. */
export async function fetchSymbols(
  signal: AbortSignal,
  ask: typeof fetchGatewayText = fetchGatewayText,
): Promise<Outcome<SymbolsAnswer>> {
  const text = await ask('/api/view/symbols', signal);
  if (!text.ok) return text;
  const answer = readSymbolsAnswer(parsed(text.value));
  return answer ? ok(answer) : failed({ kind: 'malformed', detail: 'The answer is no symbol directory.' });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Our server asks a service that failed again after this. */
const RETRY_MS = 30_000;
/** Feeds are added now and then, not by the minute. */
const FRESH_MS = 10 * 60_000;

/** How long until asking again may give more, milliseconds; `false` when what there is is complete. */
export function nextAskMs(outcome: Outcome<SymbolsAnswer> | undefined): number | false {
  if (outcome === undefined) return false;
  if (!outcome.ok) return RETRY_MS;
  const { router, updates } = outcome.value.sources;
  return router.state === 'failed' || updates.state === 'failed' ? RETRY_MS : false;
}

/** The symbol directory, fetched once for all parts of the page, and again by itself while a service's list is missing. */
export function useSymbols(): SymbolsStanding {
  const { data } = useQuery({
    queryKey: ['symbols'],
    queryFn: ({ signal }) => fetchSymbols(signal),
    staleTime: FRESH_MS,
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) => nextAskMs(state.data),
  });
  if (data === undefined) return LOADING;
  return data.ok ? { state: 'loaded', answer: data.value } : { state: 'failed', failure: data.failure };
}

/** The texts of a symbol that are searched, in small letters. */
type Searched = { symbol: string; pair: string; name: string; description: string; assetType: string };

const searched = new WeakMap<FeedSymbol, Searched>();

function searchedOf(feed: FeedSymbol): Searched {
  const known = searched.get(feed);
  if (known !== undefined) return known;
  const symbol = feed.symbol.toLowerCase();
  const texts = {
    symbol,
    pair: symbol.slice(symbol.indexOf('.') + 1),
    name: feed.name.toLowerCase(),
    description: feed.description.toLowerCase(),
    assetType: feed.assetType.toLowerCase(),
  };
  searched.set(feed, texts);
  return texts;
}

/** Shorter beginnings of a hex id would fit by chance. */
const LEAST_ID_DIGITS = 4;

/** Where a word was found, best first; undefined when it was not. */
function rankOf(feed: FeedSymbol, word: string): number | undefined {
  const { symbol, pair, name, description, assetType } = searchedOf(feed);
  if (feed.routerId === word || pair === word || symbol === word || pair.startsWith(`${word}/`)) return 0;
  if (pair.startsWith(word) || name === word) return 1;
  if (symbol.includes(word) || name.includes(word)) return 2;
  if (assetType.startsWith(word)) return 3;
  if (description.includes(word)) return 4;
  const digits = word.replace(/^0x/, '');
  return digits.length >= LEAST_ID_DIGITS && feed.feedId?.startsWith(digits) ? 5 : undefined;
}

/**
 * The symbols in which every word of the text occurs (in symbol, name, asset class, description, as the router id, or at
 * the start of the feed id), best match first, in their own order where equal. All of them for an empty text.
 */
export function findSymbols(symbols: readonly FeedSymbol[], text: string): readonly FeedSymbol[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return symbols;
  const found: { feed: FeedSymbol; rank: number }[] = [];
  for (const feed of symbols) {
    let sum = 0;
    for (const word of words) sum += rankOf(feed, word) ?? Number.NaN;
    if (!Number.isNaN(sum)) found.push({ feed, rank: sum });
  }
  return found.sort((a, b) => a.rank - b.rank).map(({ feed }) => feed);
}
