import 'server-only';
import type { ClockSkew } from '@/lib/core/health';
import type { Acknowledgement } from '@/lib/core/incident-record';
import { pendingSettingsFrom } from '@/lib/core/pending-settings';
import type { KeyedIncident } from '@/lib/pending/incidents';
import {
  type CauseGroup,
  type Incident,
  MAX_INCIDENTS,
  type TriageAnswer,
  type TriageStatus,
  type Verdict,
} from '@/lib/pending/pending-response';
import { causeGroups } from '@/lib/pending/singles';
import { type StuckCounts, stuckCounts } from '@/lib/pending/stuck-counts';
import { thresholdsOf } from '@/lib/platform/network-settings';
import { currentSettings, type Settings } from '@/lib/platform/settings';
import type { KeeperStatus, PendingCounts, RevisionUpdate } from '@/lib/requests/keeper-status';
import { services, skewedClocks } from '@/lib/services/services';
import type { IndexStore } from '@/lib/store/store';
import { listedChain } from './chain-cache';
import { isPendingFresh } from './evidence';
import { acknowledgedNow, acknowledgements, statusIfFresh, type TriageNow, triageOf } from './triage';

function syncedAtOf(index: readonly KeeperStatus[], nowMs: number): number | undefined {
  const moments = index.map((status) => {
    const [syncedAtMs, pendingAtMs] = [status.syncedAtMs ?? Number.NaN, status.pendingAtMs ?? Number.NaN];
    return Math.min(nowMs, isPendingFresh(status, nowMs) ? syncedAtMs : Math.min(syncedAtMs, pendingAtMs));
  });
  const oldestMs = Math.min(...moments);
  return Number.isFinite(oldestMs) ? oldestMs : undefined;
}

/** Holds with the acknowledgements that it was computed with. */
type Listed = {
  stored: readonly Acknowledgement[];
  counts: StuckCounts & { acknowledgedIncidents: number };
  /** Status without acknowledged cases. */
  status: TriageStatus;
  groups: CauseGroup[];
};
const listed = new WeakMap<TriageNow, Listed>();

/** Cached until the state or the acknowledgements change, because there may be tens of thousands of requests. */
function listOf(now: TriageNow): Listed {
  const stored = acknowledgements();
  const cached = listed.get(now);
  if (cached?.stored === stored) return cached;
  const isAcknowledged = acknowledgedNow(now);
  const { triage, state, index, atMs } = now;
  const incidents = triage.incidents.filter(({ id, size }) => size === 0 || !isAcknowledged('incident', id));
  const singles = triage.singles.filter(({ key }) => !isAcknowledged('request', key));
  const acknowledgedIncidents = triage.incidents.length - incidents.length;
  const fresh = {
    stored,
    counts: { ...stuckCounts(triage, isAcknowledged, triage.unexamined), acknowledgedIncidents },
    status: statusIfFresh({ ...triage, incidents, singles }, state, index, atMs),
    groups: causeGroups(triage.singles, (key) => isAcknowledged('request', key)),
  };
  listed.set(now, fresh);
  return fresh;
}

const withoutDetails = (verdict: Verdict): Verdict => ({ ...verdict, figures: [], proof: [], evidence: [] });

function listedIncident({ rows: _, confirmedAtMs: _confirmedAtMs, ...incident }: KeyedIncident): Incident {
  return { ...incident, verdicts: incident.verdicts.map(withoutDetails), ...listedChain(incident) };
}

function withChain({ only, ...group }: CauseGroup): CauseGroup {
  if (only === undefined) return group;
  return { ...group, only: { ...only, ...listedChain({ ...only, id: only.key, size: 1 }) } };
}

/**
 * @param clocks keepers whose clocks differ from ours
 * @param maxIncidents leaves out groups and the activity of networks; the default is `MAX_INCIDENTS`
 */
export function triageAnswer(
  now: TriageNow,
  settings: Pick<Settings, 'networks' | 'pending'>,
  clocks: ClockSkew[],
  maxIncidents?: number,
): TriageAnswer {
  const { revision, atMs, state, index, triage, activity, gone, keepers } = now;
  const { incidents, singles, slow, withinNormal, pending, missing, unreadable, unknownState, unexamined } =
    triage;
  const ownNetworks = Object.keys(settings.networks).filter(
    (id) => settings.networks[id]?.thresholds !== undefined,
  );
  const { counts, groups, status } = listOf(now);
  const oldest = keepers.flatMap((snapshot) =>
    snapshot.unexamined.size > 0 && snapshot.pending.kind === 'known'
      ? (snapshot.pending.value.rows[0] ?? [])
      : [],
  );
  return {
    revision,
    atMs,
    state,
    checkedAtMs: triage.unchecked.length > 0 ? undefined : triage.checkedAtMs,
    syncedAtMs: triage.unchecked.length > 0 ? undefined : syncedAtOf(index, atMs),
    index,
    clocks,
    status,
    counts: {
      ...counts,
      pending,
      unexamined,
      slow,
      withinNormal,
      missing,
      unreadable,
      unknownState,
      gone,
      incidents: incidents.length,
      singles: singles.filter((single) => !single.isParked).length,
    },
    incidents: incidents.slice(0, maxIncidents ?? MAX_INCIDENTS).map(listedIncident),
    groups: maxIncidents === undefined ? groups.map(withChain) : [],
    ...(oldest.length === 0
      ? {}
      : { examinedFromMs: Math.max(...oldest.map(({ createdAt }) => createdAt.ms)) }),
    activity:
      maxIncidents === undefined
        ? activity.map((network) => ({ ...network, quiet: withoutDetails(network.quiet) }))
        : [],
    settings: {
      others: pendingSettingsFrom(settings.pending),
      networks: Object.fromEntries(ownNetworks.map((id) => [id, thresholdsOf(settings, id)])),
    },
  };
}

/** Undefined without a log service, or before the first state, which the browser then requests. */
export async function initialTriage(maxIncidents?: number): Promise<TriageAnswer | undefined> {
  const { index, keepers } = services();
  const triageState = keepers.length === 0 ? undefined : await triageOf(index).soon();
  return triageState && triageAnswer(triageState, currentSettings(), skewedClocks(), maxIncidents);
}

/** Null while unknown. */
export async function pendingCounts(index: IndexStore): Promise<PendingCounts | null> {
  const triageState = await triageOf(index).soon();
  return triageState === undefined ? null : triageCounts(triageState);
}

/** Does not wait for the database, so that pages render while that is busy or failing. */
export function renderedIndex(): Pick<RevisionUpdate, 'index' | 'pending'> {
  const { index } = services();
  const triageState = triageOf(index).cached();
  return { index: index.status(), pending: triageState === undefined ? null : triageCounts(triageState) };
}

export function triageCounts(now: TriageNow): PendingCounts {
  const { pending, missing, unreadable, unknownState } = now.triage;
  const complete = now.state === 'complete' && missing + unreadable + unknownState === 0;
  return {
    atMs: now.atMs,
    pending,
    ...listOf(now).counts,
    complete,
  };
}
