import { requestDuration } from '@/lib/domain/request-record';
import type { LoggedRow } from './evidence';

export function isPending(row: LoggedRow): boolean {
  return row.state.kind === 'pending';
}

/** Completed (whatever its callback did) or failed. A state we don't know is neither finished nor pending. */
export function isFinished(row: LoggedRow): boolean {
  return row.state.kind === 'completed' || row.state.kind === 'failed';
}

/** Milliseconds since the row appeared, 0 when the service's clock is ahead. */
export function ageOf(row: LoggedRow, nowMs: number): number {
  return Math.max(0, nowMs - row.createdAt.ms);
}

/** How long a finished request took, in ms; undefined for others, and when the service does not tell the end. */
export function finishedAfterMs(row: LoggedRow): number | undefined {
  if (!isFinished(row)) return undefined;
  return requestDuration(row, row.createdAt.ms)?.ms;
}

/** Addresses and hashes are the same in any case. Two that are absent are not the same: nobody knows what they are. */
export function isSameHex(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one.toLowerCase() === other.toLowerCase();
}

/** Whether both count their sequence numbers together: network and provider. */
export function isSameLane(one: LoggedRow, other: LoggedRow): boolean {
  return one.networkId === other.networkId && isSameHex(one.provider, other.provider);
}

/** Each row once, the first of a key. */
export function distinctRows(...lists: (readonly LoggedRow[])[]): LoggedRow[] {
  const byKey = new Map<string, LoggedRow>();
  for (const rows of lists) for (const row of rows) if (!byKey.has(row.key)) byKey.set(row.key, row);
  return [...byKey.values()];
}

/** How many different senders; rows that name none add nothing. */
export function senderCount(rows: readonly LoggedRow[]): number {
  return new Set(rows.flatMap((row) => row.sender?.toLowerCase() ?? [])).size;
}
