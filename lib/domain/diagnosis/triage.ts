import type { DiagnosisSettings } from './diagnosis-settings';
import { type LoggedRow, unseen } from './evidence';
import { groupedBy } from './grouped';
import type { Incident, KeeperEvidence, SingleStuck, Triage } from './incident';
import { distinctRows, isPending } from './logged-row';
import { type NetworkPart, networkPart, nothingKnown } from './network-part';
import { triageNetwork } from './network-triage';
import { bySeverity } from './verdict';

/**
 * Groups the pending requests of all keepers. Needs E1 and E6 only; finished rows and the counts that
 * `stretchesToCount` names make it sharper. Rows that are no longer pending are left out, and a row that was fetched
 * twice counts once. A first view: what it calls an estimate is settled by `diagnose` with all evidence.
 */
export function triage(
  keepers: readonly KeeperEvidence[],
  settingsOf: (networkId: string) => DiagnosisSettings,
  nowMs: number,
): Triage {
  const steps = triageSteps(keepers, settingsOf, () => nowMs);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/**
 * `triage` in pieces, one network at a time, for whoever shares a thread: it pauses after each of them.
 * @param asOf unix ms: of when the evidence of a keeper is, which is no later than now
 */
export function* triageSteps(
  keepers: readonly KeeperEvidence[],
  settingsOf: (networkId: string) => DiagnosisSettings,
  asOf: (keeper: string) => number,
): Generator<undefined, Triage> {
  const result: Triage = {
    incidents: [],
    singles: [],
    slow: [],
    withinNormal: [],
    pending: 0,
    missing: 0,
    unreadable: 0,
    unchecked: [],
    checkedAtMs: undefined,
  };
  for (const one of keepers) {
    if (one.pending.kind === 'missing') result.unchecked.push({ keeper: one.keeper, why: one.pending.why });
    else yield* addKeeper(result, { ...one, pending: one.pending }, settingsOf, asOf(one.keeper));
  }
  result.incidents.sort(byWeight);
  result.singles.sort((one, other) => one.sinceMs - other.sinceMs || byText(one.key, other.key));
  return result;
}

type KnownKeeper = KeeperEvidence & { pending: Extract<KeeperEvidence['pending'], { kind: 'known' }> };

function* addKeeper(
  result: Triage,
  one: KnownKeeper,
  settingsOf: (networkId: string) => DiagnosisSettings,
  nowMs: number,
): Generator<undefined, void> {
  const { value, atMs } = one.pending;
  const rows = distinctRows(value.rows).filter(isPending);
  result.pending += rows.length;
  result.missing += value.missing;
  result.unreadable += value.unreadable;
  result.checkedAtMs = Math.min(result.checkedAtMs ?? atMs, atMs);
  yield undefined;
  for (const part of partsOf(one, rows, settingsOf, nowMs)) {
    yield undefined;
    const { incidents, singles, slow, withinNormal } = triageNetwork(part);
    append<Incident>(result.incidents, incidents);
    append<SingleStuck>(result.singles, singles);
    append(result.slow, slow);
    append(result.withinNormal, withinNormal);
  }
}

/** One for each network that has pending rows or of which something is known. */
function* partsOf(
  one: KnownKeeper,
  rows: readonly LoggedRow[],
  settingsOf: (networkId: string) => DiagnosisSettings,
  nowMs: number,
): Generator<NetworkPart, void> {
  const known = new Map(one.networks.map((network) => [network.networkId, network]));
  const byNetwork = groupedBy(rows, ({ networkId }) => networkId);
  const shared = { keeper: one.keeper, pending: one.pending, hidden: unseen(one.pending.value), nowMs };
  for (const networkId of new Set([...known.keys(), ...byNetwork.keys()])) {
    const evidence = known.get(networkId) ?? nothingKnown(networkId);
    const settings = settingsOf(networkId);
    yield networkPart({ ...shared, networkId, settings, known: evidence }, byNetwork.get(networkId) ?? []);
  }
}

/** One by one: an argument list of tens of thousands would overflow the stack. */
function append<T>(list: T[], more: readonly T[]): void {
  for (const item of more) list.push(item);
}

/** The gravest first, then the largest, then the oldest, then by id so that nothing jumps. */
function byWeight(one: Incident, other: Incident): number {
  return (
    bySeverity(one.severity, other.severity) ||
    other.size - one.size ||
    one.sinceMs - other.sinceMs ||
    byText(one.id, other.id)
  );
}

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
