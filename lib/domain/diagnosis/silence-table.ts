import type { FinishedRows, Piece } from './evidence';
import { nearestRank } from './finished-durations';
import { groupedBy } from './grouped';
import type { KeeperEvidence, NetworkEvidence, Triage } from './incident';
import { finishedAfterMs, isFinished, isPending } from './logged-row';
import { silenceVerdict, usualGapMs } from './silence-rule';
import type { Verdict } from './verdict';

/** What finished within the last hour, by the time it was last updated. */
export type LastHour = {
  finished: number;
  failed: number;
  /** By nearest rank; undefined when nothing finished. */
  medianMs: number | undefined;
  p95Ms: number | undefined;
  /** `part`: the finished rows don't reach back an hour, so there may be more. */
  extent: 'whole' | 'part';
};

/** One network of one keeper. Undefined: not known, or there is none; `missing` tells which is not known. */
export type SilenceRow = {
  keeper: string;
  networkId: string;
  /** Unix ms. */
  lastRequestMs: number | undefined;
  usualGapMs: number | undefined;
  /** Lower bounds while pending rows of the keeper are missing. */
  pending: number | undefined;
  /** Those of incidents and single cases, as everywhere. */
  stuck: number | undefined;
  lastHour: LastHour | undefined;
  /** R9. */
  quiet: Verdict;
  missing: string[];
};

const HOUR_MS = 60 * 60_000;

/**
 * A row per network of each keeper, those gone quiet first, then by keeper and the order of the networks given.
 * @param triage of the same evidence: who is stuck is decided there
 */
export function silenceTable(
  keepers: readonly KeeperEvidence[],
  triage: Pick<Triage, 'incidents' | 'singles'>,
  nowMs: number,
): SilenceRow[] {
  const stuck = stuckByNetwork(triage);
  const rows = keepers.flatMap((one) => {
    const pending = one.pending.kind === 'known' ? one.pending.value.rows : undefined;
    const byNetwork = pending && groupedBy(pending.filter(isPending), ({ networkId }) => networkId);
    return one.networks.map((network): SilenceRow => {
      const own = byNetwork && (byNetwork.get(network.networkId) ?? []);
      const count = stuck.get(placeKey(one.keeper, network.networkId)) ?? 0;
      return rowOf(one, network, { pending: own?.length, stuck: own && count }, nowMs);
    });
  });
  const isQuiet = ({ quiet }: SilenceRow) => Number(quiet.holds === 'yes');
  return rows.sort((one, other) => isQuiet(other) - isQuiet(one));
}

function placeKey(keeper: string, networkId: string): string {
  return `${networkId}/${keeper}`;
}

function stuckByNetwork({ incidents, singles }: Pick<Triage, 'incidents' | 'singles'>): Map<string, number> {
  const counts = new Map<string, number>();
  const add = ({ keeper, networkId }: { keeper: string; networkId: string }, count: number) => {
    const key = placeKey(keeper, networkId);
    counts.set(key, (counts.get(key) ?? 0) + count);
  };
  for (const incident of incidents) add(incident, incident.size);
  for (const single of singles) add(single, 1);
  return counts;
}

function rowOf(
  { keeper, pending: piece }: KeeperEvidence,
  network: NetworkEvidence,
  counts: Pick<SilenceRow, 'pending' | 'stuck'>,
  nowMs: number,
): SilenceRow {
  const { newest, lastDay, finished } = network;
  return {
    keeper,
    networkId: network.networkId,
    lastRequestMs: newest.kind === 'known' ? newest.value?.createdAt.ms : undefined,
    usualGapMs: lastDay.kind === 'known' ? usualGapMs(lastDay.value) : undefined,
    ...counts,
    lastHour: finished.kind === 'known' ? lastHourOf(finished.value, nowMs) : undefined,
    quiet: silenceVerdict(network),
    missing: [
      ...whyOf('Last request', newest),
      ...whyOf('Usual gap', lastDay),
      ...whyOf('Pending', piece),
      ...whyOf('Last hour', finished),
    ],
  };
}

function whyOf(what: string, piece: Piece<unknown>): string[] {
  return piece.kind === 'missing' ? [`${what}: ${piece.why}`] : [];
}

/**
 * Rows are listed by creation: one that was created before the listing begins may have finished within the hour, which
 * is not seen.
 */
export function lastHourOf({ rows, completeSinceMs }: FinishedRows, nowMs: number): LastHour {
  const recent = rows.filter(
    (row) => isFinished(row) && row.updatedAt !== undefined && row.updatedAt.ms >= nowMs - HOUR_MS,
  );
  const durations = recent.flatMap((row) => finishedAfterMs(row) ?? []).sort((one, other) => one - other);
  return {
    finished: recent.length,
    failed: recent.filter(({ state }) => state.kind === 'failed').length,
    medianMs: nearestRank(durations, 50),
    p95Ms: nearestRank(durations, 95),
    extent: completeSinceMs <= nowMs - HOUR_MS ? 'whole' : 'part',
  };
}
