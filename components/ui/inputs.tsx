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
  value: string;
  /** The error text for an invalid draft. */
  problemOf: (text: string) => string | undefined;
  onApply: (text: string) => void;
};

/** Applied on Enter or blur. If `value` changes from outside (Back), it replaces the draft. */
export function DraftInput({ value, problemOf, onApply, ...field }: DraftProps) {
  const [state, setDraft] = useState({ text: value, seen: value });
  const draft = state.seen === value ? state.text : value;
  const text = draft.trim();
  const problem = problemOf(text);
  const apply = () => {
    if (problem === undefined && text !== value) onApply(text);
  };
  return (
    <TextInput
      spellCheck={false}
      {...field}
      value={draft}
      error={problem}
      onChange={(event) => setDraft({ text: event.currentTarget.value, seen: value })}
      onBlur={apply}
      onKeyDown={(event) => (event.key === 'Enter' ? apply() : undefined)}
    />
  );
}

/** Labels by value, or values that are their own labels. */
type Names<T extends string> = {
  names: Readonly<Record<T, string>> | readonly T[];
  value: T;
  onChoose: (value: T) => void;
};
type OwnProp = 'value' | 'data' | 'onChange';

const optionsOf = (names: Readonly<Record<string, string>> | readonly string[]) =>
  Object.entries(names).map(([value, label]) => ({ value: Array.isArray(names) ? label : value, label }));

export function Choice<T extends string>(props: Names<T> & Omit<NativeSelectProps, OwnProp>) {
  const { names, onChoose, ...more } = props;
  return (
    <NativeSelect
      data={optionsOf(names)}
      onChange={({ currentTarget }) => onChoose(currentTarget.value as T)}
      {...more}
    />
  );
}

export function Segments<T extends string>(props: Names<T> & Omit<SegmentedControlProps, OwnProp>) {
  const { names, onChoose, ...more } = props;
  return <SegmentedControl data={optionsOf(names)} onChange={(chosen) => onChoose(chosen as T)} {...more} />;
}
