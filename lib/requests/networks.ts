'use client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { fetchGatewayText } from '@/lib/core/gateway';
import type { Network } from '@/lib/core/network';
import type { LogRow } from '@/lib/core/request-record';

/** Our server's limit for one question. */
const MAX_IDS = 1000;
/** A name that could not be had is asked for again after this; meanwhile the id stands there. */
const FRESH_MS = 600_000;

const NONE: Network[] = [];

async function fetchNetworks(ids: string, signal: AbortSignal): Promise<Network[]> {
  const text = await fetchGatewayText(`/api/view/networks?ids=${ids}`, signal);
  // Names are a convenience: without them the ids are shown, and nothing is reported as broken.
  return text.ok ? (JSON.parse(text.value) as Network[]) : NONE;
}

/** Those to choose from, by name; none where the names can't be had. */
export const fetchOfferedNetworks = (signal: AbortSignal) => fetchNetworks('offered', signal);

/** The offered networks, and those of the rows that are not among them, as soon as their names are known. */
export function useNetworksOf(offered: readonly Network[], rows: readonly LogRow[]): readonly Network[] {
  const ids = useMemo(() => rows.flatMap((row) => (row.kind === 'record' ? row.networkId : [])), [rows]);
  return useNetworksById(offered, ids);
}

/** The same for network ids; `ids` may repeat, and should be the same list until it changes. */
export function useNetworksById(offered: readonly Network[], ids: readonly string[]): readonly Network[] {
  const missing = useMemo(() => {
    const known = new Set(offered.map((network) => network.networkId));
    return [...new Set(ids.filter((id) => !known.has(id)))].sort().slice(0, MAX_IDS);
  }, [offered, ids]);
  const found = useQuery({
    queryKey: ['networks', missing.join(',')],
    queryFn: ({ signal }) => fetchNetworks(missing.join(','), signal),
    enabled: missing.length > 0,
    staleTime: FRESH_MS,
  });
  const more = found.data ?? NONE;
  return useMemo(() => (more.length === 0 ? offered : [...offered, ...more]), [offered, more]);
}
