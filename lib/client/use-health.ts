'use client';
import { useQuery } from '@tanstack/react-query';
import { fetchHealth, type Health } from './health';

/** Health is kept by our own server and costs no call to a service, so it may be asked for often. */
const POLL_MS = 5_000;

/** How the services are, from `initial` (what the server rendered) on. All readers share one poll. */
export function useHealth(initial: Health) {
  return useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => fetchHealth(signal),
    initialData: initial,
    initialDataUpdatedAt: 0,
    staleTime: POLL_MS,
    refetchInterval: POLL_MS,
  });
}
