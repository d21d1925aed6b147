'use client';
import { useState } from 'react';
import { ChooserOption, SearchChooser } from '@/components/ui/search-chooser';
import { type FeedName, unnamedFeed } from '@/lib/feeds/board-url';
import { pastedIds, searchFeeds, useFeedDirectory } from '@/lib/feeds/client/directory';
import classes from './feeds.module.css';

/** So many matches are listed; who wants another one types on. */
const MOST_LISTED = 60;
const NO_FEEDS: readonly FeedName[] = [];

type Props = {
  readonly chosenIds: ReadonlySet<string>;
  readonly onAdd: (feeds: readonly FeedName[]) => void;
  readonly onRemove: (feed: FeedName) => void;
};

/**
 * Finds feeds to add or remove. The list closes after a choice that was searched for, and stays open for who leafs through
 * it. Ids can be pasted, several at once.
 */
export function FeedChooser({ chosenIds, onAdd, onRemove }: Props) {
  const [text, setText] = useState('');
  const [standing, setStanding] = useState<'open' | 'closed' | 'untouched'>('untouched');
  const [active, setActive] = useState(0);
  const directory = useFeedDirectory(standing !== 'untouched');
  const known = directory.data?.feeds ?? NO_FEEDS;
  const pasted = pastedIds(text).map((id) => known.find((one) => one.id === id) ?? unnamedFeed(id));
  const found = pasted.length > 0 ? pasted : searchFeeds(known, text);
  const listed = found.slice(0, MOST_LISTED);
  const hide = () => setStanding((before) => (before === 'open' ? 'closed' : before));
  const write = (next: string) => {
    setText(next);
    setActive(0);
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
    } else if (feed !== undefined) toggle(feed);
  };
  const chooser = {
    ...{ text, active, listed, hide, dismiss, choose, point: setActive },
    open: standing === 'open',
    foot: footText(directory, found.length, pasted.length),
    show: () => setStanding('open'),
    type: (next: string) => {
      write(next);
      setStanding('open');
    },
  };
  return (
    <SearchChooser
      chooser={chooser}
      className={classes.chooser}
      placeholder="Add a feed: symbol, name or id"
      option={(feed, place) => (
        <ChooserOption
          key={feed.id}
          place={place}
          standing={chosenIds.has(feed.id) ? 'chosen' : 'offered'}
          hint={feed.assetType}
          onToggle={() => toggle(feed)}
        >
          <span className={classes.option}>
            <bdi>{feed.symbol}</bdi>
            {feed.description === undefined ? null : <bdi>{feed.description}</bdi>}
          </span>
        </ChooserOption>
      )}
    />
  );
}

/** The line under the list: how many match, or why there are none. */
function footText(directory: ReturnType<typeof useFeedDirectory>, found: number, pasted: number): string {
  if (pasted > 1) return `Enter adds all ${pasted} ids.`;
  if (pasted === 0 && directory.isError)
    return 'List of feeds unavailable. A feed can be added by its id of 64 hex digits.';
  if (pasted === 0 && directory.isPending) return 'Loading feeds…';
  if (found === 0) return 'No results. An id has 64 hex digits.';
  const builtIn =
    directory.data?.source === 'built-in' ? ' The services list none, so these are built in.' : '';
  return `${found === 1 ? '1 feed.' : `${found} feeds.`}${found > MOST_LISTED ? ' Type to narrow.' : ''}${builtIn}`;
}
