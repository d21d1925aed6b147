'use client';
import { useEffect } from 'react';
import { useFeedStore } from '@/lib/client/feed-hooks';

/** Says that charts of these feeds are open: what our server remembers of them is fetched, and kept complete. */
export function useOpenCharts(ids: readonly string[]): void {
  const store = useFeedStore();
  const key = ids.join(',');
  useEffect(() => {
    const closing = key.split(',').map((id) => store.openChart(id));
    return () => {
      for (const close of closing) close();
    };
  }, [store, key]);
}
