import { isStuckRule } from './age-rules';
import { used } from './evidence';
import { groupedBy } from './grouped';
import type { IncidentSubject } from './incident';
import { countSince, type FinishedTimes, type NetworkPart, type Waiting } from './network-part';
import { isSharing, ONE_REPLICA, replicaFigures, replicaHeadline, replicaPattern } from './replica-rule';
import { isOneSender, ONE_SENDER, ONE_SENDER_HEADLINE, senderFigures } from './sender-rule';
import { countText } from './span-text';
import { holds, type Verdict } from './verdict';

/** Requests that one rule explains, oldest first. */
export type Group = {
  subject: IncidentSubject;
  members: Waiting[];
  /** A group that loses members to a larger one keeps its claim only with so many. */
  least: number;
  /** The verdict about those members that are left; undefined when it does not hold of them. */
  verdict: (members: Waiting[]) => Verdict | undefined;
};

/** What R15, R7 and R13 may explain, the largest first; of two the same size the more particular. They may overlap. */
export function groupCandidates(part: NetworkPart, past: readonly Waiting[]): Group[] {
  const stuck = past.filter(({ ageRule }) => isStuckRule(ageRule));
  return [...batchGroups(part, stuck), ...senderGroups(part, past), ...replicaGroups(part, stuck)].sort(
    (one, other) => other.members.length - one.members.length,
  );
}

/** Stuck requests of one transaction. How many of it are done, E1 can't tell. */
function batchGroups(part: NetworkPart, stuck: readonly Waiting[]): Group[] {
  const byTransaction = groupedBy(stuck, ({ row }) => row.requestTxHash?.toLowerCase());
  return [...byTransaction].flatMap(([transaction, members]) => {
    if (transaction === undefined || members.length < 2) return [];
    const verdict = (left: Waiting[]) =>
      holds('R15', 'notice', {
        headline: `One batch: ${countText(left.length, 'request')} of the same transaction pending`,
        figures: [{ label: 'Pending of this transaction', value: left.length, unit: 'rows' }],
        proof: left.map(({ key }) => key),
        evidence: used(['E1', part.pending]),
        covers: left.length,
        basis: 'estimate',
        missing: 'How many of this transaction are done',
      });
    return [{ subject: { kind: 'transaction', transaction }, members, least: 2, verdict }];
  });
}

function senderGroups(part: NetworkPart, past: readonly Waiting[]): Group[] {
  const times = part.finished;
  const stuckTimes = past.filter(({ ageRule }) => isStuckRule(ageRule)).map(({ ms }) => ms);
  const bySender = groupedBy(past, ({ sender }) => sender);
  return [...bySender].flatMap(([sender, own]) => {
    if (sender === undefined || own.length < ONE_SENDER.pending) return [];
    const members =
      times === undefined ? mostOfStuck(own, stuckTimes) : sinceItBroke(part, times, sender, own);
    const verdict = (left: Waiting[]) => {
      if (times !== undefined) return finishedVerdict(part, times, sender, left);
      return left.length === members.length ? sameSender(part, left) : undefined;
    };
    const subject = { kind: 'sender', sender } as const;
    return members.length === 0 ? [] : [{ subject, members, least: ONE_SENDER.pending, verdict }];
  });
}

/** The longest stretch of the sender's requests, up to its newest, of which R7 holds: what E2 bounds, E1 does not. */
function sinceItBroke(
  part: NetworkPart,
  times: FinishedTimes,
  sender: string,
  own: readonly Waiting[],
): Waiting[] {
  for (let start = 0; own.length - start >= ONE_SENDER.pending; start++) {
    const { found, isWhole } = senderCounts(times, sender, own.length - start, own[start]?.ms ?? part.nowMs);
    if (!isOneSender(found)) continue;
    const members = own.slice(start);
    // What the finished rows don't show may be the sender's own: an estimate is given of stuck requests only.
    const stuck = members.filter(({ ageRule }) => isStuckRule(ageRule)).length;
    if (isWhole || stuck >= ONE_SENDER.pending) return members;
  }
  return [];
}

function senderCounts(times: FinishedTimes, sender: string, pending: number, sinceMs: number) {
  const ownFinished = countSince(times.bySender.get(sender) ?? [], sinceMs);
  const othersFinished = countSince(times.all, sinceMs) - ownFinished;
  const found = { pending, own: pending + ownFinished, othersFinished };
  return { found, isWhole: times.completeSinceMs <= sinceMs };
}

/** R7 as it is, where finished rows reach back to the sender's oldest; an estimate where they reach less far. */
function finishedVerdict(
  part: NetworkPart,
  times: FinishedTimes,
  sender: string,
  members: readonly Waiting[],
): Verdict | undefined {
  const { found, isWhole } = senderCounts(times, sender, members.length, members[0]?.ms ?? part.nowMs);
  if (!isOneSender(found)) return undefined;
  const missing = 'Finished requests from before the last ones that were looked at are not counted';
  return holds('R7', 'warning', {
    headline: ONE_SENDER_HEADLINE,
    figures: senderFigures(found),
    proof: members.map(({ key }) => key),
    evidence: used(['E1', part.pending], ['finished', part.known.finished]),
    covers: members.length,
    ...(isWhole ? {} : { basis: 'estimate' as const, missing }),
  });
}

/** From E1 alone: most of what is stuck is of one sender. Whether others finish is not known. */
function sameSender(part: NetworkPart, members: readonly Waiting[]): Verdict {
  return holds('R7', 'warning', {
    headline: 'Most of what is stuck here is of one sender: its contract is the most likely place to look',
    figures: [{ label: 'Pending of this sender', value: members.length, unit: 'rows' }],
    proof: members.map(({ key }) => key),
    evidence: used(['E1', part.pending]),
    covers: members.length,
    basis: 'estimate',
    missing: 'How many requests of this sender and of others finished',
  });
}

/** The sender's stuck requests, if they are 80 % or more of all stuck ones from its oldest to its newest. */
function mostOfStuck(own: readonly Waiting[], stuckTimes: readonly number[]): Waiting[] {
  const stuck = own.filter(({ ageRule }) => isStuckRule(ageRule));
  const [first, last] = [stuck[0], stuck.at(-1)];
  if (first === undefined || last === undefined || stuck.length < ONE_SENDER.pending) return [];
  const all = countSince(stuckTimes, first.ms) - countSince(stuckTimes, last.ms + 1);
  return stuck.length * 100 >= all * ONE_SENDER.percent ? stuck : [];
}

function replicaGroups(part: NetworkPart, stuck: readonly Waiting[]): Group[] {
  const byProvider = groupedBy(stuck, ({ row }) => row.provider?.toLowerCase());
  return [...byProvider].flatMap(([provider, lane]) => {
    const pattern = replicaPattern(
      lane.map(({ sequence }) => sequence),
      part.hidden,
    );
    if (provider === undefined || pattern === undefined) return [];
    const members = lane.filter(({ sequence }) => isSharing(sequence, pattern));
    const { modulus, remainder } = pattern;
    const verdict = (left: Waiting[]) =>
      holds('R13', 'notice', {
        headline: replicaHeadline(pattern),
        figures: replicaFigures(pattern),
        proof: left.map(({ key }) => key),
        evidence: used(['E1', part.pending]),
        covers: left.length,
      });
    const subject = { kind: 'replica', provider, modulus, remainder } as const;
    return [{ subject, members, least: ONE_REPLICA.pending, verdict }];
  });
}
