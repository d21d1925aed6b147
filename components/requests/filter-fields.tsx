'use client';
import {
  Box,
  Button,
  ColorSwatch,
  Combobox,
  Group,
  NativeSelect,
  Text,
  TextInput,
  useCombobox,
} from '@mantine/core';
import { useRef, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { useTimeStyle } from '@/components/ui/time-style';
import type { HistoryStep } from '@/components/ui/use-query-text';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import { formatIsoSeconds, parseIsoTime } from '@/lib/core/time';
import { momentFieldText, pickedMoment, pickerText, type TimeStyle, typedMoment } from '@/lib/core/time-text';
import type { TimeFilter } from '@/lib/requests/view';
import { RANGES, rangeText, typedRange } from '@/lib/requests/view-labels';
import classes from './requests.module.css';

export type Choice = {
  value: string;
  label: string;
  /** How many rows it would show; undefined while not counted. */
  count: number | undefined;
  hue?: number;
};

type Props = {
  label: string;
  all: string;
  choices: readonly Choice[];
  chosen: readonly string[];
  onChoose: (values: string[], as: HistoryStep) => void;
  choiceOf?: (text: string) => Choice | undefined;
  /** As it is without a filter: not marked as set. */
  isUsual?: boolean;
  /** What choosing `all` gives; nothing chosen where it is not given. */
  allValues?: readonly string[];
};

/** So many can be looked over without a field to search in. */
const OVERLOOKED = 8;
const MOST_SHOWN = 100;

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
      else setTimeout(() => combobox.selectFirstOption());
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
      keepMounted={false}
    >
      <Combobox.Target targetType="button" withExpandedAttribute>
        <Button
          role="combobox"
          aria-expanded={combobox.dropdownOpened}
          aria-label={label}
          variant={(isUsual ?? isAll) ? 'default' : 'light'}
          maw="13rem"
          justify="space-between"
          rightSection={<Icon name="down" size={12} />}
          onClick={() => combobox.toggleDropdown()}
        >
          {isAll && allValues.length === 0 ? label : shown}
        </Button>
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
    >
      <Group gap={8} wrap="nowrap">
        <Box w={12}>{isChosen ? <Icon name="check" size={12} /> : null}</Box>
        {hue === undefined ? null : <ColorSwatch size={8} radius={2} color={`hsl(${hue} 62% 48%)`} />}
        <Text truncate flex={1}>
          <bdi>{clipped(label, 60)}</bdi>
        </Text>
        <Text size="sm" c="dimmed" className="num">
          {count === undefined ? '' : groupDigits(String(count))}
        </Text>
      </Group>
    </Combobox.Option>
  );
}

const DAY_MS = 86_400_000;
const CUSTOM = 'custom';

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

function options(time: TimeFilter) {
  const own = time.kind === 'last' && !RANGES.includes(time.range) ? [time.range] : [];
  return [
    ...[...RANGES, ...own].map((range) => ({ value: range, label: capital(rangeText(range)) })),
    { value: 'all', label: 'All time' },
    { value: CUSTOM, label: 'Custom range' },
  ];
}

function lastDay(nowMs: number): TimeFilter {
  const iso = (ms: number) => formatIsoSeconds(ms);
  return { kind: 'between', from: iso(nowMs - DAY_MS), to: iso(nowMs) };
}

/** A range that ends now, all time, or two ends of which either may be open. */
export function TimeRange({ time, onChange }: { time: TimeFilter; onChange: (time: TimeFilter) => void }) {
  const between = time.kind === 'between' ? time : undefined;
  function change(ends: { from?: string | undefined; to?: string | undefined }) {
    const { from, to } = { from: between?.from, to: between?.to, ...ends };
    const isOpen = from === undefined && to === undefined;
    const set = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
    onChange(isOpen ? { kind: 'all' } : { kind: 'between', ...set });
  }
  function choose(choice: string) {
    if (choice === 'all') onChange({ kind: 'all' });
    else onChange(choice === CUSTOM ? lastDay(Date.now()) : { kind: 'last', range: choice });
  }
  return (
    <>
      <NativeSelect
        autoComplete="off"
        aria-label="Time range"
        className={classes.range}
        data={options(time)}
        value={time.kind === 'last' ? time.range : time.kind === 'all' ? 'all' : CUSTOM}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {between === undefined ? null : (
        <>
          <MomentField
            label="From"
            value={between.from ?? ''}
            onTake={(from) => change({ from })}
            onRange={(range) => onChange({ kind: 'last', range })}
          />
          <MomentField
            label="To"
            value={between.to ?? ''}
            earliest={between.from}
            onTake={(to) => change({ to })}
          />
        </>
      )}
    </>
  );
}

function problemOf(text: string, earliest: string | undefined, style: TimeStyle): string | undefined {
  if (text === '') return undefined;
  const typed = typedMoment(text, style);
  if (typed === undefined) return 'Use YYYY-MM-DD HH:mm';
  const [startMs, ms] = [parseIsoTime(earliest ?? ''), parseIsoTime(typed)];
  return startMs !== undefined && ms !== undefined && ms < startMs ? 'Ends before it begins' : undefined;
}

type MomentProps = {
  label: 'From' | 'To';
  /** ISO text of the link; empty where the end is open. */
  value: string;
  earliest?: string | undefined;
  onTake: (value: string | undefined) => void;
  onRange?: (range: string) => void;
};

function MomentField({ label, value, earliest, onTake, onRange }: MomentProps) {
  const style = useTimeStyle();
  const shown = momentFieldText(value, style);
  const [kept, setDraft] = useState({ text: shown, seen: shown });
  // Back, another control, or another zone changed what is shown: the field follows.
  const draft = kept.seen === shown ? kept : { text: shown, seen: shown };
  if (draft !== kept) setDraft(draft);
  const text = draft.text.trim();
  const range = onRange === undefined ? undefined : typedRange(text);
  const problem = range === undefined ? problemOf(text, earliest, style) : undefined;

  function take() {
    if (problem !== undefined || text === shown) return;
    if (range !== undefined) onRange?.(range);
    else onTake(text === '' ? undefined : typedMoment(text, style));
  }

  return (
    <TextInput
      aria-label={label}
      className={classes.moment}
      value={draft.text}
      placeholder={label === 'From' ? 'Any start' : 'Any end'}
      title={`${label}: YYYY-MM-DD HH:mm, yesterday 14:00${onRange === undefined ? '' : ', or 45m, 2d back from now'}`}
      autoComplete="off"
      spellCheck={false}
      error={problem}
      rightSection={<Picker label={label} value={value} style={style} onPick={onTake} />}
      onChange={(event) => setDraft({ text: event.currentTarget.value, seen: shown })}
      onBlur={take}
      onKeyDown={(event) => (event.key === 'Enter' ? take() : undefined)}
    />
  );
}

type PickerProps = { label: 'From' | 'To'; value: string; style: TimeStyle; onPick: (value: string) => void };

/** The browser's own picker, to the second. Its input is not seen: the text field beside it says the same. */
function Picker({ label, value, style, onPick }: PickerProps) {
  const picker = useRef<HTMLInputElement>(null);
  // Not named by the label: that would be two controls of one name.
  const name = label === 'From' ? 'Calendar for the beginning' : 'Calendar for the end';
  return (
    <Box component="span" pos="relative" className={classes.picker}>
      <input
        ref={picker}
        type="datetime-local"
        step={1}
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => {
          const moment = pickedMoment(event.currentTarget.value, style);
          if (moment !== undefined) onPick(moment);
        }}
      />
      <button
        type="button"
        className="icon-button"
        tabIndex={-1}
        aria-label={name}
        title={name}
        onClick={() => {
          if (picker.current === null) return;
          picker.current.value = pickerText(value, style);
          picker.current.showPicker();
        }}
      >
        <Icon name="calendar" size={14} />
      </button>
    </Box>
  );
}
