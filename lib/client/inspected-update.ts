'use client';
import { useQuery } from '@tanstack/react-query';
import { type InspectedUpdate, inspectedRoute } from '@/lib/contract/codec/payload-link';
import { failed, type Outcome } from '@/lib/domain/outcome';
import { type Inspection, inspectAnswer } from '@/lib/domain/payload/inspect';
import { fetchGatewayText } from './gateway';

/** The answer to a link's question, taken apart, and when it came (unix milliseconds). */
export type AnsweredInspection = { readonly inspection: Inspection; readonly answeredAtMs: number };

/** Asks the service through our gateway. What holds no update is `malformed` of that host. Rejects only when aborted. */
export async function askForUpdate(
  asked: InspectedUpdate,
  signal: AbortSignal,
  now: () => number = Date.now,
): Promise<Outcome<AnsweredInspection>> {
  const text = await fetchGatewayText(inspectedRoute(asked), signal);
  if (!text.ok) return text;
  const inspection = inspectAnswer(text.value);
  if (!inspection.ok) return failed({ ...inspection.failure, service: asked.host });
  return { ok: true, value: { inspection: inspection.value, answeredAtMs: now() } };
}

/** The update that a link names, asked for once: what is inspected must not change under the reader. */
export function useInspectedUpdate(asked: InspectedUpdate | undefined) {
  const { data, refetch, isFetching } = useQuery({
    queryKey: ['inspected-update', asked === undefined ? '' : inspectedRoute(asked)],
    queryFn: ({ signal }) =>
      asked === undefined ? Promise.reject(new Error('nothing is asked for')) : askForUpdate(asked, signal),
    enabled: asked !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    // Bytes and bigints are no JSON: nothing of an answer can be shared with the one before.
    structuralSharing: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: false,
  });
  return { answer: data, isAsking: isFetching, again: refetch };
}
