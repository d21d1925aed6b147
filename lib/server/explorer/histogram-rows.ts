import 'server-only';
import { type BucketCounts, histogramState, noCounts } from '@/lib/contract/codec/histogram';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import { type LogRow, stateWord } from '@/lib/domain/request-record';
import type { Timers } from '@/lib/upstream/timers';
import { patiently } from './counts-patience';
import { type Buckets, bucketAt } from './histogram-buckets';
import type { Part } from './parts';

export type RowEdges = { signal: AbortSignal; timers: Timers };

/** All rows of a part that has `total`, newest first. Once the signal is aborted, what is known stands. */
export async function rowsOfPart(
  { source, filter }: Part,
  total: number,
  { signal, timers }: RowEdges,
): Promise<Outcome<ListedRow[]>> {
  const page = await patiently(() => source.page(filter, total, 0, 'background'), { signal, timers });
  return page.ok ? ok(page.value.rows) : page;
}

/** Rows by bucket and state, and how many have no place in any. */
export function rowsByBucket(
  rows: readonly LogRow[],
  buckets: Buckets,
): { counts: BucketCounts[]; unplaced: number } {
  const counts = Array.from({ length: buckets.buckets }, noCounts);
  let unplaced = 0;
  for (const row of rows) {
    const index = row.kind === 'record' ? bucketAt(buckets, row.createdAt.ms) : undefined;
    const bucket = index === undefined ? undefined : counts[index];
    if (row.kind === 'unreadable' || bucket === undefined) unplaced += 1;
    else bucket[histogramState(stateWord(row.state))] += 1;
  }
  return { counts, unplaced };
}

/** How many of the last rows are looked at for the oldest one: some of them may be unreadable. */
const LAST_ROWS = 50;

/** When the oldest row of a part that has `total` was made, unix milliseconds. */
export async function oldestRowMs(
  part: Part,
  total: number,
  { signal, timers }: RowEdges,
): Promise<Outcome<number>> {
  const offset = Math.max(0, total - LAST_ROWS);
  const ask = () => part.source.page(part.filter, LAST_ROWS, offset, 'background');
  const page = await patiently(ask, { signal, timers });
  if (!page.ok) return page;
  const times = page.value.rows.flatMap((row) => (row.kind === 'record' ? row.createdAt.ms : []));
  if (times.length > 0) return ok(Math.min(...times));
  const detail = 'None of the oldest rows has a time that can be read, so it is not known where time begins.';
  return failed({ kind: 'malformed', service: 'logs', detail });
}
