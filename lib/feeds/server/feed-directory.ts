import 'server-only';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type FeedEntry,
  type FeedId,
  type FeedReference,
  feedReferenceText,
  findFeed,
  parseFeedReference,
} from '@/lib/core/feed';
import { builtInFeeds } from '@/lib/core/registry';
import { clipped } from '@/lib/core/text';
import type { FeedDirectoryAnswer, FeedName, FeedsInitialData } from '@/lib/feeds/board-url';
import type { CompactFeed } from '@/lib/feeds/price-update';
import { findMisdating } from '@/lib/feeds/publish-clock';
import { compactFeedText } from '@/lib/feeds/stream-events';
import { processWide } from '@/lib/platform/process-wide';
import { type PriceLists, symbolDirectory } from '@/lib/prices/server/symbol-directory';
import { services } from '@/lib/services/services';

/** Derived from the symbols, and valid as long as they are the same object. */
const cache = processWide<{ symbols: object; answer: FeedDirectoryAnswer }>('feed-directory');

/** All feeds that can be chosen: from the services if prices are live, otherwise the built-in list. Never fails. */
export async function feedDirectory(lists?: PriceLists): Promise<FeedDirectoryAnswer> {
  const { symbols, sources } = await symbolDirectory(lists);
  const cached = cache.get();
  const isWhole = Object.values(sources).every(
    (source) => source.state !== 'failed' || source.asOfMs !== undefined,
  );
  if (cached?.symbols === symbols && cached.answer.isWhole === isWhole) return cached.answer;
  const named = symbols.flatMap(({ feedId, symbol, assetType, description, schedule, state }) =>
    feedId === undefined
      ? []
      : {
          id: feedId,
          // `clipped` makes the names safe to show. Real symbols are far shorter.
          symbol: clipped(symbol, 100),
          assetType: clipped(assetType, 100),
          description: description === '' ? undefined : clipped(description, 300),
          schedule,
          state,
        },
  );
  const feeds = named.length > 0 ? named : builtInFeeds();
  const entries = isWhole ? feeds : feeds.map(withPendingHours);
  const answer: FeedDirectoryAnswer = {
    feeds: entries.toSorted((a, b) => a.symbol.localeCompare(b.symbol, 'en')),
    source: named.length > 0 ? 'services' : 'built-in',
    isWhole,
  };
  cache.set({ symbols, answer });
  return answer;
}

const withPendingHours = (feed: FeedName): FeedName =>
  feed.schedule === undefined ? { ...feed, areHoursPending: true } : feed;

/** The last answer, without a call to a service; undefined before the first. */
export const receivedDirectory = (): FeedDirectoryAnswer | undefined => cache.get()?.answer;

/** Feeds of the last answer, before the first the built-in list, without market hours. */
export const cachedFeeds = (): readonly FeedEntry[] => receivedDirectory()?.feeds ?? builtInFeeds();

/** Ids of feeds given by id or symbol. `directory` is called only for symbols that are not built in. */
export async function resolveFeeds(
  names: readonly string[],
  directory: () => Promise<readonly FeedEntry[]>,
): Promise<{ ids: FeedId[]; unknown: string[] }> {
  const ids = new Set<FeedId>();
  const unknown: string[] = [];
  for (const name of names) {
    const reference = parseFeedReference(name);
    const id =
      reference?.kind === 'id'
        ? reference.id
        : (findFeed(builtInFeeds(), name) ?? findFeed(await directory(), name))?.id;
    if (id === undefined) unknown.push(name);
    else ids.add(id);
  }
  return { ids: [...ids], unknown };
}

/** Time limit for names, and again for prices, of a page rendered here. The stream delivers both anyway. */
const PAGE_WAIT_MS = 150;

/** Initial data of the chosen feeds, or of the default board if `chosen` is undefined. */
export async function feedsInitialData(
  chosen: readonly FeedReference[] | undefined,
): Promise<FeedsInitialData> {
  const { feeds, feedLateS, feedStaleS } = services().settings;
  const defaults = feeds.flatMap((text) => parseFeedReference(text) ?? []);
  const references = chosen ?? defaults;
  const beforePageWait = <T>(work: Promise<T>) =>
    Promise.race([work, delay(PAGE_WAIT_MS, undefined, { ref: false })]);
  const directory = await beforePageWait(feedDirectory());
  const all = directory?.feeds ?? builtInFeeds().map(withPendingHours);
  const names = [...references, ...defaults].flatMap(
    (reference) => findFeed(all, feedReferenceText(reference)) ?? [],
  );
  const ids = references.flatMap((reference) =>
    reference.kind === 'id' ? reference.id : (findFeed(names, reference.symbol)?.id ?? []),
  );
  const updates = ids.length === 0 ? undefined : await beforePageWait(lastUpdates(ids));
  const floors = { lateS: feedLateS, staleS: feedStaleS };
  const isWhole = directory?.isWhole === true;
  return { defaults, names: [...new Set(names)], isWhole, updates: updates ?? [], floors };
}

async function lastUpdates(ids: readonly string[]): Promise<CompactFeed[]> {
  const query = new URLSearchParams(ids.map((id) => ['ids[]', id]));
  // One unknown feed must not cost the others their first price.
  query.set('ignore_invalid_price_ids', 'true');
  const { updates } = services();
  const answer = await updates?.latest(query.toString(), 'user');
  if (answer?.ok !== true) return [];
  const receivedAtMs = Date.now();
  const nowMs = receivedAtMs + (updates?.http.status().clock?.offByMs ?? 0);
  return answer.value.updates.map((update) => {
    const misdating = findMisdating(update.publishTime, nowMs, undefined);
    return JSON.parse(compactFeedText(update, receivedAtMs, misdating)) as CompactFeed;
  });
}
