'use client';
import { useClipboard } from '@mantine/hooks';
import { Icon } from './icons';

/** Copies `value`, whole and unchanged. `label` says what is copied, for assistive technology. */
export function CopyButton({ value, label }: { value: string; label: string }) {
  // Over plain HTTP from another machine browsers have no clipboard; the value can still be selected.
  const { copy, copied, error } = useClipboard({ timeout: 1500 });
  const result = error !== null ? 'refused' : copied ? 'copied' : undefined;
  const words = result === undefined ? label : copied ? 'Copied' : 'Clipboard blocked';
  return (
    <button
      type="button"
      className="icon-button"
      data-result={result}
      aria-label={words}
      title={words}
      onClick={() => copy(value)}
    >
      <Icon name={result === undefined ? 'copy' : copied ? 'check' : 'cross'} size={13} />
    </button>
  );
}
