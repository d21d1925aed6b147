import { groupedBy } from '@/lib/core/grouped';
import { countOf } from '@/lib/core/numbers';
import type { Subject } from './answers';
import { countSince, judgeIn, neighbours, type PendingNetwork, sendersOf, type Waiting } from './network';
import { isCompleted, isSameHex, keysOf, type Piece, rowsOf, used, WINDOW_MS } from './rules/evidence';
import { silenceVerdict } from './rules/rules';
import { byNumber, isStuckAge } from './rules/thresholds';
import { figure, holds, percentFloor, type Verdict } from './rules/verdict';

/** The rules about many requests at once (R6, R7, R13), and what other rules say of several. */

/** R6: at least so many pending, of so many senders, and so many percent of the rows since the oldest. */
const NETWORK_WIDE = { pending: 5, senders: 3, percent: 80 } as const;
/** R7: so many others completed, so many of this sender pending, which are so many percent of its own. */
const ONE_SENDER = { othersCompleted: 10, pending: 3, percent: 80 } as const;
/**
 * R13: so many pending sequences, of which so many percent leave the same rest, while so many with other rests completed, and
 * with this one less than half of its share. A provider whose requests all leave one rest has no replica down for it.
 */
const ONE_REPLICA = { pending: 8, percent: 90, othersCompleted: 3 } as const;
/** Fewer stuck requests than this, without a cause that several share, are single cases. */
export const MIN_TOGETHER = 3;

/** Pending requests past normal that stand close to each other; unix ms, ends included. */
type Stretch = {
  past: Waiting[];
  fromMs: number;
  toMs: number;
  /** So many of the newest rows that are not pending decide whether R6 holds: more than these it can't bear. */
  mostOthers: number;
};

/** Those of which R6 may hold, in order of time. What else there was in them is to be asked for. */
export function stretchesToCheck({ past }: PendingNetwork): Stretch[] {
  return neighbours(past)
    .filter((one) => one.length >= NETWORK_WIDE.pending && sendersOf(one) >= NETWORK_WIDE.senders)
    .map((one) => ({
      past: one,
      fromMs: one[0]?.ms ?? 0,
      toMs: (one.at(-1)?.ms ?? 0) + WINDOW_MS,
      mostOthers: Math.floor(one.length / 4) + 1,
    }));
}

/** A stretch with the creation times (unix ms) of its newest rows that are not pending, `mostOthers` at most. */
export type CheckedStretch = { stretch: Stretch; others: Piece<readonly number[]> };

/** Requests that one rule explains, oldest first. */
export type Group = {
  subject: Subject;
  members: readonly Waiting[];
  /** The verdict about those members that are left; undefined when it does not hold of them. */
  verdictOf: (members: Waiting[]) => Verdict | undefined;
  /** Within normal, and explained as well when they came since. */
  young?: readonly Waiting[] | undefined;
};

/** The whole network first, then the largest; of the same size the more particular. They may overlap. */
export function groupsOf(network: PendingNetwork, checked: readonly CheckedStretch[]): Group[] {
  const stuck = network.past.filter(({ ageRule }) => isStuckAge(ageRule));
  const groups = [
    ...gasGroups(network, stuck),
    ...batchGroups(network, stuck),
    ...senderGroups(network, network.past),
    ...replicaGroups(network, stuck),
  ].sort((one, other) => other.members.length - one.members.length);
  return [...networkGroup(network, checked), ...groups, ...silenceGroup(network, stuck)];
}

function networkGroup(network: PendingNetwork, checked: readonly CheckedStretch[]): Group[] {
  const found = checked.flatMap(({ stretch, others }) => {
    const wide = others.kind === 'known' ? networkWide(stretch.past, others.value) : undefined;
    return wide === undefined ? [] : [{ members: stretch.past.slice(wide.start), rows: wide.rows, others }];
  });
  const members = found.flatMap((one) => one.members);
  const [first] = members;
  // Where all have the same unusual gas limit, that explains them.
  if (first === undefined || (first.gas !== undefined && members.every(({ gas }) => gas === first.gas))) {
    return [];
  }
  const rows = found.reduce((sum, one) => sum + one.rows, 0);
  const headline = 'Most requests since the oldest are pending';
  const verdict = ofMembers('R6', 'critical', headline, network, members, {
    figures: [
      figure('Pending past normal', members.length, 'rows'),
      figure('Senders', sendersOf(members), 'senders'),
      figure('Requests since the oldest', rows, 'rows'),
      figure('Share pending', percentFloor(members.length, rows), 'percent'),
      figure('Since', first.ms, 'moment'),
    ],
    evidence: used(['E1', network.pending], ...found.map(({ others }) => ['others', others] as const)),
  });
  return [{ subject: { kind: 'network' }, members, verdictOf: () => verdict, young: network.withinNormal }];
}

/**
 * The longest stretch up to the newest pending request in which a network is stuck by `NETWORK_WIDE`: one straggler from
 * before does not hide it. Those within normal are left out: the newest rows of a busy network are always pending.
 */
function networkWide(
  past: readonly Waiting[],
  others: readonly number[],
): { start: number; rows: number } | undefined {
  const rising = others.toSorted(byNumber);
  const senders = new Set<string>();
  let found: { start: number; rows: number } | undefined;
  let next = rising.length;
  for (let start = past.length - 1; start >= 0; start--) {
    const { ms, sender } = past[start] as Waiting;
    if (sender !== undefined) senders.add(sender);
    while (next > 0 && (rising[next - 1] ?? 0) >= ms) next -= 1;
    const pending = past.length - start;
    const rows = pending + rising.length - next;
    const isWide =
      pending >= NETWORK_WIDE.pending &&
      senders.size >= NETWORK_WIDE.senders &&
      pending * 100 >= rows * NETWORK_WIDE.percent;
    if (isWide) found = { start, rows };
  }
  return found;
}

/** R11: stuck requests whose gas limit is unusual in the same way. */
function gasGroups(network: PendingNetwork, stuck: readonly Waiting[]): Group[] {
  return [...groupedBy(stuck, ({ gas }) => gas)].flatMap(([limit, members]) =>
    limit === undefined || members.length < MIN_TOGETHER
      ? []
      : [{ subject: { kind: 'gas', limit }, members, verdictOf: (left) => sharedVerdict(network, left) }],
  );
}

function batchGroups(network: PendingNetwork, stuck: readonly Waiting[]): Group[] {
  const byTransaction = groupedBy(stuck, ({ row }) => row.requestTxHash?.toLowerCase());
  return [...byTransaction].flatMap(([transaction, members]) => {
    if (transaction === undefined || members.length < 2) return [];
    const verdictOf = (left: Waiting[]) => {
      const headline = `One batch: ${countOf(left.length, 'request')} of the same transaction pending`;
      const figures = [figure('Pending of this transaction', left.length, 'rows')];
      return left.length < 2 ? undefined : ofMembers('R15', 'notice', headline, network, left, { figures });
    };
    return [{ subject: { kind: 'transaction', transaction }, members, verdictOf }];
  });
}

/** The longest stretch of a sender's requests, up to its newest, of which R7 holds. */
function senderGroups(network: PendingNetwork, past: readonly Waiting[]): Group[] {
  const { finished, evidence, nowMs } = network;
  if (finished === undefined) return [];
  const young = groupedBy(network.withinNormal, ({ sender }) => sender);
  /** An estimate where the finished rows that are looked at don't reach back to the first member. */
  const check = (sender: string, { sinceMs, pending }: { sinceMs: number; pending: number }) => {
    const own = countSince(finished.bySender.get(sender) ?? [], sinceMs);
    const ownCompleted = countSince(finished.completedBySender.get(sender) ?? [], sinceMs);
    // What failed for others shows no keeper that works for them.
    const othersCompleted = countSince(finished.completed, sinceMs) - ownCompleted;
    const all = pending + own;
    const isOne =
      othersCompleted >= ONE_SENDER.othersCompleted &&
      pending >= ONE_SENDER.pending &&
      pending * 100 >= all * ONE_SENDER.percent;
    return { isOne, all, othersCompleted, isWhole: finished.completeSinceMs <= sinceMs };
  };
  const verdictAbout = (sender: string) => (members: Waiting[]) => {
    const since = { sinceMs: members[0]?.ms ?? nowMs, pending: members.length };
    const { isOne, all, othersCompleted, isWhole } = check(sender, since);
    if (!isOne) return undefined;
    const headline = 'Most requests of this sender are pending while those of others complete';
    return ofMembers('R7', 'warning', headline, network, members, {
      figures: [
        figure('Pending of this sender', members.length, 'rows'),
        figure('All of this sender since then', all, 'rows'),
        figure('Share pending', percentFloor(members.length, all), 'percent'),
        figure('Completed of others since then', othersCompleted, 'rows'),
      ],
      evidence: used(['E1', network.pending], ['finished', evidence.finished]),
      ...(isWhole ? {} : { basis: 'estimate', missing: 'Finished requests before the sample' }),
    });
  };
  return [...groupedBy(past, ({ sender }) => sender)].flatMap(([sender, own]) => {
    if (sender === undefined) return [];
    let stuck = own.filter(({ ageRule }) => isStuckAge(ageRule)).length;
    for (const [start, { ms, ageRule }] of own.entries()) {
      const { isOne, isWhole } = check(sender, { sinceMs: ms, pending: own.length - start });
      // What the finished rows don't show may be the sender's own: an estimate is given of stuck requests only.
      const isFound = isOne && (isWhole || stuck >= ONE_SENDER.pending);
      if (isStuckAge(ageRule)) stuck -= 1;
      if (!isFound) continue;
      const members = own.slice(start);
      const subject = { kind: 'sender', sender } as const;
      return [{ subject, members, verdictOf: verdictAbout(sender), young: young.get(sender) }];
    }
    return [];
  });
}

/** R13: the rest that most of the stuck sequences of a provider leave. */
function replicaGroups(network: PendingNetwork, stuck: readonly Waiting[]): Group[] {
  const unseen = network.pending.kind === 'known' ? network.pending.value.unseen : 0;
  return [...groupedBy(stuck, ({ provider }) => provider)].flatMap(([provider, lane]) => {
    const pattern = replicaPattern(new Set(lane.map(({ sequence }) => sequence)), unseen);
    if (provider === undefined || pattern === undefined) return [];
    const { modulus, remainder, sharing, pending } = pattern;
    const completed = completedSince(network, provider, lane[0]?.ms ?? network.nowMs);
    const own = completed.filter((sequence) => remainderOf(sequence, modulus) === remainder).length;
    const others = completed.length - own;
    if (others < ONE_REPLICA.othersCompleted || own * 2 * modulus > completed.length) return [];
    const which = sharing === pending ? `All ${pending}` : `${sharing} of ${pending}`;
    const figures = [
      figure('Stuck sequences', pending, 'rows'),
      figure('Sharing the remainder', sharing, 'rows'),
      figure('Share', percentFloor(sharing, pending), 'percent'),
      figure('Sequence modulo', `${modulus} is ${remainder}`, 'text'),
      figure('Completed with it since then', own, 'rows'),
      figure('Completed without it since then', others, 'rows'),
    ];
    const headline = `${which} stuck sequences are the same modulo ${modulus}, and others complete`;
    return [
      {
        subject: { kind: 'replica', provider, modulus, remainder },
        members: lane.filter(({ sequence }) => remainderOf(sequence, modulus) === remainder),
        verdictOf: (left) =>
          left.length < ONE_REPLICA.pending
            ? undefined
            : ofMembers('R13', 'notice', headline, network, left, { figures }),
      },
    ];
  });
}

/** Sequences of a provider's requests that completed and were created since then (unix ms). */
function completedSince({ evidence: { finished } }: PendingNetwork, provider: string, sinceMs: number) {
  return rowsOf(finished)
    .filter((row) => isCompleted(row) && isSameHex(row.provider, provider) && row.createdAt.ms >= sinceMs)
    .map(({ sequence }) => BigInt(sequence));
}

/** The rest of most sequences by 4, 3 or 2, each counted once. @param unseen taken for ones that leave another rest */
function replicaPattern(sequences: ReadonlySet<bigint>, unseen: number) {
  const pending = sequences.size;
  if (pending < ONE_REPLICA.pending) return undefined;
  for (const modulus of [4, 3, 2]) {
    const rests = [...groupedBy([...sequences], (sequence) => remainderOf(sequence, modulus))];
    const most = rests.find(([, { length }]) => length * 100 >= (pending + unseen) * ONE_REPLICA.percent);
    if (most !== undefined) return { modulus, remainder: most[0], sharing: most[1].length, pending };
  }
  return undefined;
}

/** Sequences are not negative. */
function remainderOf(sequence: bigint, modulus: number): number {
  return Number(sequence % BigInt(modulus));
}

/** R9 explains what is stuck since shortly before the network went quiet, not what was left there long ago. */
function silenceGroup(network: PendingNetwork, stuck: readonly Waiting[]): Group[] {
  const verdict = silenceVerdict(network.evidence);
  const { newest } = network.evidence;
  if (verdict.holds !== 'yes' || newest.kind === 'missing') return [];
  const fromMs = (newest.value?.createdAt.ms ?? 0) - WINDOW_MS;
  const members = stuck.filter(({ ms }) => ms >= fromMs);
  return [
    { subject: { kind: 'silence' }, members, verdictOf: (left) => ({ ...verdict, covers: left.length }) },
  ];
}

/** Stuck without a shared cause: those of a provider that came at about the same time belong together. */
export function restGroups(stuck: readonly Waiting[]): Waiting[][] {
  return [...groupedBy(stuck, ({ provider }) => provider).values()].flatMap(neighbours);
}

/** A verdict about these members, which prove it. */
function ofMembers(
  rule: Verdict['rule'],
  severity: Verdict['severity'],
  headline: string,
  network: PendingNetwork,
  members: readonly Waiting[],
  details: Partial<Verdict>,
): Verdict {
  const about = { proof: keysOf(members), covers: members.length };
  return holds(rule, severity, headline, { evidence: used(['E1', network.pending]), ...about, ...details });
}

/** R7 for what is left over, where that is of one such sender. */
export function senderVerdict(network: PendingNetwork, members: readonly Waiting[]): Verdict | undefined {
  const [first, ...others] = senderGroups(network, members);
  return others.length > 0 ? undefined : first?.verdictOf([...first.members]);
}

/** By what is known of the network alone: gas limit, overtaken, backlog, at last the age of the youngest. */
export function sharedVerdict(network: PendingNetwork, members: readonly Waiting[]): Verdict {
  const [oldest, youngest] = [members[0] as Waiting, members.at(-1) as Waiting];
  const rule = oldest.causes.find((one) =>
    members.every(({ causes, gas }) => causes.includes(one) && (one !== 'R11' || gas === oldest.gas)),
  );
  const found = judgeIn(network, rule ?? youngest.ageRule, rule === undefined ? youngest : oldest);
  if (members.length === 1) return found;
  const figures = found.figures.map((one) =>
    one.label === 'Age' ? { ...one, label: 'Age of the youngest' } : one,
  );
  const counted = [figure('Requests', members.length, 'rows'), ...figures];
  return { ...found, figures: counted, proof: keysOf(members), covers: members.length };
}

/** What holds of one of its requests, and whether a restart would look at its block: the next step depends on that. */
export function heldVerdictsIn(network: PendingNetwork, one: Waiting | undefined): Verdict[] {
  if (one === undefined) return [];
  const rules = new Set([...one.causes, 'R9', one.ageRule, 'R10'] as const);
  return [...rules]
    .map((rule) => judgeIn(network, rule, one))
    .filter(
      ({ rule, holds }) => holds === 'yes' || (rule === 'R10' && holds === 'no' && isStuckAge(one.ageRule)),
    );
}
