'use client';
import { ActionIcon } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Icon } from './icons';

/** Button that copies `value` in full. `label` names the value for assistive technology. */
export function CopyButton({ value, label }: { value: string; label: string }) {
  // Fails over plain HTTP from another machine, where browsers offer no clipboard; the value can still be selected.
  const { copy, copied, error } = useClipboard({ timeout: 1500 });
  const [words, icon, tone] =
    error !== null
      ? (['Clipboard blocked', 'cross', 'bad'] as const)
      : copied
        ? (['Copied', 'check', 'good'] as const)
        : ([label, 'copy', 'text-faint'] as const);
  return (
    <ActionIcon c={`var(--ks-${tone})`} aria-label={words} title={words} onClick={() => copy(value)}>
      <Icon name={icon} size={13} />
    </ActionIcon>
  );
}
