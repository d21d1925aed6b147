'use client';
import { Button } from '@mantine/core';
import { useState } from 'react';

const SHOWN_MS = 1500;

/** Copies the full address of a path of this dashboard. */
export function CopyLink({ path }: { path: string }) {
  const [result, setResult] = useState<'copied' | 'refused'>();

  async function copy() {
    try {
      await navigator.clipboard.writeText(new URL(path, window.location.href).href);
      setResult('copied');
    } catch {
      // Over plain HTTP from another machine browsers have no clipboard.
      setResult('refused');
    }
    setTimeout(() => setResult(undefined), SHOWN_MS);
  }

  const words = { copied: 'Link copied', refused: 'The browser refused' };
  return (
    <Button variant="default" size="xs" onClick={copy} aria-live="polite">
      {result === undefined ? 'Copy link' : words[result]}
    </Button>
  );
}
