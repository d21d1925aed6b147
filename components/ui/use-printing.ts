'use client';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** The component renders before the browser lays out the sheets. */
export function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const set = (value: boolean) => () => flushSync(() => setPrinting(value));
    window.addEventListener('beforeprint', set(true), { signal: stop.signal });
    window.addEventListener('afterprint', set(false), { signal: stop.signal });
    return () => stop.abort();
  }, []);
  return isPrinting;
}
