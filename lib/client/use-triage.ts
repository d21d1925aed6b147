'use client';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import type { TriageAnswer } from '@/lib/contract/codec/triage';
import { useAskedAgain } from './asked-again';
import { fetchTriage, viewAfter } from './triage';
import type { TriageView } from './triage-standing';

/** At most so often, however fast the index changes. */
const LEAST_MS = 2000;
/** And so often where no news come. */
const AT_LATEST_MS = 60_000;

const keyOf = (most: number | undefined) => ['triage', most ?? 'all'];

async function ask(client: QueryClient, most: number | undefined, signal: AbortSignal): Promise<TriageView> {
  return viewAfter(await fetchTriage(most, signal), client.getQueryData<TriageView>(keyOf(most)));
}

/**
 * The state of all pending requests, from what the server rendered on, asked for again as the index changes. All readers
 * of the same `most` share it.
 */
export function useTriage(first: TriageAnswer | undefined, most?: number): TriageView {
  const query = useQuery({
    queryKey: keyOf(most),
    queryFn: ({ client, signal }) => ask(client, most, signal),
    initialData: (): TriageView => ({ answer: first, trouble: undefined }),
    initialDataUpdatedAt: () => (first === undefined ? 0 : Date.now()),
    staleTime: LEAST_MS,
    refetchInterval: AT_LATEST_MS,
  });
  useAskedAgain(query.data.answer, query, LEAST_MS);
  return query.data;
}
