'use client';
import { Box, ColorSwatch, Combobox, Group, Text, useCombobox } from '@mantine/core';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { Muted } from '@/components/ui/text';
import { networkColour } from '@/lib/core/network-colour';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import classes from './filter.module.css';
import { type Choice, FilterButton, type FilterProps } from './filter-button';

/** With more choices, there is a search field. */
const MAX_UNSEARCHED = 8;
const MAX_SHOWN = 100;

/** Values with their counts, and "all". Opens as soon as it is on the page. */
export function FilterList(props: FilterProps) {
  const { label, all, choices, chosen, onChoose, choiceOf } = props;
  const [find, setFind] = useState('');
  // If a recount removed the field, the focus would be lost.
  const [isSearched, setIsSearched] = useState(false);
  const isFirst = useRef(true);
  const target = useRef<HTMLButtonElement>(null);
  const combobox = useCombobox({
    onDropdownOpen: () => {
      isFirst.current = true;
      setIsSearched(choices.length > MAX_UNSEARCHED);
      if (choices.length > MAX_UNSEARCHED) combobox.focusSearchInput();
      else setTimeout(() => combobox.selectFirstOption());
    },
    onDropdownClose: () => {
      combobox.resetSelectedOption();
      // Later the focus may already be in the next field.
      target.current?.focus();
      setFind('');
    },
  });
  const text = find.trim().toLowerCase();
  const fitting = choices.filter(
    ({ value, label: name }) => name.toLowerCase().includes(text) || value.includes(text),
  );
  const typed = fitting.length === 0 ? choiceOf?.(find.trim()) : undefined;
  const offered = typed === undefined ? fitting.slice(0, MAX_SHOWN) : [typed];
  // Enter chooses the first match.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store's functions are new with every render
  useEffect(() => {
    if (text !== '') combobox.selectFirstOption();
  }, [text, offered.length]);
  // The field takes over the focus of the button that it replaces.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it comes onto the page
  useLayoutEffect(() => {
    target.current?.focus();
    combobox.openDropdown();
  }, []);

  function choose(value: string) {
    const next = chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value];
    onChoose(value === '' ? [] : next, isFirst.current ? 'push' : 'replace');
    isFirst.current = false;
    if (value === '') combobox.closeDropdown();
  }
  const option = ({ value, label: words, count }: Choice, isChosen: boolean) => (
    <Combobox.Option
      key={value}
      value={value}
      active={isChosen}
      aria-selected={isChosen}
      aria-label={clipped(words, 60)}
      aria-description={count === undefined ? undefined : countOf(String(count), 'request', 'requests')}
    >
      <Group gap={8} wrap="nowrap">
        <Box w={12}>{isChosen ? <Icon name="check" size={12} /> : null}</Box>
        {label === 'Network' && value !== '' ? (
          <ColorSwatch size={8} radius={2} color={networkColour(value)} />
        ) : null}
        <Text truncate flex={1}>
          <bdi>{clipped(words, 60)}</bdi>
        </Text>
        <Muted size="sm" className="num">
          {count === undefined ? '' : groupDigits(String(count))}
        </Muted>
      </Group>
    </Combobox.Option>
  );

  return (
    <Combobox
      store={combobox}
      onOptionSubmit={choose}
      position="bottom-start"
      width="max-content"
      shadow="md"
      withinPortal={false}
      keepMounted={false}
    >
      <Combobox.Target targetType="button" withExpandedAttribute>
        <FilterButton
          {...{ ref: target, label, choices, chosen }}
          isOpen={combobox.dropdownOpened}
          onClick={() => combobox.toggleDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown miw="14rem" maw="min(24rem, 94vw)">
        {isSearched ? (
          <Combobox.Search
            value={find}
            placeholder={choiceOf === undefined ? 'Find' : 'Name or id'}
            aria-label={`Find in ${label.toLowerCase()}`}
            onChange={(event) => {
              setFind(event.currentTarget.value);
            }}
          />
        ) : null}
        <Combobox.Options
          aria-label={`${label} options`}
          aria-multiselectable="true"
          className={classes.options}
        >
          {text === '' ? option({ value: '', label: all, count: undefined }, chosen.length === 0) : null}
          {offered.map((choice) => option(choice, chosen.includes(choice.value)))}
          {offered.length === 0 ? <Combobox.Empty>No results</Combobox.Empty> : null}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
