'use client';
import { Combobox, Group, Text, TextInput, useCombobox } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { LiveControls } from '@/components/ui/live-controls';
import { Muted, MutedInline } from '@/components/ui/text';
import { type FeedName, unnamedFeed } from '@/lib/feeds/board-url';
import { pastedIds, searchFeeds, useFeedDirectory } from '@/lib/feeds/client/directory';
import classes from './feeds.module.css';

/** Most matches listed; typing more narrows them. */
const MAX_LISTED = 60;
const NO_FEEDS: readonly FeedName[] = [];

type Props = {
  readonly chosenIds: ReadonlySet<string>;
  readonly onAdd: (feeds: readonly FeedName[]) => void;
  readonly onRemove: (feed: FeedName) => void;
  readonly placeholder?: string;
};

/** Finds feeds to add or remove; ids can be pasted. The list stays open after a choice made without a search. */
export function FeedChooser({ chosenIds, onAdd, onRemove, placeholder = 'Add a feed' }: Props) {
  const [text, setText] = useState('');
  const [isWanted, setWanted] = useState(false);
  const combobox = useCombobox({ onDropdownOpen: () => setWanted(true) });
  const directory = useFeedDirectory(isWanted);
  const directoryFeeds = directory.data?.feeds ?? NO_FEEDS;
  const pasted = pastedIds(text).map((id) => directoryFeeds.find((one) => one.id === id) ?? unnamedFeed(id));
  const found = pasted.length > 0 ? pasted : searchFeeds(directoryFeeds, text);
  const listed = found.slice(0, MAX_LISTED);
  const { selectFirstOption, dropdownOpened } = combobox;
  const firstId = listed[0]?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text or another list begins at its first feed
  useEffect(() => {
    if (dropdownOpened && firstId !== undefined) selectFirstOption();
  }, [text, firstId, dropdownOpened]);
  const submit = (id: string) => {
    const feed = listed.find((one) => one.id === id);
    // Several pasted ids are added together.
    if (pasted.length > 1) onAdd(pasted);
    else if (feed !== undefined && chosenIds.has(id)) onRemove(feed);
    else if (feed !== undefined) onAdd([feed]);
    if (text.trim() === '') return;
    setText('');
    combobox.closeDropdown();
  };
  return (
    <Combobox store={combobox} withinPortal={false} position="bottom-end" onOptionSubmit={submit}>
      <search aria-label="Choose feeds" className={classes.chooser}>
        <LiveControls>
          <Combobox.Target withExpandedAttribute>
            <TextInput
              role="combobox"
              aria-label="Add a feed"
              placeholder={`${placeholder}: symbol, name or id`}
              leftSection={<Icon name="search" size={14} />}
              spellCheck={false}
              value={text}
              onChange={({ currentTarget: { value } }) => {
                setText(value);
                combobox.openDropdown();
              }}
              onClick={() => combobox.openDropdown()}
              onBlur={() => combobox.closeDropdown()}
              onKeyDown={({ key }) => (key === 'Escape' ? setText('') : undefined)}
            />
          </Combobox.Target>
        </LiveControls>
      </search>
      <Combobox.Dropdown>
        <Combobox.Options aria-label="Feeds" mah="min(24rem, 60dvh)" style={{ overflowY: 'auto' }}>
          {listed.map((feed) => (
            <Combobox.Option key={feed.id} value={feed.id} aria-checked={chosenIds.has(feed.id)}>
              <Group gap="xs" wrap="nowrap">
                {chosenIds.has(feed.id) ? <Icon name="check" size={14} /> : null}
                <Text component="span" flex={1} miw={0} truncate>
                  <bdi>{feed.symbol}</bdi>
                  <Muted component="bdi" display="block" size="xs" truncate>
                    {feed.description}
                  </Muted>
                </Text>
                <MutedInline size="xs">{feed.assetType}</MutedInline>
              </Group>
            </Combobox.Option>
          ))}
        </Combobox.Options>
        <Combobox.Footer>
          <Muted size="xs">{footText(directory, found.length, pasted.length)}</Muted>
        </Combobox.Footer>
      </Combobox.Dropdown>
    </Combobox>
  );
}

function footText(directory: ReturnType<typeof useFeedDirectory>, found: number, pasted: number): string {
  if (pasted > 1) return `Enter adds all ${pasted} ids.`;
  if (pasted === 0 && directory.isError)
    return 'List of feeds unavailable. A feed can be added by its id of 64 hex digits.';
  if (pasted === 0 && directory.isPending) return 'Loading feeds…';
  if (found === 0) return 'No results. An id has 64 hex digits.';
  const builtIn = directory.data?.source === 'built-in' ? ' Built-in list: the services returned none.' : '';
  return `${found === 1 ? '1 feed.' : `${found} feeds.`}${found > MAX_LISTED ? ' Type to narrow.' : ''}${builtIn}`;
}
