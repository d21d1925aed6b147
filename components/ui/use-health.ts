'use client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import * as z from 'zod/mini';
import { answerReader, getAnswer, pollEvery } from '@/lib/core/gateway';
import { type Health, keepersOf } from '@/lib/core/health';

/** Health is kept by our own server and costs no call to a service, so it may be asked for often. */
const POLL_MS = 5_000;

const readHealth = answerReader(
  z.custom<Health>((value) => (value as Partial<Health> | null)?.status === 'ok'),
  'health',
);

/** How the services are, from `initial` (what the server rendered) on. All readers share one poll. */
export function useHealth(initial: Health) {
  return useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => getAnswer('/api/health', readHealth, signal),
    initialData: initial,
    initialDataUpdatedAt: 0,
    staleTime: POLL_MS,
    refetchInterval: pollEvery(POLL_MS),
  });
}

/** Names of the configured keepers as far as the page knows them already, the default one first. */
export function useKnownKeepers(): string[] {
  const client = useQueryClient();
  const health = client.getQueryData<Health>(['health']);
  return useMemo(() => (health === undefined ? [] : keepersOf(health)), [health]);
}
