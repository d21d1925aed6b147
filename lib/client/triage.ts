import { readTriage, type TriageAnswer, triageAddress } from '@/lib/contract/codec/triage';
import { type IncidentAnswer, incidentAddress, readIncident } from '@/lib/contract/codec/triage-detail';
import type { Outcome } from '@/lib/domain/outcome';
import { explainFailure } from './explain-failure';
import { fetchGatewayText } from './gateway';
import type { TriageView } from './triage-standing';

/**
 * What is known of all pending requests, from our server, which looks at them once for everybody.
 * @param most incidents and singles, without the silence table; all of them when undefined
 */
export async function fetchTriage(
  most: number | undefined,
  signal: AbortSignal,
): Promise<Outcome<TriageAnswer>> {
  const text = await fetchGatewayText(triageAddress(most), signal);
  return text.ok ? readTriage(text.value) : text;
}

/** One incident with its rows, as it stands now. */
export async function fetchIncident(id: string, signal: AbortSignal): Promise<Outcome<IncidentAnswer>> {
  const text = await fetchGatewayText(incidentAddress(id), signal);
  return text.ok ? readIncident(text.value) : text;
}

/** How many incidents the overview shows; more of them stand on the page of pending requests. */
export const OVERVIEW_INCIDENTS = 5;

/** The view after an answer: when there is none, the one before stays, and why there is none stands beside it. */
export function viewAfter(answer: Outcome<TriageAnswer>, before: TriageView | undefined): TriageView {
  if (answer.ok) return { answer: answer.value, trouble: undefined };
  const { title, todo } = explainFailure(answer.failure);
  return { answer: before?.answer, trouble: { title, todo } };
}
