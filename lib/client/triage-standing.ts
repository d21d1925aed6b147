import type { TriageAnswer, TriageCounts } from '@/lib/contract/codec/triage';
import type { Standing } from '@/lib/domain/diagnosis/incident';
import { STUCK_MEANS } from '@/lib/domain/diagnosis/limits-of-knowledge';
import { groupDigits } from './human-number';
import { stuckCount, stuckParts } from './incident-words';

/** The last answer of our server about all pending requests; `trouble` when the last question brought none. */
export type TriageView = {
  answer: TriageAnswer | undefined;
  trouble: { title: string; todo: string } | undefined;
};

/**
 * What the page says in one line. `calm` only when every keeper was read a moment ago and nobody has said otherwise since;
 * `unknown` is never shown as calm.
 */
export type ShownStanding = {
  kind: 'syncing' | 'stuck' | 'calm' | 'unknown';
  /** Without full stop. */
  title: string;
  /** What it rests on, or why it is not known; sentences. */
  detail: string;
  /** Unix ms, services' clock: when the keeper that was read longest ago was read. */
  checkedAtMs: number | undefined;
};

export function shownStanding({ answer, trouble }: TriageView): ShownStanding {
  const checkedAtMs = answer?.checkedAtMs;
  if (answer?.standing.kind === 'stuck') {
    const { title, detail } = stuckWords(answer, answer.standing, trouble);
    return { kind: 'stuck', title, detail, checkedAtMs };
  }
  if (trouble !== undefined) {
    const detail = `${trouble.title}. ${trouble.todo}`;
    return { kind: 'unknown', title: UNKNOWN, detail, checkedAtMs };
  }
  if (answer === undefined || answer.state === 'syncing') {
    return { kind: 'syncing', title: 'Syncing pending requests', detail: '', checkedAtMs };
  }
  const { standing } = answer;
  if (standing.kind === 'not-known') {
    return { kind: 'unknown', title: UNKNOWN, detail: `${capital(standing.why)}.`, checkedAtMs };
  }
  const detail = `${calmDetail(answer.counts)}${quietWords(answer)}`;
  return { kind: 'calm', title: 'Nothing is stuck', detail, checkedAtMs: standing.checkedAtMs };
}

const UNKNOWN = 'Stuck: unknown';

function stuckWords(
  answer: TriageAnswer,
  standing: Extract<Standing, { kind: 'stuck' }>,
  trouble: TriageView['trouble'],
): { title: string; detail: string } {
  const { state, counts } = answer;
  const isWhole = state === 'complete' && counts.missing + counts.unreadable === 0;
  const title = stuckCount(standing.requests, isWhole && trouble === undefined ? 'whole' : 'part');
  const later = trouble === undefined ? '' : ` ${trouble.title}: this is how it last stood.`;
  return { title, detail: `${capital(stuckParts(standing))}.${quietWords(answer)}${later} ${STUCK_MEANS}.` };
}

/** Incidents without a stuck request: networks that have gone quiet. They are counted apart. */
function quietWords({ counts, standing }: TriageAnswer): string {
  const quiet = counts.incidents - (standing.kind === 'stuck' ? standing.incidents : 0);
  if (quiet <= 0) return '';
  return quiet === 1 ? ' 1 network has gone quiet.' : ` ${quiet} networks have gone quiet.`;
}

function calmDetail({ pending, slow }: TriageCounts): string {
  if (pending === 0) return 'No request is pending.';
  const count = (value: number) => groupDigits(String(value));
  const noun = pending === 1 ? 'request is pending' : 'requests are pending';
  const those = slow === 0 ? 'within normal' : `${count(slow)} of them slow and still being retried`;
  return `${count(pending)} ${noun}, ${those}.`;
}

/** Words of ours as the beginning of a sentence, without full stop. */
function capital(words: string): string {
  const text = words.trim().replace(/\.$/, '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
