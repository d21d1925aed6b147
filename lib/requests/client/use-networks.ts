'use client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { fetchGatewayText } from '@/lib/core/gateway';
import type { Network } from '@/lib/core/network';
import type { LogRow } from '@/lib/core/request-record';

/** Our server's limit for one request. */
const MAX_IDS = 1000;
/** A missing name is requested again after this time; its id is shown until then. */
const STALE_TIME_MS = 600_000;

const NONE: Network[] = [];

async function fetchNetworks(ids: string, signal: AbortSignal): Promise<Network[]> {
  const text = await fetchGatewayText(`/api/view/networks?ids=${ids}`, signal);
  // Names are a convenience: without them, ids are shown without an error.
  return text.ok ? (JSON.parse(text.value) as Network[]) : NONE;
}

/** The offered networks, by name; empty if names are unavailable. */
export const fetchOfferedNetworks = (signal: AbortSignal) => fetchNetworks('offered', signal);

/** The offered networks plus those of the rows, as soon as their names are known. */
export function useNetworksOf(offered: readonly Network[], rows: readonly LogRow[]): readonly Network[] {
  const ids = useMemo(() => rows.flatMap((row) => (row.kind === 'record' ? row.networkId : [])), [rows]);
  return useNetworksById(offered, ids);
}

/** The offered networks plus these. `ids` may contain duplicates and should be a stable list. */
export function useNetworksById(offered: readonly Network[], ids: readonly string[]): readonly Network[] {
  const missing = useMemo(() => {
    const offeredIds = new Set(offered.map((network) => network.networkId));
    return [...new Set(ids.filter((id) => !offeredIds.has(id)))].sort().slice(0, MAX_IDS);
  }, [offered, ids]);
  const query = useQuery({
    queryKey: ['networks', missing.join(',')],
    queryFn: ({ signal }) => fetchNetworks(missing.join(','), signal),
    enabled: missing.length > 0,
    staleTime: STALE_TIME_MS,
  });
  const more = query.data ?? NONE;
  return useMemo(() => (more.length === 0 ? offered : [...offered, ...more]), [offered, more]);
}
