import 'server-only';
import type { NetworkTriage } from '@/lib/pending/incidents';
import type { LoggedRow } from '@/lib/pending/rules/evidence';
import type { StuckBefore } from '@/lib/store/queries/insights';
import { requestId } from '@/lib/store/record-row';

/** Rows that figures count, or leave out, by their ids. Of more, the moment alone decides. */
const MAX_IDS = 2000;

/** Pending rows of a network created up to `us` are stuck but for `free`, and of younger ones those of `young`. */
export type NetworkBound = {
  keeperId: number;
  networkId: string;
  us: number;
  young: string[];
  free: string[];
};

/**
 * How the figures of other pages tell which pending rows of a network are stuck, with few ids however many rows there are:
 * those older than every row that is not stuck need none. Of the younger ones the fewer are named: stuck ones, or others.
 * @param pending all pending rows of the network
 */
export function networkBound(
  { keeper, keeperId, networkId }: { keeper: string; keeperId: number; networkId: string },
  pending: readonly LoggedRow[],
  { incidents, stuckUpToMs }: Pick<NetworkTriage, 'incidents' | 'stuckUpToMs'>,
): NetworkBound {
  const inIncident = new Set(incidents.flatMap(({ rows }) => rows));
  const isYoung = ({ createdAt }: LoggedRow) => createdAt.ms > stuckUpToMs;
  const free = pending.filter((row) => isYoung(row) && !inIncident.has(row.key));
  const newestMs = pending.reduce((most, { createdAt }) => Math.max(most, createdAt.ms), stuckUpToMs);
  const boundMs = free.reduce((least, { createdAt }) => Math.min(least, createdAt.ms - 1), newestMs);
  const young = pending.filter(({ key, createdAt }) => createdAt.ms > boundMs && inIncident.has(key));
  const idOf = ({ key }: LoggedRow) => requestId(keeperId, { key: key.slice(keeper.length + 1) });
  const isFewerFree = free.length < young.length;
  return {
    keeperId,
    networkId,
    us: (isFewerFree ? newestMs : boundMs) * 1000 + 999,
    young: isFewerFree ? [] : young.map(idOf),
    free: isFewerFree ? free.map(idOf) : [],
  };
}

/** What counts as stuck. @param usualUs of networks without pending rows: created up to then, unix microseconds */
export function stuckRows(networks: readonly NetworkBound[], usualUs: number): StuckBefore {
  return {
    usualUs,
    networks,
    ids: networks.flatMap(({ young }) => young).slice(0, MAX_IDS),
    freeIds: networks.flatMap(({ free }) => free).slice(0, MAX_IDS),
  };
}
