'use client';
import { useMounted } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTicking } from '@/components/ui/clock';
import { explainFailure } from '@/lib/core/explain-failure';
import { getAnswer, pollEvery } from '@/lib/core/gateway';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { DEFAULT_PENDING_SETTINGS, type PendingSettings } from '@/lib/core/pending-settings';
import { clipped } from '@/lib/core/text';
import { formatIsoMillis } from '@/lib/core/time';
import type { KeeperStatus, PendingCounts, RevisionNews } from '@/lib/requests/keeper-status';
import { useRevision } from '@/lib/requests/revision-stream';
import { type Followed, followedQuery, useFollowed } from '@/lib/requests/use-followed';
import { defaultRequestsView, formatRequestsUrl } from '@/lib/requests/view';
import { CHAIN_CAUSE_PATH, readChainEvidence } from './chain-cause';
import {
  type DiagnosisAnswer,
  type DiagnosisLocator,
  diagnosisAddress,
  type GroupAnswer,
  groupAddress,
  type Incident,
  type IncidentAnswer,
  incidentAddress,
  readDiagnosis,
  readGroup,
  readIncident,
  readTriage,
  type TriageAnswer,
  triageAddress,
} from './pending-response';

/** State of pending requests, seeded with the server's answer. @param maxIncidents limit of incidents; groups are left out */
export function useTriage(first: TriageAnswer | undefined, maxIncidents?: number): TriageView {
  const query = useQuery({
    ...followedQuery(triageAddress(maxIncidents), readTriage),
    initialData: first,
    initialDataUpdatedAt: () => (first === undefined ? 0 : Date.now()),
    refetchInterval: pollEvery(60_000),
  });
  return useFollowed(query, { minMs: 2000 });
}

export function useIncident(id: string): Followed<IncidentAnswer> {
  const query = useQuery({
    ...followedQuery(incidentAddress(id), readIncident),
    placeholderData: keepPreviousData,
  });
  return useFollowed(query, { minMs: 5000 });
}

/** Page of a group's requests; while it loads only the group is known. */
export function useGroup(id: string, from: number): Followed<GroupAnswer> {
  const query = useQuery({
    ...followedQuery(groupAddress(id, from), readGroup),
    placeholderData: keepPreviousData,
  });
  return useFollowed(query, { minMs: 5000 });
}

export function useDiagnosis(locator: DiagnosisLocator): Followed<DiagnosisAnswer> {
  return useFollowed(useQuery(followedQuery(diagnosisAddress(locator), readDiagnosis)), {
    minMs: 5000,
    isPaused: isOver,
  });
}

/** Whether the request has finished. */
export function isOver({ request }: Pick<DiagnosisAnswer, 'request'>): boolean {
  return request?.kind === 'record' && ['completed', 'failed'].includes(request.state.kind);
}

/** Last answer about pending requests; `trouble` if the last poll failed. */
export type TriageView = Pick<Followed<TriageAnswer>, 'answer' | 'trouble'>;

/** Status line of the page. `unknown` is never shown as calm. */
export type ShownStatus = {
  kind: 'syncing' | 'stuck' | 'calm' | 'unknown';
  title: string;
  /** Sentences: the basis of the status, or why it is unknown. */
  detail: string;
  /** As in the answer, unix ms by the services' clock. */
  checkedAtMs: number | undefined;
  syncedAtMs: number | undefined;
};

/** @param counts figure of the badge, which may be newer than the answer */
export function shownStatus({ answer, trouble }: TriageView, counts: StuckCount): ShownStatus {
  const { checkedAtMs, syncedAtMs } = answer ?? {};
  const moments = { checkedAtMs, syncedAtMs };
  const explained = trouble && explainFailure(trouble);
  if (answer !== undefined && counts.kind === 'stuck') {
    const { stuck, isWhole } = counts;
    const { incidents, singles } = { singles: 0, incidents: 0, ...answer.status };
    const parts = [incidents > 0 && countOf(incidents, 'incident'), singles > 0 && singleText(singles)];
    const text = parts.filter(Boolean).join(' and ');
    const later = explained === undefined ? '' : ` ${explained.title}: outdated.`;
    const detail = `${text === '' ? '' : `${text}.`}${besidesText(answer, counts)}${later}`;
    const count = `${countOf(stuck, 'request')} ${stuck === 1 ? 'is' : 'are'} stuck`;
    const title = isWhole && explained === undefined ? count : `At least ${count}`;
    return { kind: 'stuck', title, detail: detail.trim(), ...moments };
  }
  if (explained !== undefined) {
    return { kind: 'unknown', title: UNKNOWN, detail: `${explained.title}. ${explained.todo}`, ...moments };
  }
  if (answer === undefined || answer.state === 'syncing') {
    return { kind: 'syncing', title: 'Syncing pending requests', detail: '', ...moments };
  }
  const { status } = answer;
  if (status.kind === 'not-known' || counts.kind !== 'nothing-stuck') {
    const why =
      status.kind === 'not-known' ? status.why.trim().replace(/\.$/, '') : 'Not all keepers are synced';
    const detail = `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
    return { kind: 'unknown', title: UNKNOWN, detail, ...moments };
  }
  const { acknowledged, parked } = counts;
  const late = answer.counts.slow === 0 ? '' : 'Slow ones are still being retried.';
  const detail = `${late}${besidesText(answer, counts)}`.trim();
  const title = acknowledged + parked === 0 ? 'Nothing is stuck' : 'Nothing new is stuck';
  return { kind: 'calm', title, detail, ...moments };
}

const UNKNOWN = 'Stuck: unknown';

export const singleText = (count: number) => countOf(count, 'single request');

/** Text about acknowledged and parked requests, and silent networks without stuck requests. */
function besidesText(
  { counts, status }: TriageAnswer,
  { acknowledged, parked }: { acknowledged: number; parked: number },
): string {
  const quiet = counts.incidents - (status.kind === 'stuck' ? status.incidents : 0);
  return [
    quiet > 0 && ` ${countOf(quiet, 'network')} quiet.`,
    acknowledged > 0 && ` ${groupDigits(acknowledged)} acknowledged.`,
    parked > 0 && ` ${groupDigits(parked)} parked: older than a day.`,
  ]
    .filter(Boolean)
    .join('');
}

/** Whether everything is known at present; otherwise counts are lower bounds and shown as such. */
export function isWhole({ answer, trouble }: TriageView): boolean {
  if (answer === undefined || trouble !== undefined || answer.state !== 'complete') return false;
  const { missing, unreadable, unknownState } = answer.counts;
  return missing + unreadable + unknownState === 0;
}

/** Thresholds of a network. */
export function settingsFor(
  { others, networks }: TriageAnswer['settings'],
  networkId: string,
): PendingSettings {
  return new Map(Object.entries(networks)).get(networkId) ?? others;
}

/** Seconds after which a pending request is stuck on every network; the default until the server's answer. */
export function stuckAfterS({ answer }: TriageView): number {
  if (answer === undefined) return DEFAULT_PENDING_SETTINGS.stuckAfterS;
  const { others, networks } = answer.settings;
  return Math.max(...[others, ...Object.values(networks)].map((network) => network.stuckAfterS));
}

/** Link to the pending requests of an incident in the log table, as precise as its filters allow. */
export function incidentRowsPath({ keeper, networkId, subject }: Incident) {
  const sender = subject.kind === 'sender' ? subject.sender : '';
  return formatRequestsUrl({
    ...defaultRequestsView(),
    networks: [networkId],
    keepers: [keeper],
    states: ['pending'],
    time: { kind: 'all' },
    q: subject.kind === 'transaction' ? subject.transaction : sender,
  });
}

/** Link to the pending requests too old to be examined in the log table. @param toMs unix ms */
export function unexaminedPath(toMs: number) {
  return formatRequestsUrl({
    ...defaultRequestsView(),
    states: ['pending'],
    time: { kind: 'between', to: formatIsoMillis(toMs) },
  });
}

/** Label of an incident's subject; undefined if it is the whole network. Untrusted texts are clipped. */
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

/** State of the index as the server rendered it: coverage and pending requests. */
export type RenderedIndex = Pick<RevisionNews, 'index' | 'pending'>;

/**
 * Stuck requests, as shown in badge, title and heading: those of incidents and single ones, without acknowledged and
 * parked ones. `isWhole`: false if there may be more. `unasked`: no request log service is
 * configured.
 */
type StuckCount =
  | ({ kind: 'stuck'; isWhole: boolean } & Pick<PendingCounts, 'stuck' | 'worst' | 'acknowledged' | 'parked'>)
  | { kind: 'nothing-stuck'; acknowledged: number; parked: number }
  | { kind: 'not-known' | 'syncing' | 'unasked' };

/**
 * Time without news from which nothing is known: the stream is dead, or never opened since the page was loaded. Longer than
 * the interval at which `/pending` polls.
 */
const MAX_SILENT_MS = 90_000;

/** Newest count in this tab, from the news of the index or the page of pending requests. */
export function useStuckCount(first: RenderedIndex): StuckCount {
  const news = useRevision();
  const { index, pending } = news ?? first;
  const { data: answer, dataUpdatedAt } = useQuery({
    ...followedQuery(triageAddress(), readTriage),
    enabled: false,
  });
  const isCutOff = useTicking((clockMs) => {
    const receivedAtMs = Math.max(news?.receivedAtMs ?? performance.timeOrigin, dataUpdatedAt);
    return Number(clockMs - receivedAtMs > MAX_SILENT_MS);
  });
  // The first render in the browser must match the server's, which renders the navigation before the page has its answer.
  const isHydrated = useMounted();
  const counts = newestCounts(pending, isHydrated && answer ? countsOf(answer) : undefined);
  return stuckCountOf(index, counts, isHydrated && isCutOff === 1 ? 'cut-off' : 'connected');
}

function countsOf(answer: TriageAnswer): PendingCounts {
  const { stuck, worst, acknowledged, parked, pending } = answer.counts;
  const complete = isWhole({ answer, trouble: undefined });
  return { atMs: answer.atMs, pending, stuck, worst, acknowledged, parked, complete };
}

function newestCounts(...counts: (PendingCounts | null | undefined)[]): PendingCounts | undefined {
  return counts.flatMap((count) => count ?? []).toSorted((a, b) => b.atMs - a.atMs)[0];
}

/** @param link `cut-off`: the counts are old. Stuck requests stay on screen then, but calm is not known. */
export function stuckCountOf(
  index: readonly KeeperStatus[],
  counts: PendingCounts | undefined,
  link: 'connected' | 'cut-off',
): StuckCount {
  if (index.length === 0) return { kind: 'unasked' };
  const isSyncing = ({ syncedAtMs, pendingAtMs }: KeeperStatus) =>
    syncedAtMs === null || pendingAtMs === null;
  const hasFailed = index.some(({ failure }) => failure !== null);
  const unknown = { kind: index.some(isSyncing) && !hasFailed ? 'syncing' : 'not-known' } as const;
  if (counts === undefined) return unknown;
  const { stuck, worst, acknowledged, parked, complete } = counts;
  if (stuck > 0) return { kind: 'stuck', stuck, worst, acknowledged, parked, isWhole: complete };
  if (link === 'cut-off') return { kind: 'not-known' };
  return complete ? { kind: 'nothing-stuck', acknowledged, parked } : unknown;
}

/** Route of the on-chain facts about an incident (by id) or a request. */
export function chainEvidenceAddress(target: { id: string } | DiagnosisLocator): string {
  if ('id' in target) return `${CHAIN_CAUSE_PATH}?${new URLSearchParams({ id: target.id })}`;
  const { networkId: network, sequence, keeper, provider, tx } = target;
  const query = new URLSearchParams({ network, sequence });
  for (const [name, value] of Object.entries({ keeper, provider, tx })) if (value) query.set(name, value);
  return `${CHAIN_CAUSE_PATH}?${query}`;
}

/** Interval of polling on-chain facts. */
const CHAIN_POLL_MS = 60_000;

/**
 * On-chain facts, loaded independently of the diagnosis. The list and the report at `reportAddress` name
 * the same cause: both are refetched once it is known.
 */
export function useChainEvidence(address: string, reportAddress: string) {
  const client = useQueryClient();
  const { data: chain, dataUpdatedAt: receivedAtMs } = useQuery({
    queryKey: [address],
    queryFn: async ({ signal }) => {
      const evidence = await getAnswer(address, readChainEvidence, signal);
      for (const path of [reportAddress, triageAddress()])
        void client.invalidateQueries({ queryKey: [path], exact: true });
      return evidence;
    },
    refetchInterval: pollEvery(CHAIN_POLL_MS),
  });
  return { chain, receivedAtMs };
}
