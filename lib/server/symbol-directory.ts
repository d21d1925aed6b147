import 'server-only';
import type { FeedDirectory, FeedEntry } from '@/lib/core/feed';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import type { RouterSymbol, RouterSymbols } from '@/lib/core/router-price';
import type { FeedSymbol, SourceStatus, SymbolsAnswer } from '@/lib/prices/symbols-answer';
import { log } from './log';
import { processWide } from './process-wide';
import { type Services, services } from './services';

/** What is asked of the services that list feeds. */
export type ListServices = {
  updates?: Pick<NonNullable<Services['updates']>, 'directory'> | undefined;
  router?: Pick<NonNullable<Services['router']>, 'symbols'> | undefined;
};

/** The last answer of a service to the question for its list, and its last good answer with the unix ms of its arrival. */
export type KeptList<T> = { answer: Outcome<T>; good?: { value: T; atMs: number } };

/** The lists of both services, each on its own: one is not waited for with the other. Absent: not configured. */
export type PriceLists = {
  router?: Promise<KeptList<RouterSymbols>>;
  updates?: Promise<KeptList<FeedDirectory>>;
};

/** Feeds are added now and then, not by the minute. */
const KEEP_MS = 10 * 60_000;

/** After a failure: soon enough to notice that the service is back, and no burden to it. */
const KEEP_FAILED_MS = 30_000;

/**
 * No service lists nearly as many feeds. Whatever names a feed looks through the list, so one of a hundred thousand would hold
 * everybody up for seconds at each page.
 */
const MOST_FEEDS = 20_000;

type Held = { list: Promise<KeptList<unknown>>; untilMs: number };

/** By the client that was asked: services that are started again are asked again. */
const kept = processWide<WeakMap<object, Held>>('price-lists');

/**
 * What the router's `/v1/symbols` and the price update service's `/v2/price_feeds` list, for everything that names feeds:
 * each is asked once for all callers, in the background, and its answer is kept for a while. Never fails; a service that
 * fails is asked again soon, and what it listed before is still there.
 */
export function priceLists({ router, updates }: ListServices = services(), clock = Date.now): PriceLists {
  const symbolsOf = async (asked: NonNullable<typeof router>): Promise<Outcome<RouterSymbols>> => {
    const answer = await asked.symbols('', 'background');
    if (!answer.ok) return answer;
    const { rows: symbols, unreadable } = bounded(answer.value.symbols, answer.value.unreadable);
    return ok({ symbols, unreadable });
  };
  const directoryOf = async (asked: NonNullable<typeof updates>): Promise<Outcome<FeedDirectory>> => {
    const answer = await asked.directory('', 'background');
    if (!answer.ok) return answer;
    const { rows: entries, unreadable } = bounded(answer.value.entries, answer.value.unreadable);
    return ok({ entries, unreadable });
  };
  return {
    router: router && heldList(router, () => symbolsOf(router), clock),
    updates: updates && heldList(updates, () => directoryOf(updates), clock),
  };
}

/** Feeds beyond the bound are counted with the rows that can't be read. */
function bounded<T, U extends { rawJson: string; problem: string }>(all: readonly T[], unreadable: U[]) {
  const surplus = all.slice(MOST_FEEDS).map(() => ({ rawJson: '', problem: 'The list is too long.' }));
  return { rows: all.slice(0, MOST_FEEDS), unreadable: [...unreadable, ...surplus] };
}

function heldList<T>(
  client: object,
  ask: () => Promise<Outcome<T>>,
  clock: () => number,
): Promise<KeptList<T>> {
  const all = kept.get() ?? new WeakMap<object, Held>();
  kept.set(all);
  const before = all.get(client);
  if (before !== undefined && clock() < before.untilMs) return before.list as Promise<KeptList<T>>;
  const asked = async (): Promise<KeptList<T>> => {
    const answer = await ask().catch(failedByUs);
    fresh.untilMs = clock() + (answer.ok ? KEEP_MS : KEEP_FAILED_MS);
    if (answer.ok) return { answer, good: { value: answer.value, atMs: clock() } };
    const good = (await (before?.list as Promise<KeptList<T>> | undefined))?.good;
    return good ? { answer, good } : { answer };
  };
  const fresh: Held = { list: Promise.resolve().then(asked), untilMs: Number.POSITIVE_INFINITY };
  all.set(client, fresh);
  return fresh.list as Promise<KeptList<T>>;
}

/** An error of ours would stay for good, as a list is asked for again once it has been answered. */
function failedByUs(error: unknown): Outcome<never> {
  log().error({ error }, 'a list of feeds met an error of ours');
  return failed({ kind: 'malformed', detail: 'The list could not be read.' });
}

/** Every feed that the services name, with what each knows of it. Never fails: the answer says which list is missing. */
export async function symbolDirectory(lists: PriceLists = priceLists()): Promise<SymbolsAnswer> {
  const [router, updates] = await Promise.all([lists.router, lists.updates]);
  const times = [router?.good?.atMs, updates?.good?.atMs].filter((atMs) => atMs !== undefined);
  return {
    ...symbolsOf(router?.good?.value, updates?.good?.value),
    sources: { router: statusOf(router), updates: statusOf(updates) },
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

function statusOf(list: KeptList<unknown> | undefined): SourceStatus {
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
  return {
    routerId,
    ...(feedId === null ? {} : { feedId }),
    listedBy: entry === undefined ? 'router' : 'both',
    symbol: symbol.symbol || entry?.symbol || symbol.name || routerId,
    name: symbol.name,
    description: symbol.description || (entry?.description ?? ''),
    assetType: symbol.assetType || (entry?.assetType ?? ''),
    exponent,
    minChannel,
    state,
    schedule: symbol.schedule ?? entry?.schedule,
    quoteCurrency: symbol.quoteCurrency ?? entry?.quoteCurrency,
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
    schedule,
    quoteCurrency,
  };
}
