import 'server-only';
import { type Interval, idsIn, markGone } from '@/lib/store/queries/sync';
import { requestId } from '@/lib/store/record-row';
import type { CallLine, Rank } from './call-line';
import type { KeeperRows } from './keeper-rows';
import { Walk } from './walk';

/** What reading a span again brought. */
export type ReadAgain = { added: number; changed: number; gone: number };

/**
 * Reads every row of a span again, both ends included: what is new or changed goes in, and rows of ours that two listings
 * do not have are marked as gone.
 * @param span of whole milliseconds, or as fine as the service's moments are
 * @returns undefined where the listing does not come to an end
 */
export async function readAgain(
  line: CallLine,
  rows: KeeperRows,
  rank: Rank,
  span: Interval,
): Promise<ReadAgain | undefined> {
  const { engine } = rows.store;
  const result = { added: 0, changed: 0, gone: 0 };
  const first = await deliveredIn(line, rows, rank, span, result);
  if (first === undefined) return undefined;
  const { keeperId } = rows.keeper;
  const isMissing = (id: string) => !first.has(id);
  if (!(await idsIn(engine, keeperId, span)).some(isMissing)) return result;
  const second = await deliveredIn(line, rows, rank, span, result);
  if (second === undefined) return undefined;
  const missing = (await idsIn(engine, keeperId, span)).filter((id) => isMissing(id) && !second.has(id));
  await rows.store.write(async (session, revision) => {
    await markGone(session, missing, Math.floor(rows.store.now() * 1000), revision);
    return { result: undefined, isChange: missing.length > 0 };
  });
  result.gone = missing.length;
  return result;
}

/** Puts in what a listing of the span delivers. @returns the ids of its rows; undefined where it does not end */
async function deliveredIn(
  line: CallLine,
  rows: KeeperRows,
  rank: Rank,
  { fromUs, toUs }: Interval,
  result: ReadAgain,
): Promise<Set<string> | undefined> {
  const walk = new Walk({ fromUs, toUs }, { trustsTotal: true });
  const ids = new Set<string>();
  while (!walk.isOver && !walk.isStuck) {
    const answer = await line.ask(rank, walk.listing);
    const { fresh } = walk.take(answer);
    for (const row of fresh) if (row.kind === 'record') ids.add(requestId(rows.keeper.keeperId, row));
    const { added, changed } = await rows.put(fresh, 'new');
    result.added += added;
    result.changed += changed;
  }
  return walk.isOver ? ids : undefined;
}
