'use client';
import { ActionIcon, Box, NativeSelect } from '@mantine/core';
import { useRef } from 'react';
import { Icon } from '@/components/ui/icons';
import { DraftInput } from '@/components/ui/inputs';
import { useTimeStyle } from '@/components/ui/time-style';
import { DAY_MS, formatIsoSeconds, parseIsoTime } from '@/lib/core/time';
import { momentFieldText, pickedMoment, pickerText, typedMoment } from '@/lib/core/time-text';
import { asNewList } from '@/lib/requests/filters';
import type { TimeFilter } from '@/lib/requests/view';
import { RANGES, rangeText, typedRange } from '@/lib/requests/view-labels';
import classes from './requests.module.css';
import { useRequests } from './requests-context';

const CUSTOM = 'custom';

export function TimeRangeField() {
  const { view, show } = useRequests();
  const { time } = view;
  const between = time.kind === 'between' ? time : undefined;
  const change = (next: TimeFilter) => show((now) => asNewList(now, { time: next }), 'push');
  const changeEnds = (ends: { from?: string | undefined; to?: string | undefined }) => {
    const { from, to } = { ...between, ...ends };
    const set = { ...(from && { from }), ...(to && { to }) };
    change(from || to ? { kind: 'between', ...set } : { kind: 'all' });
  };
  const customRanges = time.kind === 'last' && !RANGES.includes(time.range) ? [time.range] : [];
  const options = [...RANGES, ...customRanges].map((range) => {
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
        className={classes.range}
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
  /** `45m` or `2 days`; undefined if the field takes no range. */
  onRange?: (range: string) => void;
};

/** A time in the zone of the page. Applied on Enter or blur. */
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
      className={classes.moment}
      value={momentFieldText(value, style)}
      problemOf={problemOf}
      onApply={apply}
      placeholder={label === 'From' ? 'Any start' : 'Any end'}
      title={`${label}: YYYY-MM-DD HH:mm, yesterday 14:00${onRange === undefined ? '' : ', or 45m, 2d back from now'}`}
      rightSection={
        <Box component="span" pos="relative">
          {/* Opens the browser's date picker. Hidden, because the text field shows its value. */}
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
