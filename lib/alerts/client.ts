'use client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { AnswerFailed, getAnswer, postForAnswer } from '@/lib/core/gateway';
import type { Failure } from '@/lib/core/outcome';
import { useAskedAgain } from '@/lib/requests/use-revision';
import {
  ACKNOWLEDGE_PATH,
  ACKNOWLEDGEMENTS_PATH,
  type AcknowledgeAnswer,
  type Acknowledged,
  type AcknowledgeOrder,
  readAcknowledgements,
  type Target,
} from './acknowledge';

const KEY = [ACKNOWLEDGEMENTS_PATH];
const PATIENCE_MS = 20_000;

export type Acknowledgements = {
  /** What holds of it; undefined also before that is known. */
  of: (target: Target) => Acknowledged | undefined;
  /** Gives why it was not done; undefined where it was. */
  order: (order: AcknowledgeOrder) => Promise<Failure | undefined>;
};

function useList() {
  return useQuery({
    queryKey: KEY,
    queryFn: ({ signal }): Promise<AcknowledgeAnswer> =>
      getAnswer(ACKNOWLEDGEMENTS_PATH, readAcknowledgements, signal),
    staleTime: 2000,
  });
}

/** Follows what everybody acknowledges as the index moves on; once on a page. */
export function FollowAcknowledgements(): null {
  const query = useList();
  useAskedAgain(query.data, query, 1000);
  return null;
}

export function useAcknowledgements(): Acknowledgements {
  const client = useQueryClient();
  const query = useList();
  const byTarget = useMemo(
    () => new Map(query.data?.acknowledgements.map((one) => [`${one.kind} ${one.id}`, one])),
    [query.data],
  );
  const order = useCallback(
    async (given: AcknowledgeOrder): Promise<Failure | undefined> => {
      try {
        await client.cancelQueries({ queryKey: KEY });
        const answer = await postForAnswer(ACKNOWLEDGE_PATH, readAcknowledgements, PATIENCE_MS, given);
        client.setQueryData(KEY, answer);
        return undefined;
      } catch (error) {
        if (error instanceof AnswerFailed) return error.failure;
        throw error;
      }
    },
    [client],
  );
  return { of: ({ kind, id }) => byTarget.get(`${kind} ${id}`), order };
}
