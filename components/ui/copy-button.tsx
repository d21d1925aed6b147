'use client';
import { ActionIcon } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Icon } from './icons';
import { SmallButton } from './text';

/** `label` names the value for assistive technology. `text` is shown beside the icon. */
type Props = { value: string; label: string; text?: string };

export function CopyButton({ value, label, text }: Props) {
  // Browsers offer no clipboard over plain HTTP from another machine. The value can still be selected.
  const { copy, copied, error } = useClipboard({ timeout: 1500 });
  const [words, icon, tone] =
    error !== null
      ? (['Clipboard blocked', 'cross', 'bad'] as const)
      : copied
        ? (['Copied', 'check', 'good'] as const)
        : ([label, 'copy', 'text-faint'] as const);
  if (text !== undefined) {
    return (
      <SmallButton
        leftSection={<Icon name={icon} size={13} />}
        aria-label={words}
        title={words}
        onClick={() => copy(value)}
      >
        {words === label ? text : words}
      </SmallButton>
    );
  }
  return (
    <ActionIcon
      c={`var(--ks-${tone})`}
      aria-label={words}
      title={words}
      style={{ verticalAlign: 'middle' }}
      onClick={() => copy(value)}
    >
      <Icon name={icon} size={13} />
    </ActionIcon>
  );
}
