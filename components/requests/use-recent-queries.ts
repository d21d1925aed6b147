'use client';
import { useSyncExternalStore } from 'react';
import { browserRecentQueries } from '@/lib/client/recent-queries';

const NONE: readonly string[] = [];
const ofServer = () => NONE;

/** What this browser searched for last, newest first; nothing until the page's scripts run. */
export function useRecentQueries(): readonly string[] {
  return useSyncExternalStore(
    (changed) => browserRecentQueries().subscribe(changed),
    () => browserRecentQueries().read(),
    ofServer,
  );
}
