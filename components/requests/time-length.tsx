'use client';
import { TextInput } from '@mantine/core';
import { startTransition, useOptimistic, useState } from 'react';
import classes from './filters.module.css';
import { typedRange } from './time-words';

/** The length of a range that none of the offered ones has. Taken on Enter or when the field is left, if it is one. */
export function LengthField({ range, onTake }: { range: string; onTake: (range: string) => void }) {
  const [draft, setDraft] = useState<{ text: string; seen: string }>();
  // What was taken shows until the page has followed; Back meanwhile ends that too.
  const [taken, showTaken] = useOptimistic(range);
  // Back, or another control, changed the range: the field follows.
  if (draft !== undefined && draft.seen !== range) setDraft(undefined);
  const text = draft?.seen === range ? draft.text : taken;
  const typed = typedRange(text);
  const isRefused = typed === undefined && text.trim() !== '';

  function take() {
    if (typed === undefined || typed === taken) return;
    setDraft(undefined);
    startTransition(() => {
      showTaken(typed);
      onTake(typed);
    });
  }

  return (
    <TextInput
      label="Length"
      className={classes.length}
      value={text}
      placeholder="45m, 2d, 90s"
      autoComplete="off"
      spellCheck={false}
      error={isRefused}
      description={
        <span data-refused={isRefused ? 'yes' : undefined}>
          {isRefused ? 'Such as 45m, 2d, 90s' : 's, m, h or d'}
        </span>
      }
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      onChange={(event) => setDraft({ text: event.currentTarget.value, seen: range })}
      onBlur={take}
      onKeyDown={(event) => (event.key === 'Enter' ? take() : undefined)}
    />
  );
}
