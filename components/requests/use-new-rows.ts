'use client';
import { useQuery } from '@tanstack/react-query';
import { fetchGatewayText } from '@/lib/client/gateway';
import { type LoadedRequests, listingPath, viewKeyOf } from '@/lib/client/requests';
import { parseIsoTime } from '@/lib/domain/units';
import { integerText, parseWireJson } from '@/lib/domain/wire-json';

/** Newer rows are counted this often, milliseconds: often enough to notice, seldom enough to cost nothing. */
const EVERY_MS = 10_000;

function readTotal(text: string): string | undefined {
  const body = parseWireJson(text) as { total?: unknown };
  return integerText(body.total);
}

/** Rows after the end of an absolute range can't come any more. */
function mayGrow({ view, asof }: LoadedRequests): boolean {
  if (view.time.kind !== 'between' || view.time.to === undefined) return true;
  return (parseIsoTime(view.time.to) ?? 0) > (parseIsoTime(asof) ?? 0);
}

/**
 * How many matches were made since the result was pinned, decimal digits; undefined while it isn't known. A count that
 * fails says nothing: the rows on screen are still what they are.
 */
export function useNewRows(page: LoadedRequests | undefined): string | undefined {
  const listKey = page === undefined ? '' : viewKeyOf({ ...page.view, page: 1 });
  const { data } = useQuery({
    queryKey: ['requests-new', listKey, page?.asof],
    queryFn: async ({ signal }) => {
      const text = await fetchGatewayText(listingPath('/new', listKey, { since: page?.asof }), signal);
      return text.ok ? (readTotal(text.value) ?? null) : null;
    },
    enabled: page !== undefined && page.view.live === undefined && mayGrow(page),
    refetchInterval: EVERY_MS,
    staleTime: EVERY_MS,
  });
  return data ?? undefined;
}
