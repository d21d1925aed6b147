'use client';
import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { useEffect, useRef } from 'react';

/**
 * A native select whose choice lives elsewhere, in the URL for example. It is not one that React controls: that would
 * jump back to the old choice whenever it is drawn again before the URL has followed, and the new one would be lost.
 */
export function ChoiceSelect({
  value,
  onChoose,
  ...look
}: Omit<NativeSelectProps, 'value' | 'defaultValue' | 'onChange'> & {
  value: string;
  onChoose: (value: string) => void;
}) {
  const select = useRef<HTMLSelectElement>(null);
  useEffect(() => {
    if (select.current !== null) select.current.value = value;
  }, [value]);
  return (
    <NativeSelect
      {...look}
      ref={select}
      // Or the browser restores what was chosen before a reload, whatever the URL says.
      autoComplete="off"
      defaultValue={value}
      onChange={(event) => onChoose(event.currentTarget.value)}
    />
  );
}
