'use client';
import { useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { answerReader, getAnswer, pollEvery } from '@/lib/core/gateway';
import type { Health } from '@/lib/core/health';

/** Polling health costs no call to a service. */
const POLL_MS = 5_000;

const readHealth = answerReader(
  z.custom<Health>((value) => (value as Partial<Health> | null)?.status === 'ok'),
  'health',
);

/** All components share one poll. */
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
