'use client';
import { ChooserOption, SearchChooser } from '@/components/ui/search-chooser';
import classes from './feed-chooser.module.css';
import { type ChooserActions, useFeedChooser } from './use-feed-chooser';

/**
 * Finds feeds to add or remove. The list closes after a choice that was searched for, and stays open for who leafs through
 * it. Ids can be pasted, several at once.
 */
export function FeedChooser(actions: ChooserActions) {
  const chooser = useFeedChooser(actions);
  return (
    <SearchChooser
      chooser={chooser}
      className={classes.chooser}
      placeholder="Add a feed: symbol, name or id"
      option={(feed, place) => (
        <ChooserOption
          key={feed.id}
          place={place}
          standing={actions.chosenIds.has(feed.id) ? 'chosen' : 'offered'}
          hint={feed.assetType}
          onToggle={() => chooser.toggle(feed)}
        >
          <span className={classes.name}>
            <bdi className={classes.symbol}>{feed.symbol}</bdi>
            {feed.description === undefined ? null : (
              <bdi className={classes.description}>{feed.description}</bdi>
            )}
          </span>
        </ChooserOption>
      )}
    />
  );
}
