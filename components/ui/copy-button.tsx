'use client';
import { useState } from 'react';
import classes from './copy-button.module.css';
import { Icon } from './icons';

const SHOWN_MS = 1500;

/** Copies `value`, whole and unchanged. `label` says what is copied, for assistive technology. */
export function CopyButton({ value, label }: { value: string; label: string }) {
  const [result, setResult] = useState<'copied' | 'refused'>();

  async function copy() {
    try {
      await navigator.clipboard.writeText(value);
      setResult('copied');
    } catch {
      // Over plain HTTP from another machine browsers have no clipboard; the value can still be selected.
      setResult('refused');
    }
    setTimeout(() => setResult(undefined), SHOWN_MS);
  }

  const words = result === undefined ? label : result === 'copied' ? 'Copied' : 'The browser refused to copy';
  return (
    <button
      type="button"
      className={`icon-button ${classes.copy}`}
      data-result={result}
      aria-label={words}
      title={words}
      onClick={copy}
    >
      <Icon name={result === undefined ? 'copy' : result === 'copied' ? 'check' : 'cross'} size={13} />
    </button>
  );
}
