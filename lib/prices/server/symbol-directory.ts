import 'server-only';
import type { FeedEntry } from '@/lib/core/feed';
import { failed, type Outcome } from '@/lib/core/outcome';
import type { RouterSymbol } from '@/lib/core/router-price';
import type { ReadRows } from '@/lib/core/wire-json';
import { log } from '@/lib/platform/log';
import { processWide } from '@/lib/platform/process-wide';
import type { FeedSymbol, SourceStatus, SymbolsAnswer } from '@/lib/prices/symbols-response';
import { type Services, services } from '@/lib/services/services';

export type ListServices = {
  updates?: Pick<NonNullable<Services['updates']>, 'directory'> | undefined;
  router?: Pick<NonNullable<Services['router']>, 'symbols'> | undefined;
};

/** The last answer, and the last good one with its arrival, unix ms. */
export type CachedList<T> = { answer: Outcome<T>; good?: { value: T; atMs: number } };

/** Feeds are added rarely. */
const CACHE_MS = 10 * 60_000;
const FAILURE_CACHE_MS = 30_000;
/** Directories are searched linearly: a hundred thousand feeds would block the event loop for seconds. */
const MAX_FEEDS = 20_000;

type CacheEntry = { list: Promise<CachedList<unknown>>; untilMs: number };

/** Lists by client object, so that services are queried again after a restart. */
const listCache = processWide<WeakMap<object, CacheEntry>>('price-lists');

/** Cached independently. Never fails: the last good list stays. */
export function priceLists({ router, updates }: ListServices = services(), clock = Date.now) {
  return {
    router: router && cachedList(router, () => router.symbols('', 'background'), clock),
    updates: updates && cachedList(updates, () => updates.directory('', 'background'), clock),
  };
}

export type PriceLists = Partial<ReturnType<typeof priceLists>>;

function cachedList<T extends ReadRows<unknown>>(
  client: object,
  fetchList: () => Promise<Outcome<T>>,
  clock: () => number,
): Promise<CachedList<T>> {
  const all = listCache.ensure(() => new WeakMap<object, CacheEntry>());
  const cached = all.get(client);
  if (cached !== undefined && clock() < cached.untilMs) return cached.list as Promise<CachedList<T>>;
  const load = async (): Promise<CachedList<T>> => {
    const answer = await fetchList().catch(failedByUs);
    fresh.untilMs = clock() + (answer.ok ? CACHE_MS : FAILURE_CACHE_MS);
    if (answer.ok) {
      // Beyond the limit, feeds count as unreadable rows.
      const surplus = answer.value.rows.splice(MAX_FEEDS);
      answer.value.unreadable.push(...surplus.map(() => ({ rawJson: '', problem: 'The list is too long.' })));
      return { answer, good: { value: answer.value, atMs: clock() } };
    }
    const good = (await (cached?.list as Promise<CachedList<T>> | undefined))?.good;
    return { answer, good };
  };
  const fresh: CacheEntry = { list: Promise.resolve().then(load), untilMs: Number.POSITIVE_INFINITY };
  all.set(client, fresh);
  return fresh.list as Promise<CachedList<T>>;
}

/** A rejected promise would stay cached for good. */
function failedByUs(error: unknown): Outcome<never> {
  log().error({ error }, 'list of feeds failed');
  return failed({ kind: 'malformed', detail: 'The list could not be read.' });
}

/** Valid while both lists are the same objects. */
let cached: { router: unknown; updates: unknown; symbols: ReturnType<typeof joinSymbolLists> } | undefined;

/** The symbol lists. Never fails: the answer names a missing list. */
export async function symbolDirectory(lists: PriceLists = priceLists()): Promise<SymbolsAnswer> {
  const [router, updates] = await Promise.all([lists.router, lists.updates]);
  const latest = { router: router?.good?.value, updates: updates?.good?.value };
  if (cached === undefined || cached.router !== latest.router || cached.updates !== latest.updates) {
    cached = { ...latest, symbols: joinSymbolLists(latest.router, latest.updates) };
  }
  return { ...cached.symbols, sources: { router: statusOf(router), updates: statusOf(updates) } };
}

function statusOf(list: CachedList<unknown> | undefined): SourceStatus {
  if (list === undefined) return { state: 'unconfigured' };
  const asOfMs = list.good?.atMs;
  if (!list.answer.ok) return { state: 'failed', failure: list.answer.failure, asOfMs };
  return { state: 'ok', asOfMs: asOfMs ?? 0 };
}

const bySymbol = new Intl.Collator('en', { numeric: true });

/** One row per feed, by symbol; the router's list links the ids. `unreadable` includes repeated rows. */
export function joinSymbolLists(
  router: ReadRows<RouterSymbol> | undefined,
  updates: ReadRows<FeedEntry> | undefined,
): Pick<SymbolsAnswer, 'symbols' | 'unreadable'> {
  const entries = firstByKey(updates?.rows ?? [], ({ id }) => id);
  const symbols = firstByKey(router?.rows ?? [], ({ routerId, feedId }) => `${routerId}/${feedId}`);
  const linked = new Set([...symbols.values()].map(({ feedId }) => feedId));
  const rows = [
    ...[...symbols.values()].map((symbol) =>
      feedSymbol(symbol, symbol.feedId ? entries.get(symbol.feedId) : undefined),
    ),
    ...[...entries.values()].filter(({ id }) => !linked.has(id)).map((entry) => feedSymbol(undefined, entry)),
  ];
  const lists = [router?.rows, router?.unreadable, updates?.rows, updates?.unreadable];
  const rowCount = lists.reduce((sum, list) => sum + (list?.length ?? 0), 0);
  return {
    symbols: rows.sort((a, b) => bySymbol.compare(a.symbol, b.symbol)),
    unreadable: rowCount - symbols.size - entries.size,
  };
}

function firstByKey<T>(all: readonly T[], nameOf: (item: T) => string): Map<string, T> {
  return new Map(all.toReversed().map((item) => [nameOf(item), item]));
}

/** The router has more data, so its texts are preferred. */
function feedSymbol(symbol: RouterSymbol | undefined, entry: FeedEntry | undefined): FeedSymbol {
  return {
    routerId: symbol?.routerId,
    feedId: symbol?.feedId ?? entry?.id,
    symbol: symbol?.symbol || entry?.symbol || symbol?.name || symbol?.routerId || '',
    name: symbol?.name ?? '',
    description: symbol?.description || entry?.description || '',
    assetType: symbol?.assetType || entry?.assetType || '',
    exponent: symbol?.exponent,
    minChannel: symbol?.minChannel,
    state: symbol?.state,
    schedule: symbol?.schedule ?? entry?.schedule,
  };
}
