'use client';
import { useQueries, useQuery } from '@tanstack/react-query';
import { fetchReceivedText, type ReceivedText } from '@/lib/core/gateway';
import type { Failure } from '@/lib/core/outcome';
import type { RouterPayload } from '@/lib/core/router-price';
import { compareSources, failedCell, type LookupRow } from '@/lib/prices/comparison';
import {
  callKey,
  type LookupCall,
  type LookupCell,
  type LookupFeed,
  type LookupRequest,
  lookupCall,
  planCalls,
  sourceService,
  splitFeeds,
} from '@/lib/prices/lookup';
import { readAnswer } from '@/lib/prices/lookup-cells';
import type { LookupSource } from '@/lib/prices/view';

/** Our server waits up to 10 s for the call budget and 15 s for the service. */
const TIMEOUT_MS = 30_000;

/** `text` is unchanged from the service. */
export type AnsweredCall = {
  call: LookupCall;
  /** Duration up to the whole answer, including our server's wait for the call budget. */
  tookMs: number;
  /** Unix ms by our server's clock. */
  receivedMs: number;
  text?: string;
  failure?: Failure;
  payloads: readonly RouterPayload[];
};

type SourceAnswer = { cells: ReadonlyMap<string, LookupCell>; answered: readonly AnsweredCall[] };

/** The second at which other sources published a feed. */
type Published = (feed: LookupFeed) => LookupCall['requestedUs'];

/** Pause if the service names none. */
const DEFAULT_PAUSE_S = 5;
/** Longest pause after which a call is repeated automatically. */
const MAX_PAUSE_S = 90;
const MAX_RETRIES = 3;

/** The source is queried again after the pause. */
class RateLimited extends Error {
  readonly untilMs: number;
  readonly isOurs: boolean;
  constructor(readonly failure: Failure) {
    super(failure.detail);
    this.untilMs = Date.now() + (failure.retryAfterS ?? DEFAULT_PAUSE_S) * 1000;
    this.isOurs = failure.kind === 'too-many';
  }
}

/** Partial calls after a refusal. */
const MAX_PARTS = 24;

/** A refused call is repeated in parts, so that one bad feed does not fail the others. */
export async function fetchSource(
  request: LookupRequest,
  source: LookupSource,
  published: Published,
  fetchCall: (call: LookupCall) => Promise<ReceivedText>,
): Promise<SourceAnswer> {
  const { calls, cells } = planCalls(request, source, published);
  const answered: AnsweredCall[] = [];
  let parts = MAX_PARTS;
  for (let call = calls.shift(); call !== undefined; call = calls.shift()) {
    const startMs = Date.now();
    const { text, receivedMs } = await fetchCall(call);
    const tookMs = Date.now() - startMs;
    const read = text.ok ? readAnswer(call, text.value, receivedMs) : text;
    answered.push({
      call,
      tookMs,
      receivedMs,
      text: text.ok ? text.value : undefined,
      failure: read.ok ? undefined : read.failure,
      payloads: read.ok ? read.value.payloads : [],
    });
    if (read.ok) {
      for (const [key, cell] of read.value.cells) cells.set(key, cell);
      continue;
    }
    const { failure } = read;
    if (failure.kind === 'rate-limited' || failure.kind === 'too-many') throw new RateLimited(failure);
    const isAboutFeeds = failure.kind === 'missing' || failure.kind === 'rejected';
    if (isAboutFeeds && call.feeds.length > 1 && parts >= 2) {
      parts -= 2;
      const halves = splitFeeds(call, failure.detail);
      calls.unshift(...halves.map((feeds) => lookupCall(request, source, feeds, published)));
      continue;
    }
    // No further calls to a service that is down.
    const lost = isAboutFeeds ? [call] : [call, ...calls.splice(0)];
    for (const { key } of lost.flatMap(({ feeds }) => feeds)) cells.set(key, failedCell(failure));
  }
  return { cells, answered };
}

/** A query for one source, never refetched automatically. */
function sourceQuery(request: LookupRequest, source: LookupSource, published: Published, enabled = true) {
  return {
    queryKey: ['lookup', source, ...planCalls(request, source, published).calls.map(callKey)],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      fetchSource(request, source, published, ({ path, query, body }) =>
        fetchReceivedText(query === undefined ? path : `${path}?${query}`, signal, {
          body,
          timeoutMs: TIMEOUT_MS,
        }),
      ),
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    // Structural sharing needs JSON, but answers contain bigints.
    structuralSharing: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: (times: number, error: Error) =>
      times < MAX_RETRIES &&
      error instanceof RateLimited &&
      (error.failure.retryAfterS ?? DEFAULT_PAUSE_S) <= MAX_PAUSE_S,
    retryDelay: (_: number, error: Error) =>
      error instanceof RateLimited ? Math.max(0, error.untilMs - Date.now()) : 0,
  };
}

export function useLookup(request: LookupRequest) {
  const { feeds, at, options } = request;
  const { sources } = options;
  const unpublished = () => undefined;
  const main = sources.filter((source) => source !== 'deprecated');
  const results = useQueries({
    queries: main.map((source) => sourceQuery(request, source, unpublished)),
  });
  // The deprecated route needs a second.
  const published: Published = (feed) => {
    const cells = results.map(({ data }) => data?.cells.get(feed.key));
    return cells.flatMap((cell) => (cell?.kind === 'quote' ? (cell.quote.publishUs ?? []) : []))[0];
  };
  const isReady = at !== 'now' || results.every(({ isFetching }) => !isFetching);
  const deprecated = useQuery(
    sourceQuery(request, 'deprecated', published, isReady && sources.includes('deprecated')),
  );
  const answers = sources.map((source) => ({
    source,
    result: source === 'deprecated' ? deprecated : results[main.indexOf(source)],
  }));
  const rows = feeds.map((feed): LookupRow => {
    const cells = answers.map(({ source, result }) => ({ source, cell: cellOf(feed, source, result) }));
    return { feed, at, cells, compared: compareSources(cells) };
  });
  return {
    rows,
    published,
    answered: answers.flatMap(({ result }) => result?.data?.answered ?? []),
    isLoading: answers.some(({ result }) => result?.isFetching || result?.isPending),
    /** End of the limit, unix ms. `isOurLimit`: of the dashboard, not of the source. */
    pauses: answers.flatMap(({ source, result }) =>
      result?.isFetching && result.failureReason instanceof RateLimited
        ? [{ source, untilMs: result.failureReason.untilMs, isOurLimit: result.failureReason.isOurs }]
        : [],
    ),
    again: () => {
      for (const { result } of answers) void result?.refetch();
    },
  };
}

type Result = { readonly data?: SourceAnswer; readonly error: Error | null } | undefined;

function cellOf(feed: LookupFeed, source: LookupSource, result: Result): LookupCell {
  const cell = result?.data?.cells.get(feed.key);
  if (cell !== undefined) return cell;
  if (!result?.error) return { kind: 'waiting' };
  const { error } = result;
  if (error instanceof RateLimited) return failedCell(error.failure);
  return failedCell({ kind: 'malformed', service: sourceService(source), detail: error.message });
}
