'use client';
import { useQuery } from '@tanstack/react-query';
import { nextAttemptMs } from '@/lib/core/explain-failure';
import { fetchGatewayText } from '@/lib/core/gateway';
import type { Failure } from '@/lib/core/outcome';
import type { RequestState } from '@/lib/core/request-record';
import { type ListedRow, type OneRequest, readOne } from '@/lib/requests/answers';
import { type AskedRequest, askedOfKey, oneAddress } from '@/lib/requests/request-address';
import { type Looked, lookedAfter, useAskedAgain } from '@/lib/requests/use-revision';

/** A finished request is looked up again after so long at the earliest: only what is around it changes. */
const FINISHED_MS = 15_000;
const OPEN_MS = 500;

const isOpen = ({ kind }: RequestState) => kind === 'pending' || kind === 'unknown';

/**
 * What the index holds of a request and around it, asked for again as the index changes.
 * @param asked undefined: nothing is asked for
 * @param first what the server found while it rendered
 */
export function useOneRequest(asked: AskedRequest | undefined, first?: OneRequest) {
  const path = asked === undefined ? '' : oneAddress(asked);
  const key = ['one-request', path];
  const { data, refetch, dataUpdatedAt } = useQuery({
    queryKey: key,
    queryFn: async ({ client, signal }): Promise<Looked<OneRequest>> => {
      const text = await fetchGatewayText(path, signal);
      return lookedAfter(text.ok ? readOne(text.value) : text, client.getQueryData(key));
    },
    enabled: asked !== undefined,
    ...(first === undefined ? {} : { initialData: { answer: first, trouble: undefined } }),
    initialDataUpdatedAt: first?.atMs,
    staleTime: 5_000,
    refetchInterval: ({ state }) => {
      const trouble = state.data?.trouble;
      return trouble === undefined
        ? false
        : (nextAttemptMs(trouble.failure, trouble.attempts, Math.random()) ?? false);
    },
  });
  const one = data?.answer;
  const isSettled = one !== undefined && one.rows.length > 0 && !one.rows.some(({ state }) => isOpen(state));
  // Before the first answer there is nothing to follow; a failure is tried again above.
  useAskedAgain(one ?? 'settled', { dataUpdatedAt, refetch }, isSettled ? FINISHED_MS : OPEN_MS);
  return { one, failure: data?.trouble?.failure, refetch };
}

const NOT_FOUND: Failure = { kind: 'missing', service: 'logs', detail: 'No such request in the log.' };

/** The row of a key: the one on the page where it is there, else looked up in the index; neither while that takes. */
export function useOpenRow(
  key: string | undefined,
  rows: readonly ListedRow[],
): { row?: ListedRow | undefined; failure?: Failure | undefined } {
  const onPage = rows.find((row) => row.key === key);
  const asked = key === undefined || onPage !== undefined ? undefined : askedOfKey(key);
  const { one, failure } = useOneRequest(asked);
  const row = onPage ?? one?.rows.find((found) => found.key === key);
  if (row !== undefined || failure !== undefined) return { row, failure };
  return asked === undefined || one !== undefined ? { failure: NOT_FOUND } : {};
}
