'use client';
import { useState } from 'react';
import { ChoiceSelect } from '@/components/ui/choice-select';
import { formatIsoSeconds, unixMillis } from '@/lib/domain/units';
import type { TimeFilter as Time } from '@/lib/requests/view';
import classes from './filters.module.css';
import { LengthField } from './time-length';
import { MomentField } from './time-moment';
import { RANGES, rangeWords } from './time-words';

const DAY_MS = 86_400_000;
/** The option that opens a field for a length of one's own. */
const OWN = 'own';

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

const isOwn = (time: Time) => time.kind === 'last' && !RANGES.includes(time.range);

function options(time: Time) {
  const own = time.kind === 'last' && isOwn(time) ? [time.range] : [];
  return [
    ...[...RANGES, ...own].map((range) => ({ value: range, label: capital(rangeWords(range)) })),
    { value: 'all', label: 'All time' },
    { value: OWN, label: 'Another length…' },
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

/** Whether a length is about to be typed, until the URL's time changes. */
function useTyping(time: Time) {
  const [typing, setTyping] = useState<string>();
  const key = JSON.stringify(time);
  return { isTyping: typing === key, begin: () => setTyping(key), end: () => setTyping(undefined) };
}

/** A range that ends now, offered or typed, all time, or two ends of which either may be open. */
export function TimeFilter({ time, onChange }: { time: Time; onChange: (time: Time) => void }) {
  const { isTyping, begin, end } = useTyping(time);
  const between = time.kind === 'between' && !isTyping ? time : undefined;
  const change = (ends: { from?: string; to?: string }) => {
    const next = { from: between?.from, to: between?.to, ...ends };
    const isOpen = next.from === undefined && next.to === undefined;
    onChange(isOpen ? { kind: 'all' } : { kind: 'between', ...next });
  };
  const standing = time.kind === 'last' ? time.range : time.kind;
  function choose(choice: string) {
    if (choice === OWN) return begin();
    end();
    if (choice !== standing) onChange(timeOf(choice));
  }
  return (
    <>
      <ChoiceSelect
        label="Time range"
        className={classes.select}
        data={options(time)}
        value={isTyping ? OWN : standing}
        onChoose={choose}
      />
      {isTyping || isOwn(time) ? (
        <LengthField
          range={time.kind === 'last' ? time.range : ''}
          onTake={(range) => onChange({ kind: 'last', range })}
        />
      ) : null}
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
