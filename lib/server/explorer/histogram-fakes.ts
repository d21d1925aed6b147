/** Histograms of logs in memory, for tests, and what they should come to. */
import { setMaxListeners } from 'node:events';
import {
  addCounts,
  type BucketCounts,
  type HistogramHead,
  type HistogramLine,
  histogramState,
  noCounts,
} from '@/lib/contract/codec/histogram';
import { isStateWord, type StateWord, WIRE_STATE } from '@/lib/domain/request-record';
import type { RequestsView } from '@/lib/requests/view';
import { ManualTimers } from '@/lib/upstream/manual-timers';
import { createCounts } from './counts';
import { type FakeLog, type FakeRow, nanosOf } from './counts-fakes';
import { histogramLines } from './histogram';
import { partsOf } from './parts';

export const NOW = Date.UTC(2026, 10, 20, 8);
export const FROM = '2026-11-20T06:00:00Z';
export const TO = '2026-11-20T08:00:00Z';

type Run = { view: RequestsView; logs: FakeLog[]; buckets?: number; signal?: AbortSignal };

export function run({ view, logs, buckets = 24, signal = new AbortController().signal }: Run) {
  setMaxListeners(0, signal);
  const timers = new ManualTimers();
  const counts = createCounts({ now: () => NOW, timers });
  const sources = new Map(logs.map((log) => [log.keeper, log]));
  const parts = (one: RequestsView, nowMs: number) => partsOf(one, nowMs, sources);
  return { timers, lines: histogramLines({ view, buckets, nowMs: NOW, signal }, { counts, timers, parts }) };
}

/** What the lines come to: the head, the buckets in their order, and what came at the end. */
export function readLines(lines: readonly HistogramLine[]) {
  const [first] = lines;
  if (first?.kind !== 'head') throw new Error(`no head: ${JSON.stringify(lines)}`);
  const buckets: (BucketCounts | undefined)[] = Array.from({ length: first.head.buckets });
  for (const line of lines) if (line.kind === 'bucket') buckets[line.index] = line.counts;
  const unplaced = lines.find((line) => line.kind === 'unplaced')?.rows ?? 0;
  return { head: first.head, buckets, unplaced, end: lines.at(-1)?.kind };
}

export function totalsOf(buckets: readonly (BucketCounts | undefined)[]): BucketCounts {
  return buckets.reduce<BucketCounts>((sum, one) => addCounts(sum, one ?? noCounts()), noCounts());
}

/** The same by brute force. */
export function bruteForce(rows: readonly FakeRow[], head: HistogramHead): BucketCounts[] {
  const buckets = Array.from({ length: head.buckets }, noCounts);
  for (const { at, state } of rows) {
    const index = Number(nanosOf(at) / 1_000_000n - BigInt(head.fromMs)) / head.bucketMs;
    const words = Object.keys(WIRE_STATE).filter(isStateWord);
    const word = words.find((one: StateWord) => WIRE_STATE[one] === state) ?? state;
    const bucket = buckets[Math.floor(index)];
    if (bucket !== undefined) bucket[histogramState(word)] += 1;
  }
  return buckets;
}

/** Many rows spread over the two hours. */
export function manyRows(
  count: number,
  states = ['Completed', 'Pending', 'Failed', 'CallbackErrored'],
): FakeRow[] {
  return Array.from({ length: count }, (_, n) => ({
    at: new Date(NOW - Math.floor((n * 7_200_000) / count)).toISOString(),
    state: states[n % states.length] ?? '',
    networkId: String(n % 3),
  }));
}
