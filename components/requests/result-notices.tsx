'use client';
import { Alert, Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { FailureNotice } from '@/components/ui/failure-notice';
import { useSteadyWords } from '@/components/ui/time-style';
import { explainFailure, mayAskNow } from '@/lib/core/explain-failure';
import { fetchGatewayText } from '@/lib/core/gateway';
import { recogniseQuery } from '@/lib/core/log-query';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { clockOffSentence, isClockOff } from '@/lib/core/service-clock';
import { clipped, type UrlProblem } from '@/lib/core/text';
import { formatAge } from '@/lib/core/time';
import { readFound, readListing } from '@/lib/requests/answers';
import {
  clockAheadMs,
  datedAhead,
  type LoadedRequests,
  pageCount,
  type Trouble,
  viewKeyOf,
} from '@/lib/requests/load';
import { expectedDifference } from '@/lib/requests/share';
import { RANGE_FILTERS, type RequestsView, withFilter } from '@/lib/requests/view';
import { timeText } from '@/lib/requests/view-labels';
import { withoutFilters } from './filter-bar';
import { type IndexProps, useIndexStatus } from './index-status';
import { type ShowView, useTableClock } from './requests-context';

/** Why the last attempt failed, and what the rows are worth. */
export function TroubleNotice({
  trouble,
  page,
  isOutdated,
  onRetry,
}: {
  trouble: Trouble;
  page: LoadedRequests | undefined;
  isOutdated: boolean;
  onRetry: () => void;
}) {
  const nowMs = useTableClock();
  const { failure, retryAtMs } = trouble;
  const words = explainFailure(failure);
  const retryInS = retryAtMs === undefined ? undefined : Math.max(0, Math.ceil((retryAtMs - nowMs) / 1000));
  const moment = useSteadyWords();
  const kept =
    page === undefined
      ? 'There are no rows to show.'
      : `The rows shown are ${isOutdated ? 'those of the view before, ' : ''}of ${moment(page.atMs)}.`;
  return (
    <FailureNotice
      title={words.title}
      said={words.said}
      kept={kept}
      todo={words.todo}
      retryInS={retryInS}
      onRetry={mayAskNow(failure) ? onRetry : undefined}
    />
  );
}

const partOf = ({ param, value }: UrlProblem) => `${param}=${value}`;
/** More than a handful says nothing more; they are counted. */
const MOST_PROBLEMS = 5;

/** What of the link could not be read: said, as the rows below are then not what its sender saw. */
export function UrlProblems({ problems }: { problems: readonly UrlProblem[] }) {
  if (problems.length === 0) return null;
  // The same part may be given, and reported, several times.
  const distinct = [...new Map(problems.map((problem) => [partOf(problem), problem])).values()];
  const left = distinct.length - MOST_PROBLEMS;
  return (
    <Alert color="warn" p={4} px="md" radius={0}>
      <ul aria-label="Unreadable parts of this link">
        {distinct.slice(0, MOST_PROBLEMS).map((problem) => (
          <li key={partOf(problem)}>
            <code className="foreign">{clipped(partOf(problem), 80)}</code>
            {problem.used ? ' is used as it stands. ' : ' is ignored. '}
            {problem.message}
          </li>
        ))}
        {left > 0 ? <li>And {left} more.</li> : null}
      </ul>
    </Alert>
  );
}

const EFFECTS = {
  ahead: 'here every row looks younger by that much',
  behind: 'here every row looks older by that much, and none is newer',
};

/** How the clock of the service differs from ours: ahead by what it has logged, else by the dates of its answers. */
function clockNote(page: Pick<LoadedRequests, 'rows' | 'atMs' | 'view' | 'clocks'>): string | undefined {
  const aheadMs = clockAheadMs(page);
  if (isClockOff(aheadMs))
    return `The request log service’s clock is ${formatAge(aheadMs)} ahead of this dashboard’s, so the ages of new requests stay at 0 s for so long.`;
  return clockOffSentence(page.clocks, EFFECTS, page.view.keepers.length > 1);
}

function datedAheadNote(page: LoadedRequests): string | undefined {
  const { rows, byMs } = datedAhead(page);
  if (rows === 0) return undefined;
  return `${countOf(String(rows), 'request is', 'requests are')} dated up to ${formatAge(byMs)} ahead, which no clock explains. Ranges go by the time now, and may leave ${rows === 1 ? 'it' : 'them'} out.`;
}

/** What has to be known about the rows that are shown, each in a line of its own under them. */
export function ResultNotes({ view, page }: { view: RequestsView; page: LoadedRequests }) {
  const notes = [expectedDifference(view, page), clockNote(page), datedAheadNote(page)];
  return notes.map((note) =>
    note === undefined ? null : (
      <Text key={note} c="var(--ks-wait)">
        {note}
      </Text>
    ),
  );
}

/** A step out of an empty result. */
type Suggestion = { label: string; to: RequestsView };

/** Another keeper, and one step for each filter that may be what hides the rows. */
function suggestionsFor(view: RequestsView, keepers: readonly string[]): Suggestion[] {
  const suggestions: Suggestion[] = [];
  const take = (label: string, change: Partial<RequestsView>) =>
    suggestions.push({ label, to: withFilter(view, change) });
  if (view.q !== '') take('Without the search', { q: '' });
  if (view.states.length > 0) take('All states', { states: [] });
  if (view.networks.length > 0) take('All networks', { networks: [] });
  if (view.senders.length > 0) take('Any sender', { senders: [] });
  if (view.providers.length > 0) take('Any provider', { providers: [] });
  if (view.failures.length > 0) take('Any failure', { failures: [] });
  if (view.not.length > 0) take('Nothing left out', { not: [] });
  const ranges = RANGE_FILTERS.filter(({ filter }) => view[filter] !== undefined);
  if (ranges.length > 0) {
    const { duration: _a, gasLimit: _b, gasUsed: _c, block: _d, ...without } = view;
    suggestions.push({ label: 'Without bounds', to: withFilter(without, {}) });
  }
  const asked = view.keepers.length === 0 ? keepers.slice(0, 1) : view.keepers;
  if (keepers.some((keeper) => !asked.includes(keeper))) take('All keepers', { keepers: [...keepers] });
  if (view.time.kind !== 'all') take('All time', { time: { kind: 'all' } });
  // Where no single step helps.
  if (suggestions.length > 1) suggestions.push({ label: 'Clear all filters', to: withoutFilters(view) });
  return suggestions;
}

async function totalOf(view: RequestsView, signal: AbortSignal): Promise<string | null> {
  const key = viewKeyOf({ ...view, size: 25 });
  const text = await fetchGatewayText(`/api/view${key}`, signal);
  const listing = text.ok ? readListing(text.value) : text;
  return listing.ok ? (listing.value.total ?? null) : null;
}

type EmptyProps = { page: LoadedRequests; keepers: readonly string[]; show: ShowView; index: IndexProps };

/** No rows, and no failure: why that is so, and which filter to take off, with how many each step would show. */
export function EmptyResult({ page, keepers, show, index }: EmptyProps) {
  const { view, total } = page;
  const { keepers: statuses } = useIndexStatus(index);
  const moment = useSteadyWords();
  const last = pageCount(total, view.size);
  if (view.page > 1 && total !== undefined && total !== '0' && last !== undefined) {
    return (
      <Stack align="center" gap="sm" p="xl">
        <Title order={2}>This page is beyond the last one</Title>
        <p>There are {groupDigits(String(last))} pages.</p>
        <Button onClick={() => show((now) => ({ ...now, page: Number(last) }), 'push')}>
          Go to page {groupDigits(String(last))}
        </Button>
      </Stack>
    );
  }
  const failing = statuses.find(({ failure, coversAll }) => failure !== null && !coversAll);
  if (failing?.failure) {
    const { title, todo } = explainFailure({ ...failing.failure, service: 'logs' });
    return (
      <FailureNotice
        title={title}
        kept="No requests are indexed for this view yet. It is asked again by itself."
        todo={todo}
        retryInS={undefined}
        onRetry={undefined}
      />
    );
  }
  const isReading = statuses.some(({ coversAll }) => !coversAll);
  return (
    <Stack align="center" gap="sm" p="xl">
      <Title order={2}>{isReading ? 'No requests found so far' : 'No requests match'}</Title>
      <p>
        {isReading
          ? 'History is being read: older requests appear as they come.'
          : `Nothing ${timeText(view.time, view.asof, moment)} with these filters.`}
      </p>
      <Suggestions suggestions={suggestionsFor(view, keepers)} show={show} />
    </Stack>
  );
}

function Suggestions({ suggestions, show }: { suggestions: Suggestion[]; show: ShowView }) {
  const totals = useQueries({
    queries: suggestions.map(({ to }) => ({
      queryKey: ['requests-total', viewKeyOf(to)],
      queryFn: ({ signal }: { signal: AbortSignal }) => totalOf(to, signal),
      staleTime: 10_000,
    })),
  });
  return (
    <Group justify="center" gap="xs">
      {suggestions.map(({ label, to }, at) => {
        const total = totals[at]?.data;
        return (
          <Button
            key={label}
            variant={total !== undefined && total !== null && total !== '0' ? 'light' : 'default'}
            onClick={() => show(() => to, 'push')}
          >
            {label}
            {total == null ? '' : ` · ${countOf(total, 'request', 'requests')}`}
          </Button>
        );
      })}
    </Group>
  );
}

/** What is found of a search everywhere: all keepers, all time, any filter. Undefined while nothing is asked. */
export function useFound(q: string, isAsked: boolean) {
  const search = recogniseQuery(q);
  const canonical = 'canonical' in search ? search.canonical : undefined;
  const { data } = useQuery({
    queryKey: ['requests-find', canonical],
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({ q: canonical ?? '' });
      const text = await fetchGatewayText(`/api/view/requests/find?${query}`, signal);
      return { canonical, found: text.ok ? readFound(text.value) : text };
    },
    enabled: isAsked && canonical !== undefined,
    staleTime: 5_000,
  });
  return data?.found.ok === true && data.canonical === canonical ? data.found.value : undefined;
}

/** "No match in the last 24 h · 1 match in all time": where the search finds more than the view shows. */
export function FoundElsewhere({ page, show }: { page: LoadedRequests; show: ShowView }) {
  const { view, total } = page;
  const moment = useSteadyWords();
  const found = useFound(view.q, view.q !== '');
  if (found === undefined || found.total === undefined || BigInt(found.total) <= BigInt(total ?? '0'))
    return null;
  const everywhere: RequestsView = {
    ...withoutFilters(view),
    q: view.q,
    time: { kind: 'all' },
    keepers: found.rows.length === 0 ? [] : [...new Set(found.rows.map(({ keeper }) => keeper))],
  };
  const here = total === undefined || total === '0' ? 'No match' : countOf(total, 'match', 'matches');
  return (
    <Text c="var(--ks-wait)" role="status">
      {here} {view.time.kind === 'all' ? 'with these filters' : timeText(view.time, view.asof, moment)} ·{' '}
      <Anchor component="button" fz="inherit" onClick={() => show(() => everywhere, 'push')}>
        {countOf(found.total, 'match', 'matches')} in all time
      </Anchor>
      {found.complete ? '' : '. The index is not read to its beginning, so there may be more.'}
    </Text>
  );
}
