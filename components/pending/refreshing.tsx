'use client';
import { useRouter } from 'next/navigation';
import { useEffect, useEffectEvent, useRef, useTransition } from 'react';
import { MINUTE_MS } from '@/lib/core/time';

/** Renders the page again while it is visible. The next render waits for the previous one: a busy server may take longer. */
export function Refreshing({ everyMs = MINUTE_MS }: { everyMs?: number }) {
  const router = useRouter();
  const [isRendering, startTransition] = useTransition();
  const renderedMs = useRef<number>(undefined);
  const refresh = useEffectEvent(() => {
    const nowMs = Date.now();
    renderedMs.current ??= nowMs;
    const isDue = nowMs - renderedMs.current >= everyMs;
    if (isRendering || !isDue || document.visibilityState !== 'visible') return;
    renderedMs.current = nowMs;
    startTransition(() => router.refresh());
  });
  useEffect(() => {
    refresh();
    const timer = setInterval(() => refresh(), everyMs / 6);
    const listening = new AbortController();
    document.addEventListener('visibilitychange', () => refresh(), listening);
    window.addEventListener('pageshow', () => refresh(), listening);
    return () => {
      clearInterval(timer);
      listening.abort();
    };
  }, [everyMs]);
  return null;
}
