import { groupedBy } from '@/lib/core/grouped';
import { lowerBound } from '@/lib/core/lower-bound';
import type { PendingSettings } from '@/lib/core/pending-settings';
import { isFinished } from '@/lib/core/request-record';
import { blocksBehind } from '@/lib/pending/rules/request-rules';
import type { RuleInput, RuleOfOne } from '@/lib/pending/rules/rule';
import { RULE, type RuleNamed } from '@/lib/pending/rules/rule-ids';
import { judge } from '@/lib/pending/rules/rules';
import { OVERTAKEN_BY } from '@/lib/pending/rules/sequence-rules';
import type { Verdict } from './pending-response';
import {
  ageOf,
  type FinishedRows,
  isCompleted,
  type LoggedRow,
  type MatchingRows,
  missing,
  type Piece,
  WINDOW_MS,
} from './rules/evidence';
import { laterSinceMs } from './rules/sequence-life';
import {
  type AgeRule,
  ageRuleOf,
  type Baseline,
  byNumber,
  finishedBaseline,
  gasFinding,
  isStuckAge,
} from './rules/thresholds';

export type NetworkEvidence = {
  networkId: string;
  newest: Piece<LoggedRow | null>;
  lastDay: Piece<number>;
  finished: Piece<FinishedRows>;
};

/** Fields are parsed once, because there may be tens of thousands of requests. */
export type PendingRequest = {
  row: LoggedRow;
  key: string;
  ms: number;
  ageRule: AgeRule;
  /** Lower case. */
  sender: string | undefined;
  provider: string | undefined;
  sequence: bigint;
  gas: ReturnType<typeof gasFinding>;
  /** Rules that hold by the data of the network alone, most specific first. */
  causes: readonly RuleNamed<'unusualGas' | 'overtaken' | 'beyondCatchUp'>[];
};

export type PendingNetwork = Baseline & {
  keeper: string;
  networkId: string;
  evidence: NetworkEvidence;
  pending: Piece<MatchingRows>;
  /** When the keeper was read, unix ms. */
  nowMs: number;
  /** Keys of requests whose sequence completed under another transaction; no group explains them. */
  orphaned: ReadonlySet<string>;
  past: PendingRequest[];
  withinNormal: PendingRequest[];
  orphans: PendingRequest[];
  /** Creation times of finished requests, unix ms, ascending. */
  finished:
    | {
        completed: number[];
        completedBySender: Map<string, number[]>;
        bySender: Map<string, number[]>;
        completeSinceMs: number;
      }
    | undefined;
};

type NetworkInput = Pick<
  PendingNetwork,
  'keeper' | 'networkId' | 'evidence' | 'pending' | 'nowMs' | 'orphaned'
> & {
  settings: PendingSettings;
};

export const byMs = (a: PendingRequest, b: PendingRequest) => a.ms - b.ms;

export function pendingNetwork(input: NetworkInput, rows: readonly LoggedRow[]): PendingNetwork {
  const { evidence, nowMs, orphaned } = input;
  const baseline = finishedBaseline(evidence.finished, input.settings);
  const finished = evidence.finished.kind === 'known' ? evidence.finished.value : undefined;
  const overtaken = finished && overtakenBelow(finished.rows);
  const newest = evidence.newest.kind === 'known' ? evidence.newest.value : undefined;
  const waiting = rows
    .map((row): PendingRequest => {
      const ageRule = ageRuleOf(ageOf(row, nowMs), baseline.normal, baseline.settings);
      const [sender, provider] = [row.sender?.toLowerCase(), row.provider?.toLowerCase()];
      const sequence = BigInt(row.sequence);
      const gas = gasFinding(row, baseline.gas);
      const isOvertaken = isStuckAge(ageRule) && sequence < (overtaken?.(row) ?? sequence);
      const isBeyond =
        isStuckAge(ageRule) && (blocksBehind(row, newest) ?? 0n) > baseline.settings.backlogBlocks;
      const holds = {
        [RULE.unusualGas]: gas !== undefined,
        [RULE.overtaken]: isOvertaken,
        [RULE.beyondCatchUp]: isBeyond,
      };
      const causes = ([RULE.unusualGas, RULE.overtaken, RULE.beyondCatchUp] as const).filter(
        (rule) => holds[rule],
      );
      return { row, key: row.key, ms: row.createdAt.ms, ageRule, sender, provider, sequence, gas, causes };
    })
    .sort(byMs);
  const isOrphan = ({ key, ageRule }: PendingRequest) => ageRule !== RULE.withinNormal && orphaned.has(key);
  return {
    ...input,
    ...baseline,
    past: waiting.filter((request) => request.ageRule !== RULE.withinNormal && !isOrphan(request)),
    withinNormal: waiting.filter(({ ageRule }) => ageRule === RULE.withinNormal),
    orphans: waiting.filter(isOrphan),
    finished: finished && finishedTimes(finished),
  };
}

/** The verdict of a rule without evidence about the request itself. */
export function judgeIn(network: PendingNetwork, rule: RuleOfOne, { row }: PendingRequest): Verdict {
  const none = missing('not checked yet');
  const ofRequest = { window: none, sender: none, sameSequence: none, sameTransaction: none };
  const evidence: RuleInput['evidence'] = { ...ofRequest, ...network.evidence, pending: network.pending };
  return judge(rule, { ...network, request: row, evidence });
}

function finishedTimes({ rows, completeSinceMs }: FinishedRows): PendingNetwork['finished'] {
  const inTime = rows.filter(isFinished).sort((a, b) => a.createdAt.ms - b.createdAt.ms);
  const completed = inTime.filter(isCompleted);
  const timesOf = (group: readonly LoggedRow[]) => group.map(({ createdAt }) => createdAt.ms);
  const bySender = (group: readonly LoggedRow[]) => {
    const groups = groupedBy(group, ({ sender }) => sender?.toLowerCase() ?? '');
    return new Map([...groups].map(([sender, rows]) => [sender, timesOf(rows)]));
  };
  return {
    completed: timesOf(completed),
    completedBySender: bySender(completed),
    bySender: bySender(inTime),
    completeSinceMs,
  };
}

/** The sequence of a request's provider below which it is overtaken. */
function overtakenBelow(rows: readonly LoggedRow[]): (request: LoggedRow) => bigint | undefined {
  const lanes = groupedBy(rows.filter(isCompleted), ({ provider }) => provider?.toLowerCase());
  const byProvider = new Map(
    [...lanes].map(([provider, lane]) => {
      const newestFirst = lane.toSorted((a, b) => b.createdAt.ms - a.createdAt.ms);
      const highest: bigint[] = [];
      // The tenth highest sequence among a row and all newer ones.
      const steps = newestFirst.map(({ createdAt: { ms }, sequence }) => {
        highest.push(BigInt(sequence));
        highest.sort((a, b) => byNumber(b, a)).splice(OVERTAKEN_BY);
        return { ms, below: highest[OVERTAKEN_BY - 1] };
      });
      const inTime = steps.reverse();
      return [provider ?? '', { times: inTime.map(({ ms }) => ms), inTime }] as const;
    }),
  );
  return (request) => {
    const lane = byProvider.get(request.provider?.toLowerCase() ?? '');
    if (lane === undefined) return undefined;
    return lane.inTime[lane.times.length - countSince(lane.times, laterSinceMs(request))]?.below;
  };
}

/** @param times ascending */
export function countSince(times: readonly number[], sinceMs: number): number {
  return times.length - lowerBound(times, sinceMs, (ms) => ms);
}

/** Runs whose neighbours are at most `WINDOW_MS` apart. @param members oldest first */
export function neighbours(members: readonly PendingRequest[]): PendingRequest[][] {
  const runs: PendingRequest[][] = [];
  for (const waiting of members) {
    const last = runs.at(-1);
    if (last === undefined || waiting.ms > (last.at(-1)?.ms ?? 0) + WINDOW_MS) runs.push([waiting]);
    else last.push(waiting);
  }
  return runs;
}

export function sendersOf(members: readonly PendingRequest[]): number {
  return new Set(members.flatMap(({ sender }) => sender ?? [])).size;
}
