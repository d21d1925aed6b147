'use client';
import { type QueryClient, type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { canRetryNow, isRetryable, retryDelayMs } from '@/lib/core/explain-failure';
import { AnswerFailed, getAnswer } from '@/lib/core/gateway';
import type { Failure, Outcome } from '@/lib/core/outcome';
import { useRevision } from './revision-stream';

/** `trouble`: failure of the last attempt. Old data stay on screen. */
export type Followed<T> = { answer: T | undefined; trouble: Failure | undefined; again: () => void };

/** Retries of temporary failures, with backoff or after the pause that they name. */
export const RETRIES = {
  retry: (_failures: number, error: Error) => error instanceof AnswerFailed && isRetryable(error.failure),
  retryDelay: (failures: number, error: Error) => {
    if (!(error instanceof AnswerFailed)) return 60_000;
    const waitMs = retryDelayMs(error.failure, failures + 1, Math.random()) ?? 60_000;
    error.retryAtMs = Date.now() + waitMs;
    return waitMs;
  },
};

/** A query for `useFollowed`. */
export function followedQuery<T>(path: string, read: (text: string) => Outcome<T>) {
  const queryFn = ({ signal }: { signal: AbortSignal }): Promise<T> => getAnswer(path, read, signal);
  return { queryKey: [path], queryFn, staleTime: 2000, ...RETRIES };
}

/** Ages, and counts by age, change without a new revision. */
const MAX_AGE_MS = 10_000;

type FollowOptions<T> = {
  /** Time from an answer to the next refetch. */
  minMs: number;
  isPaused?: (answer: T) => boolean;
  /** An older answer is refetched without a change of the index. */
  maxAgeMs?: number;
};

/** Refetches when the index changes. A hidden page has no stream of revisions, so nothing is refetched there. */
export function useFollowed<T extends { revision: number }>(
  query: UseQueryResult<T>,
  { minMs, isPaused = () => false, maxAgeMs = MAX_AGE_MS }: FollowOptions<T>,
): Followed<T> {
  const { data, dataUpdatedAt, error, failureReason, isEnabled, refetch } = query;
  const update = useRevision();
  const reason = failureReason ?? error;
  const trouble = reason instanceof AnswerFailed ? reason.failure : undefined;
  const isOnHold = trouble !== undefined || (data !== undefined && isPaused(data));
  const isBehind =
    update !== undefined &&
    isEnabled &&
    !isOnHold &&
    (update.revision !== data?.revision || update.receivedAtMs - dataUpdatedAt >= maxAgeMs);
  useEffect(() => {
    if (!isBehind) return;
    // Server-rendered data have the time of the server's clock.
    const waitMs = Math.max(0, Math.min(minMs, dataUpdatedAt + minMs - Date.now()));
    // Other components with the same query refetch at the same moment.
    const timer = setTimeout(() => void refetch({ cancelRefetch: false }), waitMs);
    return () => clearTimeout(timer);
  }, [isBehind, dataUpdatedAt, refetch, minMs]);
  return { answer: data, trouble, again: () => void refetch() };
}

/** An opened stream shows that our server is back, so failed queries are retried. */
export function useRecovery(): void {
  const client = useQueryClient();
  const openedAtMs = useRevision()?.openedAtMs;
  useEffect(() => {
    if (openedAtMs !== undefined) void retryFailedQueries(client);
  }, [client, openedAtMs]);
}

async function retryFailedQueries(client: QueryClient): Promise<void> {
  const failing = client.getQueryCache().findAll({
    type: 'active',
    predicate: ({ state: { fetchFailureReason: reason } }) =>
      reason instanceof AnswerFailed && canRetryNow(reason.failure),
  });
  const retryable = { predicate: (query: (typeof failing)[0]) => failing.includes(query) };
  await client.cancelQueries(retryable);
  await client.refetchQueries(retryable);
}
