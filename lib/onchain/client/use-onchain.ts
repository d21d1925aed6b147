'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { AnswerFailed, getAnswer } from '@/lib/core/gateway';
import { ONCHAIN_PATH, type Onchain, readOnchain } from '@/lib/onchain/onchain-response';

type OnchainLocator = {
  networkId: string;
  sequence: string;
  keeper: string;
  provider?: string | undefined;
  requestTxHash?: string | undefined;
  state: { kind: string };
};

/** While somebody steps through rows, only the last row is queried. */
const QUERY_DELAY_MS = 200;
/** Time between two opened requests that counts as stepping through rows. */
const STEPPING_MS = 1000;

function addressOf({ networkId, sequence, keeper, provider, requestTxHash }: OnchainLocator): string {
  const query = new URLSearchParams({ network: networkId, sequence, keeper });
  if (provider) query.set('provider', provider);
  if (requestTxHash) query.set('tx', requestTxHash);
  return `${ONCHAIN_PATH}?${query}`;
}

/** Fetched once, and again on demand or when the outcome is logged. */
export function useOnchain(locator: OnchainLocator) {
  const client = useQueryClient();
  const address = addressOf(locator);
  const queryKey = ['onchain', address, locator.state.kind];
  const isSettled = useSettled(address);
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => getAnswer(address, readOnchain, signal),
    enabled: isSettled,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const refresh = useMutation({
    mutationFn: () => getAnswer(`${address}&fresh=1`, readOnchain, new AbortController().signal),
    onSuccess: (answer) => client.setQueryData<Onchain>(queryKey, answer),
  });
  const error = refresh.error ?? query.error;
  return {
    answer: query.data,
    /** When the answer came, by this machine's clock, unix ms. */
    receivedAtMs: query.dataUpdatedAt,
    failure: error instanceof AnswerFailed ? error.failure : undefined,
    isRefreshing: query.isFetching || refresh.isPending || !isSettled,
    refresh: () => refresh.mutate(),
  };
}

/** When a request was last opened, by `performance.now()`. */
let lastOpenedMs = Number.NEGATIVE_INFINITY;

/** Whether the request may be queried: at once, or after a pause if another one was opened just before. */
function useSettled(address: string): boolean {
  const [settled, setSettled] = useState('');
  useEffect(() => {
    const isStepping = performance.now() - lastOpenedMs < STEPPING_MS;
    lastOpenedMs = performance.now();
    const timer = setTimeout(() => setSettled(address), isStepping ? QUERY_DELAY_MS : 0);
    return () => clearTimeout(timer);
  }, [address]);
  return settled === address;
}
