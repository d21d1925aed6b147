'use client';
import { TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import {
  inputZoneWords,
  momentFieldText,
  pickedMoment,
  pickerText,
  typedMoment,
} from '@/lib/client/moment-input';
import { type TimeStyle, useTimeStyle } from '@/lib/client/time-style';
import { parseIsoTime } from '@/lib/domain/units';
import classes from './filters.module.css';

function problemOf(text: string, earliest: string | undefined, style: TimeStyle): string | undefined {
  if (text === '') return undefined;
  const typed = typedMoment(text, style);
  if (typed === undefined) return 'Write it like 2026-11-20T08:00Z';
  const startMs = earliest === undefined ? undefined : parseIsoTime(earliest);
  const ms = parseIsoTime(typed);
  return startMs !== undefined && ms !== undefined && ms < startMs ? 'Ends before it begins' : undefined;
}

/** What is typed, until the URL has it: what can't be taken stays in the field, with the reason below. */
function useMomentDraft(value: string, earliest: string | undefined, style: TimeStyle) {
  const shown = momentFieldText(value, style);
  const [draft, setDraft] = useState({ text: shown, seen: shown });
  // Back, another control, or another zone changed what is shown: the field follows.
  if (draft.seen !== shown) setDraft({ text: shown, seen: shown });
  const { text } = draft.seen === shown ? draft : { text: shown };
  return {
    text,
    isNew: text.trim() !== shown,
    problem: problemOf(text.trim(), earliest, style),
    type: (next: string) => setDraft({ text: next, seen: shown }),
  };
}

/** One end of the range, by the clock that the page shows. Taken on Enter or when the field is left, if it is a time. */
export function MomentField({
  label,
  value,
  earliest,
  onTake,
}: {
  label: 'From' | 'To';
  /** ISO text of the link; empty where the end is open. */
  value: string;
  earliest?: string;
  onTake: (value: string | undefined) => void;
}) {
  const style = useTimeStyle();
  const { text, isNew, problem, type } = useMomentDraft(value, earliest, style);

  function take() {
    if (problem === undefined && isNew) onTake(text.trim() === '' ? undefined : typedMoment(text, style));
  }

  return (
    <TextInput
      label={label}
      className={classes.moment}
      value={text}
      placeholder="open"
      autoComplete="off"
      spellCheck={false}
      error={problem !== undefined}
      rightSection={<Picker label={label} value={value} style={style} onPick={onTake} />}
      description={
        <span data-refused={problem === undefined ? undefined : 'yes'}>
          {problem ?? `ISO time, ${inputZoneWords(style)}`}
        </span>
      }
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      onChange={(event) => type(event.currentTarget.value)}
      onBlur={take}
      onKeyDown={(event) => (event.key === 'Enter' ? take() : undefined)}
    />
  );
}

/** The browser's own picker, to the second. Its input is not seen: the text field beside it says the same. */
function Picker({
  label,
  value,
  style,
  onPick,
}: {
  label: 'From' | 'To';
  value: string;
  style: TimeStyle;
  onPick: (value: string) => void;
}) {
  const picker = useRef<HTMLInputElement>(null);
  // Not named by the label: that would be two controls of one name.
  const name = label === 'From' ? 'Calendar for the beginning' : 'Calendar for the end';

  function open() {
    const input = picker.current;
    if (input === null) return;
    input.value = pickerText(value, style);
    input.showPicker();
  }

  function pick(text: string) {
    const moment = pickedMoment(text, style);
    if (moment !== undefined) onPick(moment);
  }

  return (
    <span className={classes.picker}>
      <input
        ref={picker}
        type="datetime-local"
        step={1}
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => pick(event.currentTarget.value)}
      />
      <button type="button" className="icon-button" aria-label={name} title={name} onClick={open}>
        <Icon name="calendar" size={14} />
      </button>
    </span>
  );
}
