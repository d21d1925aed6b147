'use client';
import { Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { LiveControls } from '@/components/ui/live-controls';
import suggestionClasses from '@/components/ui/suggestions.module.css';
import { Muted, MutedInline } from '@/components/ui/text';
import { useSuggestions } from '@/components/ui/use-suggestions';
import { type FeedName, unnamedFeed } from '@/lib/feeds/board-url';
import { pastedIds, searchFeeds, useFeedDirectory } from '@/lib/feeds/client/directory';
import classes from './feeds.module.css';

const MAX_LISTED = 60;
const NO_FEEDS: readonly FeedName[] = [];

type Props = {
  readonly chosenIds: ReadonlySet<string>;
  readonly onAdd: (feeds: readonly FeedName[]) => void;
  readonly onRemove: (feed: FeedName) => void;
  readonly placeholder?: string;
};

/** The list of feeds. After a choice without a search, it stays open. */
export function FeedChooser({ chosenIds, onAdd, onRemove, placeholder = 'Add a feed' }: Props) {
  const [text, setText] = useState('');
  const [isWanted, setWanted] = useState(false);
  const directory = useFeedDirectory(isWanted);
  const directoryFeeds = directory.data?.feeds ?? NO_FEEDS;
  const pasted = pastedIds(text).map(
    (id) => directoryFeeds.find((feed) => feed.id === id) ?? unnamedFeed(id, true),
  );
  const matches = pasted.length > 0 ? pasted : searchFeeds(directoryFeeds, text);
  const listed = matches.slice(0, MAX_LISTED);
  const choose = (at: number) => {
    const feed = listed[at];
    if (pasted.length > 1) onAdd(pasted);
    else if (feed !== undefined && chosenIds.has(feed.id)) onRemove(feed);
    else if (feed !== undefined) onAdd([feed]);
    if (text.trim() === '') list.open(at);
    else setText('');
  };
  const list = useSuggestions(listed.length, choose, 'Feeds');
  const open = () => {
    setWanted(true);
    list.open(0);
  };
  return (
    <search aria-label="Choose feeds" className={classes.chooser}>
      <LiveControls>
        <TextInput
          {...list.field}
          aria-label="Add a feed"
          placeholder={`${placeholder}: symbol, name or id`}
          leftSection={<Icon name="search" size={14} />}
          spellCheck={false}
          value={text}
          onChange={({ currentTarget: { value } }) => {
            setText(value);
            open();
          }}
          onClick={open}
          onBlur={list.close}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') setWanted(true);
            if (!list.takesKey(event)) return;
            if (event.key === 'Escape') setText('');
          }}
        />
      </LiveControls>
      {list.isOpen && (
        <div className={suggestionClasses.suggestions}>
          <div {...list.listbox} className={suggestionClasses.long}>
            {listed.map((feed, at) => (
              <div key={feed.id} {...list.option(at)}>
                <FeedOption feed={feed} isChosen={chosenIds.has(feed.id)} />
              </div>
            ))}
          </div>
          <Muted size="xs" p="6px 10px">
            {footText(directory, matches.length, pasted.length)}
          </Muted>
        </div>
      )}
    </search>
  );
}

function FeedOption({ feed, isChosen }: { feed: FeedName; isChosen: boolean }) {
  return (
    <Group gap="xs" wrap="nowrap">
      {isChosen ? (
        <>
          <span className="sr-only">Chosen</span>
          <Icon name="check" size={14} />
        </>
      ) : null}
      <Text component="span" flex={1} miw={0} truncate>
        <bdi>{feed.symbol}</bdi>
        <Muted component="bdi" display="block" size="xs" truncate>
          {feed.description}
        </Muted>
      </Text>
      <MutedInline size="xs">{feed.assetType}</MutedInline>
    </Group>
  );
}

function footText(
  directory: ReturnType<typeof useFeedDirectory>,
  matchCount: number,
  pasted: number,
): string {
  if (pasted > 1) return `Enter adds all ${pasted} ids.`;
  if (pasted === 0 && directory.isError)
    return 'List of feeds unavailable. A feed can be added by its id of 64 hex digits.';
  if (pasted === 0 && directory.isPending) return 'Loading feeds…';
  if (matchCount === 0) return 'No results. An id has 64 hex digits.';
  const builtIn = directory.data?.source === 'built-in' ? ' Built-in list: the services returned none.' : '';
  return `${matchCount === 1 ? '1 feed.' : `${matchCount} feeds.`}${matchCount > MAX_LISTED ? ' Type to narrow.' : ''}${builtIn}`;
}
