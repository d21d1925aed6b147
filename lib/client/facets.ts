'use client';
import { useQuery } from '@tanstack/react-query';
import { type FacetLine, type FacetOf, readFacetLine } from '@/lib/contract/codec/facets';
import type { Failure } from '@/lib/domain/outcome';
import { defaultRequestsView, formatRequestsUrl, type RequestsView } from '@/lib/requests/view';
import { nextAttemptMs } from './explain-failure';
import { fetchLines } from './line-stream';

/** Rows of one value, exact, decimal digits; or why it can't be asked for. */
export type FacetCount = { total: string } | { problem: Failure };

/** The counts of a filter's values as far as they are known. */
export type Facet = {
  counts: ReadonlyMap<string, FacetCount>;
  /** Whether all values have been counted. */
  complete: boolean;
  /** Why counting ended before that. */
  failure?: Failure;
};

const NOTHING: Facet = { counts: new Map(), complete: false };
/** Counts that are older are asked for again when they are looked at. */
const FRESH_MS = 10_000;

/** The answer with the lines that came; lines that are not ours are left out. */
export function withFacetLines(facet: Facet, lines: readonly string[]): Facet {
  const read = lines.map(readFacetLine).filter((line) => line !== undefined);
  return read.reduce(withLine, { ...facet, counts: new Map(facet.counts) });
}

function withLine(facet: Facet, line: FacetLine): Facet {
  const counts = new Map(facet.counts);
  switch (line.kind) {
    case 'count':
      return { ...facet, counts: counts.set(line.value, { total: line.total }) };
    case 'refused':
      return { ...facet, counts: counts.set(line.value, { problem: line.failure }) };
    case 'complete':
      return { ...facet, complete: true };
    case 'problem':
      return { ...facet, failure: line.failure };
  }
}

/** The filters of a view, without what is shown of its rows. */
export function filtersOnly(view: RequestsView): RequestsView {
  const { open: _open, live: _live, columns: _columns, zone: _zone, expected: _expected, ...asked } = view;
  const { page, size, sort } = defaultRequestsView();
  return { ...asked, page, size, sort };
}

/** The path that counts a facet. */
export function facetPath(view: RequestsView, of: FacetOf): string {
  const { search } = new URL(formatRequestsUrl(filtersOnly(view)), 'http://page');
  return `/api/view/requests/facets${search === '' ? '?' : `${search}&`}of=${of}`;
}

/** The view without the choice that the facet is about: values are counted alike whichever of them are chosen. */
function otherFilters(view: RequestsView, of: FacetOf): string {
  const without = { network: { networks: [] }, state: { states: [] }, keeper: { keepers: [] } }[of];
  return formatRequestsUrl({ ...filtersOnly(view), ...without });
}

type Load = {
  signal: AbortSignal;
  /** What was known before of the very same question. */
  before: Facet | undefined;
  onFacet: (facet: Facet) => void;
  fetch?: typeof globalThis.fetch;
};

/**
 * Asks for a facet. Counts that were known before stay until the new ones come, and for good where asking fails.
 * Rejects only when the signal is aborted.
 */
export async function loadFacet(path: string, { signal, before, onFacet, fetch }: Load): Promise<Facet> {
  let facet = NOTHING;
  const shown = (): Facet =>
    before === undefined ? facet : { ...facet, counts: new Map([...before.counts, ...facet.counts]) };
  const onLines = (lines: string[]) => {
    facet = withFacetLines(facet, lines);
    onFacet(shown());
  };
  const ended = await fetchLines(path, { signal, onLines, fetch });
  if (facet.complete) return facet;
  const failure = facet.failure ?? (ended.ok ? CUT_OFF : ended.failure);
  return { ...shown(), failure };
}

const CUT_OFF: Failure = { kind: 'unreachable', detail: 'The answer was cut off.' };

type FacetKey = readonly ['facet', FacetOf, others: string, path: string];

/**
 * How many rows each value of a filter would show with the other filters of the view, value by value as it is known.
 * Asked for while it is open, and given up when nobody looks any more. A view that names `asof` has the counts of that
 * moment, which are those of the table beside it.
 */
export function useFacet(view: RequestsView, of: FacetOf, enabled: 'open' | undefined): Facet {
  const path = facetPath(view, of);
  const key: FacetKey = ['facet', of, otherFilters(view, of), path];
  const { data } = useQuery({
    queryKey: key,
    queryFn: ({ client, signal }) => {
      const onFacet = (facet: Facet) => void client.setQueryData(key, facet);
      return loadFacet(path, { signal, before: client.getQueryData<Facet>(key), onFacet });
    },
    enabled: enabled !== undefined,
    staleTime: FRESH_MS,
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) => againAfterMs(state.data?.failure),
    placeholderData: (before, query) => (query?.queryKey[2] === key[2] ? before : undefined),
  });
  return data ?? NOTHING;
}

/** A second attempt is far enough away to be no burden, and near enough to be waited for. */
const ATTEMPT = 2;

function againAfterMs(failure: Failure | undefined): number | false {
  return (failure === undefined ? undefined : nextAttemptMs(failure, ATTEMPT, Math.random())) ?? false;
}
