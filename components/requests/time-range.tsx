'use client';
import { TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { ChoiceSelect } from '@/components/ui/choice-select';
import { Icon } from '@/components/ui/icons';
import { type TimeStyle, useTimeStyle } from '@/components/ui/time-style';
import { formatIsoSeconds, parseIsoTime, unixMillis } from '@/lib/core/time';
import { momentFieldText, pickedMoment, pickerText, typedMoment } from '@/lib/core/time-text';
import type { TimeFilter } from '@/lib/requests/view-shape';
import classes from './filters.module.css';
import { RANGES, rangeWords, typedRange } from './time-words';

const DAY_MS = 86_400_000;
const CUSTOM = 'custom';

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

function options(time: TimeFilter) {
  const own = time.kind === 'last' && !RANGES.includes(time.range) ? [time.range] : [];
  return [
    ...[...RANGES, ...own].map((range) => ({ value: range, label: capital(rangeWords(range)) })),
    { value: 'all', label: 'All time' },
    { value: CUSTOM, label: 'Custom range' },
  ];
}

/** The last day, ending now: something to start from when the ends are to be typed. */
function lastDay(nowMs: number): TimeFilter {
  const iso = (ms: number) => formatIsoSeconds(unixMillis(ms));
  return { kind: 'between', from: iso(nowMs - DAY_MS), to: iso(nowMs) };
}

type Props = { time: TimeFilter; onChange: (time: TimeFilter) => void };

/** A range that ends now, all time, or two ends of which either may be open. */
export function TimeRange({ time, onChange }: Props) {
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
      <ChoiceSelect
        aria-label="Time range"
        className={classes.range}
        data={options(time)}
        value={time.kind === 'last' ? time.range : time.kind === 'all' ? 'all' : CUSTOM}
        onChoose={choose}
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
  /** A length back from now, typed in its place: `45m`. */
  onRange?: (range: string) => void;
};

/** One end of the range, by the clock that the page shows. Taken on Enter or when the field is left, if it is a time. */
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
      title={`${label}: YYYY-MM-DD HH:mm${onRange === undefined ? '' : ', or 45m, 2d back from now'}`}
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
    <span className={classes.picker}>
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
    </span>
  );
}
