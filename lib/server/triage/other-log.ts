import 'server-only';
import {
  type LoggedRow,
  type Piece,
  type RowsFound,
  type RowsWindow,
  unseen,
} from '@/lib/domain/diagnosis/evidence';
import { isFinished, isPending } from '@/lib/domain/diagnosis/logged-row';

/** Rows of one network, all of those that were created in a stretch of time among them. Unix ms, both ends included. */
export type RowsOfStretch = Pick<RowsWindow, 'rows' | 'fromMs' | 'toMs'>;

/** A row may be listed so much later than it was created. */
const LISTED_LATE_MS = 5000;

/** The end of the stretch of which an answer from this moment knows all rows. */
export function knownUntil(atMs: number): number {
  return atMs - LISTED_LATE_MS;
}

/**
 * Whether rows that came later can't be of the log that was seen before: one of them should have been there, one of those
 * is gone, or one that had finished is pending. A service may be another one at the same address, restored, or a sandbox
 * told to play something else; evidence of both must not be mixed. Rows that came or finished meanwhile contradict nothing.
 */
export function isOtherLog(before: RowsOfStretch, after: RowsOfStretch): boolean {
  return isStrange(before, after.rows) || hasUnlisted(after, before.rows);
}

/** The same, of rows that are only some of those there are now. */
export function isStrange(before: RowsOfStretch, rows: readonly LoggedRow[]): boolean {
  const pending = rows.filter(isPending);
  const finished = new Set(pending.length === 0 ? [] : before.rows.filter(isFinished).map(identityOf));
  const isPendingAgain = pending.some((row) => finished.has(identityOf(row)));
  return isPendingAgain || hasUnlisted(before, rows);
}

/** Whether one of the rows was created in the stretch and is not there. */
export function hasUnlisted(stretch: RowsOfStretch, rows: readonly LoggedRow[]): boolean {
  const { fromMs, toMs } = stretch;
  const within = rows.filter(({ createdAt }) => createdAt.ms >= fromMs && createdAt.ms <= toMs);
  if (within.length === 0) return false;
  const listed = new Set(stretch.rows.map(identityOf));
  return within.some((row) => !listed.has(identityOf(row)));
}

/**
 * Whether all pending rows of a keeper, or the rows around a request, know a pending one of its network that the other should
 * know. They may be of different moments.
 */
export function isOtherPending(
  { value, atMs }: Piece<RowsFound> & { kind: 'known' },
  around: RowsOfStretch,
  networkId: string,
): boolean {
  const rows = value.rows.filter((row) => row.networkId === networkId);
  const isWhole = unseen(value) === 0;
  const all = { rows, fromMs: isWhole ? 0 : Number.POSITIVE_INFINITY, toMs: knownUntil(atMs) };
  return hasUnlisted(around, rows) || hasUnlisted(all, around.rows.filter(isPending));
}

/** Of rows that are listed several times, the later ones have a number behind their key. */
function identityOf({ key }: LoggedRow): string {
  return key.replace(/#\d+$/, '');
}
