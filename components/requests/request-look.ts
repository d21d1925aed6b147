'use client';
import { useQuery } from '@tanstack/react-query';
import { askAgain } from '@/lib/client/ask-again';
import { nextAttemptMs } from '@/lib/client/explain-failure';
import { fetchGatewayText } from '@/lib/client/gateway';
import { keepersAsked, lookUpRequest, type RequestLook } from '@/lib/client/request-lookup';
import { type AskedRequest, askedPath } from '@/lib/requests/request-address';

/** How often a page that shows a pending request looks whether it still is, milliseconds. */
const PENDING_MS = 5_000;

/** When to look again by itself, milliseconds from now; false when nothing would change. */
function nextLookMs(look: RequestLook | undefined): number | false {
  if (look === undefined) return false;
  const waits = look.troubles.flatMap(
    ({ failure, attempts }) => nextAttemptMs(failure, attempts, Math.random()) ?? [],
  );
  if (look.troubles.length === 0 && look.rows.some((row) => row.state.kind === 'pending'))
    waits.push(PENDING_MS);
  return waits.length === 0 ? false : Math.min(...waits);
}

/** What the server found, then what the browser finds: on demand, while a request is pending, and after a failure. */
export function useRequestLook(asked: AskedRequest, first: RequestLook, keepers: readonly string[]) {
  const asking = keepersAsked(asked, keepers);
  const { data, isFetching, refetch } = useQuery({
    queryKey: ['request-look', askedPath(asked), asking],
    queryFn: ({ client, queryKey, signal }) =>
      lookUpRequest(
        asked,
        asking,
        Date.now(),
        (query) => fetchGatewayText(`/api/logs/v1/logs?${query}`, signal),
        client.getQueryData<RequestLook>(queryKey),
      ),
    initialData: first,
    initialDataUpdatedAt: first.atMs,
    refetchInterval: ({ state }) => nextLookMs(state.data),
    staleTime: 30_000,
  });
  // Who comes back by a link gets what the server found just now, not what the cache still holds.
  const look = data.atMs >= first.atMs ? data : first;
  return { look, isFetching, refresh: () => askAgain(refetch) };
}
