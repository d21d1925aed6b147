import 'server-only';
import { readTriage, type TriageAnswer } from '@/lib/contract/codec/triage';
import { triageText } from './triage-reply';

/**
 * What is known of pending requests when a page is rendered. Undefined when no log service is configured.
 * @param most incidents and singles, without the silence table; all of them when undefined
 */
export async function pendingFirstLook(most?: number): Promise<TriageAnswer | undefined> {
  const text = await triageText(most);
  const answer = text.ok ? readTriage(text.value) : text;
  return answer.ok ? withoutKeys(answer.value) : undefined;
}

/** The page asks for the requests of an incident when it is opened: their keys would be most of the first bytes. */
function withoutKeys(answer: TriageAnswer): TriageAnswer {
  return { ...answer, incidents: answer.incidents.map((incident) => ({ ...incident, rows: [] })) };
}
