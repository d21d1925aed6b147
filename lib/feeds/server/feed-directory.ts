import 'server-only';
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
import { type CompactFeed, compactFeedText } from '@/lib/feeds/stream-events';
import { processWide } from '@/lib/server/process-wide';
import { services } from '@/lib/server/services';
import { type PriceLists, symbolDirectory } from '@/lib/server/symbol-directory';

export type FeedDirectoryAnswer = { feeds: FeedEntry[]; source: 'services' | 'built-in' };

/** The symbols are kept elsewhere; this keeps what was made of them, as long as they are the same. */
const made = processWide<{ of: object; answer: FeedDirectoryAnswer }>('feed-directory');

/** Every feed that can be chosen: those of the services that have live prices, else the built-in ones. Never fails. */
export async function feedDirectory(lists?: PriceLists): Promise<FeedDirectoryAnswer> {
  const { symbols } = await symbolDirectory(lists);
  const known = made.get();
  if (known?.of === symbols) return known.answer;
  const named = symbols.flatMap(({ feedId, symbol, assetType, description, schedule, state }) =>
    feedId === undefined
      ? []
      : {
          id: feedId,
          // By names that do nothing to the text around them; no symbol is nearly as long.
          symbol: clipped(symbol, 100),
          assetType: clipped(assetType, 100),
          description: description === '' ? undefined : clipped(description, 300),
          schedule,
          state,
        },
  );
  const answer: FeedDirectoryAnswer =
    named.length > 0 ? { feeds: named, source: 'services' } : { feeds: builtInFeeds(), source: 'built-in' };
  answer.feeds = answer.feeds.toSorted((a, b) => a.symbol.localeCompare(b.symbol, 'en'));
  made.set({ of: symbols, answer });
  return answer;
}

/** The feeds as they were last told, without asking anybody: the built-in ones before the first answer. */
export function knownFeeds(): readonly FeedEntry[] {
  return made.get()?.answer.feeds ?? builtInFeeds();
}

/** Ids of feeds given by id or symbol. `directory` is only asked for symbols that are not built in. */
export async function resolveFeeds(
  names: readonly string[],
  directory: () => Promise<readonly FeedEntry[]>,
): Promise<{ ids: FeedId[]; unknown: string[] }> {
  const ids = new Set<FeedId>();
  const unknown: string[] = [];
  for (const name of names) {
    const reference = parseFeedReference(name);
    const known =
      reference?.kind === 'id'
        ? reference.id
        : (findFeed(builtInFeeds(), name) ?? findFeed(await directory(), name))?.id;
    if (known === undefined) unknown.push(name);
    else ids.add(known);
  }
  return { ids: [...ids], unknown };
}

/** What the feeds page holds when it leaves the server; the stream brings the rest. */
export type FeedsInitialData = {
  /** The feeds on the board when the URL names none (setting `FEEDS`). */
  defaults: FeedReference[];
  /** Names of the feeds on the board, as far as they are known. */
  names: FeedEntry[];
  /** Last updates of these feeds; empty when the service took too long. */
  updates: CompactFeed[];
};

/** A page is better shown without names and numbers: the stream brings them at once. */
const PAGE_WAIT_MS = 150;

/** The names and last prices of the board that is asked for: of `chosen`, or of the default board where that is undefined. */
export async function feedsInitialData(
  chosen: readonly FeedReference[] | undefined,
): Promise<FeedsInitialData> {
  const defaults = services().settings.feeds.flatMap((text) => parseFeedReference(text) ?? []);
  const references = chosen ?? defaults;
  const directory = await within(PAGE_WAIT_MS, feedDirectory());
  const all = directory?.feeds ?? builtInFeeds();
  const names = [...references, ...defaults].flatMap((reference) => {
    return findFeed(all, feedReferenceText(reference)) ?? [];
  });
  const ids = references.flatMap((reference) => {
    return reference.kind === 'id' ? reference.id : (findFeed(names, reference.symbol)?.id ?? []);
  });
  const updates = ids.length === 0 ? undefined : await within(PAGE_WAIT_MS, lastUpdates(ids));
  return { defaults, names: [...new Set(names)], updates: updates ?? [] };
}

async function lastUpdates(ids: readonly string[]): Promise<FeedsInitialData['updates']> {
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
function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
