import { AGE_SEVERITY, ageVerdict, isStuckRule } from './age-rules';
import { ALL_RULES, topVerdict } from './all-rules';
import { BACKLOG_HEADLINE, blocksBehind, isOutsideBacklog } from './backlog-rule';
import { missing, type Piece, type RowsWindow, used, WINDOW_MS } from './evidence';
import { type Group, groupCandidates } from './group-candidates';
import { groupedBy } from './grouped';
import type { Incident, IncidentSubject, SingleStuck } from './incident';
import { networkGroup } from './network-incident';
import { evidenceOf, type NetworkPart, standingOfWaiting, type Waiting, WHEN_OPENED } from './network-part';
import { asFarAsSettled } from './settled';
import { silenceVerdict } from './silence-rule';
import { graver, holds, PROOF_LIMIT, type RuleId, type Severity, type Verdict } from './verdict';

/** Fewer stuck requests without a shared cause are single cases. */
const LEAST_REST = 3;

/** Keys, but for incidents and single cases. */
export type NetworkTriage = {
  incidents: Incident[];
  singles: SingleStuck[];
  slow: string[];
  withinNormal: string[];
};

/** Every pending request of the network once: in an incident, single, slow or within normal. */
export function triageNetwork(part: NetworkPart): NetworkTriage {
  const claimed = new Set<Waiting>();
  const found = triagePast(part, claimed);
  const withinNormal = part.withinNormal.filter((waiting) => !claimed.has(waiting)).map(({ key }) => key);
  return { ...found, withinNormal };
}

/** @param claimed the requests of incidents, young ones included, are put there */
function triagePast(part: NetworkPart, claimed: Set<Waiting>): Omit<NetworkTriage, 'withinNormal'> {
  const incidents: Incident[] = [];
  const whole = networkGroup(part);
  if (whole !== undefined) {
    const young = youngOf(part.withinNormal, whole.members, claimed);
    incidents.push(grownIncident(part, { kind: 'network' }, whole, young));
    for (const waiting of [...whole.members, ...young]) claimed.add(waiting);
  }
  const left = part.past.filter((waiting) => !claimed.has(waiting));
  const youngBySender = groupedBy(part.withinNormal, ({ sender }) => sender);
  for (const group of groupCandidates(part, left)) {
    const { subject } = group;
    const young = subject.kind === 'sender' ? youngBySender.get(subject.sender) : undefined;
    const incident = claim(part, group, young ?? [], claimed);
    if (incident !== undefined) incidents.push(incident);
  }
  const rest = left.filter((waiting) => !claimed.has(waiting));
  const stuck = rest.filter(({ ageRule }) => isStuckRule(ageRule));
  const slow = rest.filter(({ ageRule }) => !isStuckRule(ageRule)).map(({ key }) => key);
  const silence = silenceVerdict(part.known);
  if (silence.holds === 'yes' && (stuck.length > 0 || incidents.length === 0)) {
    const verdict = stuck.length === 0 ? { ...silence, severity: 'notice' as const } : silence;
    incidents.push(incidentOf(part, { kind: 'silence' }, stuck, { ...verdict, covers: stuck.length }));
    return { incidents, singles: [], slow };
  }
  if (stuck.length < LEAST_REST) return { incidents, singles: stuck.map((one) => singleOf(part, one)), slow };
  const verdict = asFarAsSettled(part, stuck, restVerdict(part, stuck), 'R6 and R9');
  incidents.push(incidentOf(part, { kind: 'rest' }, stuck, verdict));
  return { incidents, singles: [], slow };
}

/** What a larger group has claimed is no longer the smaller one's, which may then be none. */
function claim(
  part: NetworkPart,
  group: Group,
  mayBeYoung: readonly Waiting[],
  claimed: Set<Waiting>,
): Incident | undefined {
  const members = group.members.filter((waiting) => !claimed.has(waiting));
  const verdict = members.length < group.least ? undefined : group.verdict(members);
  if (verdict === undefined) return undefined;
  const young = youngOf(mayBeYoung, members, claimed);
  for (const waiting of [...members, ...young]) claimed.add(waiting);
  const settled = asFarAsSettled(part, members, verdict, 'R6');
  return grownIncident(part, group.subject, { members, verdict: settled }, young);
}

/**
 * Requests within normal that came since a cause holds: by R6 and R7 it explains them as well, though no age does yet. They
 * are counted with the others, so that a size is that of all pending requests there.
 */
function youngOf(
  withinNormal: readonly Waiting[],
  [oldest]: readonly Waiting[],
  claimed: ReadonlySet<Waiting>,
): Waiting[] {
  if (oldest === undefined) return [];
  return withinNormal.filter((waiting) => waiting.ms >= oldest.ms && !claimed.has(waiting));
}

/** An incident by its members past normal, and the young ones that came to it since. */
function grownIncident(
  part: NetworkPart,
  subject: IncidentSubject,
  { members, verdict }: { members: readonly Waiting[]; verdict: Verdict },
  young: readonly Waiting[],
): Incident {
  if (young.length === 0) return incidentOf(part, subject, members, verdict);
  const all = [...members, ...young].sort((one, other) => one.ms - other.ms);
  const figure = {
    label: 'Within normal by age, counted with them',
    value: young.length,
    unit: 'rows' as const,
  };
  return incidentOf(part, subject, all, { ...verdict, figures: [...verdict.figures, figure] });
}

function subjectId(subject: IncidentSubject): string {
  switch (subject.kind) {
    case 'network':
    case 'silence':
    case 'rest':
      return subject.kind;
    case 'sender':
      return `sender/${encodeURIComponent(subject.sender)}`;
    case 'transaction':
      return `transaction/${encodeURIComponent(subject.transaction)}`;
    default:
      return `replica/${encodeURIComponent(subject.provider)}/${subject.modulus}/${subject.remainder}`;
  }
}

function incidentOf(
  part: NetworkPart,
  subject: IncidentSubject,
  members: readonly Waiting[],
  verdict: Verdict,
): Incident {
  const [oldest] = members;
  const newest = part.known.newest.kind === 'known' ? part.known.newest.value : null;
  const sinceMs = oldest?.ms ?? newest?.createdAt.ms ?? part.nowMs;
  return {
    id: `${encodeURIComponent(part.keeper)}/${part.networkId}/${subjectId(subject)}`,
    keeper: part.keeper,
    networkId: part.networkId,
    subject,
    rule: verdict.rule,
    severity: graver(verdict.severity, oldest === undefined ? 'none' : AGE_SEVERITY[oldest.ageRule]),
    size: members.length,
    senders: new Set(members.flatMap(({ sender }) => sender ?? [])).size,
    sinceMs,
    oldestKey: oldest?.key,
    rows: members.map(({ key }) => key),
    verdicts: [verdict, ...besides(part, members, verdict.rule)],
  };
}

/** What else a first view can tell about the members: the age of the oldest, the backlog, silence. */
function besides(part: NetworkPart, members: readonly Waiting[], lead: RuleId): Verdict[] {
  const [oldest] = members;
  if (oldest === undefined) return [];
  const age = ageOfWaiting(part, oldest);
  const backlog = backlogVerdict(part, members);
  const all = [silenceVerdict(part.known), ...(backlog === undefined ? [] : [backlog]), age];
  return all.filter(({ rule, holds: held }) => rule !== lead && held === 'yes');
}

function ageOfWaiting(part: NetworkPart, waiting: Waiting): Verdict {
  return ageVerdict(standingOfWaiting(part, waiting), part.known, part.settings);
}

/** R10 for many: how many of them are outside. Undefined when none is, or none can be told. */
function backlogVerdict(part: NetworkPart, members: readonly Waiting[]): Verdict | undefined {
  const { newest } = part.known;
  if (newest.kind === 'missing') return undefined;
  const outside = members.filter(({ row }) =>
    isOutsideBacklog(blocksBehind(row, newest.value), part.settings),
  );
  if (outside.length === 0) return undefined;
  const all = outside.length === members.length;
  return holds('R10', 'warning', {
    headline: all
      ? BACKLOG_HEADLINE
      : `${outside.length} of ${members.length} ${BACKLOG_HEADLINE.replace('Outside', 'outside')}`,
    figures: [
      { label: 'Outside the backlog', value: outside.length, unit: 'rows' },
      { label: 'Backlog', value: part.settings.backlogBlocks, unit: 'blocks' },
    ],
    proof: outside.map(({ key }) => key),
    evidence: used(['E1', part.pending], ['E6', newest]),
    covers: outside.length,
  });
}

/** Stuck without a shared cause: R10 when it is true of half of them or more, else the age that most of them have. */
function restVerdict(part: NetworkPart, stuck: readonly Waiting[]): Verdict {
  const backlog = backlogVerdict(part, stuck);
  if (backlog !== undefined && backlog.covers * 2 >= stuck.length) return backlog;
  const byAge = groupedBy(stuck, ({ ageRule }) => ageRule);
  const late = byAge.get('R4') ?? [];
  const most = late.length * 2 >= stuck.length ? late : (byAge.get('R3') ?? []);
  const [oldest] = most;
  const age = ageOfWaiting(part, oldest as Waiting);
  return {
    ...age,
    figures: [
      { label: 'Requests of which this holds', value: most.length, unit: 'rows' },
      { label: 'Of', value: stuck.length, unit: 'rows' },
      ...age.figures.map((figure) =>
        figure.label === 'Age' ? { ...figure, label: 'Age of the oldest of them' } : figure,
      ),
    ],
    proof: most.slice(0, PROOF_LIMIT).map(({ key }) => key),
    evidence: [...used(['E1', part.pending]), ...age.evidence],
    covers: most.length,
  };
}

/** All rules that the evidence of a first view can answer; what explains most goes first. */
function singleOf(part: NetworkPart, waiting: Waiting): SingleStuck {
  const { row } = waiting;
  const evidence = { ...evidenceOf(part), window: windowInSample(part, waiting) };
  const held = Object.values(ALL_RULES)
    .map((rule) => rule(row, evidence, part.settings, part.nowMs))
    .filter(({ holds: found }) => found === 'yes');
  const top = topVerdict(held) ?? ageOfWaiting(part, waiting);
  return {
    key: waiting.key,
    keeper: part.keeper,
    networkId: part.networkId,
    sequence: row.sequence,
    sender: row.sender,
    sinceMs: waiting.ms,
    rule: top.rule,
    severity: held.reduce<Severity>((gravest, { severity }) => graver(gravest, severity), 'none'),
    verdicts: [
      asFarAsSettled(part, [waiting], top, 'R6 and R9'),
      ...held.filter((verdict) => verdict !== top),
    ],
  };
}

/** E2, where the newest rows of the network reach back so far that they hold all of it. */
function windowInSample({ known: { finished } }: NetworkPart, { ms }: Waiting): Piece<RowsWindow> {
  const [fromMs, toMs] = [ms - WINDOW_MS, ms + WINDOW_MS];
  if (finished.kind === 'missing' || finished.value.completeSinceMs > fromMs) return missing(WHEN_OPENED);
  const rows = finished.value.rows.filter(({ createdAt }) => createdAt.ms >= fromMs && createdAt.ms <= toMs);
  return { ...finished, value: { rows, missing: 0, unreadable: 0, fromMs, toMs } };
}
