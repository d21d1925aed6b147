'use client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { AnswerFailed, postForAnswer } from '@/lib/core/gateway';
import type { Failure } from '@/lib/core/outcome';
import { answerOf, useFollowed } from '@/lib/requests/use-revision';
import {
  ACKNOWLEDGE_PATH,
  ACKNOWLEDGEMENTS_PATH,
  type AcknowledgeAnswer,
  type AcknowledgeOrder,
  readAcknowledgements,
  type Target,
  targetKey,
} from './acknowledge';

const LIST = answerOf(ACKNOWLEDGEMENTS_PATH, readAcknowledgements);
const PATIENCE_MS = 20_000;

/** Follows what everybody acknowledges as the index moves on; once on a page. */
export function FollowAcknowledgements(): null {
  useFollowed(useQuery(LIST), 1000);
  return null;
}

const byTarget = ({ acknowledgements }: AcknowledgeAnswer) =>
  new Map(acknowledgements.map((one) => [targetKey(one), one]));

/** What holds of a target, as far as it is known; and how to change that, which gives why it was not done. */
export function useAcknowledgements() {
  const client = useQueryClient();
  const { data } = useQuery({ ...LIST, select: byTarget });
  const order = async (given: AcknowledgeOrder): Promise<Failure | undefined> => {
    try {
      await client.cancelQueries({ queryKey: LIST.queryKey });
      const answer = await postForAnswer(ACKNOWLEDGE_PATH, readAcknowledgements, PATIENCE_MS, given);
      client.setQueryData(LIST.queryKey, answer);
      return undefined;
    } catch (error) {
      if (error instanceof AnswerFailed) return error.failure;
      throw error;
    }
  };
  return { of: (target: Target) => data?.get(targetKey(target)), order };
}
