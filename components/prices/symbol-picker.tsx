'use client';
import { ChooserOption, SearchChooser } from '@/components/ui/search-chooser';
import { clipped } from '@/lib/client/foreign-text';
import classes from './lookup-feeds.module.css';
import { type PickerInput, useSymbolPicker } from './use-symbol-picker';

/** Finds feeds to add or remove, and stays open after a choice. Ids can be pasted, several at once. */
export function SymbolPicker(input: PickerInput) {
  const picker = useSymbolPicker(input);
  return (
    <SearchChooser
      chooser={picker}
      className={classes.picker}
      placeholder="Add a feed: symbol or id"
      option={(feed, place) => (
        <ChooserOption
          key={`${feed.routerId} ${feed.feedId}`}
          place={place}
          standing={picker.isChosen(feed) ? 'chosen' : 'offered'}
          hint={feed.routerId === undefined ? 'no router id' : `router ${clipped(feed.routerId, 20)}`}
          onToggle={() => picker.toggle(feed)}
        >
          <bdi className={classes.name}>{clipped(feed.symbol, 60)}</bdi>
        </ChooserOption>
      )}
    />
  );
}
