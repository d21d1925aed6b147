import { groupedBy } from '@/lib/core/grouped';
import type { IncidentRecord } from '@/lib/core/incident-record';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { MIN_TOGETHER } from '@/lib/core/pending-settings';
import { type GroupVerdicts, verdictsHolding } from '@/lib/pending/rules/diagnose';
import { silenceVerdict } from '@/lib/pending/rules/network-rules';
import { AGE_SEVERITY } from '@/lib/pending/rules/request-rules';
import type { RuleOfMany } from '@/lib/pending/rules/rule';
import { RULE } from '@/lib/pending/rules/rule-ids';
import { ORPHANED } from '@/lib/pending/rules/sequence-rules';
import {
  bySeverity,
  doesNotHold,
  figure,
  holds,
  mostSevere,
  unknownVerdict,
  type Verdict,
} from '@/lib/pending/rules/verdict';
import { PARKED_AFTER_MS, RETIRED_AFTER_MS } from '@/lib/requests/keeper-status';
import {
  type CheckedStretch,
  restGroups,
  senderVerdict,
  sharedCauseGroups,
  sharedVerdict,
  verdictsHoldingIn,
} from './groups';
import { byMs, type PendingNetwork, type PendingRequest, sendersOf } from './network';
import type { Incident, Single, Subject, TriageStatus } from './pending-response';
import { keysOf, type LoggedRow, PIECES, queriesUsed } from './rules/evidence';
import { isStuckAge } from './rules/thresholds';

/** `rows`: keys of all its requests, oldest first. `confirmedAtMs`: last time at which its cause held. */
export type KeyedIncident = Incident & { rows: string[]; confirmedAtMs: number };

/** An unexamined request has no verdicts. */
export type JudgedSingle = Single & { verdicts: Verdict[] };

/** Each pending request is in exactly one place: an incident, `singles`, `slow` or `withinNormal`. */
export type NetworkTriage = {
  incidents: KeyedIncident[];
  /** `fromKnown` judges from the data at hand; `brief` makes only cause and severity. */
  singles: { row: LoggedRow; fromKnown: () => JudgedSingle; brief: () => JudgedSingle }[];
  slow: number;
  withinNormal: number;
  /** Verdicts of the rules about many requests, for requests outside of their incidents. */
  others: GroupVerdicts['others'];
};

/** Headline of a silence whose length is unknown. One of an earlier run would give the length of then. */
const SILENT = 'Nothing logged for longer than usual';

/** An open incident of the history. After a restart, there is no previous run. */
export type RecordedIncident = Pick<IncidentRecord, 'id' | 'openedMs'>;

/**
 * @param before incidents of this network from the previous run
 * @param recorded incidents of any network
 */
export function triageNetwork(
  network: PendingNetwork,
  checked: readonly CheckedStretch[],
  before: readonly KeyedIncident[] = [],
  recorded: readonly RecordedIncident[] = [],
): NetworkTriage {
  const incidentSet = new IncidentSet(network, before);
  const settled = settling(network, checked);
  for (const { subject, members, verdictOf, young } of sharedCauseGroups(network, checked)) {
    // Members of a larger or an older incident are left out. Too few may remain for the rule.
    const unclaimed = incidentSet.claimable(subject, members);
    const verdict = unclaimed.length === 0 ? undefined : verdictOf(unclaimed);
    if (verdict !== undefined) incidentSet.open(subject, unclaimed, settled(verdict), young);
  }
  incidentSet.continueEarlier();
  const rest = network.past.filter(incidentSet.isFree);
  const stuck = rest.filter(({ ageRule }) => isStuckAge(ageRule));
  const orphans = network.orphans.filter(({ ageRule }) => isStuckAge(ageRule));
  const alone = [...orphans, ...openRest(incidentSet, stuck, { before, recorded }, settled)];
  openSilence(incidentSet, before, recorded);
  return {
    incidents: [...incidentSet.incidents.values()],
    singles: alone.map((request) => ({
      row: request.row,
      fromKnown: () => knownSingle(network, request),
      brief: () => briefSingle(network, request),
    })),
    slow: rest.length - stuck.length + network.orphans.length - orphans.length,
    withinNormal: network.withinNormal.filter(incidentSet.isFree).length,
    others: othersOf(network, checked, incidentSet.incidents),
  };
}

/**
 * A request belongs to at most one incident, which keeps the most specific cause of all its members until none of them
 * is pending.
 */
class IncidentSet {
  readonly incidents = new Map<string, KeyedIncident>();
  readonly #claimed = new Set<PendingRequest>();
  readonly #lasting: readonly KeyedIncident[];
  /** Incident id by request. */
  readonly #owners: ReadonlyMap<string, string>;
  /** Pinned requests by incident id. */
  readonly #pinned: ReadonlyMap<string | undefined, readonly PendingRequest[]>;

  constructor(
    readonly network: PendingNetwork,
    before: readonly KeyedIncident[],
  ) {
    this.#lasting = before.filter(isLasting);
    const owners = new Map(
      this.#lasting.flatMap((incident) => incident.rows.map((key) => [key, incident.id] as const)),
    );
    this.#owners = owners;
    const all = [...network.past, ...network.withinNormal].sort(byMs);
    this.#pinned = groupedBy(all, ({ key }) => owners.get(key));
  }

  readonly isFree = (request: PendingRequest) => !this.#claimed.has(request);

  /** Free requests of no earlier incident, or of the earlier incident of this subject. */
  claimable(subject: Subject, members: readonly PendingRequest[]): PendingRequest[] {
    const id = incidentId(this.network, subject);
    return members.filter((request) => this.isFree(request) && (this.#owners.get(request.key) ?? id) === id);
  }

  open(
    subject: Subject,
    candidates: readonly PendingRequest[],
    verdict: Verdict,
    young: readonly PendingRequest[] = [],
  ): void {
    const { network } = this;
    const id = incidentId(network, subject);
    const old = [...candidates, ...(this.#pinned.get(id) ?? [])].sort(byMs);
    const sinceMs = old[0]?.ms ?? network.nowMs;
    const grown = young.filter((request) => request.ms >= sinceMs && !this.#owners.has(request.key));
    const members = [...new Set([...old, ...grown])].filter(this.isFree).sort(byMs);
    this.#add(id, incidentOf(network, subject, members, verdict), members);
  }

  continueEarlier(): void {
    for (const incident of this.#lasting) {
      const members = (this.#pinned.get(incident.id) ?? []).filter(this.isFree);
      if (members.length > 0)
        this.#add(incident.id, remainingIncident(this.network, incident, members), members);
    }
  }

  #add(id: string, incident: KeyedIncident, members: readonly PendingRequest[]): void {
    for (const request of members) this.#claimed.add(request);
    this.incidents.set(id, incident);
  }
}

/**
 * A silence without stuck requests lasts until a row arrives or the network counts as retired, even while other
 * incidents open or evidence is missing.
 */
function openSilence(
  incidentSet: IncidentSet,
  before: readonly KeyedIncident[],
  recorded: readonly RecordedIncident[],
): void {
  const { network, incidents } = incidentSet;
  const subject = { kind: 'silence' } as const;
  const { newest } = network.evidence;
  const lastMs = newest.kind === 'known' ? newest.value?.createdAt.ms : undefined;
  const id = incidentId(network, subject);
  const earlier = before.find((incident) => incident.id === id);
  const record = recorded.find((incident) => incident.id === id);
  const lastsSinceMs = earlier?.size === 0 ? earlier.sinceMs : (earlier?.confirmedAtMs ?? record?.openedMs);
  const silence = silenceVerdict(network.evidence);
  const isRetired = lastMs !== undefined && network.nowMs - lastMs > RETIRED_AFTER_MS;
  if (incidents.has(id) || silence.holds === 'no' || isRetired) return;
  const isOpen = lastsSinceMs !== undefined && (lastMs ?? lastsSinceMs) <= lastsSinceMs;
  if (isOpen && silence.holds === 'unknown' && earlier?.size === 0) {
    const [lead, ...others] = earlier.verdicts;
    const verdicts = lead === undefined ? [] : [{ ...lead, headline: SILENT }, ...others];
    incidents.set(id, { ...earlier, verdicts });
  } else if (isOpen || (silence.holds === 'yes' && incidents.size === 0)) {
    const headline = silence.holds === 'yes' ? silence.headline : SILENT;
    incidentSet.open(subject, [], { ...silence, headline, severity: 'notice', covers: 0 });
  }
}

/** Requests of an earlier incident stay with it, and later ones join it. @returns those that are too few */
function openRest(
  incidentSet: IncidentSet,
  stuck: readonly PendingRequest[],
  { before, recorded }: { before: readonly KeyedIncident[]; recorded: readonly RecordedIncident[] },
  settled: (verdict: Verdict) => Verdict,
): PendingRequest[] {
  const { network } = incidentSet;
  const ofRun = new Map(
    before.flatMap(({ subject, rows }) => (subject.kind === 'rest' ? rows.map((key) => [key, subject]) : [])),
  );
  const ofHistory = recordedRest(network, recorded);
  const earlierOf = ({ key, ms, provider = '' }: PendingRequest): Subject | undefined =>
    ofRun.get(key) ??
    ofHistory.find(
      ({ subject, openedMs }) => subject.provider === provider && ms >= subject.fromMs && ms <= openedMs,
    )?.subject;
  const requests = restGroups(stuck).flatMap((group) => {
    const [oldest] = group;
    const begun: Subject = { kind: 'rest', provider: oldest?.provider ?? '', fromMs: oldest?.ms ?? 0 };
    const joined = group.flatMap((request) => earlierOf(request) ?? [])[0];
    const subjectOfGroup = joined ?? (group.length < MIN_TOGETHER ? undefined : begun);
    return group.map((request) => ({ request, subject: earlierOf(request) ?? subjectOfGroup }));
  });
  const byId = groupedBy(requests, ({ subject }) => subject && incidentId(network, subject));
  return [...byId.values()].flatMap((entries) => {
    const subject = entries[0]?.subject;
    const members = entries.map(({ request }) => request);
    if (subject === undefined) return members;
    incidentSet.open(subject, members, settled(sharedVerdict(network, members.sort(byMs))));
    return [];
  });
}

/** The history has the times of these incidents, but not their requests. */
function recordedRest({ keeper, networkId }: PendingNetwork, recorded: readonly RecordedIncident[]) {
  const prefix = `${encodeURIComponent(keeper)}/${networkId}/rest/`;
  return recorded.flatMap(({ id, openedMs }) => {
    if (!id.startsWith(prefix)) return [];
    const [provider = '', fromMs] = id.slice(prefix.length).split('/').map(decodeURIComponent);
    return [{ subject: { kind: 'rest', provider, fromMs: Number(fromMs) } as const, openedMs }];
  });
}

/** An incident keeps its requests once its cause is confirmed. */
function isLasting({ subject, verdicts: [lead], size }: KeyedIncident): boolean {
  return subject.kind !== 'rest' && size > 0 && lead?.basis === 'evidence';
}

/** Verdicts stay estimates while data not synced yet may show that the whole network is down or quiet. */
function settling({ evidence }: PendingNetwork, checked: readonly CheckedStretch[]) {
  const isOpen = checked.some(({ others }) => others.kind === 'missing');
  const why = evidence.lastDay.kind === 'missing' ? evidence.lastDay.why : undefined;
  const unknown = isOpen ? 'not all of that time is synced' : why;
  return (verdict: Verdict): Verdict =>
    unknown === undefined || verdict.basis === 'estimate' || verdict.rule === RULE.wholeNetwork
      ? verdict
      : { ...verdict, basis: 'estimate', missing: `What else happened on this network: ${unknown}` };
}

function incidentId({ keeper, networkId }: PendingNetwork, { kind, ...rest }: Subject): string {
  const subject = [kind, ...Object.values(rest).map((value) => encodeURIComponent(value))].join('/');
  return `${encodeURIComponent(keeper)}/${networkId}/${subject}`;
}

/** @param members oldest first @param lead has the severity of the incident */
function incidentOf(
  network: PendingNetwork,
  subject: Subject,
  members: readonly PendingRequest[],
  lead: Verdict,
  more: readonly Verdict[] = [],
): KeyedIncident {
  const [oldest] = members;
  const { newest } = network.evidence;
  const lastMs = newest.kind === 'known' ? newest.value?.createdAt.ms : undefined;
  const severity = mostSevere([lead.severity, oldest === undefined ? 'none' : AGE_SEVERITY[oldest.ageRule]]);
  const young = members.filter(({ ageRule }) => ageRule === RULE.withinNormal).length;
  const counted = young === 0 ? [] : [figure('Of these within normal', young, 'rows')];
  const { keeper, networkId } = network;
  return {
    id: incidentId(network, subject),
    keeper,
    networkId,
    subject,
    rule: lead.rule,
    severity,
    size: members.length,
    senders: sendersOf(members),
    sinceMs: oldest?.ms ?? lastMs ?? network.nowMs,
    oldestKey: oldest?.key,
    rows: keysOf(members),
    confirmedAtMs: network.nowMs,
    verdicts: [
      { ...lead, severity, figures: [...lead.figures, ...counted] },
      ...[...verdictsHoldingIn(network, oldest), ...more].filter(({ rule }) => rule !== lead.rule),
    ],
  };
}

/** The incident keeps its id, and later requests join it. */
function remainingIncident(
  network: PendingNetwork,
  before: KeyedIncident,
  members: readonly PendingRequest[],
) {
  const { evidence = [], figures = [] } = before.verdicts[0] ?? {};
  const left = [
    figure('Still pending', members.length, 'rows'),
    figure('Held until', before.confirmedAtMs, 'moment'),
  ];
  const others = figures.filter(({ label }) => left.every((figure) => figure.label !== label));
  const lead = holds(before.rule, 'notice', 'Left over after it ended', {
    evidence,
    figures: [...left, ...others],
    proof: keysOf(members),
    covers: members.length,
    ended: true,
  });
  const later = [senderVerdict(network, members)].filter((verdict) => verdict !== undefined);
  return {
    ...incidentOf(network, before.subject, members, lead, later),
    confirmedAtMs: before.confirmedAtMs,
  };
}

function knownSingle(network: PendingNetwork, waiting: PendingRequest): JudgedSingle {
  const isOrphan = network.orphaned.has(waiting.key);
  const lead = isOrphan
    ? holds(RULE.reorgedTwin, 'notice', ORPHANED, { decisive: true })
    : sharedVerdict(network, [waiting]);
  const severity = mostSevere([lead.severity, AGE_SEVERITY[waiting.ageRule]]);
  const besides = verdictsHoldingIn(network, waiting).filter(({ rule }) => rule !== lead.rule);
  const verdicts = [{ ...lead, severity }, ...besides];
  return judgedSingle(waiting.row, { verdicts, topRule: lead.rule }, network.nowMs);
}

/** A request without verdicts: networks may have tens of thousands of them. */
function briefSingle(network: PendingNetwork, { row, key, ageRule, causes }: PendingRequest): JudgedSingle {
  const isSettled = network.orphaned.has(key);
  const rule = isSettled ? RULE.reorgedTwin : (causes[0] ?? ageRule);
  const single = judgedSingle(row, { verdicts: [], topRule: rule }, network.nowMs);
  return { ...single, severity: AGE_SEVERITY[ageRule], isSettled };
}

/** @param nowMs time at which the keeper was read, unix ms */
export function judgedSingle(
  row: LoggedRow,
  diagnosis: Parameters<typeof verdictsHolding>[0],
  nowMs: number,
): JudgedSingle {
  const verdicts = verdictsHolding(diagnosis);
  const { key, keeper, networkId, sequence, sender, createdAt } = row;
  return {
    key,
    keeper,
    networkId,
    sequence,
    sender,
    sinceMs: createdAt.ms,
    rule: diagnosis.topRule ?? RULE.pastRetryBudget,
    severity: verdicts[0]?.severity ?? 'warning',
    isParked: nowMs - createdAt.ms > PARKED_AFTER_MS,
    isSettled: verdicts[0]?.decisive === true,
    verdicts,
  };
}

/** The rules about many requests are ruled out, or unknown with the reason. */
function othersOf(
  network: PendingNetwork,
  checked: readonly CheckedStretch[],
  incidents: ReadonlyMap<string, KeyedIncident>,
): GroupVerdicts['others'] {
  const { past, pending, evidence } = network;
  const [unchecked] = checked.flatMap(({ others }) => (others.kind === 'missing' ? [others.why] : []));
  const isWide = incidents.has(incidentId(network, { kind: 'network' }));
  const unseen = pending.kind === 'known' ? pending.value.unseen : 0;
  const byAll = ['pending', pending] as const;
  const ruledOut = (
    rule: RuleOfMany,
    gap: string | undefined,
    headline: string,
    details: Partial<Verdict>,
  ) => (gap === undefined ? doesNotHold(rule, headline, details) : unknownVerdict(rule, gap, details));
  return {
    [RULE.wholeNetwork]: ruledOut(
      RULE.wholeNetwork,
      unchecked && `${PIECES.window.name}: ${unchecked}`,
      isWide ? 'Not part of the network’s incident' : 'Not most of the network’s requests',
      {
        figures: [
          figure('Pending past normal', past.length, 'rows'),
          figure('Senders', sendersOf(past), 'senders'),
        ],
        evidence: queriesUsed(byAll, ...checked.map(({ others }) => ['others', others] as const)),
      },
    ),
    [RULE.oneSender]: ruledOut(
      RULE.oneSender,
      evidence.finished.kind === 'missing' ? `${PIECES.finished.name}: ${evidence.finished.why}` : undefined,
      'Not this sender alone, or not most of its requests',
      { evidence: queriesUsed(byAll, ['finished', evidence.finished]) },
    ),
    [RULE.replicaDown]: ruledOut(
      RULE.replicaDown,
      unseen > 0 ? `${countOf(unseen, 'pending row')} not seen` : undefined,
      'The stuck sequences share no remainder that others complete without, or are too few to tell',
      { evidence: queriesUsed(byAll) },
    ),
  };
}

/** Incidents by severity, size and age; single requests newest first. */
export type Triage = Omit<NetworkTriage, 'singles' | 'others'> & {
  singles: JudgedSingle[];
  pending: number;
  unexamined: number;
  /** Requests beyond the limit of examination. */
  missing: number;
  unreadable: number;
  /** Old requests in states that this version doesn't know: they may be stuck. */
  unknownState: number;
  /** Other requests by network, as in `NetworkTriage`. */
  others: Map<string, GroupVerdicts['others']>;
  /** Reasons, by keeper whose requests are unknown. */
  unchecked: string[];
  /** The earliest of the keepers' times, unix ms; undefined without keepers. */
  checkedAtMs: number | undefined;
};

export function groupVerdictsOf(
  { incidents, others }: Pick<Triage, 'incidents' | 'others'>,
  row: LoggedRow,
): GroupVerdicts {
  const { key, keeper, networkId } = row;
  const incident = incidents.find(
    (incident) =>
      incident.keeper === keeper && incident.networkId === networkId && incident.rows.includes(key),
  );
  const why = 'not synced yet';
  const unknown = {
    [RULE.wholeNetwork]: unknownVerdict(RULE.wholeNetwork, why),
    [RULE.oneSender]: unknownVerdict(RULE.oneSender, why),
    [RULE.replicaDown]: unknownVerdict(RULE.replicaDown, why),
  };
  return { lead: incident?.verdicts[0], others: others.get(`${keeper}/${networkId}`) ?? unknown };
}

/** Sizes are compared by magnitude, so that a single request does not reorder the list. */
export function byWeight(a: KeyedIncident, b: KeyedIncident): number {
  return (
    bySeverity(a.severity, b.severity) ||
    magnitude(b) - magnitude(a) ||
    a.sinceMs - b.sinceMs ||
    (a.id < b.id ? -1 : 1)
  );
}

const magnitude = ({ size }: KeyedIncident) => Math.floor(Math.log2(size + 1));

/** "Nothing stuck" requires that all keepers were read and all rows are readable. Parked requests don't count. */
export function triageStatus(triage: Triage): TriageStatus {
  const stuck = triage.incidents.filter(({ size }) => size > 0);
  const singles = triage.singles.filter(({ isParked }) => !isParked).length;
  if (stuck.length + singles > 0) {
    const requests = stuck.reduce((sum, { size }) => sum + size, singles);
    return { kind: 'stuck', incidents: stuck.length, singles, requests };
  }
  const { unchecked, missing, unreadable, unknownState, checkedAtMs } = triage;
  const gaps = [
    unchecked[0],
    missing > 0 && `${countOf(missing, 'pending request')} not seen`,
    unreadable > 0 && `${countOf(unreadable, 'pending request')} could not be read`,
    unknownState > 0 && `${countOf(unknownState, 'request')} in unknown states`,
  ];
  const why = gaps.find((gap) => typeof gap === 'string');
  if (why !== undefined) return { kind: 'not-known', why };
  if (checkedAtMs === undefined) return { kind: 'not-known', why: 'No keeper checked yet' };
  return { kind: 'nothing-stuck', checkedAtMs };
}

/** `Base: 41 stuck, 12 senders`. */
export function incidentTitle(name: string, { size, senders }: Pick<Incident, 'size' | 'senders'>): string {
  if (size === 0) return `${name}: nothing logged`;
  return `${name}: ${groupDigits(size)} stuck${senders === 0 ? '' : `, ${countOf(senders, 'sender')}`}`;
}

/** `Base: 41 stuck, 12 senders, since 10:42`. The name is not escaped. */
export function incidentHeadline(
  { networkId, sinceMs, ...counts }: Pick<Incident, 'networkId' | 'size' | 'senders' | 'sinceMs'>,
  text: { network: (networkId: string) => string; moment: (ms: number) => string },
): string {
  const title = incidentTitle(text.network(networkId), counts);
  return `${title}${counts.size === 0 ? '' : ','} since ${text.moment(sinceMs)}`;
}
