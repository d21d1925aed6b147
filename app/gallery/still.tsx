'use client';
import {
  type DefaultError,
  type DefaultedQueryObserverOptions,
  QueryClient,
  QueryClientProvider,
  type QueryKey,
} from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

/** What is worked out in the browser without asking anybody. */
const COMPUTED = ['random-number'];

const never = () => new Promise<never>(() => {});

/**
 * A cache that never asks the server, which would answer how things really are: it holds what the gallery gave it, whatever
 * a query says about being enabled.
 */
class StillClient extends QueryClient {
  override defaultQueryOptions<
    TQueryFnData = unknown,
    TError = DefaultError,
    TData = TQueryFnData,
    TQueryData = TQueryFnData,
    TQueryKey extends QueryKey = QueryKey,
    TPageParam = never,
  >(
    options: Parameters<
      typeof QueryClient.prototype.defaultQueryOptions<
        TQueryFnData,
        TError,
        TData,
        TQueryData,
        TQueryKey,
        TPageParam
      >
    >[0],
  ): DefaultedQueryObserverOptions<TQueryFnData, TError, TData, TQueryData, TQueryKey> {
    const asked = super.defaultQueryOptions<TQueryFnData, TError, TData, TQueryData, TQueryKey, TPageParam>(
      options,
    );
    if (COMPUTED.includes(String(asked.queryKey?.[0]))) return asked;
    return { ...asked, enabled: false, refetchInterval: false, queryFn: never };
  }
}

/** Answers by the keys of their queries. */
export type Known = readonly (readonly [QueryKey, unknown])[];

const NOTHING: Known = [];

/** Everything in it is drawn from these answers; what is not among them stays unanswered. */
export function Still({ known = NOTHING, children }: { known?: Known; children: ReactNode }) {
  const [client] = useState(() => {
    const made = new StillClient({ defaultOptions: { queries: { gcTime: Number.POSITIVE_INFINITY } } });
    for (const [key, answer] of known) made.setQueryData(key, answer);
    return made;
  });
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}
