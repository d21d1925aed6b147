import { ageRuleOf, isStuckRule } from './age-rules';
import type { DiagnosisSettings } from './diagnosis-settings';
import type { LoggedRow } from './evidence';
import type { NormalAge } from './finished-durations';
import { distinctRows, isFinished, isPending, isSameHex } from './logged-row';
import { OVERTAKEN_BY } from './overtaken-rule';
import { gapBetween, type SequenceGap } from './sequence-gaps';
import { isTwin } from './twin-rule';

/** One request on the strip. */
export type LaneMark = {
  kind: 'request';
  key: string;
  sequence: string;
  createdMs: number;
  state: LaneState;
  /** Stuck, and so many requests with higher numbers are finished: R8 when it is there. */
  overtakenBy?: number;
  /** Keys of the rows with the same number and another transaction: R5. */
  twins: string[];
};

/** Of a request past its retry budget the strip says `stuck`. `unknown` is never pending. */
export type LaneState = 'pending' | 'stuck' | 'completed' | 'callback-failed' | 'failed' | 'unknown';

/** Numbers that no row has: R12. */
export type LaneGap = { kind: 'gap' } & SequenceGap;

export type SequenceLane = {
  networkId: string;
  provider: string;
  /** In order of sequence; twins follow each other in order of creation. */
  items: (LaneMark | LaneGap)[];
  marks: number;
  /** How many numbers are missing, decimal text. */
  missingNumbers: string;
  overtaken: number;
  twins: number;
};

type Entry = { row: LoggedRow; sequence: bigint };

/**
 * The strip of one network and provider. Rows of others are left out, a row given twice counts once. Linear but for one
 * sort by number, which lists of a service nearly are.
 */
export function sequenceLane(
  rows: readonly LoggedRow[],
  lane: { networkId: string; provider: string },
  normal: NormalAge,
  settings: DiagnosisSettings,
  nowMs: number,
): SequenceLane {
  const entries = distinctRows(rows)
    .filter((row) => row.networkId === lane.networkId && isSameHex(row.provider, lane.provider))
    .map((row): Entry => ({ row, sequence: BigInt(row.sequence) }))
    .sort(bySequence);
  const higher = finishedAbove(entries);
  const twins = twinsOf(entries);
  const items: SequenceLane['items'] = [];
  let missing = 0n;
  for (const [index, { row, sequence }] of entries.entries()) {
    const gap = gapBetween(entries[index - 1]?.sequence, sequence);
    if (gap !== undefined) items.push({ kind: 'gap', ...gap });
    missing += BigInt(gap?.count ?? 0);
    const state = laneState(row, Math.max(0, nowMs - row.createdAt.ms), normal, settings);
    items.push(markOf(row, state, higher[index] ?? 0, twins.get(row.key) ?? []));
  }
  const marks = items.filter((item) => item.kind === 'request');
  return {
    ...lane,
    items,
    marks: marks.length,
    missingNumbers: missing.toString(),
    overtaken: marks.filter(({ overtakenBy }) => overtakenBy !== undefined).length,
    twins: marks.filter((mark) => mark.twins.length > 0).length,
  };
}

function bySequence(one: Entry, other: Entry): number {
  if (one.sequence !== other.sequence) return one.sequence < other.sequence ? -1 : 1;
  return one.row.createdAt.ms - other.row.createdAt.ms;
}

function markOf(row: LoggedRow, state: LaneState, higher: number, twins: string[]): LaneMark {
  const mark = { key: row.key, sequence: row.sequence, createdMs: row.createdAt.ms, state, twins };
  const isOvertaken = state === 'stuck' && higher >= OVERTAKEN_BY;
  return { kind: 'request', ...mark, ...(isOvertaken ? { overtakenBy: higher } : {}) };
}

function laneState(row: LoggedRow, ageMs: number, normal: NormalAge, settings: DiagnosisSettings): LaneState {
  const { state } = row;
  if (isPending(row)) return isStuckRule(ageRuleOf(ageMs, normal, settings)) ? 'stuck' : 'pending';
  if (state.kind === 'completed') return state.callback === 'failed' ? 'callback-failed' : 'completed';
  return state.kind === 'failed' ? 'failed' : 'unknown';
}

/** For each entry, how many finished ones have a higher number; its own twins have the same. */
function finishedAbove(entries: readonly Entry[]): number[] {
  const above = new Array<number>(entries.length).fill(0);
  let [finished, atThisNumber] = [0, 0];
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index] as Entry;
    if (entry.sequence !== entries[index + 1]?.sequence) {
      finished += atThisNumber;
      atThisNumber = 0;
    }
    above[index] = finished;
    if (isFinished(entry.row)) atThisNumber += 1;
  }
  return above;
}

/** More twins of one number than this are not twins but something else; their keys would grow with the square. */
const MOST_TWINS = 8;

function twinsOf(entries: readonly Entry[]): Map<string, string[]> {
  const twins = new Map<string, string[]>();
  let start = 0;
  for (let end = 1; end <= entries.length; end++) {
    if (entries[end]?.sequence === entries[start]?.sequence) continue;
    const same = entries.slice(start, end).map(({ row }) => row);
    start = end;
    if (same.length < 2) continue;
    for (const row of same) {
      const others = same.slice(0, MOST_TWINS + 1).filter((other) => isTwin(row, other));
      if (others.length > 0) twins.set(row.key, others.map(({ key }) => key).slice(0, MOST_TWINS));
    }
  }
  return twins;
}
