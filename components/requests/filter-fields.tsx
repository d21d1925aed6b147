'use client';
import {
  ActionIcon,
  Box,
  Button,
  ColorSwatch,
  Combobox,
  Group,
  NativeSelect,
  Text,
  useCombobox,
} from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { DraftInput } from '@/components/ui/inputs';
import { Muted } from '@/components/ui/text';
import { useTimeStyle } from '@/components/ui/time-style';
import type { HistoryStep } from '@/components/ui/use-query-text';
import { networkColour } from '@/lib/core/network-colour';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import { DAY_MS, formatIsoSeconds, parseIsoTime } from '@/lib/core/time';
import { momentFieldText, pickedMoment, pickerText, typedMoment } from '@/lib/core/time-text';
import { type TimeFilter, withFilter } from '@/lib/requests/view';
import { RANGES, rangeText, typedRange } from '@/lib/requests/view-labels';
import classes from './requests.module.css';
import { useRequests } from './requests-context';

export type Choice = {
  value: string;
  label: string;
  /** Rows that the choice would show; undefined while not counted. */
  count: number | undefined;
};

type Props = {
  label: string;
  all: string;
  choices: readonly Choice[];
  chosen: readonly string[];
  onChoose: (values: string[], as: HistoryStep) => void;
  /** Makes a choice of typed text that is not among `choices`. */
  choiceOf?: (text: string) => Choice | undefined;
};

/** Most choices shown without a search field. */
const MAX_UNSEARCHED = 8;
/** Most choices shown at once. */
const MAX_SHOWN = 100;

/** Multi-select filter: values with their counts, and "all". */
export function FilterSelect(props: Props) {
  const { label, all, choices, chosen, onChoose, choiceOf } = props;
  const [find, setFind] = useState('');
  // Set when the list opens: removing the field after a recount would lose the focus.
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
      // Synchronous: later, the focus may be in the next field already.
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
  const isAll = chosen.length === 0;
  const [first = '', ...more] = chosen;
  const name = choices.find(({ value }) => value === first)?.label ?? first;
  // Typing highlights the first match, so that Enter chooses it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store's functions are new with every render
  useEffect(() => {
    if (text !== '') combobox.selectFirstOption();
  }, [text, offered.length]);
  const shown = more.length === 0 ? clipped(name, 30) : `${clipped(name, 24)} +${more.length}`;

  function choose(value: string) {
    const next = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
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
        <Button
          ref={target}
          role="combobox"
          aria-expanded={combobox.dropdownOpened}
          aria-label={label}
          variant={isAll ? 'default' : 'light'}
          justify="space-between"
          rightSection={<Icon name="down" size={12} />}
          onClick={() => combobox.toggleDropdown()}
        >
          {label}: {isAll ? 'all' : shown}
        </Button>
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
          {text === '' ? option({ value: '', label: all, count: undefined }, isAll) : null}
          {offered.map((choice) => option(choice, chosen.includes(choice.value)))}
          {offered.length === 0 ? <Combobox.Empty>No results</Combobox.Empty> : null}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

const CUSTOM = 'custom';

export function TimeRange() {
  const { view, show } = useRequests();
  const { time } = view;
  const between = time.kind === 'between' ? time : undefined;
  const change = (next: TimeFilter) => show((now) => withFilter(now, { time: next }), 'push');
  const changeEnds = (ends: { from?: string | undefined; to?: string | undefined }) => {
    const { from, to } = { ...between, ...ends };
    const set = { ...(from && { from }), ...(to && { to }) };
    change(from || to ? { kind: 'between', ...set } : { kind: 'all' });
  };
  const own = time.kind === 'last' && !RANGES.includes(time.range) ? [time.range] : [];
  const options = [...RANGES, ...own].map((range) => {
    const words = rangeText(range);
    return { value: range, label: words.charAt(0).toUpperCase() + words.slice(1) };
  });
  function choose(choice: string) {
    const isoAgo = (ms: number) => formatIsoSeconds(Date.now() - ms);
    if (choice === CUSTOM) changeEnds({ from: isoAgo(DAY_MS), to: isoAgo(0) });
    else change(choice === 'all' ? { kind: 'all' } : { kind: 'last', range: choice });
  }
  return (
    <>
      <NativeSelect
        autoComplete="off"
        aria-label="Time range"
        w={{ base: '100%', sm: '9.5rem' }}
        data={[...options, { value: 'all', label: 'All time' }, { value: CUSTOM, label: 'Custom range' }]}
        value={time.kind === 'last' ? time.range : time.kind === 'all' ? 'all' : CUSTOM}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {between && (
        <>
          <MomentField
            {...{ label: 'From', value: between.from ?? '', onApply: (from) => changeEnds({ from }) }}
            onRange={(range) => change({ kind: 'last', range })}
          />
          <MomentField
            {...{ label: 'To', value: between.to ?? '', onApply: (to) => changeEnds({ to }) }}
            earliest={between.from}
          />
        </>
      )}
    </>
  );
}

type MomentProps = {
  label: 'From' | 'To';
  /** ISO text of the URL; empty for an open end. */
  value: string;
  earliest?: string | undefined;
  onApply: (value: string | undefined) => void;
  /** Called with `45m` or `2 days`; undefined where the field takes no range. */
  onRange?: (range: string) => void;
};

/** Field for a moment in the zone of the page; applied on Enter or blur. */
function MomentField({ label, value, earliest, onApply, onRange }: MomentProps) {
  const style = useTimeStyle();
  const picker = useRef<HTMLInputElement>(null);
  const rangeOf = (text: string) => (onRange === undefined ? undefined : typedRange(text));
  function problemOf(text: string) {
    if (text === '' || rangeOf(text) !== undefined) return undefined;
    const typed = typedMoment(text, style);
    if (typed === undefined) return 'Use YYYY-MM-DD HH:mm';
    const [startMs, ms] = [parseIsoTime(earliest ?? ''), parseIsoTime(typed)];
    return startMs !== undefined && ms !== undefined && ms < startMs ? 'Ends before it begins' : undefined;
  }
  function apply(text: string) {
    const range = rangeOf(text);
    if (range !== undefined) onRange?.(range);
    else onApply(text === '' ? undefined : typedMoment(text, style));
  }
  // Screen readers distinguish the two controls by their names.
  const pickerLabel = label === 'From' ? 'Calendar for the beginning' : 'Calendar for the end';
  return (
    <DraftInput
      aria-label={label}
      pos="relative"
      w={{ base: '100%', sm: '12.5rem' }}
      value={momentFieldText(value, style)}
      problemOf={problemOf}
      onApply={apply}
      placeholder={label === 'From' ? 'Any start' : 'Any end'}
      title={`${label}: YYYY-MM-DD HH:mm, yesterday 14:00${onRange === undefined ? '' : ', or 45m, 2d back from now'}`}
      rightSection={
        <Box component="span" pos="relative">
          {/* Opens the browser's date picker. The input itself is hidden, since the text field shows its value. */}
          <input
            ref={picker}
            className="sr-only"
            type="datetime-local"
            step={1}
            tabIndex={-1}
            aria-hidden="true"
            onChange={(event) => {
              const moment = pickedMoment(event.currentTarget.value, style);
              if (moment !== undefined) onApply(moment);
            }}
          />
          <ActionIcon
            tabIndex={-1}
            aria-label={pickerLabel}
            title={pickerLabel}
            onClick={() => {
              if (picker.current === null) return;
              picker.current.value = pickerText(value, style);
              picker.current.showPicker();
            }}
          >
            <Icon name="calendar" size={14} />
          </ActionIcon>
        </Box>
      }
    />
  );
}
