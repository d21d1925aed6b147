'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  ACKNOWLEDGE_PATH,
  ACKNOWLEDGEMENTS_PATH,
  type AcknowledgeAnswer,
  type AcknowledgeOrder,
  readAcknowledgements,
  targetKey,
} from '@/lib/alerts/acknowledge';
import { postForAnswer } from '@/lib/core/gateway';
import { followedQuery, useFollowed } from '@/lib/requests/client/use-followed';

const LIST = followedQuery(ACKNOWLEDGEMENTS_PATH, readAcknowledgements);
const TIMEOUT_MS = 20_000;

/** A page renders this once. */
export function FollowAcknowledgements(): null {
  useFollowed(useQuery(LIST), { minMs: 1000 });
  return null;
}

const byTarget = ({ acknowledgements }: AcknowledgeAnswer) =>
  new Map(acknowledgements.map((acknowledgement) => [targetKey(acknowledgement), acknowledgement]));

/** Acknowledgements by target key; undefined before the first answer. */
export const useAcknowledgements = () => useQuery({ ...LIST, select: byTarget }).data;

export function useAcknowledge(onDone: (order: AcknowledgeOrder) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (order: AcknowledgeOrder) => {
      await client.cancelQueries({ queryKey: LIST.queryKey });
      return postForAnswer(ACKNOWLEDGE_PATH, readAcknowledgements, TIMEOUT_MS, order);
    },
    networkMode: 'always',
    onSuccess: (answer, order) => {
      client.setQueryData(LIST.queryKey, answer);
      onDone(order);
    },
  });
}
