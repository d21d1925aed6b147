'use client';
import { useQuery } from '@tanstack/react-query';
import { explainFailure } from '@/lib/core/explain-failure';
import { pollEvery } from '@/lib/core/gateway';
import { PROBLEMS_ADDRESS, type ProblemsAnswer, readProblems } from '@/lib/insights/problem';
import { followedQuery, useFollowed } from '@/lib/requests/client/use-followed';

/** @param first the server's answer at render time */
export function useProblems(first: ProblemsAnswer | undefined) {
  const query = useQuery({
    ...followedQuery(PROBLEMS_ADDRESS, readProblems),
    initialData: first,
    refetchInterval: pollEvery(10_000),
  });
  const { answer, trouble } = useFollowed(query, { minMs: 2_000 });
  return { answer, trouble: trouble && explainFailure(trouble) };
}
