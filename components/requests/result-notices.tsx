'use client';
import { Anchor, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNow } from '@/components/ui/clock';
import { FailureNotice } from '@/components/ui/failure-notice';
import { useSteadyWords } from '@/components/ui/time-style';
import { canRetryNow, explainFailure } from '@/lib/core/explain-failure';
import { clockSkewSentence } from '@/lib/core/health';
import { recogniseQuery } from '@/lib/core/log-query';
import { countOf } from '@/lib/core/numbers';
import { formatAge } from '@/lib/core/time';
import { findAddress } from '@/lib/requests/client/find-request';
import { followedQuery } from '@/lib/requests/client/use-followed';
import { withoutFilters } from '@/lib/requests/filters';
import { datedAhead, type LoadedRequests } from '@/lib/requests/load';
import { readSearchResult } from '@/lib/requests/requests-response';
import { expectedDifference, lateNote } from '@/lib/requests/share';
import type { RequestsView } from '@/lib/requests/view';
import { timeText } from '@/lib/requests/view-labels';
import { useRequests } from './requests-context';
import type { Results } from './use-results';

export function TroubleNotice({ page, trouble, isOutdated, refresh }: Results) {
  const nowMs = useNow();
  const moment = useSteadyWords();
  if (trouble === undefined) return null;
  const { failure, retryAtMs } = trouble;
  const { title, quote, nextStep } = explainFailure(failure);
  const shown =
    page === undefined
      ? 'No rows to show.'
      : `${isOutdated ? 'Rows of the previous view' : 'Rows outdated'}: updated ${moment(page.atMs)}.`;
  return (
    <FailureNotice
      {...{ title, nextStep, shown, ...(quote === undefined ? {} : { quote }) }}
      retryInS={retryAtMs === undefined ? undefined : Math.max(0, Math.ceil((retryAtMs - nowMs) / 1000))}
      onRetry={canRetryNow(failure) ? refresh : undefined}
    />
  );
}

const CLOCK_EFFECTS = {
  ahead: 'rows look younger than they are',
  behind: 'rows look older than they are',
};

export function ResultNotes({ page }: { page: LoadedRequests }) {
  const { rows, byMs } = datedAhead(page);
  const ahead = `${countOf(rows, 'request is', 'requests are')} dated up to ${formatAge(byMs)} in the future.`;
  const notes = [
    expectedDifference(useRequests().view, page),
    lateNote(page),
    clockSkewSentence(page.clocks, CLOCK_EFFECTS, page.view.keepers.length > 1),
    rows > 0 && `${ahead} Time ranges may leave ${rows === 1 ? 'it' : 'them'} out.`,
  ];
  return notes.map(
    (note) =>
      note && (
        <Text key={note} c="var(--ks-wait)">
          {note}
        </Text>
      ),
  );
}

/** The search over all time and without other filters. An open request stays open. */
export function searchedEverywhere(view: RequestsView): RequestsView {
  const open = view.open === undefined ? {} : { open: view.open };
  return { ...withoutFilters(view), ...open, q: view.q, time: { kind: 'all' } };
}

function matchesQuery(q: string) {
  const search = recogniseQuery(q);
  const canonical = 'canonical' in search ? search.canonical : undefined;
  return {
    ...followedQuery(findAddress(canonical ?? ''), readSearchResult),
    enabled: canonical !== undefined,
  };
}

/** Matches of a search in all keepers; if not requested, only those in the cache. */
export function useAllTimeMatches(q: string, isRequested: boolean) {
  const query = matchesQuery(q);
  return useQuery({ ...query, enabled: query.enabled && isRequested }).data;
}

/** Requests the matches of a search before it is rendered. */
export function usePrefetchedMatches(): (q: string) => void {
  const client = useQueryClient();
  return (q) => {
    const { enabled, ...query } = matchesQuery(q);
    if (enabled) void client.prefetchQuery(query);
  };
}

/** "No match in the last 24 h · 1 match in all time", if the search has more matches than the view shows. */
export function MatchesElsewhere({ page: { view, total } }: { page: LoadedRequests }) {
  const { show } = useRequests();
  const moment = useSteadyWords();
  const allTimeMatches = useAllTimeMatches(view.q, view.q !== '');
  if (allTimeMatches === undefined || BigInt(allTimeMatches.total) <= BigInt(total)) return null;
  const matchText = total === '0' ? 'No match' : countOf(total, 'match', 'matches');
  return (
    <Text c="var(--ks-wait)" role="status" px="sm">
      {matchText} {view.time.kind === 'all' ? 'with these filters' : timeText(view.time, view.asof, moment)} ·{' '}
      <Anchor component="button" fz="inherit" onClick={() => show(searchedEverywhere, 'push')}>
        {countOf(allTimeMatches.total, 'match', 'matches')} in all time
      </Anchor>
      {allTimeMatches.complete ? '' : '. The index does not hold the whole log: there may be more.'}
    </Text>
  );
}
