'use client';
import { Box, ColorSwatch, Combobox, Group, Text, useCombobox } from '@mantine/core';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { Muted } from '@/components/ui/text';
import { networkColour } from '@/lib/core/network-colour';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import classes from './filter.module.css';
import { FilterButton, type FilterChoice, type FilterProps } from './filter-button';

/** Choices above which there is a search field. */
const MAX_UNSEARCHED = 8;
const MAX_SHOWN = 100;

/** A typed name or id that matches no choice may be a choice itself. */
function choicesMatching(find: string, { choices, choiceOf }: FilterProps): readonly FilterChoice[] {
  const text = find.toLowerCase();
  const matches = choices.filter(
    ({ value, label }) => label.toLowerCase().includes(text) || value.includes(text),
  );
  const typed = matches.length === 0 ? choiceOf?.(find) : undefined;
  return typed === undefined ? matches.slice(0, MAX_SHOWN) : [typed];
}

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
  const offered = choicesMatching(find.trim(), props);
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
        <FilterOptions {...{ label, all, chosen, offered }} hasAll={text === ''} />
      </Combobox.Dropdown>
    </Combobox>
  );
}

type FilterOptionsProps = Pick<FilterProps, 'label' | 'all' | 'chosen'> & {
  offered: readonly FilterChoice[];
  hasAll: boolean;
};

/** The choices that match, after "all" while nothing is typed. */
function FilterOptions({ label, all, chosen, offered, hasAll }: FilterOptionsProps) {
  return (
    <Combobox.Options aria-label={`${label} options`} aria-multiselectable="true" className={classes.options}>
      {hasAll ? (
        <ChoiceOption choice={{ value: '', label: all, count: undefined }} isChosen={chosen.length === 0} />
      ) : null}
      {offered.map((choice) => (
        <ChoiceOption
          key={choice.value}
          choice={choice}
          isChosen={chosen.includes(choice.value)}
          colour={label === 'Network' ? networkColour(choice.value) : undefined}
        />
      ))}
      {offered.length === 0 ? <Combobox.Empty>No results</Combobox.Empty> : null}
    </Combobox.Options>
  );
}

type OptionProps = { choice: FilterChoice; isChosen: boolean; colour?: string | undefined };

function ChoiceOption({ choice: { value, label, count, text }, isChosen, colour }: OptionProps) {
  return (
    <Combobox.Option
      value={value}
      active={isChosen}
      aria-selected={isChosen}
      aria-label={clipped(label, 60)}
      aria-description={
        text ?? (count === undefined ? undefined : countOf(String(count), 'request', 'requests'))
      }
    >
      <Group gap={8} wrap="nowrap">
        <Box w={12}>{isChosen ? <Icon name="check" size={12} /> : null}</Box>
        {colour === undefined ? null : <ColorSwatch size={8} radius={2} color={colour} />}
        <Text truncate flex={1}>
          <bdi>{clipped(label, 60)}</bdi>
        </Text>
        <Muted size="sm" className="num">
          {text ?? (count === undefined ? '' : groupDigits(String(count)))}
        </Muted>
      </Group>
    </Combobox.Option>
  );
}
