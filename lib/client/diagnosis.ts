'use client';
import { useQuery } from '@tanstack/react-query';
import {
  type DiagnosisAnswer,
  type DiagnosisAsked,
  diagnosisAddress,
  readDiagnosis,
} from '@/lib/contract/codec/triage-detail';
import type { Failure, Outcome } from '@/lib/domain/outcome';
import { askAgain } from './ask-again';
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

const GATHERING_MS = 1_000;
const USUAL_MS = 10_000;

/** When to ask again, milliseconds from now; false when nothing more can come of it. */
export function nextDiagnosisMs(
  { answer, trouble }: Looked<Pick<DiagnosisAnswer, 'state' | 'request'>>,
  random: number,
): number | false {
  if (trouble !== undefined) return nextAttemptMs(trouble.failure, trouble.attempts, random) ?? false;
  if (answer?.state === 'gathering') return GATHERING_MS;
  return answer !== undefined && isOver(answer) ? false : USUAL_MS;
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

/** The diagnosis of a request, filling in while evidence is gathered. Asked for while the page is visible. */
export function useDiagnosis(asked: DiagnosisAsked) {
  const path = diagnosisAddress(asked);
  const key = ['diagnosis', path];
  const { data, refetch } = useQuery({
    queryKey: key,
    queryFn: ({ client, signal }) =>
      look(path, readDiagnosis, client.getQueryData<Looked<DiagnosisAnswer>>(key), signal),
    staleTime: 2_000,
    refetchInterval: ({ state }) => (state.data ? nextDiagnosisMs(state.data, Math.random()) : false),
  });
  return { looked: data, again: () => askAgain(refetch) };
}
