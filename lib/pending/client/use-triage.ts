'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { pollEvery } from '@/lib/core/gateway';
import { DEFAULT_PENDING_SETTINGS, type PendingSettings } from '@/lib/core/pending-settings';
import { isFinished } from '@/lib/core/request-record';
import {
  type DiagnosisAnswer,
  type DiagnosisLocator,
  diagnosisAddress,
  type GroupAnswer,
  groupAddress,
  type IncidentAnswer,
  incidentAddress,
  readDiagnosis,
  readGroup,
  readIncident,
  readTriage,
  type TriageAnswer,
  triageAddress,
} from '@/lib/pending/pending-response';
import { type Followed, followedQuery, useFollowed } from '@/lib/requests/client/use-followed';

/** @param maxIncidents leaves out groups and the activity of networks */
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

/** The group and its requests; while a page loads, only the group is known. */
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
    isPaused: isRequestFinished,
  });
}

export function isRequestFinished({ request }: Pick<DiagnosisAnswer, 'request'>): boolean {
  return request?.kind === 'record' && isFinished(request);
}

/** `trouble` if the last poll failed. */
export type TriageView = Pick<Followed<TriageAnswer>, 'answer' | 'trouble'>;

/** If false, counts are lower bounds. */
export function isWhole({ answer, trouble }: TriageView): boolean {
  if (answer === undefined || trouble !== undefined || answer.state !== 'complete') return false;
  const { missing, unreadable, unknownState } = answer.counts;
  return missing + unreadable + unknownState === 0;
}

export function settingsFor(
  { others, networks }: TriageAnswer['settings'],
  networkId: string,
): PendingSettings {
  return new Map(Object.entries(networks)).get(networkId) ?? others;
}

/** Age in seconds from which a request is stuck on every network. */
export function stuckAgeS({ answer }: TriageView): number {
  if (answer === undefined) return DEFAULT_PENDING_SETTINGS.retryBudgetS;
  const { others, networks } = answer.settings;
  return Math.max(...[others, ...Object.values(networks)].map((network) => network.retryBudgetS));
}
