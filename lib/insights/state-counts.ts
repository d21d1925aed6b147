'use client';
import { useQuery } from '@tanstack/react-query';
import { fetchGatewayText } from '@/lib/core/gateway';
import type { Outcome } from '@/lib/core/outcome';
import { type StateWord, WIRE_STATE } from '@/lib/core/request-record';
import { useAskedAgain } from '@/lib/requests/use-revision';
import type { RequestsView } from '@/lib/requests/view';
import { defaultRequestsView } from '@/lib/requests/view';
import { type CountsAnswer, OVERVIEW_ADDRESS, readCounts, type StateCounts } from './overview';

/** The states that are counted, the ones that want attention first. */
export const COUNTED_STATES = Object.keys(WIRE_STATE) as StateWord[];

const COUNTED_RANGE = '1h';

/** At most so often, however fast the index changes. */
const LEAST_MS = 2000;

/** The rows that a count stands for, as a view of the log table: the keeper is named only when it isn't the first. */
export function countedView(keeper: string | undefined, state: StateWord): RequestsView {
  return {
    ...defaultRequestsView(),
    states: [state],
    keepers: keeper === undefined ? [] : [keeper],
    time: { kind: 'last', range: COUNTED_RANGE },
  };
}

/** Shares of the whole in percent, for pixels only; undefined when all are zero. */
export function sharesOf(counts: StateCounts): Record<StateWord, number> | undefined {
  const sum = COUNTED_STATES.reduce((all, state) => all + counts[state], 0);
  if (sum === 0) return undefined;
  const shares = COUNTED_STATES.map((state) => [state, (counts[state] / sum) * 100]);
  return Object.fromEntries(shares) as Record<StateWord, number>;
}

/** The counts of the last hour, from what the server rendered on, as the index changes. Of an answer that fails the one before stays. */
export function useStateCounts(first: CountsAnswer): CountsAnswer {
  const query = useQuery({
    queryKey: ['state-counts'],
    queryFn: async ({ client, signal }) => {
      const text = await fetchGatewayText(OVERVIEW_ADDRESS, signal);
      const answer: Outcome<CountsAnswer> = text.ok ? readCounts(text.value) : text;
      return answer.ok ? answer.value : (client.getQueryData<CountsAnswer>(['state-counts']) ?? first);
    },
    initialData: first,
    staleTime: LEAST_MS,
  });
  useAskedAgain(query.data, query, LEAST_MS);
  return query.data;
}
