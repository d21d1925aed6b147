import { groupsOfThree } from '@/lib/core/numbers';
import type { Incident, PendingSettings, Severity, Single, Subject, TriageStatus } from './answers';
import { heldVerdicts } from './rules/diagnose';
import {
  ageOf,
  type FinishedRows,
  groupedBy,
  isFinished,
  keysOf,
  type LoggedRow,
  type Piece,
  type RowsFound,
  used,
  WINDOW_MS,
} from './rules/evidence';
import {
  isOneSender,
  isSharing,
  NETWORK_WIDE,
  NETWORK_WIDE_HEADLINE,
  networkWide,
  networkWideFigures,
  ONE_REPLICA,
  ONE_SENDER,
  replicaPattern,
  replicaVerdict,
  senderVerdict,
  silenceVerdict,
} from './rules/groups';
import { AGE_SEVERITY, ageVerdict, BEYOND_RANGE, blocksBehind } from './rules/one-request';
import { type AgeRule, ageRuleOf, isStuckAge } from './rules/rule';
import { countUpTo, type NormalAge, normalAge } from './rules/thresholds';
import { bySeverity, countText, figure, gravest, holds, type Verdict } from './rules/verdict';

/** Groups the pending requests of each network by one likely cause, the most particular that holds for all of them. */

/** What is known of one network of a keeper. */
export type NetworkEvidence = {
  networkId: string;
  /** E6. */
  newest: Piece<LoggedRow | null>;
  lastDay: Piece<number>;
  finished: Piece<FinishedRows>;
};

/** An incident with the keys of all its requests, oldest first. */
export type FoundIncident = Incident & { rows: string[] };

/** A pending request, with what grouping asks of it read once: there may be tens of thousands. */
type Waiting = {
  row: LoggedRow;
  key: string;
  ms: number;
  ageRule: AgeRule;
  /** Lower case. */
  sender: string | undefined;
  sequence: bigint;
};

/** The pending requests of one network of one keeper, and all that grouping looks at. */
export type PendingNetwork = {
  keeper: string;
  networkId: string;
  settings: PendingSettings;
  evidence: NetworkEvidence;
  /** E1 of the keeper. */
  pending: Piece<RowsFound>;
  /** As of when the keeper is known, unix ms. */
  nowMs: number;
  normal: NormalAge;
  /** Oldest first. */
  past: Waiting[];
  withinNormal: Waiting[];
  /** When its finished requests were created, rising: of all, and of each sender. */
  finished: { all: number[]; bySender: Map<string, number[]>; completeSinceMs: number } | undefined;
};

/** @param rows pending rows of the network, in any order */
export function pendingNetwork(
  given: Pick<PendingNetwork, 'keeper' | 'networkId' | 'settings' | 'evidence' | 'pending' | 'nowMs'>,
  rows: readonly LoggedRow[],
): PendingNetwork {
  const { evidence, settings, nowMs } = given;
  const normal = normalAge(evidence.finished, settings);
  const waiting = rows
    .map((row): Waiting => {
      const ageRule = ageRuleOf(ageOf(row, nowMs), normal, settings);
      const [sender, sequence] = [row.sender?.toLowerCase(), BigInt(row.sequence)];
      return { row, key: row.key, ms: row.createdAt.ms, ageRule, sender, sequence };
    })
    .sort((one, other) => one.ms - other.ms);
  return {
    ...given,
    normal,
    past: waiting.filter(({ ageRule }) => ageRule !== 'R1'),
    withinNormal: waiting.filter(({ ageRule }) => ageRule === 'R1'),
    finished: evidence.finished.kind === 'known' ? finishedTimes(evidence.finished.value) : undefined,
  };
}

function finishedTimes({ rows, completeSinceMs }: FinishedRows): PendingNetwork['finished'] {
  const timed = rows
    .filter(isFinished)
    .map((row) => ({ ms: row.createdAt.ms, sender: row.sender?.toLowerCase() ?? '' }))
    .sort((one, other) => one.ms - other.ms);
  const bySender = [...groupedBy(timed, ({ sender }) => sender)].map(([sender, own]): [string, number[]] => [
    sender,
    own.map(({ ms }) => ms),
  ]);
  return { all: timed.map(({ ms }) => ms), bySender: new Map(bySender), completeSinceMs };
}

/** How many of the rising times are at or after the moment. Times are whole milliseconds. */
function countSince(times: readonly number[], sinceMs: number): number {
  return times.length - countUpTo(times, sinceMs - 1);
}

/** Pending requests past normal of which no two neighbours are further apart than E2 reaches; unix ms, ends included. */
export type Stretch = {
  past: Waiting[];
  fromMs: number;
  toMs: number;
  /** So many of the newest rows that are not pending decide whether R6 holds: more than these it can't bear. */
  mostOthers: number;
};

/** Those of which R6 may hold, in order of time. What else there was in them is to be asked for. */
export function stretchesToCheck({ past }: PendingNetwork): Stretch[] {
  const stretches: Stretch[] = [];
  for (const waiting of past) {
    const last = stretches.at(-1);
    if (last === undefined || waiting.ms > last.toMs) {
      stretches.push({ past: [waiting], fromMs: waiting.ms, toMs: waiting.ms + WINDOW_MS, mostOthers: 0 });
    } else {
      last.past.push(waiting);
      last.toMs = waiting.ms + WINDOW_MS;
    }
  }
  return stretches
    .filter((one) => one.past.length >= NETWORK_WIDE.pending && sendersOf(one.past) >= NETWORK_WIDE.senders)
    .map((one) => ({ ...one, mostOthers: Math.floor(one.past.length / 4) + 1 }));
}

function sendersOf(members: readonly Waiting[]): number {
  return new Set(members.flatMap(({ sender }) => sender ?? [])).size;
}

/** A stretch with the creation times (unix ms) of its newest rows that are not pending, `mostOthers` at most. */
export type CheckedStretch = { stretch: Stretch; others: Piece<readonly number[]> };

/** Every pending request of a network once: in an incident, single, slow or within normal. */
export type NetworkTriage = {
  incidents: FoundIncident[];
  singles: LoggedRow[];
  slow: number;
  withinNormal: number;
};

export function triageNetwork(network: PendingNetwork, checked: readonly CheckedStretch[]): NetworkTriage {
  const incidents: FoundIncident[] = [];
  const claimed = new Set<Waiting>();
  const open = network.evidence.lastDay.kind === 'missing' ? network.evidence.lastDay.why : undefined;
  const unknown = checked.find(({ others }) => others.kind === 'missing')
    ? 'not all of that time is synced'
    : open;
  /** A verdict is an estimate as long as what is not synced may show that R6 or R9 explain these requests. */
  const settled = (verdict: Verdict): Verdict =>
    unknown === undefined || verdict.basis === 'estimate'
      ? verdict
      : { ...verdict, basis: 'estimate', missing: `What else happened on this network: ${unknown}` };
  const claim = (
    subject: Subject,
    members: readonly Waiting[],
    verdict: Verdict,
    maybe: readonly Waiting[],
  ) => {
    const young = youngOf(maybe, members, claimed);
    for (const waiting of [...members, ...young]) claimed.add(waiting);
    incidents.push(grownIncident(network, subject, members, verdict, young));
  };
  const whole = networkGroup(network, checked);
  if (whole !== undefined) claim({ kind: 'network' }, whole.members, whole.verdict, network.withinNormal);
  const left = network.past.filter((waiting) => !claimed.has(waiting));
  const youngBySender = groupedBy(network.withinNormal, ({ sender }) => sender);
  for (const { subject, members, least, verdictOf } of groupCandidates(network, left)) {
    // What a larger group has claimed is no longer the smaller one's, which may then be none.
    const own = members.filter((waiting) => !claimed.has(waiting));
    const verdict = own.length < least ? undefined : verdictOf(own);
    if (verdict === undefined) continue;
    const maybe = subject.kind === 'sender' ? youngBySender.get(subject.sender) : undefined;
    claim(subject, own, settled(verdict), maybe ?? []);
  }
  const rest = left.filter((waiting) => !claimed.has(waiting));
  const stuck = rest.filter(({ ageRule }) => isStuckAge(ageRule));
  const counts = {
    slow: rest.length - stuck.length,
    withinNormal: network.withinNormal.filter((waiting) => !claimed.has(waiting)).length,
  };
  const silence = silenceVerdict(network.evidence);
  if (silence.holds === 'yes' && (stuck.length > 0 || incidents.length === 0)) {
    const severity: Severity = stuck.length === 0 ? 'notice' : silence.severity;
    const verdict = { ...silence, severity, covers: stuck.length };
    return {
      incidents: [...incidents, incidentOf(network, { kind: 'silence' }, stuck, verdict)],
      singles: [],
      ...counts,
    };
  }
  if (stuck.length < LEAST_REST) return { incidents, singles: stuck.map(({ row }) => row), ...counts };
  const verdict = settled(restVerdict(network, stuck));
  return {
    incidents: [...incidents, incidentOf(network, { kind: 'rest' }, stuck, verdict)],
    singles: [],
    ...counts,
  };
}

/** Fewer stuck requests without a shared cause are single cases. */
const LEAST_REST = 3;

/** The requests that R6 explains, of all stretches: the same network, the same rule. */
function networkGroup(
  network: PendingNetwork,
  checked: readonly CheckedStretch[],
): { members: Waiting[]; verdict: Verdict } | undefined {
  const found = checked.flatMap(({ stretch, others }) => {
    const wide =
      others.kind === 'known' ? networkWide(stretch.past, others.value.toSorted(rising)) : undefined;
    return wide === undefined ? [] : [{ members: stretch.past.slice(wide.start), rows: wide.rows, others }];
  });
  const members = found.flatMap((one) => one.members);
  const [first] = members;
  if (first === undefined) return undefined;
  const rows = found.reduce((sum, one) => sum + one.rows, 0);
  const figures = { pending: members.length, senders: sendersOf(members), rows };
  const verdict = holds('R6', 'critical', NETWORK_WIDE_HEADLINE, {
    figures: networkWideFigures(figures, first.ms),
    proof: keysOf(members),
    evidence: used(
      ['E1', network.pending],
      ...found.map(({ others }): ['others', typeof others] => ['others', others]),
    ),
    covers: members.length,
  });
  return { members, verdict };
}

const rising = (one: number, other: number) => one - other;

/** Requests that one rule explains, oldest first. */
type Group = {
  subject: Subject;
  members: Waiting[];
  /** A group that loses members to a larger one keeps its claim only with so many. */
  least: number;
  /** The verdict about those members that are left; undefined when it does not hold of them. */
  verdictOf: (members: Waiting[]) => Verdict | undefined;
};

/** What R15, R7 and R13 may explain, the largest first; of two the same size the more particular. They may overlap. */
function groupCandidates(network: PendingNetwork, past: readonly Waiting[]): Group[] {
  const stuck = past.filter(({ ageRule }) => isStuckAge(ageRule));
  const groups = [
    ...batchGroups(network, stuck),
    ...senderGroups(network, past),
    ...replicaGroups(network, stuck),
  ];
  return groups.sort((one, other) => other.members.length - one.members.length);
}

/** Stuck requests of one transaction. */
function batchGroups(network: PendingNetwork, stuck: readonly Waiting[]): Group[] {
  const byTransaction = groupedBy(stuck, ({ row }) => row.requestTxHash?.toLowerCase());
  return [...byTransaction].flatMap(([transaction, members]) => {
    if (transaction === undefined || members.length < 2) return [];
    const verdictOf = (left: Waiting[]) =>
      holds(
        'R15',
        'notice',
        `One batch: ${countText(left.length, 'request')} of the same transaction pending`,
        {
          figures: [figure('Pending of this transaction', left.length, 'rows')],
          proof: keysOf(left),
          evidence: used(['E1', network.pending]),
          covers: left.length,
        },
      );
    return [{ subject: { kind: 'transaction', transaction }, members, least: 2, verdictOf }];
  });
}

/** The longest stretch of a sender's requests, up to its newest, of which R7 holds. */
function senderGroups(network: PendingNetwork, past: readonly Waiting[]): Group[] {
  const { finished, evidence } = network;
  if (finished === undefined) return [];
  /** An estimate where the finished rows that are looked at don't reach back to the first member. */
  const check = (sender: string, members: readonly Waiting[]) => {
    const sinceMs = members[0]?.ms ?? network.nowMs;
    const own = countSince(finished.bySender.get(sender) ?? [], sinceMs);
    const othersFinished = countSince(finished.all, sinceMs) - own;
    const found = { pending: members.length, own: members.length + own, othersFinished };
    return { found, isWhole: finished.completeSinceMs <= sinceMs };
  };
  return [...groupedBy(past, ({ sender }) => sender)].flatMap(([sender, own]) => {
    if (sender === undefined) return [];
    const verdictOf = (members: Waiting[]): Verdict | undefined => {
      const { found, isWhole } = check(sender, members);
      if (!isOneSender(found)) return undefined;
      const estimate = { basis: 'estimate', missing: 'Finished requests before the sample' } as const;
      const used7 = used(['E1', network.pending], ['finished', evidence.finished]);
      return senderVerdict(found, { proof: keysOf(members), evidence: used7, ...(isWhole ? {} : estimate) });
    };
    for (let start = 0; own.length - start >= ONE_SENDER.pending; start++) {
      const members = own.slice(start);
      const { found, isWhole } = check(sender, members);
      // What the finished rows don't show may be the sender's own: an estimate is given of stuck requests only.
      const stuck = members.filter(({ ageRule }) => isStuckAge(ageRule)).length;
      if (!isOneSender(found) || !(isWhole || stuck >= ONE_SENDER.pending)) continue;
      return [{ subject: { kind: 'sender', sender }, members, least: ONE_SENDER.pending, verdictOf }];
    }
    return [];
  });
}

function replicaGroups(network: PendingNetwork, stuck: readonly Waiting[]): Group[] {
  const unseen = network.pending.kind === 'known' ? network.pending.value.unseen : 0;
  return [...groupedBy(stuck, ({ row }) => row.provider?.toLowerCase())].flatMap(([provider, lane]) => {
    const sequences = lane.map(({ sequence }) => sequence);
    const pattern = replicaPattern(sequences, unseen);
    if (provider === undefined || pattern === undefined) return [];
    const { modulus, remainder } = pattern;
    return [
      {
        subject: { kind: 'replica', provider, modulus, remainder },
        members: lane.filter(({ sequence }) => isSharing(sequence, pattern)),
        least: ONE_REPLICA.pending,
        verdictOf: (left) =>
          replicaVerdict(pattern, {
            proof: keysOf(left),
            evidence: used(['E1', network.pending]),
            covers: left.length,
          }),
      },
    ];
  });
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
  return withinNormal.filter((waiting) => oldest && waiting.ms >= oldest.ms && !claimed.has(waiting));
}

function grownIncident(
  network: PendingNetwork,
  subject: Subject,
  members: readonly Waiting[],
  verdict: Verdict,
  young: readonly Waiting[],
): FoundIncident {
  if (young.length === 0) return incidentOf(network, subject, members, verdict);
  const all = [...members, ...young].sort((one, other) => one.ms - other.ms);
  const figures = [
    ...verdict.figures,
    figure('Within normal by age, counted with them', young.length, 'rows'),
  ];
  return incidentOf(network, subject, all, { ...verdict, figures });
}

function subjectId(subject: Subject): string {
  const { kind, ...rest } = subject;
  return [kind, ...Object.values(rest).map((value) => encodeURIComponent(value))].join('/');
}

function incidentOf(
  network: PendingNetwork,
  subject: Subject,
  members: readonly Waiting[],
  verdict: Verdict,
): FoundIncident {
  const [oldest] = members;
  const { newest } = network.evidence;
  const lastMs = newest.kind === 'known' ? newest.value?.createdAt.ms : undefined;
  return {
    id: `${encodeURIComponent(network.keeper)}/${network.networkId}/${subjectId(subject)}`,
    keeper: network.keeper,
    networkId: network.networkId,
    subject,
    rule: verdict.rule,
    severity: gravest([verdict.severity, oldest === undefined ? 'none' : AGE_SEVERITY[oldest.ageRule]]),
    size: members.length,
    senders: sendersOf(members),
    sinceMs: oldest?.ms ?? lastMs ?? network.nowMs,
    oldestKey: oldest?.key,
    rows: keysOf(members),
    verdicts: [verdict, ...besides(network, members, verdict)],
  };
}

/** What else holds of the members: silence, the backlog, the age of the oldest. */
function besides(network: PendingNetwork, members: readonly Waiting[], lead: Verdict): Verdict[] {
  const [oldest] = members;
  if (oldest === undefined) return [];
  const all = [
    silenceVerdict(network.evidence),
    backlogVerdict(network, members),
    ageOfWaiting(network, oldest),
  ];
  return all
    .filter((one) => one !== undefined)
    .filter(({ rule, holds }) => rule !== lead.rule && holds === 'yes');
}

function ageOfWaiting(network: PendingNetwork, { row }: Waiting): Verdict {
  return ageVerdict(ageOf(row, network.nowMs), network);
}

/** R10 for many: how many of them are outside. Undefined when none is, or none can be told. */
function backlogVerdict(network: PendingNetwork, members: readonly Waiting[]): Verdict | undefined {
  const { newest } = network.evidence;
  if (newest.kind === 'missing') return undefined;
  const { backlogBlocks } = network.settings;
  const outside = members.filter(({ row }) => (blocksBehind(row, newest.value) ?? 0n) > backlogBlocks);
  if (outside.length === 0) return undefined;
  const some = outside.length < members.length ? ` (${outside.length} of ${members.length})` : '';
  return holds('R10', 'warning', `${BEYOND_RANGE}${some}`, {
    figures: [
      figure('Beyond catch-up range', outside.length, 'rows'),
      figure('Catch-up range', backlogBlocks, 'blocks'),
    ],
    proof: keysOf(outside),
    evidence: used(['E1', network.pending], ['E6', newest]),
    covers: outside.length,
  });
}

/** Stuck without a shared cause: R10 when it is true of half of them or more, else the age that most of them have. */
function restVerdict(network: PendingNetwork, stuck: readonly Waiting[]): Verdict {
  const backlog = backlogVerdict(network, stuck);
  if (backlog !== undefined && backlog.covers * 2 >= stuck.length) return backlog;
  const late = stuck.filter(({ ageRule }) => ageRule === 'R4');
  const most = late.length * 2 >= stuck.length ? late : stuck.filter(({ ageRule }) => ageRule === 'R3');
  const age = ageOfWaiting(network, most[0] as Waiting);
  const figures = age.figures.map((one) =>
    one.label === 'Age' ? { ...one, label: 'Age of the oldest' } : one,
  );
  return {
    ...age,
    figures: [
      figure('Requests of this age', most.length, 'rows'),
      figure('Of', stuck.length, 'rows'),
      ...figures,
    ],
    proof: keysOf(most).slice(0, 50),
    evidence: [...used(['E1', network.pending]), ...age.evidence],
    covers: most.length,
  };
}

/** A stuck request that belongs to no incident, by what all rules say of it. */
export function singleOf(row: LoggedRow, diagnosis: Parameters<typeof heldVerdicts>[0]): Single {
  const held = heldVerdicts(diagnosis);
  return {
    key: row.key,
    keeper: row.keeper,
    networkId: row.networkId,
    sequence: row.sequence,
    sender: row.sender,
    sinceMs: row.createdAt.ms,
    rule: diagnosis.topRule ?? 'R4',
    severity: gravest(held.map(({ severity }) => severity)),
    verdicts: held,
  };
}

/** Pending requests of all keepers, each of them once. */
export type Triage = {
  /** The gravest first, then the largest, then the oldest. */
  incidents: FoundIncident[];
  /** Oldest first. */
  singles: Single[];
  slow: number;
  withinNormal: number;
  pending: number;
  /** How many more there are than can be looked at, and how many could not be read. */
  missing: number;
  unreadable: number;
  /** Keepers of which the pending requests are not known. */
  unchecked: { keeper: string; why: string }[];
  /** Unix ms: as of when the keeper that was read longest ago is known; undefined when none is. */
  checkedAtMs: number | undefined;
};

/** The gravest first, then the largest, then the oldest, then by id so that nothing jumps. */
export function byWeight(one: FoundIncident, other: FoundIncident): number {
  return (
    bySeverity(one.severity, other.severity) ||
    other.size - one.size ||
    one.sinceMs - other.sinceMs ||
    (one.id < other.id ? -1 : 1)
  );
}

/** Nothing is stuck only when every keeper was asked and every row was seen and read. */
export function statusOf(triage: Triage): TriageStatus {
  const stuck = triage.incidents.filter(({ size }) => size > 0);
  const singles = triage.singles.length;
  if (stuck.length + singles > 0) {
    const requests = stuck.reduce((sum, { size }) => sum + size, singles);
    return { kind: 'stuck', incidents: stuck.length, singles, requests };
  }
  const [unchecked] = triage.unchecked;
  const { unreadable, checkedAtMs } = triage;
  if (unchecked !== undefined) return { kind: 'not-known', why: unchecked.why };
  if (triage.missing > 0) {
    return { kind: 'not-known', why: `${countText(triage.missing, 'pending request')} not seen` };
  }
  if (unreadable > 0) {
    return { kind: 'not-known', why: `${countText(unreadable, 'pending request')} could not be read` };
  }
  if (checkedAtMs === undefined) return { kind: 'not-known', why: 'No keeper has been asked' };
  return { kind: 'nothing-stuck', checkedAtMs };
}

/** `Base: 41 pending, 12 senders, since 10:42`. The name is whatever `network` gives: escape it where that matters. */
export function incidentHeadline(
  { networkId, size, senders, sinceMs }: Pick<Incident, 'networkId' | 'size' | 'senders' | 'sinceMs'>,
  text: { network: (networkId: string) => string; moment: (ms: number) => string },
): string {
  const [name, since] = [text.network(networkId), `since ${text.moment(sinceMs)}`];
  if (size === 0) return `${name}: nothing logged ${since}`;
  return `${name}: ${groupsOfThree(String(size), ',')} pending, ${senders === 0 ? '' : `${countText(senders, 'sender')}, `}${since}`;
}
