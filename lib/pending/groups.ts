import { groupedBy } from '@/lib/core/grouped';
import { countOf } from '@/lib/core/numbers';
import { MIN_TOGETHER } from '@/lib/core/pending-settings';
import { silenceVerdict } from '@/lib/pending/rules/network-rules';
import { RULE } from '@/lib/pending/rules/rule-ids';
import {
  AGE_WHEN_CHECKED,
  figure,
  holds,
  percentFloor,
  SHARE_PENDING,
  type Verdict,
} from '@/lib/pending/rules/verdict';
import {
  countSince,
  judgeIn,
  neighbours,
  type PendingNetwork,
  type PendingRequest,
  sendersOf,
} from './network';
import type { Subject } from './pending-response';
import { isCompleted, isSameHex, keysOf, type Piece, queriesUsed, rowsOf, WINDOW_MS } from './rules/evidence';
import { byNumber, isStuckAge } from './rules/thresholds';

/** Whole network: minimum pending requests, their senders, and their share of all rows since the oldest. */
const NETWORK_WIDE = { pending: 5, senders: 3, percent: 80 } as const;
/** One sender: minimum completed requests of other senders, pending ones of the sender, and their share of the sender's. */
const ONE_SENDER = { othersCompleted: 10, pending: 3, percent: 80 } as const;
/**
 * Replica down: minimum pending sequences, share with one remainder, and completed sequences with other remainders. Completed
 * ones with this remainder must be less than half of an even share. If all requests of a provider have one remainder,
 * no replica is down.
 */
const ONE_REPLICA = { pending: 8, percent: 90, othersCompleted: 3 } as const;
/** Pending requests past normal age that are close in time; unix ms, inclusive. */
type Stretch = {
  past: PendingRequest[];
  fromMs: number;
  toMs: number;
  /** Number of other rows that suffice to rule out an outage of the whole network. */
  maxOthers: number;
};

/** Stretches in which the whole network may be down, in order of time; their other rows are still to be queried. */
export function stretchesToCheck({ past }: PendingNetwork): Stretch[] {
  return neighbours(past)
    .filter((group) => group.length >= NETWORK_WIDE.pending && sendersOf(group) >= NETWORK_WIDE.senders)
    .map((group) => ({
      past: group,
      fromMs: group[0]?.ms ?? 0,
      toMs: (group.at(-1)?.ms ?? 0) + WINDOW_MS,
      maxOthers: Math.floor(group.length / 4) + 1,
    }));
}

/** Creation times (unix ms) of the newest rows that are not pending, at most `maxOthers`. */
export type CheckedStretch = { stretch: Stretch; others: Piece<readonly number[]> };

/** Requests that one rule explains, oldest first. */
type Group = {
  subject: Subject;
  members: readonly PendingRequest[];
  verdictOf: (members: PendingRequest[]) => Verdict | undefined;
  /** Requests within normal age, of which the rule explains those that arrived since. */
  young?: readonly PendingRequest[] | undefined;
};

/** Groups may overlap. The whole network comes first, then by size; of equal size, the more specific first. */
export function sharedCauseGroups(network: PendingNetwork, checked: readonly CheckedStretch[]): Group[] {
  const stuck = network.past.filter(({ ageRule }) => isStuckAge(ageRule));
  const groups = [
    ...gasGroups(network, stuck),
    ...batchGroups(network, stuck),
    ...senderGroups(network, network.past),
    ...replicaGroups(network, stuck),
  ].sort((a, b) => b.members.length - a.members.length);
  return [...networkGroup(network, checked), ...groups, ...silenceGroup(network, stuck)];
}

function networkGroup(network: PendingNetwork, checked: readonly CheckedStretch[]): Group[] {
  const stretches = checked.flatMap(({ stretch, others }) => {
    const wide = others.kind === 'known' ? networkWide(stretch.past, others.value) : undefined;
    return wide === undefined ? [] : [{ members: stretch.past.slice(wide.start), rows: wide.rows, others }];
  });
  const members = stretches.flatMap((stretch) => stretch.members);
  const [first] = members;
  // An unusual gas limit that all share explains them.
  if (first === undefined || (first.gas !== undefined && members.every(({ gas }) => gas === first.gas))) {
    return [];
  }
  const rows = stretches.reduce((sum, stretch) => sum + stretch.rows, 0);
  const headline = 'Most requests since the oldest are pending';
  const verdict = verdictOfMembers(RULE.wholeNetwork, 'critical', headline, network, members, {
    figures: [
      figure('Pending past normal', members.length, 'rows'),
      figure('Senders', sendersOf(members), 'senders'),
      figure('Requests since the oldest', rows, 'rows'),
      figure(SHARE_PENDING, percentFloor(members.length, rows), 'percent'),
      figure('Since', first.ms, 'moment'),
    ],
    evidence: queriesUsed(
      ['pending', network.pending],
      ...stretches.map(({ others }) => ['others', others] as const),
    ),
  });
  return [{ subject: { kind: 'network' }, members, verdictOf: () => verdict, young: network.withinNormal }];
}

/**
 * The stretch, up to the newest request, that exceeds `NETWORK_WIDE` the most. An older straggler neither hides it
 * nor begins it. Requests within normal age are left out: the newest rows of a busy network are always pending.
 */
function networkWide(
  past: readonly PendingRequest[],
  others: readonly number[],
): { start: number; rows: number } | undefined {
  const rising = others.toSorted(byNumber);
  const senders = new Set<string>();
  let steepest: { start: number; rows: number } | undefined;
  let best = 0;
  let next = rising.length;
  for (let start = past.length - 1; start >= 0; start--) {
    const { ms, sender } = past[start] as PendingRequest;
    if (sender !== undefined) senders.add(sender);
    while (next > 0 && (rising[next - 1] ?? 0) >= ms) next -= 1;
    const pending = past.length - start;
    const rows = pending + rising.length - next;
    // Pending requests above the required share, times 100. Each further completed request lowers it.
    const excess = pending * 100 - rows * NETWORK_WIDE.percent;
    const isWide = pending >= NETWORK_WIDE.pending && senders.size >= NETWORK_WIDE.senders && excess >= best;
    if (!isWide) continue;
    best = excess;
    steepest = { start, rows };
  }
  return steepest;
}

function gasGroups(network: PendingNetwork, stuck: readonly PendingRequest[]): Group[] {
  return [...groupedBy(stuck, ({ gas }) => gas)].flatMap(([limit, members]) =>
    limit === undefined || members.length < MIN_TOGETHER
      ? []
      : [{ subject: { kind: 'gas', limit }, members, verdictOf: (left) => sharedVerdict(network, left) }],
  );
}

function batchGroups(network: PendingNetwork, stuck: readonly PendingRequest[]): Group[] {
  const byTransaction = groupedBy(stuck, ({ row }) => row.requestTxHash?.toLowerCase());
  return [...byTransaction].flatMap(([transaction, members]) => {
    if (transaction === undefined || members.length < 2) return [];
    const verdictOf = (left: PendingRequest[]) => {
      const headline = `One batch: ${countOf(left.length, 'request')} of the same transaction pending`;
      const figures = [figure('Pending of this transaction', left.length, 'rows')];
      return left.length < 2
        ? undefined
        : verdictOfMembers(RULE.batch, 'notice', headline, network, left, { figures });
    };
    return [{ subject: { kind: 'transaction', transaction }, members, verdictOf }];
  });
}

/** The longest stretch of a sender's requests, up to the sender's newest, for which the rule holds. */
function senderGroups(network: PendingNetwork, past: readonly PendingRequest[]): Group[] {
  const { finished, evidence, nowMs } = network;
  if (finished === undefined) return [];
  const young = groupedBy(network.withinNormal, ({ sender }) => sender);
  /** An estimate if the finished rows read don't reach back to `sinceMs`. */
  const check = (sender: string, { sinceMs, pending }: { sinceMs: number; pending: number }) => {
    const ownFinished = countSince(finished.bySender.get(sender) ?? [], sinceMs);
    const ownCompleted = countSince(finished.completedBySender.get(sender) ?? [], sinceMs);
    // Failed requests of other senders don't show that the keeper works for them.
    const othersCompleted = countSince(finished.completed, sinceMs) - ownCompleted;
    const all = pending + ownFinished;
    const isMostlyPending =
      othersCompleted >= ONE_SENDER.othersCompleted &&
      pending >= ONE_SENDER.pending &&
      pending * 100 >= all * ONE_SENDER.percent;
    return { isMostlyPending, all, othersCompleted, isWhole: finished.completeSinceMs <= sinceMs };
  };
  const verdictAbout = (sender: string) => (members: PendingRequest[]) => {
    const since = { sinceMs: members[0]?.ms ?? nowMs, pending: members.length };
    const { isMostlyPending, all, othersCompleted, isWhole } = check(sender, since);
    if (!isMostlyPending) return undefined;
    const headline = 'Most requests of this sender are pending while those of others complete';
    return verdictOfMembers(RULE.oneSender, 'warning', headline, network, members, {
      figures: [
        figure('Pending of this sender', members.length, 'rows'),
        figure('All of this sender since then', all, 'rows'),
        figure(SHARE_PENDING, percentFloor(members.length, all), 'percent'),
        figure('Completed of others since then', othersCompleted, 'rows'),
      ],
      evidence: queriesUsed(['pending', network.pending], ['finished', evidence.finished]),
      ...(isWhole ? {} : { basis: 'estimate', missing: 'Finished requests before the sample' }),
    });
  };
  return [...groupedBy(past, ({ sender }) => sender)].flatMap(([sender, requests]) => {
    if (sender === undefined) return [];
    let stuck = requests.filter(({ ageRule }) => isStuckAge(ageRule)).length;
    for (const [start, { ms, ageRule }] of requests.entries()) {
      const { isMostlyPending, isWhole } = check(sender, { sinceMs: ms, pending: requests.length - start });
      // Finished rows that were not read may be the sender's, so an estimate needs stuck requests.
      const isEnough = isMostlyPending && (isWhole || stuck >= ONE_SENDER.pending);
      if (isStuckAge(ageRule)) stuck -= 1;
      if (!isEnough) continue;
      const members = requests.slice(start);
      const subject = { kind: 'sender', sender } as const;
      return [{ subject, members, verdictOf: verdictAbout(sender), young: young.get(sender) }];
    }
    return [];
  });
}

function replicaGroups(network: PendingNetwork, stuck: readonly PendingRequest[]): Group[] {
  const unseen = network.pending.kind === 'known' ? network.pending.value.unseen : 0;
  return [...groupedBy(stuck, ({ provider }) => provider)].flatMap(([provider, lane]) => {
    const pattern = replicaPattern(new Set(lane.map(({ sequence }) => sequence)), unseen);
    if (provider === undefined || pattern === undefined) return [];
    const { modulus, remainder, sharing, pending } = pattern;
    const completed = completedSince(network, provider, lane[0]?.ms ?? network.nowMs);
    const ownCompleted = completed.filter((sequence) => remainderOf(sequence, modulus) === remainder).length;
    const others = completed.length - ownCompleted;
    if (others < ONE_REPLICA.othersCompleted || ownCompleted * 2 * modulus > completed.length) return [];
    const sharingText = sharing === pending ? `All ${pending}` : `${sharing} of ${pending}`;
    const figures = [
      figure('Stuck sequences', pending, 'rows'),
      figure('Sharing the remainder', sharing, 'rows'),
      figure('Share', percentFloor(sharing, pending), 'percent'),
      figure('Sequence modulo', `${modulus} is ${remainder}`, 'text'),
      figure('Completed with it since then', ownCompleted, 'rows'),
      figure('Completed without it since then', others, 'rows'),
    ];
    const headline = `${sharingText} stuck sequences are the same modulo ${modulus}, and others complete`;
    return [
      {
        subject: { kind: 'replica', provider, modulus, remainder },
        members: lane.filter(({ sequence }) => remainderOf(sequence, modulus) === remainder),
        verdictOf: (left) =>
          left.length < ONE_REPLICA.pending
            ? undefined
            : verdictOfMembers(RULE.replicaDown, 'notice', headline, network, left, { figures }),
      },
    ];
  });
}

function completedSince({ evidence: { finished } }: PendingNetwork, provider: string, sinceMs: number) {
  return rowsOf(finished)
    .filter((row) => isCompleted(row) && isSameHex(row.provider, provider) && row.createdAt.ms >= sinceMs)
    .map(({ sequence }) => BigInt(sequence));
}

/** Tries 4, 3 and 2. @param unseen counted as sequences with another remainder */
function replicaPattern(sequences: ReadonlySet<bigint>, unseen: number) {
  const pending = sequences.size;
  if (pending < ONE_REPLICA.pending) return undefined;
  for (const modulus of [4, 3, 2]) {
    const rests = [...groupedBy([...sequences], (sequence) => remainderOf(sequence, modulus))];
    const dominant = rests.find(([, { length }]) => length * 100 >= (pending + unseen) * ONE_REPLICA.percent);
    if (dominant !== undefined)
      return { modulus, remainder: dominant[0], sharing: dominant[1].length, pending };
  }
  return undefined;
}

function remainderOf(sequence: bigint, modulus: number): number {
  return Number(sequence % BigInt(modulus));
}

/** Requests stuck since shortly before the silence began, not much older ones. */
function silenceGroup(network: PendingNetwork, stuck: readonly PendingRequest[]): Group[] {
  const verdict = silenceVerdict(network.evidence);
  const { newest } = network.evidence;
  if (verdict.holds !== 'yes' || newest.kind === 'missing') return [];
  const fromMs = (newest.value?.createdAt.ms ?? 0) - WINDOW_MS;
  const members = stuck.filter(({ ms }) => ms >= fromMs);
  return [
    { subject: { kind: 'silence' }, members, verdictOf: (left) => ({ ...verdict, covers: left.length }) },
  ];
}

/** Stuck requests without a shared cause, grouped by provider and time. */
export function restGroups(stuck: readonly PendingRequest[]): PendingRequest[][] {
  return [...groupedBy(stuck, ({ provider }) => provider).values()].flatMap(neighbours);
}

function verdictOfMembers(
  rule: Verdict['rule'],
  severity: Verdict['severity'],
  headline: string,
  network: PendingNetwork,
  members: readonly PendingRequest[],
  details: Partial<Verdict>,
): Verdict {
  const evidence = { proof: keysOf(members), covers: members.length };
  return holds(rule, severity, headline, {
    evidence: queriesUsed(['pending', network.pending]),
    ...evidence,
    ...details,
  });
}

/** Verdict on one sender for the remaining members, if all are of that sender. */
export function senderVerdict(
  network: PendingNetwork,
  members: readonly PendingRequest[],
): Verdict | undefined {
  const [first, ...others] = senderGroups(network, members);
  return others.length > 0 ? undefined : first?.verdictOf([...first.members]);
}

/** A shared cause (gas limit, overtaken, backlog), or else the age of the youngest member. */
export function sharedVerdict(network: PendingNetwork, members: readonly PendingRequest[]): Verdict {
  const [oldest, youngest] = [members[0] as PendingRequest, members.at(-1) as PendingRequest];
  const rule = oldest.causes.find((cause) =>
    members.every(
      ({ causes, gas }) => causes.includes(cause) && (cause !== RULE.unusualGas || gas === oldest.gas),
    ),
  );
  const verdict = judgeIn(network, rule ?? youngest.ageRule, rule === undefined ? youngest : oldest);
  if (members.length === 1) return verdict;
  const figures = verdict.figures.map((figure) =>
    figure.label === AGE_WHEN_CHECKED ? { ...figure, label: 'Age of the youngest' } : figure,
  );
  const counted = [figure('Requests', members.length, 'rows'), ...figures];
  return { ...verdict, figures: counted, proof: keysOf(members), covers: members.length };
}

/** The backlog is always included, because the next step depends on it. */
export function verdictsHoldingIn(network: PendingNetwork, request: PendingRequest | undefined): Verdict[] {
  if (request === undefined) return [];
  const rules = new Set([...request.causes, RULE.networkQuiet, request.ageRule, RULE.beyondCatchUp] as const);
  return [...rules]
    .map((rule) => judgeIn(network, rule, request))
    .filter(
      ({ rule, holds }) =>
        holds === 'yes' || (rule === RULE.beyondCatchUp && holds === 'no' && isStuckAge(request.ageRule)),
    );
}
