'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { explainFailure } from '@/lib/core/explain-failure';
import { pollEvery } from '@/lib/core/gateway';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { DEFAULT_PENDING_SETTINGS, type PendingSettings } from '@/lib/core/pending-settings';
import { clipped } from '@/lib/core/text';
import type { KeeperStatus, RevisionNews } from '@/lib/requests/keeper-status';
import { answerOf, type Followed, useFollowed, useRevision } from '@/lib/requests/use-revision';
import { defaultRequestsView, formatRequestsUrl } from '@/lib/requests/view';
import {
  type DiagnosisAnswer,
  type DiagnosisAsked,
  diagnosisAddress,
  type Incident,
  type IncidentAnswer,
  incidentAddress,
  readDiagnosis,
  readIncident,
  readTriage,
  type TriageAnswer,
  triageAddress,
} from './answers';
import { STUCK_MEANS } from './rules/verdict';

/** What is known of all pending requests, from what the server rendered on. @param most incidents and singles */
export function useTriage(first: TriageAnswer | undefined, most?: number): TriageView {
  const query = useQuery({
    ...answerOf(triageAddress(most), readTriage),
    initialData: first,
    initialDataUpdatedAt: () => (first === undefined ? 0 : Date.now()),
    refetchInterval: pollEvery(60_000),
  });
  return useFollowed(query, 2000);
}

export function useIncident(id: string): Followed<IncidentAnswer> {
  const query = useQuery({
    ...answerOf(incidentAddress(id), readIncident),
    placeholderData: keepPreviousData,
  });
  return useFollowed(query, 5000);
}

export function useDiagnosis(asked: DiagnosisAsked): Followed<DiagnosisAnswer> {
  return useFollowed(useQuery(answerOf(diagnosisAddress(asked), readDiagnosis)), 5000, isOver);
}

/** Whether the service lists the request with an outcome by now. */
export function isOver({ request }: Pick<DiagnosisAnswer, 'request'>): boolean {
  return request?.kind === 'record' && ['completed', 'failed'].includes(request.state.kind);
}

/** The last answer of our server about all pending requests; `trouble` when the last question brought none. */
export type TriageView = Pick<Followed<TriageAnswer>, 'answer' | 'trouble'>;

/** What the page says in one line. `unknown` is never shown as calm. */
export type ShownStatus = {
  kind: 'syncing' | 'stuck' | 'calm' | 'unknown';
  title: string;
  /** What it rests on, or why it is not known; sentences. */
  detail: string;
  /** Unix ms, services' clock: when the keeper that was read longest ago was read. */
  checkedAtMs: number | undefined;
};

export function shownStatus({ answer, trouble }: TriageView): ShownStatus {
  const checkedAtMs = answer?.checkedAtMs;
  const told = trouble && explainFailure(trouble);
  if (answer?.status.kind === 'stuck') {
    const { incidents, singles, requests } = answer.status;
    const parts = [
      incidents > 0 && countOf(incidents, 'incident'),
      singles > 0 && countOf(singles, 'single request'),
    ];
    const later = told === undefined ? '' : ` ${told.title}: outdated.`;
    const detail = `${parts.filter(Boolean).join(' and ')}.${quietText(answer)}${later} ${STUCK_MEANS}`;
    const count = `${countOf(requests, 'request')} ${requests === 1 ? 'is' : 'are'} stuck`;
    const title = isWhole({ answer, trouble }) ? count : `At least ${count}`;
    return { kind: 'stuck', title, detail, checkedAtMs };
  }
  if (told !== undefined) {
    return { kind: 'unknown', title: UNKNOWN, detail: `${told.title}. ${told.todo}`, checkedAtMs };
  }
  if (answer === undefined || answer.state === 'syncing') {
    return { kind: 'syncing', title: 'Syncing pending requests', detail: '', checkedAtMs };
  }
  const { status, counts } = answer;
  if (status.kind === 'not-known') {
    const why = status.why.trim().replace(/\.$/, '');
    const detail = `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
    return { kind: 'unknown', title: UNKNOWN, detail, checkedAtMs };
  }
  const pending =
    counts.pending === 0 ? 'No request is pending' : `${countOf(counts.pending, 'request')} pending`;
  const slow = counts.slow === 0 ? '' : `, ${groupDigits(counts.slow)} slow and still being retried`;
  const detail = `${pending}${slow}.${quietText(answer)}`;
  return { kind: 'calm', title: 'Nothing is stuck', detail, checkedAtMs: status.checkedAtMs };
}

const UNKNOWN = 'Stuck: unknown';

/** Whether all is known as of now: else what is counted is a lower bound, and said as one. */
export function isWhole({ answer, trouble }: TriageView): boolean {
  if (answer === undefined || trouble !== undefined || answer.state !== 'complete') return false;
  return answer.counts.missing + answer.counts.unreadable === 0;
}

/** Incidents without a stuck request: networks that have gone quiet. They are counted apart. */
function quietText({ counts, status }: TriageAnswer): string {
  const quiet = counts.incidents - (status.kind === 'stuck' ? status.incidents : 0);
  return quiet <= 0 ? '' : ` ${countOf(quiet, 'network')} quiet.`;
}

/** The thresholds of a network. */
export function settingsFor(
  { others, networks }: TriageAnswer['settings'],
  networkId: string,
): PendingSettings {
  return new Map(Object.entries(networks)).get(networkId) ?? others;
}

/** Seconds after which a pending request is stuck on every network; the usual ones until the server has said. */
export function stuckAfterS({ answer }: TriageView): number {
  if (answer === undefined) return DEFAULT_PENDING_SETTINGS.stuckAfterS;
  const { others, networks } = answer.settings;
  return Math.max(...[others, ...Object.values(networks)].map((one) => one.stuckAfterS));
}

/** The pending requests of an incident as a view of the log table: as close as its filters come. */
export function incidentRowsPath({ keeper, networkId, subject }: Incident) {
  const sender = subject.kind === 'sender' ? subject.sender : '';
  return formatRequestsUrl({
    ...{ ...defaultRequestsView(), networks: [networkId], keepers: [keeper], states: ['pending'] },
    ...{ time: { kind: 'all' }, q: subject.kind === 'transaction' ? subject.transaction : sender },
  });
}

/** What an incident is about, where its network alone does not say it; texts of strangers are clipped. */
export function subjectLabel(subject: Incident['subject']): { label: string; value: string } | undefined {
  switch (subject.kind) {
    case 'sender':
      return { label: 'Sender', value: clipped(subject.sender, 80) };
    case 'transaction':
      return { label: 'Transaction', value: clipped(subject.transaction, 80) };
    case 'rest':
      return subject.provider ? { label: 'Provider', value: clipped(subject.provider, 80) } : undefined;
    case 'replica': {
      const rest = `sequence mod ${subject.modulus} = ${subject.remainder}`;
      return { label: 'Sequences', value: `${rest}, provider ${clipped(subject.provider, 80)}` };
    }
    default:
      return undefined;
  }
}

/** What is known of an index: how far it reaches, and what is pending in it. */
export type KnownIndex = Pick<RevisionNews, 'index' | 'pending'>;

/** What the navigation says of stuck requests that nobody has acknowledged. `unasked`: no request log service is configured. */
type StuckCount =
  | { kind: 'stuck'; stuck: number; acknowledged: number; isWhole: boolean }
  | { kind: 'nothing-stuck' | 'not-known' | 'syncing' | 'unasked' };

/** From what the server rendered on, by the news of the index. */
export function useStuckCount(first: KnownIndex): StuckCount {
  const { index, pending } = useRevision() ?? first;
  if (index.length === 0) return { kind: 'unasked' };
  const isSyncing = ({ syncedAtMs, pendingAtMs }: KeeperStatus) =>
    syncedAtMs === null || pendingAtMs === null;
  const hasFailed = index.some(({ failure }) => failure !== null);
  const unknown = { kind: index.some(isSyncing) && !hasFailed ? 'syncing' : 'not-known' } as const;
  if (pending === null) return unknown;
  const { acknowledged, complete } = pending;
  const stuck = pending.stuck - acknowledged;
  if (stuck > 0) return { kind: 'stuck', stuck, acknowledged, isWhole: complete };
  return complete ? { kind: 'nothing-stuck' } : unknown;
}
