import 'server-only';
import { type FeedEntry, type FeedId, findFeed, parseFeedReference } from '@/lib/core/feed';
import { builtInFeeds } from '@/lib/core/registry';
import { log } from '@/lib/server/log';
import { services } from '@/lib/server/services';
import { watchAlways } from '@/lib/server/streams';
import { feedDirectory } from './feed-directory';

/**
 * Keeps the feeds of the `FEEDS` setting watched as long as the process lives, so that a board shows numbers at once
 * and the last updates are at hand. Does nothing without a price update service.
 */
export async function watchStandingFeeds(): Promise<void> {
  const { settings, updates, upgraded } = services();
  if (settings.standingFeeds.length === 0 || (!updates && !upgraded)) return;
  const { ids, unknown } = await resolveFeeds(
    settings.standingFeeds,
    async () => (await feedDirectory()).feeds,
  );
  if (unknown.length > 0) log().warn({ unknown }, 'FEEDS names symbols that no directory knows');
  const watched = watchAlways(ids);
  if (!watched.ok) log().warn({ kind: watched.failure.kind }, 'the feeds of FEEDS are not watched');
}

/** Ids of feeds given by id or symbol. `directory` is only asked for symbols that are not built in. */
export async function resolveFeeds(
  names: readonly string[],
  directory: () => Promise<readonly FeedEntry[]>,
): Promise<{ ids: FeedId[]; unknown: string[] }> {
  const builtIn = builtInFeeds();
  const first = names.map((name) => ({ name, id: idOf(name, builtIn) }));
  const others = first.some(({ id }) => id === undefined) ? await directory() : [];
  const all = first.map(({ name, id }) => ({ name, id: id ?? idOf(name, others) }));
  return {
    ids: [...new Set(all.flatMap(({ id }) => id ?? []))],
    unknown: all.flatMap(({ name, id }) => (id === undefined ? [name] : [])),
  };
}

function idOf(name: string, feeds: readonly FeedEntry[]): FeedId | undefined {
  const reference = parseFeedReference(name);
  return reference?.kind === 'symbol' ? findFeed(feeds, reference.symbol)?.id : reference?.id;
}
