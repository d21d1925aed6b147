'use client';
import { useRef, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import {
  inputZoneWords,
  momentFieldText,
  pickedMoment,
  pickerText,
  typedMoment,
} from '@/lib/client/moment-input';
import type { TimeStyle } from '@/lib/client/time-style';
import { parseMoment } from '@/lib/contract/codec/prices-url';
import type { UnixMicros } from '@/lib/domain/units';
import classes from './lookup-moment.module.css';

/** What a typed text names: unix seconds, or a time by the clock that the page shows. */
function momentOf(text: string, style: TimeStyle): UnixMicros | undefined {
  const typed = text.trim();
  return parseMoment(/^\d+(\.\d+)?$/.test(typed) ? typed : (typedMoment(typed, style) ?? ''));
}

/** One moment, taken on Enter or when the field is left. What can't be taken stays in the field, with the reason. */
export function MomentInput({
  value,
  style,
  onTake,
}: {
  /** ISO text of the address. */
  value: string;
  style: TimeStyle;
  onTake: (us: UnixMicros) => void;
}) {
  const shown = momentFieldText(value, style);
  const [draft, setDraft] = useState({ text: shown, seen: shown });
  // Back, or another zone, changed what is shown: the field follows.
  if (draft.seen !== shown) setDraft({ text: shown, seen: shown });
  const us = momentOf(draft.text, style);
  const isRefused = us === undefined && draft.text.trim() !== '';
  const take = () => {
    if (us !== undefined && draft.text.trim() !== shown) onTake(us);
  };
  return (
    <div className={classes.one}>
      <label className={classes.label}>
        Moment
        <input
          type="text"
          className={`small-field ${classes.input}`}
          value={draft.text}
          placeholder="2026-11-20T12:00:00Z"
          autoComplete="off"
          spellCheck={false}
          aria-invalid={isRefused}
          aria-describedby="lookup-moment-note"
          onChange={(event) => setDraft({ text: event.currentTarget.value, seen: shown })}
          onBlur={take}
          onKeyDown={(event) => (event.key === 'Enter' ? take() : undefined)}
        />
      </label>
      <Calendar value={value} style={style} onPick={(picked) => onTake(picked)} />
      <p id="lookup-moment-note" className={classes.note} data-refused={isRefused ? 'yes' : undefined}>
        {isRefused
          ? 'Write it like 2026-11-20T12:00:00Z, or as unix seconds, with up to six decimals.'
          : `ISO time (${inputZoneWords(style)}) or unix seconds; the router takes microseconds, the others whole seconds.`}
      </p>
    </div>
  );
}

/** The browser's own picker, to the second. Its input is not seen: the text field beside it says the same. */
function Calendar({
  value,
  style,
  onPick,
}: {
  value: string;
  style: TimeStyle;
  onPick: (us: UnixMicros) => void;
}) {
  const picker = useRef<HTMLInputElement>(null);
  function open() {
    if (picker.current === null) return;
    picker.current.value = pickerText(value, style);
    picker.current.showPicker();
  }
  function pick(text: string) {
    const us = momentOf(pickedMoment(text, style) ?? '', style);
    if (us !== undefined) onPick(us);
  }
  return (
    <span className={classes.calendar}>
      <input
        ref={picker}
        type="datetime-local"
        step={1}
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => pick(event.currentTarget.value)}
      />
      <button type="button" className="icon-button" aria-label="Calendar" title="Calendar" onClick={open}>
        <Icon name="calendar" size={14} />
      </button>
    </span>
  );
}
