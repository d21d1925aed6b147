'use client';
import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { MINUTE_MS } from '@/lib/core/time';

/** Renders the server's part of a page anew each minute while the page is visible, and when it is shown again. */
export function Refreshing() {
  const router = useRouter();
  useEffect(() => {
    let renderedMs = Date.now();
    const refresh = () => {
      if (document.visibilityState !== 'visible' || Date.now() - renderedMs < MINUTE_MS) return;
      renderedMs = Date.now();
      router.refresh();
    };
    const timer = setInterval(refresh, MINUTE_MS / 6);
    const listening = new AbortController();
    document.addEventListener('visibilitychange', refresh, listening);
    window.addEventListener('pageshow', refresh, listening);
    return () => {
      clearInterval(timer);
      listening.abort();
    };
  }, [router]);
  return null;
}
