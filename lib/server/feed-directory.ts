import 'server-only';
import type { FeedEntry } from '@/lib/domain/feed';
import { builtInFeeds } from '@/lib/domain/feed-registry';
import { processWide } from './process-wide';
import { type Services, services } from './services';

/** Feeds by name, sorted by symbol, and who named them. */
export type FeedDirectoryAnswer = { feeds: FeedEntry[]; source: 'updates' | 'router' | 'built-in' };

/** Feeds are added now and then, not by the minute. */
const KEEP_MS = 10 * 60_000;

/** After the services named none: soon enough to notice that they are back, and no burden to them. */
const KEEP_BUILT_IN_MS = 30_000;

type Kept = { answer: Promise<FeedDirectoryAnswer>; untilMs: number };

const kept = processWide<Kept>('feed-directory');

/**
 * Every feed that can be chosen: as the price update service lists them, else as the router's symbols name them, else
 * the built-in ones. Never fails. Concurrent askers share one call, and the answer is kept for a while.
 */
export function feedDirectory(nowMs = Date.now()): Promise<FeedDirectoryAnswer> {
  const held = kept.get();
  if (held !== undefined && nowMs < held.untilMs) {
    return held.answer;
  }
  const fresh: Kept = { answer: askServices(services()), untilMs: nowMs + KEEP_MS };
  kept.set(fresh);
  void fresh.answer.then(({ source }) => {
    if (source === 'built-in') {
      fresh.untilMs = nowMs + KEEP_BUILT_IN_MS;
    }
  });
  return fresh.answer;
}

/** The directory as the services give it at this moment. */
export async function askServices({
  updates,
  router,
}: Pick<Services, 'updates' | 'router'>): Promise<FeedDirectoryAnswer> {
  const listed = await updates?.directory('', 'background');
  if (listed?.ok && listed.value.entries.length > 0) {
    return { feeds: sorted(listed.value.entries), source: 'updates' };
  }
  const symbols = await router?.symbols('', 'background');
  if (symbols?.ok) {
    const feeds = symbols.value.symbols.flatMap(({ feedId, symbol, assetType, description }) =>
      feedId === null ? [] : [{ id: feedId, symbol, assetType, description }],
    );
    if (feeds.length > 0) {
      return { feeds: sorted(feeds), source: 'router' };
    }
  }
  return { feeds: sorted(builtInFeeds()), source: 'built-in' };
}

function sorted(feeds: readonly FeedEntry[]): FeedEntry[] {
  return feeds.toSorted((a, b) => a.symbol.localeCompare(b.symbol, 'en'));
}
