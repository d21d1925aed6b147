import { explainFailure } from '@/lib/core/explain-failure';
import { countOf, groupDigits } from '@/lib/core/numbers';
import type { TriageAnswer } from '@/lib/pending/pending-response';
import type { StuckCount } from './stuck-count';
import type { TriageView } from './use-triage';

/** `unknown` is never shown as calm. */
export type ShownStatus = {
  kind: 'syncing' | 'stuck' | 'calm' | 'unknown';
  title: string;
  detail: string;
  /** Unix ms by the services' clock. */
  checkedAtMs: number | undefined;
  syncedAtMs: number | undefined;
};

/**
 * @param counts may be newer than the answer
 * @param degraded number of networks
 */
export function shownStatus({ answer, trouble }: TriageView, counts: StuckCount, degraded = 0): ShownStatus {
  const degradedText = degraded === 0 ? '' : ` ${countOf(degraded, 'degraded network')}.`;
  const { checkedAtMs, syncedAtMs } = answer ?? {};
  const moments = { checkedAtMs, syncedAtMs };
  const explained = trouble && explainFailure(trouble);
  if (answer !== undefined && counts.kind === 'stuck') {
    const { stuck, isWhole } = counts;
    const { incidents, singles } = { singles: 0, incidents: 0, ...answer.status };
    const parts = [incidents > 0 && countOf(incidents, 'incident'), singles > 0 && singleText(singles)];
    const text = parts.filter(Boolean).join(' and ');
    const later = explained === undefined ? '' : ` ${explained.title}: outdated.`;
    const detail = `${text === '' ? '' : `${text}.`}${degradedText}${besidesText(answer, counts)}${later}`;
    const count = `${countOf(stuck, 'request')} ${stuck === 1 ? 'is' : 'are'} stuck`;
    const title = isWhole && explained === undefined ? count : `At least ${count}`;
    return { kind: 'stuck', title, detail: detail.trim(), ...moments };
  }
  if (explained !== undefined) {
    const detail = `${explained.title}. ${explained.nextStep}${degradedText}`;
    return { kind: 'unknown', title: UNKNOWN, detail, ...moments };
  }
  if (answer === undefined || answer.state === 'syncing') {
    return { kind: 'syncing', title: 'Syncing pending requests', detail: degradedText.trim(), ...moments };
  }
  const { status } = answer;
  if (status.kind === 'not-known' || counts.kind !== 'nothing-stuck') {
    const why =
      status.kind === 'not-known' ? status.why.trim().replace(/\.$/, '') : 'Not all keepers are synced';
    const detail = `${why.charAt(0).toUpperCase()}${why.slice(1)}.${degradedText}`;
    return { kind: 'unknown', title: UNKNOWN, detail, ...moments };
  }
  const { acknowledged, parked } = counts;
  const late = answer.counts.slow === 0 ? '' : 'Slow ones are still being retried.';
  const detail = `${late}${degradedText}${besidesText(answer, counts)}`.trim();
  const title = acknowledged + parked === 0 ? 'Nothing is stuck' : 'Nothing new is stuck';
  return { kind: 'calm', title, detail, ...moments };
}

const UNKNOWN = 'Stuck: unknown';

export const singleText = (count: number) => countOf(count, 'single request');

function besidesText(
  { counts, status }: TriageAnswer,
  { acknowledged, parked }: { acknowledged: number; parked: number },
): string {
  const { acknowledgedIncidents } = counts;
  const quiet = counts.incidents - acknowledgedIncidents - (status.kind === 'stuck' ? status.incidents : 0);
  const within = acknowledgedIncidents === 0 ? '' : `, in ${countOf(acknowledgedIncidents, 'incident')}`;
  return [
    quiet > 0 && ` ${countOf(quiet, 'network')} quiet.`,
    acknowledged > 0 && ` ${groupDigits(acknowledged)} acknowledged${within}.`,
    parked > 0 && ` ${groupDigits(parked)} parked: older than a day.`,
  ]
    .filter(Boolean)
    .join('');
}
