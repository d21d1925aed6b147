'use client';
import { useState } from 'react';
import { payloadText } from '@/lib/domain/payload/write-payload';

const SHOWN_MS = 1500;

/** Copies a payload as text, which is only made when it is asked for: it may be megabytes. */
export function CopyPayload({ bytes, encoding }: { bytes: Uint8Array; encoding: 'hex' | 'base64' }) {
  const [result, setResult] = useState<'copied' | 'refused'>();
  async function copy() {
    try {
      await navigator.clipboard.writeText(payloadText(bytes, encoding));
      setResult('copied');
    } catch {
      setResult('refused');
    }
    setTimeout(() => setResult(undefined), SHOWN_MS);
  }
  const words = { copied: 'Copied', refused: 'The browser refused' };
  return (
    <button type="button" className="small-button" onClick={copy} data-result={result}>
      {result === undefined ? `Copy as ${encoding}` : words[result]}
    </button>
  );
}
