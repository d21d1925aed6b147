'use client';
import { Combobox, useCombobox } from '@mantine/core';
import { type CSSProperties, useRef, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import classes from './filters.module.css';
import type { HistoryStep } from './use-requests-view';

export type Choice = {
  value: string;
  label: string;
  /** How many rows it would show; undefined while not counted. */
  count: number | undefined;
  /** Of the mark before it, degrees on the colour wheel. */
  hue?: number;
};

type Props = {
  label: string;
  /** What is chosen while nothing is: `All networks`. */
  all: string;
  choices: readonly Choice[];
  chosen: readonly string[];
  /** Choices of one opening of the list are one step back. */
  onChoose: (values: string[], as: HistoryStep) => void;
  /** Makes a choice of what was typed and names none of them. */
  choiceOf?: (text: string) => Choice | undefined;
  /** As it is without a filter: not marked as set. */
  isUsual?: boolean;
  /** What choosing `all` gives; nothing chosen where it is not given. */
  allValues?: readonly string[];
};

/** So many can be looked over without a field to search in. */
const OVERLOOKED = 8;
/** Nobody looks through more than this. */
const MOST_SHOWN = 100;

/** `Base`, `Base +2`. */
function shownText({ all, choices, chosen, allValues = [] }: Props): string {
  if (chosen.length === allValues.length && chosen.every((value) => allValues.includes(value))) return all;
  const [first = '', ...more] = chosen;
  const name = choices.find(({ value }) => value === first)?.label ?? first;
  return more.length === 0 ? clipped(name, 30) : `${clipped(name, 24)} +${more.length}`;
}

/** One filter: any of several values, each with how many rows it would show. All of them is a choice as well. */
export function FilterSelect(props: Props) {
  const { label, all, choices, chosen, onChoose, choiceOf, allValues = [], isUsual } = props;
  const [find, setFind] = useState('');
  const isFirst = useRef(true);
  const combobox = useCombobox({
    onDropdownOpen: () => {
      isFirst.current = true;
      if (choices.length > OVERLOOKED) combobox.focusSearchInput();
      else combobox.selectFirstOption();
    },
    onDropdownClose: () => {
      combobox.resetSelectedOption();
      combobox.focusTarget();
      setFind('');
    },
  });
  const text = find.trim().toLowerCase();
  const fitting = choices.filter(
    ({ value, label: name }) => text === '' || name.toLowerCase().includes(text) || value.includes(text),
  );
  const typed = fitting.length === 0 ? choiceOf?.(find.trim()) : undefined;
  const shown = shownText(props);
  const isAll = shown === all;

  function choose(value: string) {
    const without = isAll ? [] : chosen.filter((one) => one !== value);
    const next = without.length < chosen.length && !isAll ? without : [...without, value];
    onChoose(value === '' || next.length === 0 ? [...allValues] : next, isFirst.current ? 'push' : 'replace');
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
    >
      <Combobox.Target targetType="button" withExpandedAttribute>
        <button
          type="button"
          role="combobox"
          aria-expanded={combobox.dropdownOpened}
          className={classes.select}
          aria-label={label}
          data-set={(isUsual ?? isAll) ? undefined : 'yes'}
          onClick={() => combobox.toggleDropdown()}
        >
          <span className={classes.selectLabel}>{isAll && allValues.length === 0 ? label : shown}</span>
          <Icon name="down" size={12} />
        </button>
      </Combobox.Target>
      <Combobox.Dropdown className={classes.dropdown}>
        {choices.length > OVERLOOKED ? (
          <Combobox.Search
            value={find}
            placeholder={choiceOf === undefined ? 'Find' : 'Name or id'}
            aria-label={`Find in ${label.toLowerCase()}`}
            onChange={(event) => {
              setFind(event.currentTarget.value);
              combobox.updateSelectedOptionIndex();
            }}
          />
        ) : null}
        <Combobox.Options
          aria-label={`${label} options`}
          aria-multiselectable="true"
          className={classes.options}
        >
          {text === '' ? <Option value="" label={all} isChosen={isAll} count={undefined} /> : null}
          {[...fitting.slice(0, MOST_SHOWN), ...(typed === undefined ? [] : [typed])].map((choice) => (
            <Option key={choice.value} {...choice} isChosen={!isAll && chosen.includes(choice.value)} />
          ))}
          {fitting.length === 0 && typed === undefined ? <Combobox.Empty>No results</Combobox.Empty> : null}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

function Option({ value, label, count, hue, isChosen }: Choice & { isChosen: boolean }) {
  return (
    <Combobox.Option
      value={value}
      active={isChosen}
      aria-selected={isChosen}
      aria-label={clipped(label, 60)}
      aria-description={count === undefined ? undefined : countOf(String(count), 'request', 'requests')}
      className={classes.option}
    >
      <span className={classes.tick}>{isChosen ? <Icon name="check" size={12} /> : null}</span>
      <bdi
        className={classes.optionLabel}
        data-marked={hue === undefined ? undefined : 'yes'}
        style={hue === undefined ? undefined : ({ '--hue': hue } as CSSProperties)}
      >
        {clipped(label, 60)}
      </bdi>
      <span className={classes.optionCount}>{count === undefined ? '' : groupDigits(String(count))}</span>
    </Combobox.Option>
  );
}
