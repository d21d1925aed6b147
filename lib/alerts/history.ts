import { type IncidentEvent, type IncidentRecord, isDegraded } from '@/lib/core/incident-record';
import type { Network } from '@/lib/core/network';
import { groupDigits } from '@/lib/core/numbers';
import { DAY_MS, formatSpan, HOUR_MS } from '@/lib/core/time';
import type { Incident, Severity } from '@/lib/pending/pending-response';
import { mostSevere } from '@/lib/pending/rules/verdict';
import { mergedSpans, type Span, seenUntil, type Unrecorded, unionMs } from './watched';

/** A week from Monday to Monday, UTC. */
export type Week = {
  fromMs: number;
  requests: number;
  answered: number | null;
  callbacksOk: number | null;
  /** Time to callback; null without callbacks. */
  p95Us: number | null;
  /** Null if none is known and the week was not recorded completely: then it is unknown, not calm. */
  incidents: number | null;
  /** If false, there may have been more incidents. */
  isRecorded: boolean;
  /** The longest incident; null if there is none. */
  longest: Longest | null;
  /** The index has all rows of the week. */
  isCovered: boolean;
};

/** `degradedTimes`: how often networks were degraded. */
export type HistoryCounts = { incidents: number; degradedNetworks: number; degradedTimes: number };

export function historyCounts(
  records: readonly Pick<IncidentRecord, 'rules' | 'networkId'>[],
): HistoryCounts {
  const degraded = records.filter(isDegraded);
  return {
    incidents: records.length - degraded.length,
    degradedNetworks: new Set(degraded.map(({ networkId }) => networkId)).size,
    degradedTimes: degraded.length,
  };
}

export type TimeStep = {
  fromMs: number;
  /** Time with an open incident, up to now. It may have begun before the recording. */
  affectedMs: number;
  /** Time without any incident, up to now. */
  calmMs: number;
  /** Time without stuck requests, while degraded networks were not recorded. */
  partialMs: number;
  /** Time without stuck requests by the log alone. */
  loggedMs: number;
  /** Time without any record. */
  unknownMs: number;
  /** Part of `affectedMs` that was reconstructed from the log. */
  reconstructedMs: number;
  counts: HistoryCounts;
  severity: Severity;
  networkIds: string[];
};

/** The last step contains the present. */
export type Axis = { fromMs: number; stepMs: number; count: number };

/** Union of overlapping incidents, from the first start to the last end. */
export type Period = {
  fromMs: number;
  /** Null while an incident is open. */
  toMs: number | null;
  /** Keys, in order of time. */
  incidents: string[];
  severity: Severity;
  networkIds: string[];
  /** Pending requests of the largest incident. */
  peak: number;
};

/** `chain` is the last answer about an open incident, as on `/pending`. */
export type PastIncident = IncidentRecord &
  Pick<Incident, 'chain'> & {
    events: IncidentEvent[];
    /** How far the keeper's clock, which dates its requests, is ahead of that of the record. Absent if not noticeable. */
    clockAheadMs?: number;
  };

export type IncidentHistory = {
  nowMs: number;
  /** If false, the number of ongoing incidents is unknown. */
  isRecording: boolean;
  /** Unix ms; null while a keeper was never examined. Incidents are recorded while the dashboard runs. */
  recordedFromMs: number | null;
  /** Time since when degraded networks are recorded; null if not yet. Earlier versions did not store it. */
  degradedFromMs: number | null;
  range: HistoryRange;
  /** The axis of all other members except the weeks; ends now. */
  axis: Axis;
  /** Oldest first. */
  steps: TimeStep[];
  /** Parts of the axis with an incident, and of which everything is known. */
  affectedMs: number;
  knownMs: number;
  /** Part of `affectedMs` that was reconstructed from the log. */
  reconstructedMs: number;
  /**
   * Times of which nothing is known, of which only the log tells, or of which only stuck requests were recorded, oldest
   * first. The lists do not overlap.
   */
  unrecorded: { nothing: Span[]; fromLog: Span[]; stuckOnly: Span[] };
  /** The newest first. */
  periods: Period[];
  /** Incidents that were open during the axis, newest first. */
  incidents: PastIncident[];
  isWhole: boolean;
  /** Newest first. Weeks before the index begins are left out. */
  weeks: Week[];
  /** Null while the index is empty. */
  indexedFromMs: number | null;
  /** Choices of the filter, sorted by name. */
  networks: Network[];
};

export function lengthMs({ sinceMs, openedMs, closedMs }: IncidentRecord, nowMs: number): number {
  return Math.max(0, (closedMs ?? nowMs) - Math.min(sinceMs, openedMs));
}

/** Remainder of a closed incident: `, 2 of its requests still stuck`, `, keeper lost its log`. */
export const leftText = ({ size, headline }: Pick<IncidentEvent, 'size' | 'headline'>) =>
  `${headline ? `, ${headline}` : ''}${size === 0 ? '' : `, ${groupDigits(size)} of its requests still stuck`}`;

/** `isAtLeast`: the start of an incident is not known, so it may have been longer. */
type Longest = { ms: number; isAtLeast: boolean };

/** Null without incidents. */
export function longestOf(incidents: readonly IncidentRecord[], nowMs: number): Longest | null {
  if (incidents.length === 0) return null;
  const ms = Math.max(...incidents.map((incident) => lengthMs(incident, nowMs)));
  return { ms, isAtLeast: !incidents.every(isStartKnown) };
}

/** `2 h`, `≥ 2 h`. */
export const longestText = ({ ms, isAtLeast }: Longest) => `${isAtLeast ? '≥ ' : ''}${formatSpan(ms)}`;

export const HISTORY_RANGES = ['24h', '7d', '30d', '90d'] as const;
export type HistoryRange = (typeof HISTORY_RANGES)[number];
const RANGES_MS: Record<HistoryRange, number> = {
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  '90d': 90 * DAY_MS,
};
export const historyRangeMs = (range: HistoryRange) => RANGES_MS[range];

/** A week, or a day while at most a day is known. */
export const defaultRange = (knownFromMs: number | null, nowMs: number): HistoryRange =>
  nowMs - (knownFromMs ?? nowMs) < DAY_MS ? '24h' : '7d';

/** The longest range, which exceeds the weeks shown on the page. */
export const INCIDENT_HISTORY_MS = 92 * DAY_MS;

const STEPS_MS = [0.5, 1, 2, 4, 12].map((hours) => hours * HOUR_MS);
/** Limit for steps shorter than a day. */
const MAX_STEPS = 48;

/** Begins with the step that contains the start of the range. */
export function axisOf(range: HistoryRange, nowMs: number): Axis {
  const wantedMs = nowMs - historyRangeMs(range);
  const stepMs = STEPS_MS.find((ms) => (nowMs - wantedMs) / ms <= MAX_STEPS) ?? DAY_MS;
  const fromMs = Math.floor(wantedMs / stepMs) * stepMs;
  return { fromMs, stepMs, count: Math.floor((nowMs - fromMs) / stepMs) + 1 };
}

/** The first request, if that is older than the notice. */
export const beganMs = ({ sinceMs, openedMs }: Pick<IncidentRecord, 'sinceMs' | 'openedMs'>) =>
  Math.min(sinceMs, openedMs);

/** A degraded network whose start was not found has the time of its discovery. */
export const isStartKnown = (record: Pick<IncidentRecord, 'rules' | 'sinceMs' | 'openedMs'>) =>
  !isDegraded(record) || record.sinceMs < record.openedMs;

/** Newest first. Overlapping incidents are merged. */
export function incidentPeriods(incidents: readonly IncidentRecord[]): Period[] {
  const periods: Period[] = [];
  for (const incident of incidents.toSorted((a, b) => beganMs(a) - beganMs(b))) {
    const last = periods.at(-1);
    const { key, closedMs, networkId, peak } = incident;
    const severity = incident.severity as Severity;
    if (last === undefined || (last.toMs !== null && last.toMs < beganMs(incident))) {
      periods.push({
        fromMs: beganMs(incident),
        toMs: closedMs,
        incidents: [key],
        severity,
        networkIds: [networkId],
        peak,
      });
      continue;
    }
    last.toMs = last.toMs === null || closedMs === null ? null : Math.max(last.toMs, closedMs);
    last.incidents.push(key);
    last.severity = mostSevere([last.severity, severity]);
    if (!last.networkIds.includes(networkId)) last.networkIds.push(networkId);
    last.peak = Math.max(last.peak, peak);
  }
  return periods.reverse();
}

/** `period` is the head of several incidents. */
export type HistoryRow = { period: Period; counts: HistoryCounts } | { incident: PastIncident };

/** Newest first. Overlapping incidents follow the head of their period. */
export function historyRows({
  periods,
  incidents,
}: Pick<IncidentHistory, 'periods' | 'incidents'>): HistoryRow[] {
  const byKey = new Map(incidents.map((incident) => [incident.key, incident]));
  return periods.flatMap((period): HistoryRow[] => {
    const incidentsOfPeriod = period.incidents.toReversed().flatMap((key) => byKey.get(key) ?? []);
    const rows = incidentsOfPeriod.map((incident) => ({ incident }));
    return incidentsOfPeriod.length > 1
      ? [{ period, counts: historyCounts(incidentsOfPeriod) }, ...rows]
      : rows;
  });
}

export const WEEK_MS = 7 * DAY_MS;

/** Undefined for a week whose figures cover seven whole days. */
export function weekNote(
  { fromMs, isCovered }: Pick<Week, 'fromMs' | 'isCovered'>,
  { nowMs, indexedFromMs }: Pick<IncidentHistory, 'nowMs' | 'indexedFromMs'>,
): { label: string; title: string } | undefined {
  if (!isCovered) return { label: 'Partial', title: 'Some requests of this week are not indexed' };
  if (fromMs + WEEK_MS > nowMs) return { label: 'So far', title: 'This week has not ended' };
  return (indexedFromMs ?? 0) > fromMs
    ? { label: 'Partial', title: 'The log begins within this week' }
    : undefined;
}

/** Began in the week from `fromMs`. Null if there are none and not all was recorded. */
export function weekIncidents(
  incidents: readonly IncidentRecord[],
  fromMs: number,
  nowMs: number,
  { all, logged, degraded }: Unrecorded,
): Pick<Week, 'incidents' | 'isRecorded' | 'longest'> {
  const toMs = fromMs + WEEK_MS;
  const opened = incidents.filter(({ openedMs }) => openedMs >= fromMs && openedMs < toMs);
  const ofWeek = { fromMs, toMs: Math.min(toMs, nowMs) };
  const isRecorded = unionMs([...all, ...logged, ...degraded], ofWeek) === 0;
  return {
    incidents: opened.length > 0 || isRecorded ? opened.length : null,
    isRecorded,
    longest: longestOf(opened, nowMs),
  };
}

export function timeSteps(
  incidents: readonly IncidentRecord[],
  axis: Axis,
  nowMs: number,
  { all, logged, degraded }: Unrecorded,
): TimeStep[] {
  const { fromMs: beginMs, stepMs, count } = axis;
  const affected = affectedSpans(incidents, nowMs);
  const unrecorded = unrecordedOnAxis({ all, logged, degraded }, axis, nowMs);
  const live = incidents.flatMap((incident) =>
    incidentSegments(incident, unrecorded, nowMs).filter(({ isLive }) => isLive),
  );
  return Array.from({ length: count }, (_, at): TimeStep => {
    const fromMs = beginMs + at * stepMs;
    const step = { fromMs, toMs: Math.min(nowMs, fromMs + stepMs) };
    const ofStep = incidents.filter(
      (incident) => beganMs(incident) < step.toMs && (incident.closedMs ?? nowMs) > fromMs,
    );
    const affectedMs = unionMs(affected, step);
    const upToUnknownMs = unionMs([...affected, ...all], step);
    const upToLoggedMs = unionMs([...affected, ...all, ...logged], step);
    const upToPartialMs = unionMs([...affected, ...all, ...logged, ...degraded], step);
    return {
      fromMs,
      affectedMs,
      calmMs: step.toMs - fromMs - upToPartialMs,
      partialMs: upToPartialMs - upToLoggedMs,
      loggedMs: upToLoggedMs - upToUnknownMs,
      unknownMs: upToUnknownMs - affectedMs,
      reconstructedMs: affectedMs - unionMs(live, step),
      counts: historyCounts(ofStep),
      severity: mostSevere(ofStep.map(({ severity }) => severity as Severity)),
      networkIds: [...new Set(ofStep.map(({ networkId }) => networkId))],
    };
  });
}

export function unrecordedOnAxis(
  { all, logged, degraded }: Unrecorded,
  axis: Axis,
  nowMs: number,
): IncidentHistory['unrecorded'] {
  const whole = { fromMs: axis.fromMs, toMs: nowMs };
  const nothing = mergedSpans(all, whole);
  const fromLog = mergedSpans(logged, whole).flatMap((span) => without(span, nothing));
  const unseen = mergedSpans([...nothing, ...fromLog], whole);
  const stuckOnly = mergedSpans(degraded, whole).flatMap((span) => without(span, unseen));
  return { nothing, fromLog, stuckOnly };
}

/** Recorded live, or reconstructed from the times of requests in the log. */
export type Segment = Span & { isLive: boolean };

/** Oldest first. */
export function incidentSegments(
  incident: IncidentRecord,
  { nothing, fromLog, stuckOnly }: IncidentHistory['unrecorded'],
  nowMs: number,
): Segment[] {
  const whole = { fromMs: beganMs(incident), toMs: incident.closedMs ?? nowMs };
  const unseen = [...nothing, ...fromLog];
  const blind = mergedSpans(isDegraded(incident) ? [...unseen, ...stuckOnly] : unseen, whole);
  return [
    ...blind.map((span) => ({ ...span, isLive: false })),
    ...without(whole, blind).map((span) => ({ ...span, isLive: true })),
  ].sort((a, b) => a.fromMs - b.fromMs);
}

/** The start of a backdated incident is only known from the log. */
export const isBackdated = (segments: readonly Segment[]) => segments[0]?.isLive === false;

/** Times from notice to first acknowledgement, ascending. */
export function acknowledgementTimes(incidents: readonly Pick<PastIncident, 'events' | 'openedMs'>[]) {
  return incidents.flatMap((incident) => timeToAcknowledgeMs(incident) ?? []).sort((a, b) => a - b);
}

/** Time from notice to first acknowledgement. */
export function timeToAcknowledgeMs({
  events,
  openedMs,
}: Pick<PastIncident, 'events' | 'openedMs'>): number | undefined {
  const first = events.find(({ kind }) => kind === 'acknowledged');
  return first && Math.max(0, first.atMs - openedMs);
}

/** @param cuts oldest first, not overlapping */
export function without({ fromMs, toMs }: Span, cuts: readonly Span[]): Span[] {
  const starts = [fromMs, ...cuts.map((cut) => cut.toMs)];
  const ends = [...cuts.map((cut) => cut.fromMs), toMs];
  return starts
    .map((start, at) => ({ fromMs: Math.max(fromMs, start), toMs: Math.min(toMs, ends[at] ?? toMs) }))
    .filter((part) => part.toMs > part.fromMs);
}

const affectedSpans = (incidents: readonly IncidentRecord[], nowMs: number): Span[] =>
  incidentPeriods(incidents).map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs ?? nowMs }));

/** Absence that closes an incident. At the threshold of a rule it may come and go. */
export const CLOSE_AFTER_MS = 120_000;

/** Recorded members of an incident, or of a degraded network, whose `rule` and `size` are those of the `Anomaly`. */
export type Sighted = Pick<Incident, 'id' | 'keeper' | 'networkId' | 'severity' | 'size' | 'sinceMs'> & {
  rule: string;
  /** The likely cause first. */
  verdicts: readonly { headline: string }[];
};

type Sighting = {
  open: readonly IncidentRecord[];
  detected: readonly Sighted[];
  /** Keepers whose pending requests are up to date. Incidents of others stay as they are. */
  keepers: ReadonlySet<string>;
  /** Spans in which a keeper was examined, up to now. */
  watched: ReadonlyMap<string, readonly Span[]>;
  nowMs: number;
  /** Since when an open incident has been absent, by key, unix ms. Updated here. */
  missing: Map<string, number>;
  newKey: () => string;
  /** Requests of a closing incident need not be finished. */
  left?: (record: IncidentRecord) => Pick<IncidentEvent, 'size' | 'headline'>;
};

export const NO_DETAILS = { rule: null, headline: null, note: null, by: null, untilMs: null };

/** Members of an open incident that a later sighting may change. */
const UPDATED_MEMBERS = ['rules', 'severity', 'sinceMs', 'peak', 'reportedSize'] as const;

export function incidentChanges(sighting: Sighting): {
  incidents: IncidentRecord[];
  events: IncidentEvent[];
} {
  const { open, detected, keepers, watched, nowMs, missing, left } = sighting;
  const incidents: IncidentRecord[] = [];
  const events: IncidentEvent[] = [];
  const record = (
    { key }: IncidentRecord,
    change: Pick<IncidentEvent, 'kind' | 'size'> & Partial<IncidentEvent>,
  ) => events.push({ incident: key, atMs: nowMs, ...NO_DETAILS, ...change });
  const byId = new Map(open.map((incident) => [incident.id, incident]));
  for (const seen of detected) {
    if (!keepers.has(seen.keeper)) continue;
    const { size, rule } = seen;
    const headline = seen.verdicts[0]?.headline ?? '';
    const before = byId.get(seen.id);
    if (before === undefined) {
      const opened = openedIncident(seen, headline, sighting);
      incidents.push(opened);
      record(opened, { kind: 'opened', size, rule, headline });
      continue;
    }
    missing.delete(before.key);
    const isGrown = size >= Math.max(1, 2 * before.reportedSize);
    const isExplainedAnew = !before.rules.includes(rule);
    const updated: IncidentRecord = {
      ...before,
      rules: isExplainedAnew ? [...before.rules, rule] : before.rules,
      severity: mostSevere([before.severity as Severity, seen.severity]),
      sinceMs: Math.min(before.sinceMs, seen.sinceMs),
      peak: Math.max(before.peak, size),
      reportedSize: isGrown ? size : before.reportedSize,
    };
    if (UPDATED_MEMBERS.some((member) => updated[member] !== before[member])) incidents.push(updated);
    if (isGrown) record(updated, { kind: 'grew', size });
    if (isExplainedAnew) record(updated, { kind: 'explained', size, rule, headline });
  }
  const seenIds = new Set(detected.map(({ id }) => id));
  for (const incident of open) {
    if (seenIds.has(incident.id) || !keepers.has(incident.keeper)) continue;
    const sinceMs = firstSeenMs(missing, incident.key, nowMs);
    if (nowMs - sinceMs < CLOSE_AFTER_MS) continue;
    missing.delete(incident.key);
    const closedMs = Math.max(incident.openedMs, seenUntil(watched.get(incident.keeper) ?? [], sinceMs));
    incidents.push({ ...incident, closedMs });
    record(incident, { kind: 'closed', size: 0, ...left?.(incident), atMs: closedMs });
  }
  return { incidents, events };
}

function openedIncident(
  { id, keeper, networkId, rule, severity, sinceMs, size }: Sighted,
  headline: string,
  { newKey, nowMs }: Sighting,
): IncidentRecord {
  const times = { sinceMs, openedMs: nowMs, closedMs: null };
  const sizes = { peak: size, reportedSize: size };
  return { key: newKey(), id, keeper, networkId, rules: [rule], headline, severity, ...times, ...sizes };
}

/** A new key is remembered with `nowMs`. */
export function firstSeenMs(memory: Map<string, number>, key: string, nowMs: number): number {
  const sinceMs = memory.get(key) ?? nowMs;
  memory.set(key, sinceMs);
  return sinceMs;
}

type Place = { keeper: string; networkId: string };

/**
 * Keys of requests by id of their incident, as of its last detection. They are kept while the incident is open in the
 * record, as its closing may have to be written again, or is written by another process.
 */
export function rowsByIncident(
  before: ReadonlyMap<string, readonly string[]>,
  detected: readonly { id: string; rows: readonly string[] }[],
  open: readonly { id: string }[],
): ReadonlyMap<string, readonly string[]> {
  const ids = new Set(open.map(({ id }) => id));
  const kept = [...before].filter(([id]) => ids.has(id));
  return new Map([...kept, ...detected.map(({ id, rows }) => [id, rows] as const)]);
}

/** If `isAtMost`, some of them may be others' requests. */
type Left = { size: number; isAtMost: boolean };

type SingleRequest = Place & { key: string; sinceMs: number; sender?: string | undefined };

/**
 * Requests of a closed incident that are still stuck, alone or in another incident.
 * @param rows keys of its requests; undefined after a restart, when requests since its start may be its own
 */
export function stillStuck(
  {
    id,
    keeper,
    networkId,
    sinceMs,
    peak,
  }: Pick<IncidentRecord, 'id' | 'keeper' | 'networkId' | 'sinceMs' | 'peak'>,
  rows: readonly string[] | undefined,
  triage: {
    incidents: readonly (Place & { rows: readonly string[] })[];
    singles: readonly SingleRequest[];
  },
): Left {
  // A silence has no requests.
  if (peak === 0) return { size: 0, isAtMost: false };
  const isThere = (place: Place) => place.keeper === keeper && place.networkId === networkId;
  const singles = triage.singles.filter(isThere);
  const ofIncidents = triage.incidents.filter(isThere).flatMap((incident) => incident.rows);
  if (rows === undefined) {
    const owns = ownerTest(id);
    const since = singles.filter((single) => single.sinceMs >= sinceMs && owns?.(single) !== false);
    const isAtMost = owns === undefined || ofIncidents.length > 0;
    return { size: since.length + ofIncidents.length, isAtMost };
  }
  const stuck = new Set([...ofIncidents, ...singles.map(({ key }) => key)]);
  return { size: rows.filter((key) => stuck.has(key)).length, isAtMost: false };
}

/** Whether a request is of the sender or transaction in the id of an incident; undefined if it has neither. */
function ownerTest(id: string): ((single: SingleRequest) => boolean) | undefined {
  const [, , kind, encoded = ''] = id.split('/');
  const value = decodeURIComponent(encoded).toLowerCase();
  if (kind === 'sender') return ({ sender }) => sender?.toLowerCase() === value;
  return kind === 'transaction' ? ({ key }) => key.toLowerCase().endsWith(`/${value}`) : undefined;
}

export function leftAtClosing(
  { size, isAtMost }: Left,
  hasLostLog: boolean,
): Pick<IncidentEvent, 'size' | 'headline'> {
  const texts = [
    hasLostLog && 'keeper lost its log',
    isAtMost && size > 0 && `at most ${groupDigits(size)} of its requests still stuck`,
  ].filter(Boolean);
  return { size: isAtMost ? 0 : size, headline: texts.length === 0 ? null : texts.join(', ') };
}
