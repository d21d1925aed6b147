'use client';
import { useQuery } from '@tanstack/react-query';
import {
  type DiagnosisAnswer,
  type DiagnosisAsked,
  diagnosisAddress,
  readDiagnosis,
} from '@/lib/contract/codec/triage-detail';
import type { Failure, Outcome } from '@/lib/domain/outcome';
import { useAskedAgain } from './asked-again';
import { nextAttemptMs } from './explain-failure';
import { fetchGatewayText } from './gateway';

/** What is known, and beside it, when the last attempt failed, why: two questions, two members. */
export type Looked<T> = {
  answer: T | undefined;
  trouble: { failure: Failure; attempts: number } | undefined;
};

/** After an answer that came, or did not: what was known stays. */
export function lookedAfter<T>(outcome: Outcome<T>, before: Looked<T> | undefined): Looked<T> {
  if (outcome.ok) return { answer: outcome.value, trouble: undefined };
  const attempts = (before?.trouble?.attempts ?? 0) + 1;
  return { answer: before?.answer, trouble: { failure: outcome.failure, attempts } };
}

/** A diagnosis is asked for again at most so often, however fast the index changes. */
const LEAST_MS = 5_000;

/** When to ask again after a failure, milliseconds from now; false where asking again can't help. */
function retryMs({ trouble }: Looked<unknown>): number | false {
  if (trouble === undefined) return false;
  return nextAttemptMs(trouble.failure, trouble.attempts, Math.random()) ?? false;
}

/** Whether the service lists the request with an outcome by now. */
export function isOver({ request }: Pick<DiagnosisAnswer, 'request'>): boolean {
  return request?.kind === 'record' && ['completed', 'failed'].includes(request.state.kind);
}

async function look<T>(
  path: string,
  read: (text: string) => Outcome<T>,
  before: Looked<T> | undefined,
  signal: AbortSignal,
): Promise<Looked<T>> {
  const text = await fetchGatewayText(path, signal);
  return lookedAfter(text.ok ? read(text.value) : text, before);
}

/** The diagnosis of a request, asked for again as the index changes, until the request is over. */
export function useDiagnosis(asked: DiagnosisAsked) {
  const path = diagnosisAddress(asked);
  const key = ['diagnosis', path];
  const query = useQuery({
    queryKey: key,
    queryFn: ({ client, signal }) =>
      look(path, readDiagnosis, client.getQueryData<Looked<DiagnosisAnswer>>(key), signal),
    staleTime: 2_000,
    refetchInterval: ({ state }) => (state.data === undefined ? false : retryMs(state.data)),
  });
  const { data, refetch } = query;
  const answer = data?.answer;
  const isSettled =
    data === undefined || data.trouble !== undefined || (answer !== undefined && isOver(answer));
  useAskedAgain(isSettled ? 'settled' : answer, query, LEAST_MS);
  return { looked: data, again: refetch };
}
