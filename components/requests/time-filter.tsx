'use client';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { ChoiceSelect } from '@/components/ui/choice-select';
import type { TimeFilter as Time } from '@/lib/contract/codec/requests-url';
import { formatIsoSeconds, parseIsoTime, unixMillis } from '@/lib/domain/units';
import classes from './filters.module.css';
import { RANGES, rangeWords } from './time-words';

const DAY_MS = 86_400_000;

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

function options(time: Time) {
  const own = time.kind === 'last' && !RANGES.includes(time.range) ? [time.range] : [];
  return [
    ...[...RANGES, ...own].map((range) => ({ value: range, label: capital(rangeWords(range)) })),
    { value: 'all', label: 'All time' },
    { value: 'between', label: 'From … to' },
  ];
}

/** The last day, ending now: something to start from when the ends are to be typed. */
function lastDay(nowMs: number): Time {
  return {
    kind: 'between',
    from: formatIsoSeconds(unixMillis(nowMs - DAY_MS)),
    to: formatIsoSeconds(unixMillis(nowMs)),
  };
}

function timeOf(choice: string): Time {
  if (choice === 'all') return { kind: 'all' };
  return choice === 'between' ? lastDay(Date.now()) : { kind: 'last', range: choice };
}

function problemOf(text: string, earliest: string | undefined): string | undefined {
  if (text === '') return undefined;
  const ms = parseIsoTime(text);
  if (ms === undefined) return 'Write it like 2026-11-20T08:00Z';
  const startMs = earliest === undefined ? undefined : parseIsoTime(earliest);
  return startMs !== undefined && ms < startMs ? 'Ends before it begins' : undefined;
}

/** One end of the range, in UTC. Taken on Enter or when the field is left, and only if it is a time. */
function MomentField({
  label,
  value,
  earliest,
  onTake,
}: {
  label: string;
  value: string;
  earliest?: string;
  onTake: (value: string | undefined) => void;
}) {
  const [draft, setDraft] = useState({ text: value, seen: value });
  // Back, or another control, changed the range: the field follows.
  if (draft.seen !== value) setDraft({ text: value, seen: value });
  const { text } = draft.seen === value ? draft : { text: value };
  const problem = problemOf(text.trim(), earliest);

  function take() {
    const taken = text.trim();
    if (problem === undefined && taken !== value) onTake(taken === '' ? undefined : taken);
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
      description={
        <span data-refused={problem === undefined ? undefined : 'yes'}>{problem ?? 'ISO time, UTC'}</span>
      }
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      onChange={(event) => setDraft({ text: event.currentTarget.value, seen: value })}
      onBlur={take}
      onKeyDown={(event) => (event.key === 'Enter' ? take() : undefined)}
    />
  );
}

/** A range that ends now, all time, or two typed ends of which either may be open. */
export function TimeFilter({ time, onChange }: { time: Time; onChange: (time: Time) => void }) {
  const between = time.kind === 'between' ? time : undefined;
  const change = (ends: { from?: string; to?: string }) => {
    const next = { from: between?.from, to: between?.to, ...ends };
    const isOpen = next.from === undefined && next.to === undefined;
    onChange(isOpen ? { kind: 'all' } : { kind: 'between', ...next });
  };
  return (
    <>
      <ChoiceSelect
        label="Time range"
        className={classes.select}
        data={options(time)}
        value={time.kind === 'last' ? time.range : time.kind}
        onChoose={(choice) => onChange(timeOf(choice))}
      />
      {between === undefined ? null : (
        <>
          <MomentField label="From" value={between.from ?? ''} onTake={(from) => change({ from })} />
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
