'use client';
import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentProps } from 'react';
import { Icon } from '@/components/ui/icons';
import type { HistoryStep } from '@/components/ui/use-query-text';
import { clipped } from '@/lib/core/text';

export type FilterChoice = {
  value: string;
  label: string;
  /** Rows that the choice would show; undefined while not counted. */
  count: number | undefined;
  /** Text in place of the count. */
  text?: string | undefined;
};

export type FilterProps = {
  label: string;
  all: string;
  choices: readonly FilterChoice[];
  chosen: readonly string[];
  onChoose: (values: string[], as: HistoryStep) => void;
  /** The choice that a typed text makes if it is not among `choices`. */
  choiceOf?: (text: string) => FilterChoice | undefined;
};

type Props = ButtonProps &
  Omit<ComponentProps<'button'>, keyof ButtonProps> &
  Pick<FilterProps, 'label' | 'choices' | 'chosen'> & { isOpen: boolean };

export function FilterButton({ label, choices, chosen, isOpen, ...button }: Props) {
  const [first = '', ...more] = chosen;
  const name = choices.find(({ value }) => value === first)?.label ?? first;
  const shown = more.length === 0 ? clipped(name, 30) : `${clipped(name, 24)} +${more.length}`;
  return (
    <Button
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={isOpen}
      aria-label={label}
      variant={chosen.length === 0 ? 'default' : 'light'}
      justify="space-between"
      rightSection={<Icon name="down" size={12} />}
      {...button}
    >
      {label}: {chosen.length === 0 ? 'all' : shown}
    </Button>
  );
}
