'use client';
import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';

type Props = Omit<TextInputProps, 'value' | 'onChange'> & {
  /** What is in force, as text. */
  value: string;
  /** Why a text can't be taken, if so. */
  problemOf: (text: string) => string | undefined;
  onTake: (text: string) => void;
};

/** A text that is taken when the field is left, and by Enter. Another value that comes from elsewhere (Back) takes its place. */
export function DraftInput({ value, problemOf, onTake, ...field }: Props) {
  const [kept, setDraft] = useState({ text: value, seen: value });
  const draft = kept.seen === value ? kept.text : value;
  const text = draft.trim();
  const problem = problemOf(text);
  const take = () => {
    if (problem === undefined && text !== value) onTake(text);
  };
  return (
    <TextInput
      spellCheck={false}
      {...field}
      value={draft}
      error={problem}
      onChange={(event) => setDraft({ text: event.currentTarget.value, seen: value })}
      onBlur={take}
      onKeyDown={(event) => (event.key === 'Enter' ? take() : undefined)}
    />
  );
}
