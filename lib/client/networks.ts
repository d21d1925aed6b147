'use client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Network } from '@/lib/domain/network';
import type { LogRow } from '@/lib/domain/request-record';
import { fetchGatewayText } from './gateway';

/** Our server's limit for one question. */
const MOST_IDS = 1000;
/** A name that could not be had is asked for again after this; meanwhile the id stands there. */
const FRESH_MS = 600_000;

const NONE: Network[] = [];

async function fetchNetworks(ids: readonly string[], signal: AbortSignal): Promise<Network[]> {
  const text = await fetchGatewayText(`/api/view/networks?ids=${ids.join(',')}`, signal);
  // Names are a convenience: without them the ids are shown, and nothing is reported as broken.
  return text.ok ? (JSON.parse(text.value) as Network[]) : NONE;
}

/** The offered networks, and those of the rows that are not among them, as soon as their names are known. */
export function useNetworksOf(offered: readonly Network[], rows: readonly LogRow[]): readonly Network[] {
  const missing = useMemo(() => {
    const known = new Set(offered.map((network) => network.networkId));
    const ids = rows.flatMap((row) =>
      row.kind === 'record' && !known.has(row.networkId) ? row.networkId : [],
    );
    return [...new Set(ids)].sort().slice(0, MOST_IDS);
  }, [offered, rows]);
  const found = useQuery({
    queryKey: ['networks', missing.join(',')],
    queryFn: ({ signal }) => fetchNetworks(missing, signal),
    enabled: missing.length > 0,
    staleTime: FRESH_MS,
  });
  const more = found.data ?? NONE;
  return useMemo(() => (more.length === 0 ? offered : [...offered, ...more]), [offered, more]);
}
