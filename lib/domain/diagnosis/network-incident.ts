import type { DiagnosisSettings } from './diagnosis-settings';
import { DAY_MS, type EvidenceUsed, type LoggedRow, used, type WindowCount } from './evidence';
import { groupedBy } from './grouped';
import type { NetworkEvidence } from './incident';
import {
  type FinishedTimes,
  type NetworkPart,
  networkPart,
  nothingKnown,
  type Stretch,
  stretchesOf,
  type Waiting,
} from './network-part';
import { NETWORK_WIDE_HEADLINE, networkWideFigures } from './network-rule';
import { isNetworkWide, NETWORK_WIDE, type NetworkWide, networkWide } from './network-wide';
import { holds, type Verdict } from './verdict';

/** The requests of a network that R6 explains, oldest first, and its verdict. */
export type NetworkGroup = { members: Waiting[]; verdict: Verdict };

type FoundStretch = { members: Waiting[]; found: NetworkWide; evidence: EvidenceUsed[] };

/**
 * R6 for a first view: pending rows from E1, the others from finished rows that reach back far enough, else from a
 * count of the stretch, else from the count of the last 24 hours, which can only overstate them. Without any of these
 * it says nothing. Several stretches are one incident: the same network, the same rule.
 */
export function networkGroup(part: NetworkPart): NetworkGroup | undefined {
  const times = part.finished;
  const found = stretchesOf(part.past)
    .filter(mayBeNetworkWide)
    .flatMap((stretch) => widest(part, times, stretch));
  const members = found.flatMap((one) => one.members);
  const [first] = members;
  if (first === undefined) return undefined;
  const figures = {
    pending: members.length,
    senders: sendersOf(members),
    rows: found.reduce((sum, one) => sum + one.found.rows, 0),
  };
  return {
    members,
    verdict: holds('R6', 'critical', {
      headline: NETWORK_WIDE_HEADLINE,
      figures: networkWideFigures(figures, first.ms),
      proof: members.map(({ key }) => key),
      evidence: [...used(['E1', part.pending]), ...found.flatMap((one) => one.evidence)],
      covers: members.length,
    }),
  };
}

/** Finished rows that reach back far enough decide; else what explains more, they or a count. */
function widest(part: NetworkPart, times: FinishedTimes | undefined, stretch: Stretch): FoundStretch[] {
  const past = times === undefined ? [] : stretch.past.filter(({ ms }) => ms >= times.completeSinceMs);
  const finished = times === undefined ? [] : byFinished(part, times, { ...stretch, past });
  if (past.length === stretch.past.length) return finished;
  const counted = byCounts(part, stretch);
  return membersOf(counted) > membersOf(finished) ? counted : finished;
}

function membersOf(found: readonly FoundStretch[]): number {
  return found.reduce((sum, { members }) => sum + members.length, 0);
}

function byFinished(part: NetworkPart, times: FinishedTimes, stretch: Stretch): FoundStretch[] {
  const others = times.all.filter((ms) => ms >= stretch.fromMs && ms <= stretch.toMs);
  const wide = networkWide(stretch.past, others);
  return wide === undefined ? [] : [foundIn(stretch, wide, used(['finished', part.known.finished]))];
}

function foundIn(stretch: Stretch, found: NetworkWide, evidence: EvidenceUsed[]): FoundStretch {
  return { members: stretch.past.slice(found.start), found, evidence };
}

function sendersOf(members: readonly Waiting[]): number {
  return new Set(members.flatMap(({ sender }) => sender ?? [])).size;
}

function mayBeNetworkWide({ past }: Stretch): boolean {
  return past.length >= NETWORK_WIDE.pending && sendersOf(past) >= NETWORK_WIDE.senders;
}

function byCounts(part: NetworkPart, stretch: Stretch): FoundStretch[] {
  for (const piece of part.known.counts) {
    if (piece.kind === 'missing' || piece.value.fromMs !== stretch.fromMs) continue;
    // More may have become pending since it was counted: only those that the count can have seen are set against it.
    const seen = stretch.past.filter(({ ms }) => ms <= piece.value.toMs);
    const found = countedWide(part, seen, piece.value);
    return found === undefined ? [] : [foundIn(stretch, found, used(['count', piece]))];
  }
  return byDay(part, stretch);
}

/** Nothing but rows of the last day can be newer than a stretch that began within it. */
function byDay(part: NetworkPart, stretch: Stretch): FoundStretch[] {
  const { lastDay } = part.known;
  if (lastDay.kind === 'missing' || stretch.fromMs < lastDay.atMs - DAY_MS) return [];
  const count = { fromMs: stretch.fromMs, toMs: lastDay.atMs, total: lastDay.value };
  const found = countedWide(part, stretch.past, count);
  return found === undefined ? [] : [foundIn(stretch, found, used(['E6', lastDay]))];
}

/** The rows of a count without those pending within normal, which say nothing either way. */
function countedWide(
  part: NetworkPart,
  past: readonly Waiting[],
  { fromMs, toMs, total }: WindowCount,
): NetworkWide | undefined {
  const young = part.withinNormal.filter(({ ms }) => ms >= fromMs && ms <= toMs).length;
  const found = { start: 0, pending: past.length, senders: sendersOf(past), rows: 0 };
  // A count from a moment before can be smaller than what is pending now.
  found.rows = Math.max(found.pending, total - young);
  return isNetworkWide(found.pending, found.senders, found.rows) ? found : undefined;
}

/** A stretch of a network of which R6 wants to know how many rows it has in all. Unix ms, both ends included. */
export type StretchToCount = { networkId: string; fromMs: number; toMs: number };

/** More stretches of a network than this are history. */
const MOST_STRETCHES = 2;

/**
 * The counts that let a first view tell a network that is stuck as a whole: `network_id`, `min_timestamp`,
 * `max_timestamp`, `limit=1` each. None for networks that are well, at most two (the newest) for one that is not, and
 * none that the finished rows answer already.
 * @param rows all pending rows of one keeper
 */
export function stretchesToCount(
  rows: readonly LoggedRow[],
  networks: readonly NetworkEvidence[],
  settingsOf: (networkId: string) => DiagnosisSettings,
  nowMs: number,
): StretchToCount[] {
  const known = new Map(networks.map((network) => [network.networkId, network]));
  const byNetwork = groupedBy(rows, ({ networkId }) => networkId);
  return [...byNetwork].flatMap(([networkId, own]) => {
    const evidence = known.get(networkId) ?? nothingKnown(networkId);
    const pending = { kind: 'missing', why: '' } as const;
    const settings = settingsOf(networkId);
    const shape = { keeper: '', networkId, settings, known: evidence, pending, hidden: 0, nowMs };
    return unansweredStretches(evidence, networkPart(shape, own).past)
      .slice(-MOST_STRETCHES)
      .map(({ fromMs, toMs }) => ({ networkId, fromMs, toMs: Math.min(toMs, nowMs) }));
  });
}

/** Those of which R6 may hold and that the finished rows don't reach back to. */
function unansweredStretches({ finished }: NetworkEvidence, past: readonly Waiting[]): Stretch[] {
  const sinceMs = finished.kind === 'known' ? finished.value.completeSinceMs : Number.POSITIVE_INFINITY;
  return stretchesOf(past).filter((stretch) => mayBeNetworkWide(stretch) && stretch.fromMs < sinceMs);
}

/**
 * Whether R6 may hold of some of these requests, and nobody has counted what else there was.
 * @param past all pending requests of the network past normal, oldest first
 */
export function isCountMissing(
  known: NetworkEvidence,
  past: readonly Waiting[],
  members: readonly Waiting[],
): boolean {
  const counted = new Set(
    known.counts.flatMap((piece) => (piece.kind === 'known' ? [piece.value.fromMs] : [])),
  );
  const open = unansweredStretches(known, past).filter(({ fromMs }) => !counted.has(fromMs));
  if (open.length === 0) return false;
  const those = new Set(open.flatMap((stretch) => stretch.past));
  return members.some((waiting) => those.has(waiting));
}
