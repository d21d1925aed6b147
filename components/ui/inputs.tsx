'use client';
import {
  NativeSelect,
  type NativeSelectProps,
  SegmentedControl,
  type SegmentedControlProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import { useState } from 'react';

type DraftProps = Omit<TextInputProps, 'value' | 'onChange'> & {
  /** What is in force, as text. */
  value: string;
  /** Why a text can't be taken, if so. */
  problemOf: (text: string) => string | undefined;
  onTake: (text: string) => void;
};

/** A text that is taken when the field is left, and by Enter. Another value that comes from elsewhere (Back) takes its place. */
export function DraftInput({ value, problemOf, onTake, ...field }: DraftProps) {
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

/** What there is to choose from, by what each is called, or by itself. */
type Names<T extends string> = {
  names: Readonly<Record<T, string>> | readonly T[];
  value: T;
  onChoose: (value: T) => void;
};
type Own = 'value' | 'data' | 'onChange';

const optionsOf = (names: Readonly<Record<string, string>> | readonly string[]) =>
  Object.entries(names).map(([value, label]) => ({ value: Array.isArray(names) ? label : value, label }));

/** One of several, in a list. */
export function Choice<T extends string>(props: Names<T> & Omit<NativeSelectProps, Own>) {
  const { names, onChoose, ...more } = props;
  return (
    <NativeSelect
      data={optionsOf(names)}
      onChange={({ currentTarget }) => onChoose(currentTarget.value as T)}
      {...more}
    />
  );
}

/** One of several, all in sight. */
export function Segments<T extends string>(props: Names<T> & Omit<SegmentedControlProps, Own>) {
  const { names, onChoose, ...more } = props;
  return <SegmentedControl data={optionsOf(names)} onChange={(chosen) => onChoose(chosen as T)} {...more} />;
}
