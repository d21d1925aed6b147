import 'server-only';
import {
  type FeedEntry,
  type FeedReference,
  feedReferenceText,
  findFeed,
  parseFeedReference,
} from '@/lib/core/feed';
import { builtInFeeds } from '@/lib/core/registry';
import type { RouterSymbol } from '@/lib/core/router-price';
import { clipped } from '@/lib/core/text';
import { type CompactFeed, compactFeedText } from '@/lib/feeds/stream-events';
import { processWide } from '@/lib/server/process-wide';
import { services } from '@/lib/server/services';
import { type PriceLists, priceLists } from '@/lib/server/symbol-directory';

/** Feeds by name, sorted by symbol, and who named them. */
export type FeedDirectoryAnswer = { feeds: FeedEntry[]; source: 'updates' | 'router' | 'built-in' };

/** Both lists are kept elsewhere; this keeps what was made of them, as long as they are the same. */
type Made = { entries: object | undefined; symbols: object | undefined; answer: FeedDirectoryAnswer };

const made = processWide<Made>('feed-directory');

/**
 * Every feed that can be chosen: as the price update service lists them, else as the router's symbols name them, else
 * the built-in ones. Never fails. A list that a service gave before it failed still counts.
 */
export async function feedDirectory(lists: PriceLists = priceLists()): Promise<FeedDirectoryAnswer> {
  const updates = await lists.updates;
  const entries = updates?.good?.value.entries;
  const listed = entries !== undefined && entries.length > 0;
  const router = await (listed && lists.router ? markets(lists.router) : lists.router);
  const symbols = router?.good?.value.symbols;
  const known = made.get();
  if (known !== undefined && known.entries === entries && known.symbols === symbols) return known.answer;
  const answer = directoryOf(entries ?? [], symbols ?? []);
  made.set({ entries, symbols, answer });
  return answer;
}

/** The feeds as they were last told, without asking anybody: the built-in ones before the first answer. */
export function knownFeeds(): readonly FeedEntry[] {
  return made.get()?.answer.feeds ?? builtInFeeds();
}

/** Names are wanted sooner than markets: so long the router has for them when the names are there. */
const MARKETS_WAIT_MS = 1_500;

/** Answers that did not come in that time: nobody waits for one of them again. */
const late = new WeakSet<Promise<unknown>>();

async function markets<T>(list: Promise<T>): Promise<T | undefined> {
  const value = await within(late.has(list) ? 0 : MARKETS_WAIT_MS, list);
  if (value === undefined) late.add(list);
  return value;
}

function directoryOf(entries: readonly FeedEntry[], symbols: readonly RouterSymbol[]): FeedDirectoryAnswer {
  if (entries.length > 0) return { feeds: shown(withMarkets(entries, symbols)), source: 'updates' };
  const named = symbols.flatMap(entryOf);
  return named.length > 0
    ? { feeds: shown(named), source: 'router' }
    : { feeds: sorted(builtInFeeds()), source: 'built-in' };
}

function entryOf({ feedId, symbol, assetType, description, ...market }: RouterSymbol): FeedEntry[] {
  return feedId === null ? [] : [{ id: feedId, symbol, assetType, description, ...marketOf(market) }];
}

function marketOf({ schedule, state }: Pick<RouterSymbol, 'schedule' | 'state'>): Market {
  return { ...(schedule === undefined ? {} : { schedule }), ...(state === undefined ? {} : { state }) };
}

type Market = Pick<FeedEntry, 'schedule' | 'state'>;

/** When its market trades, and whether it is published, is what the router knows of a feed; its own words count first. */
function withMarkets(feeds: readonly FeedEntry[], symbols: readonly RouterSymbol[]): FeedEntry[] {
  const markets = new Map(
    symbols.flatMap((one) => (one.feedId === null ? [] : [[one.feedId, one] as const])),
  );
  return feeds.map((feed) => {
    const known = markets.get(feed.id);
    return known === undefined ? feed : { ...marketOf(known), ...feed };
  });
}

/** No symbol is nearly as long; it stands in titles, labels and metrics. */
const LONGEST_NAME = 100;
const LONGEST_DESCRIPTION = 300;

/** The feeds in their order, by names that do nothing to the text around them. */
function shown(feeds: readonly FeedEntry[]): FeedEntry[] {
  const named = feeds.map(
    ({ symbol, assetType, description, base, quoteCurrency, ...feed }): FeedEntry => ({
      ...feed,
      symbol: clipped(symbol, LONGEST_NAME),
      assetType: clipped(assetType, LONGEST_NAME),
      ...(description === undefined ? {} : { description: clipped(description, LONGEST_DESCRIPTION) }),
      ...(base === undefined ? {} : { base: clipped(base, LONGEST_NAME) }),
      ...(quoteCurrency === undefined ? {} : { quoteCurrency: clipped(quoteCurrency, LONGEST_NAME) }),
    }),
  );
  return sorted(named);
}

function sorted(feeds: readonly FeedEntry[]): FeedEntry[] {
  return feeds.toSorted((a, b) => a.symbol.localeCompare(b.symbol, 'en'));
}

/** What the feeds page holds when it leaves the server; the stream brings the rest. */
export type FeedsInitialData = {
  /** The feeds on the board when the URL names none (setting `FEEDS`). */
  defaults: FeedReference[];
  /** Names of the feeds on the board, as far as they are known. */
  names: FeedEntry[];
  /** Last updates of these feeds; empty when the service took too long. */
  seeds: CompactFeed[];
};

/** Longest that a page waits for numbers: it is better shown without them, since the stream brings them at once. */
const NUMBERS_WAIT_MS = 150;

/** Longest that a page waits for names; the built-in ones do meanwhile. */
const NAMES_WAIT_MS = 150;

/** The names and last prices of the board that is asked for: of `chosen`, or of the default board where that is undefined. */
export async function feedsInitialData(
  chosen: readonly FeedReference[] | undefined,
): Promise<FeedsInitialData> {
  const defaults = services().settings.feeds.flatMap((text) => parseFeedReference(text) ?? []);
  const references = chosen ?? defaults;
  const directory = await within(NAMES_WAIT_MS, feedDirectory());
  const all = directory?.feeds ?? builtInFeeds();
  const names = [...references, ...defaults].flatMap((reference) => {
    return findFeed(all, feedReferenceText(reference)) ?? [];
  });
  const ids = references.flatMap((reference) => {
    return reference.kind === 'id' ? reference.id : (findFeed(names, reference.symbol)?.id ?? []);
  });
  const seeds = ids.length === 0 ? undefined : await within(NUMBERS_WAIT_MS, lastUpdates(ids));
  return { defaults, names: [...new Set(names)], seeds: seeds ?? [] };
}

async function lastUpdates(ids: readonly string[]): Promise<FeedsInitialData['seeds']> {
  const query = new URLSearchParams(ids.map((id) => ['ids[]', id]));
  // One unknown feed must not cost the others their first price.
  query.set('ignore_invalid_price_ids', 'true');
  const answer = await services().updates?.latest(query.toString(), 'user');
  const receivedAtMs = Date.now();
  return answer?.ok
    ? answer.value.updates.map((one) => JSON.parse(compactFeedText(one, receivedAtMs)) as CompactFeed)
    : [];
}

/** The value, or undefined when it takes longer. The work itself goes on. */
export function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
