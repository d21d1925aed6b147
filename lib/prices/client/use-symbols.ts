'use client';
import { useQuery } from '@tanstack/react-query';
import { AnswerFailed, getAnswer, pollEvery } from '@/lib/core/gateway';
import { readSymbolsAnswer } from '@/lib/prices/symbols-response';

/** Time after which our server requests a failed list again. */
const RETRY_MS = 30_000;
/** Feeds are rarely added. */
const STALE_TIME_MS = 10 * 60_000;

/** Fetched once for all parts of the page, and polled while a service's list is missing. */
export function useSymbols() {
  const { data: answer, error } = useQuery({
    queryKey: ['symbols'],
    queryFn: ({ signal }) => getAnswer('/api/view/symbols', readSymbolsAnswer, signal),
    staleTime: STALE_TIME_MS,
    refetchOnWindowFocus: false,
    refetchInterval: (query) => {
      const { data, status } = query.state;
      const lists = Object.values(data?.sources ?? {});
      const isMissing = status === 'error' || lists.some(({ state }) => state === 'failed');
      return isMissing && pollEvery(RETRY_MS)(query);
    },
  });
  return { answer, failure: error instanceof AnswerFailed ? error.failure : undefined };
}
