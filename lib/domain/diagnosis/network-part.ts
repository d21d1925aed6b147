import { type AgeRule, ageRuleOf, type Standing } from './age-rules';
import type { DiagnosisSettings } from './diagnosis-settings';
import { type Evidence, type LoggedRow, missing, type Piece, type RowsFound, WINDOW_MS } from './evidence';
import { countUpTo, type NormalAge, normalAge } from './finished-durations';
import type { NetworkEvidence } from './incident';
import { isFinished } from './logged-row';

/** A pending request, with what grouping asks of it read once: there may be tens of thousands. */
export type Waiting = {
  row: LoggedRow;
  key: string;
  ms: number;
  ageRule: AgeRule;
  /** Lower case. */
  sender: string | undefined;
  sequence: bigint;
};

/** All that a first view knows about one network of one keeper. */
export type NetworkPart = {
  keeper: string;
  networkId: string;
  settings: DiagnosisSettings;
  known: NetworkEvidence;
  /** E1 of the keeper. */
  pending: Piece<RowsFound>;
  /** Pending rows of the keeper that nobody has seen: they may be of this network. */
  hidden: number;
  /** Oldest first. */
  past: Waiting[];
  withinNormal: Waiting[];
  /** Worked out once: there may be thousands of incidents. */
  normal: NormalAge;
  finished: FinishedTimes | undefined;
  nowMs: number;
};

/** @param rows pending rows of the network, in any order */
export function networkPart(
  given: Omit<NetworkPart, 'past' | 'withinNormal' | 'normal' | 'finished'>,
  rows: readonly LoggedRow[],
): NetworkPart {
  const normal = normalAge(given.known.finished, given.settings);
  const waiting = rows.map((row): Waiting => {
    const ms = row.createdAt.ms;
    const ageRule = ageRuleOf(Math.max(0, given.nowMs - ms), normal, given.settings);
    const sender = row.sender?.toLowerCase();
    return { row, key: row.key, ms, ageRule, sender, sequence: BigInt(row.sequence) };
  });
  waiting.sort((one, other) => one.ms - other.ms);
  const past = waiting.filter(({ ageRule }) => ageRule !== 'R1');
  const withinNormal = waiting.filter(({ ageRule }) => ageRule === 'R1');
  return { ...given, past, withinNormal, normal, finished: finishedTimes(given.known) };
}

/** Why evidence of one request is not there in a first view. */
export const WHEN_OPENED = 'asked for when a request is opened';

export function standingOfWaiting({ normal, nowMs }: NetworkPart, { ms, ageRule }: Waiting): Standing {
  return { ageMs: Math.max(0, nowMs - ms), normal, rule: ageRule };
}

/** The evidence of a first view in the form that rules take: E2 to E5 are not there. */
export function evidenceOf({ known, pending }: Pick<NetworkPart, 'known' | 'pending'>): Evidence {
  const later = missing(WHEN_OPENED);
  return {
    pending,
    window: later,
    sender: later,
    sameNumber: later,
    sameTransaction: later,
    newest: known.newest,
    lastDay: known.lastDay,
    finished: known.finished,
  };
}

export function nothingKnown(networkId: string): NetworkEvidence {
  const nothing = missing('not asked yet');
  return { networkId, newest: nothing, lastDay: nothing, finished: nothing, counts: [] };
}

/** A stretch of pending requests past normal in which no two neighbours are further apart than E2 reaches. */
export type Stretch = { past: Waiting[]; fromMs: number; toMs: number };

/** In order of time; every pending request past normal is in one of them. They end `WINDOW_MS` after their newest. */
export function stretchesOf(past: readonly Waiting[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const waiting of past) {
    const last = stretches.at(-1);
    if (last !== undefined && waiting.ms <= last.toMs) {
      last.past.push(waiting);
      last.toMs = waiting.ms + WINDOW_MS;
    } else {
      stretches.push({ past: [waiting], fromMs: waiting.ms, toMs: waiting.ms + WINDOW_MS });
    }
  }
  return stretches;
}

/** When the finished rows of a network were created, rising: of all, and of each sender. */
export type FinishedTimes = {
  all: number[];
  bySender: Map<string, number[]>;
  completeSinceMs: number;
};

/** @returns undefined while they are not known */
function finishedTimes({ finished }: NetworkEvidence): FinishedTimes | undefined {
  if (finished.kind === 'missing') return undefined;
  const { rows, completeSinceMs } = finished.value;
  const bySender = new Map<string, number[]>();
  const timed = rows
    .filter(isFinished)
    .map((row) => ({ ms: row.createdAt.ms, sender: row.sender?.toLowerCase() }))
    .sort((one, other) => one.ms - other.ms);
  for (const { ms, sender } of timed) {
    if (sender === undefined) continue;
    const own = bySender.get(sender);
    if (own === undefined) bySender.set(sender, [ms]);
    else own.push(ms);
  }
  return { all: timed.map(({ ms }) => ms), bySender, completeSinceMs };
}

/** How many of the rising times are at or after the moment. Times are whole milliseconds. */
export function countSince(times: readonly number[], sinceMs: number): number {
  return times.length - countUpTo(times, sinceMs - 1);
}
