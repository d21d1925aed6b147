import 'server-only';
import { type FeedEntry, type FeedId, findFeed, parseFeedReference } from '@/lib/core/feed';
import { builtInFeeds } from '@/lib/core/registry';
import { log } from '@/lib/server/log';
import { services } from '@/lib/server/services';
import { watchAlways } from '@/lib/server/streams';
import { feedDirectory } from './feed-directory';

/** Keeps the feeds of `FEEDS` watched as long as the process lives, so that a board shows numbers at once. */
export async function watchConfiguredFeeds(): Promise<void> {
  const { settings, updates, upgraded } = services();
  if (settings.watchedFeeds.length === 0 || (!updates && !upgraded)) return;
  const { ids, unknown } = await resolveFeeds(
    settings.watchedFeeds,
    async () => (await feedDirectory()).feeds,
  );
  if (unknown.length > 0) log().warn({ unknown }, 'FEEDS has unknown symbols');
  const watched = watchAlways(ids);
  if (!watched.ok) log().warn({ kind: watched.failure.kind }, 'the feeds of FEEDS are not watched');
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
