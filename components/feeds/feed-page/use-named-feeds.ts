'use client';
import { useFeedDirectory } from '@/components/feeds/use-feed-chooser';
import { feedNameOf } from '@/lib/client/feed-choice';
import type { FeedName } from '@/lib/client/feed-directory';
import type { FeedReference } from '@/lib/contract/codec/feeds-url';
import { type FeedEntry, findFeed } from '@/lib/domain/feed';

/** A feed of the page. `unknown`: no feed is called that. `looking`: the list of feeds is on its way. */
export type NamedFeed =
  | { readonly kind: 'feed'; readonly feed: FeedName }
  | { readonly kind: 'unknown' | 'looking'; readonly text: string };

/** The feeds that some references mean. The directory is asked for when a name is none that the server knew. */
export function useNamedFeeds(
  references: readonly FeedReference[],
  names: readonly FeedName[],
): readonly NamedFeed[] {
  const first = references.map((one) => named(one, names));
  const isUnresolved = first.some((one) => one.kind !== 'feed' || one.feed.symbol === one.feed.id);
  const directory = useFeedDirectory(isUnresolved ? 'wanted' : 'not yet');
  const listed = directory.data?.feeds;
  const all = listed === undefined ? first : references.map((one) => named(one, [...names, ...listed]));
  const state = isUnresolved && directory.isPending ? 'looking' : 'unknown';
  return all.map((one) => (one.kind === 'feed' ? one : { ...one, kind: state }));
}

function named(reference: FeedReference, names: readonly FeedName[]): NamedFeed {
  if (reference.kind === 'id') return { kind: 'feed', feed: feedNameOf(reference.id, names) };
  const feed = findFeed(names as readonly FeedEntry[], reference.symbol);
  return feed === undefined ? { kind: 'unknown', text: reference.symbol } : { kind: 'feed', feed };
}
