'use client';
import { Button, Group, Stack, Title } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { FailureNotice } from '@/components/ui/failure-notice';
import { useSteadyWords } from '@/components/ui/time-style';
import { explainFailure } from '@/lib/core/explain-failure';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { followedQuery } from '@/lib/requests/client/use-followed';
import { beforeCoverage, isReadingHistory, keepersBehind, lastReadMs } from '@/lib/requests/coverage';
import { asNewList, withoutFilters } from '@/lib/requests/filters';
import { pageCount, viewKeyOf } from '@/lib/requests/load';
import { readListing } from '@/lib/requests/requests-response';
import { omit, RANGE_FILTERS, type RequestsView } from '@/lib/requests/view';
import { nothingText, timeText } from '@/lib/requests/view-labels';
import { type IndexProps, useIndexStatus } from './index-status';
import { useRequests } from './requests-context';
import { searchedEverywhere, useAllTimeMatches } from './result-notices';

type EmptyResultProps = {
  view: RequestsView;
  total: string;
  /** ISO time up to which rows were counted. */
  countedUntil: string;
  isCounting: boolean;
  index: IndexProps;
};

/** The reason, and filters to remove, each with the number of rows that this would show. */
export function EmptyResult({ view, total, countedUntil, isCounting, index }: EmptyResultProps) {
  const { show } = useRequests();
  const { statuses, nowMs } = useIndexStatus(index);
  const moment = useSteadyWords();
  const allTimeMatches = useAllTimeMatches(view.q, view.q !== '');
  const last = pageCount(total, view.size);
  if (view.page > 1 && total !== '0') {
    return (
      <Stack align="center" gap="sm" p="xl">
        <Title order={2}>Page out of range</Title>
        <Button onClick={() => show((now) => ({ ...now, page: Number(last) }), 'push')}>
          Go to page {groupDigits(String(last))}
        </Button>
      </Stack>
    );
  }
  const failing = statuses.find(({ failure, coversAll }) => failure !== null && !coversAll);
  if (failing?.failure) {
    const { title, nextStep } = explainFailure({ ...failing.failure, service: 'logs' });
    const shown = 'No requests are indexed for this view yet.';
    return <FailureNotice title={title} nextStep={nextStep} shown={shown} />;
  }
  if (isCounting) {
    return (
      <Stack align="center" gap="sm" p="xl">
        <Title order={2}>Reading the first requests</Title>
      </Stack>
    );
  }
  if (allTimeMatches !== undefined && allTimeMatches.total !== '0' && total === '0') {
    return <MatchesOutside view={view} total={allTimeMatches.total} />;
  }
  // A count above zero means that rows are about to load.
  const isLoading = total !== '0' || beforeCoverage(statuses, view, nowMs).some(isReadingHistory);
  const behind = keepersBehind(statuses, view, nowMs).map(({ keeper }) => keeper);
  const words = { moment, lastReadMs: lastReadMs(statuses, view, nowMs) };
  return (
    <Stack align="center" gap="sm" p="xl">
      <Title order={2}>
        {isLoading || behind.length > 0 ? 'No requests found so far' : 'No requests match'}
      </Title>
      <p>
        {isLoading
          ? 'Syncing history: older requests appear as they arrive.'
          : nothingText(view, words, countedUntil, behind)}
      </p>
      <Suggestions suggestions={suggestionsFor(view)} />
    </Stack>
  );
}

function Suggestions({ suggestions }: { suggestions: ReturnType<typeof suggestionsFor> }) {
  const { show } = useRequests();
  const totals = useQueries({
    queries: suggestions.map(({ to }) =>
      followedQuery(`/api/view${viewKeyOf({ ...to, size: 25 })}`, readListing),
    ),
  });
  return (
    <Group justify="center" gap="xs">
      {suggestions.map(({ label, to }, at) => {
        const total = totals[at]?.data?.total ?? undefined;
        return (
          <Button
            key={label}
            variant={total !== undefined && total !== '0' ? 'light' : 'default'}
            onClick={() => show(() => to, 'push')}
          >
            {label}
            {total === undefined ? '' : ` · ${countOf(total, 'request', 'requests')}`}
          </Button>
        );
      })}
    </Group>
  );
}

function suggestionsFor(view: RequestsView) {
  const ranges = RANGE_FILTERS.map(({ member }) => member);
  const steps: [isSet: boolean, label: string, to: RequestsView][] = [
    [view.q !== '', 'Clear search', { ...view, q: '' }],
    [view.states.length > 0, 'All states', { ...view, states: [] }],
    [view.networks.length > 0, 'All networks', { ...view, networks: [] }],
    [view.senders.length > 0, 'Any sender', { ...view, senders: [] }],
    [view.providers.length > 0, 'Any provider', { ...view, providers: [] }],
    [view.failures.length > 0, 'Any failure', { ...view, failures: [] }],
    [view.not.length > 0, 'Clear exclusions', { ...view, not: [] }],
    [ranges.some((filter) => view[filter] !== undefined), 'Clear ranges', omit(view, ...ranges)],
    [view.keepers.length > 0, 'All keepers', { ...view, keepers: [] }],
    [view.time.kind !== 'all', 'All time', { ...view, time: { kind: 'all' } }],
  ];
  const set = steps.flatMap(([isSet, label, to]) => (isSet ? { label, to: asNewList(to) } : []));
  // No single filter may explain the empty result.
  return set.length > 1 ? [...set, { label: 'Clear all filters', to: withoutFilters(view) }] : set;
}

function MatchesOutside({ view, total }: { view: RequestsView; total: string }) {
  const { show } = useRequests();
  const moment = useSteadyWords();
  const placeText =
    view.time.kind === 'all' ? 'these filters' : timeText(view.time, view.asof, moment).replace(/^in /, '');
  return (
    <Stack align="center" gap="sm" p="xl">
      <Title order={2}>
        {countOf(total, 'match', 'matches')} outside {placeText}
      </Title>
      <Button variant="light" onClick={() => show(searchedEverywhere, 'push')}>
        Show in all time
      </Button>
    </Stack>
  );
}
