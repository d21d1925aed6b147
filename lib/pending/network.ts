import type { PendingSettings } from './answers';
import {
  ageOf,
  type FinishedRows,
  groupedBy,
  isFinished,
  type LoggedRow,
  type Piece,
  type RowsFound,
  WINDOW_MS,
} from './rules/evidence';
import { gasFinding, OVERTAKEN_BY, type UsualGas, usualGas } from './rules/rules';
import { type AgeRule, ageRuleOf, byNumber, countUpTo, type NormalAge, normalAge } from './rules/thresholds';

/** The pending requests of a network with what grouping looks at, worked out once. */

/** What is known of one network of a keeper. */
export type NetworkEvidence = {
  networkId: string;
  /** E6. */
  newest: Piece<LoggedRow | null>;
  lastDay: Piece<number>;
  finished: Piece<FinishedRows>;
};

/** A pending request, with what grouping asks of it read once: there may be tens of thousands. */
export type Waiting = {
  row: LoggedRow;
  key: string;
  ms: number;
  ageRule: AgeRule;
  /** Lower case. */
  sender: string | undefined;
  provider: string | undefined;
  sequence: bigint;
  gas: ReturnType<typeof gasFinding>;
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
  /** Keys of pending requests whose sequence completed under another transaction (R5): no group explains those. */
  orphaned: ReadonlySet<string>;
  normal: NormalAge;
  gas: UsualGas;
  /** Oldest first. */
  past: Waiting[];
  withinNormal: Waiting[];
  orphans: Waiting[];
  /** When its finished requests were created, rising: of all, and of each sender. */
  finished: { all: number[]; bySender: Map<string, number[]>; completeSinceMs: number } | undefined;
  /** R8: what is below this sequence of a provider has been overtaken. */
  overtaken: Map<string, bigint>;
};

type Given = Pick<
  PendingNetwork,
  'keeper' | 'networkId' | 'settings' | 'evidence' | 'pending' | 'nowMs' | 'orphaned'
>;

export const byMs = (one: Waiting, other: Waiting) => one.ms - other.ms;

/** @param rows pending rows of the network, in any order */
export function pendingNetwork(given: Given, rows: readonly LoggedRow[]): PendingNetwork {
  const { evidence, settings, nowMs, networkId, orphaned } = given;
  const normal = normalAge(evidence.finished, settings);
  const gas = usualGas(evidence.finished, networkId);
  const waiting = rows
    .map((row): Waiting => {
      const ageRule = ageRuleOf(ageOf(row, nowMs), normal, settings);
      const [sender, provider] = [row.sender?.toLowerCase(), row.provider?.toLowerCase()];
      const own = { ageRule, sender, provider, sequence: BigInt(row.sequence), gas: gasFinding(row, gas) };
      return { row, key: row.key, ms: row.createdAt.ms, ...own };
    })
    .sort(byMs);
  const isOrphan = ({ key, ageRule }: Waiting) => ageRule !== 'R1' && orphaned.has(key);
  const finished = evidence.finished.kind === 'known' ? evidence.finished.value : undefined;
  return {
    ...given,
    normal,
    gas,
    past: waiting.filter((one) => one.ageRule !== 'R1' && !isOrphan(one)),
    withinNormal: waiting.filter(({ ageRule }) => ageRule === 'R1'),
    orphans: waiting.filter(isOrphan),
    finished: finished && finishedTimes(finished),
    overtaken: new Map(finished && overtakenBelow(finished.rows)),
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

function overtakenBelow(rows: readonly LoggedRow[]): [string, bigint][] {
  const lanes = groupedBy(rows.filter(isFinished), ({ provider }) => provider?.toLowerCase());
  return [...lanes].flatMap(([provider, lane]): [string, bigint][] => {
    const below = lane
      .map(({ sequence }) => BigInt(sequence))
      .sort(byNumber)
      .at(-OVERTAKEN_BY);
    return provider === undefined || below === undefined ? [] : [[provider, below]];
  });
}

/** How many of the rising times are at or after the moment. Times are whole milliseconds. */
export function countSince(times: readonly number[], sinceMs: number): number {
  return times.length - countUpTo(times, sinceMs - 1);
}

/** Those of which no two neighbours are further apart than E2 reaches. @param members oldest first */
export function neighbours(members: readonly Waiting[]): Waiting[][] {
  const found: Waiting[][] = [];
  for (const waiting of members) {
    const last = found.at(-1);
    if (last === undefined || waiting.ms > (last.at(-1)?.ms ?? 0) + WINDOW_MS) found.push([waiting]);
    else last.push(waiting);
  }
  return found;
}

export function sendersOf(members: readonly Waiting[]): number {
  return new Set(members.flatMap(({ sender }) => sender ?? [])).size;
}
