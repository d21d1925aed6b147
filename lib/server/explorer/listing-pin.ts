import 'server-only';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { serviceClockAheadMs } from '@/lib/domain/service-clock';
import { formatIsoMillis, unixMillis } from '@/lib/domain/units';
import type { MergedRow } from './merge';
import { positionsAfter, type Slice } from './paging-runs';
import { millisAfter, momentOf, momentOfMillis } from './time-order';

/** A service's clock may be so far ahead of ours, besides the time that an answer takes. */
export const LATENCY_MS = 2000;

/** When a list was asked for (unix milliseconds, ours), and how much later its rows may be dated that were logged meanwhile. */
export type Asked = { nowMs: number; latencyMs: number };

/**
 * The moment to pin a list to, ISO: when it was asked for, or that of its newest row, should the service's clock be
 * ahead of ours. One row with an odd date moves it nowhere.
 */
export function pinMoment(rows: readonly { row: ListedRow }[], { nowMs, latencyMs }: Asked): string {
  const times = rows.flatMap(({ row }) => (row.kind === 'record' ? millisAfter(row.createdAt) : []));
  // Logged while the answer was under way.
  const fresh = times.filter((ms) => ms <= nowMs + latencyMs);
  const newest = Math.max(nowMs, ...fresh, nowMs + serviceClockAheadMs(times, nowMs));
  return formatIsoMillis(unixMillis(newest));
}

/** How many of the newest rows of a list say what its service's clock is. */
export const PIN_ROWS = 10;

/** Per part, how many rows of a slice are dated after `asof` (ISO): a list that is pinned to it may not hold them. */
export function rowsAhead({ rows, before }: Slice, asof: string): number[] {
  const at = momentOf(asof);
  const ahead = rows.filter(({ row, moment }) => row.kind === 'record' && moment > at);
  return before.map((_, part) => ahead.filter((row) => row.part === part).length);
}

/**
 * The first `take` rows of a list as it was when it was asked for, from its first rows as they were a little later. Rows dated so far
 * ahead that they were not logged meanwhile stay, as nothing else would ever show them.
 * @returns undefined where they don't tell: too many rows are newer, or some of unknown time stand among those.
 */
export function sliceAsOf(slice: Slice, { nowMs, latencyMs }: Asked, take: number): Slice | undefined {
  const at = momentOfMillis(unixMillis(nowMs));
  const until = momentOfMillis(unixMillis(nowMs + latencyMs));
  const newer = slice.rows.filter(({ moment }) => moment > at);
  const isNew = ({ row, moment }: MergedRow) => row.kind === 'record' && moment > at && moment <= until;
  const fresh = newer.filter(isNew);
  if (fresh.length > 0 && newer.some(({ row }) => row.kind === 'unreadable')) return undefined;
  if (slice.rows.length - fresh.length < take && !slice.ended) return undefined;
  const freshBefore = (row: MergedRow) =>
    fresh.filter(({ part, index }) => part === row.part && index < row.index).length;
  const kept = slice.rows.filter((row) => !isNew(row));
  const rows = kept.slice(0, take).map((row) => ({ ...row, index: row.index - freshBefore(row) }));
  return {
    rows,
    before: slice.before,
    after: positionsAfter(slice.before, rows),
    total: slice.total === undefined ? undefined : slice.total - BigInt(fresh.length),
    ended: slice.ended && rows.length === kept.length,
  };
}
