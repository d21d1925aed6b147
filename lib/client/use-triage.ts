'use client';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import type { TriageAnswer } from '@/lib/contract/codec/triage';
import { STUCK_COUNT, stuckCountOf } from './stuck-count';
import { fetchTriage, nextLookMs, viewAfter } from './triage';
import type { TriageView } from './triage-standing';

const keyOf = (most: number | undefined) => ['triage', most ?? 'all'];

async function ask(client: QueryClient, most: number | undefined, signal: AbortSignal): Promise<TriageView> {
  const before = client.getQueryData<TriageView>(keyOf(most));
  const view = viewAfter(await fetchTriage(most, signal), before);
  if (view.trouble === undefined && view.answer !== undefined) {
    client.setQueryData(STUCK_COUNT, stuckCountOf(view.answer));
  }
  return view;
}

/**
 * The state of all pending requests, from what the server rendered on. Asked for again every second while a look is under
 * way and every ten seconds otherwise, only while the page can be seen. All readers of the same `most` share it.
 */
export function useTriage(first: TriageAnswer | undefined, most?: number): TriageView {
  const { data } = useQuery({
    queryKey: keyOf(most),
    queryFn: ({ client, signal }) => ask(client, most, signal),
    initialData: (): TriageView => ({ answer: first, trouble: undefined }),
    initialDataUpdatedAt: 0,
    staleTime: 500,
    refetchInterval: ({ state }) => (state.data === undefined ? false : nextLookMs(state.data)),
  });
  return data;
}
