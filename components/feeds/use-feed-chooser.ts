'use client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { feedNameOf } from '@/lib/client/feed-choice';
import { type FeedName, fetchFeedDirectory, pastedIds, searchFeeds } from '@/lib/client/feed-directory';

/** So many matches are listed; who wants another one types on. */
const MOST_LISTED = 60;

const NO_FEEDS: readonly FeedName[] = [];

/** The feeds that can be chosen, fetched once somebody looks for one. */
export function useFeedDirectory(demand: 'wanted' | 'not yet') {
  return useQuery({
    queryKey: ['feed-directory'],
    queryFn: ({ signal }) => fetchFeedDirectory(signal),
    enabled: demand === 'wanted',
    staleTime: 10 * 60_000,
    refetchOnWindowFocus: false,
  });
}

export type ChooserActions = {
  readonly chosenIds: ReadonlySet<string>;
  readonly onAdd: (feeds: readonly FeedName[]) => void;
  readonly onRemove: (feed: FeedName) => void;
};

/** The feeds that a text of the field finds, or the ids that it consists of. */
function useFoundFeeds(text: string, demand: 'wanted' | 'not yet') {
  const directory = useFeedDirectory(demand);
  const known = directory.data?.feeds ?? NO_FEEDS;
  const pasted = pastedIds(text).map((id) => feedNameOf(id, known));
  const found = pasted.length > 0 ? pasted : searchFeeds(known, text);
  const foot = footText(directory, { found: found.length, pasted: pasted.length });
  return { pasted, listed: found.slice(0, MOST_LISTED), foot };
}

/** What the chooser's field holds and lists, and what can be done with it. */
export function useFeedChooser({ chosenIds, onAdd, onRemove }: ChooserActions) {
  const [text, setText] = useState('');
  const [standing, setStanding] = useState<'open' | 'closed' | 'untouched'>('untouched');
  const [active, setActive] = useState(0);
  const { pasted, listed, foot } = useFoundFeeds(text, standing === 'untouched' ? 'not yet' : 'wanted');

  const write = (next: string) => {
    setText(next);
    setActive(0);
  };
  const show = () => setStanding('open');
  const hide = () => setStanding((before) => (before === 'open' ? 'closed' : before));
  const type = (next: string) => {
    write(next);
    show();
  };
  const dismiss = () => {
    write('');
    hide();
  };
  /** Who searched has found it, and wants to see what was under the list; who leafs through the list goes on. */
  const toggle = (feed: FeedName) => {
    if (chosenIds.has(feed.id)) onRemove(feed);
    else onAdd([feed]);
    if (text.trim() !== '') dismiss();
  };
  /** Several pasted ids are meant together; otherwise it is the feed that the arrows stand on. */
  const choose = () => {
    const feed = listed[active];
    if (pasted.length > 1) {
      onAdd(pasted);
      dismiss();
    } else if (feed !== undefined) {
      toggle(feed);
    }
  };
  const open = standing === 'open';
  return { text, open, active, listed, foot, show, hide, type, dismiss, point: setActive, toggle, choose };
}

/** The line under the list: how many match, or why there are none. */
function footText(
  directory: Pick<ReturnType<typeof useFeedDirectory>, 'isError' | 'isPending' | 'data'>,
  { found, pasted }: { found: number; pasted: number },
): string {
  if (pasted > 1) {
    return `Enter adds all ${pasted} ids.`;
  }
  if (directory.isError && pasted === 0) {
    return 'The list of feeds can’t be loaded. A feed can still be added by its id of 64 hex digits.';
  }
  if (directory.isPending && pasted === 0) {
    return 'Loading the list of feeds…';
  }
  if (found === 0) {
    return 'No feed matches. An id has 64 hex digits.';
  }
  const names =
    directory.data?.source === 'built-in' ? ' The services list none, so these are built in.' : '';
  const count = found === 1 ? '1 feed.' : `${found} feeds.`;
  return `${count}${found > MOST_LISTED ? ' Type to narrow.' : ''}${names}`;
}
