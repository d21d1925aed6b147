import 'server-only';
import type { ListedRow } from '@/lib/contract/codec/listing';
import type { LoggedRow, RowsFound } from '@/lib/domain/diagnosis/evidence';
import type { RequestRecord } from '@/lib/domain/request-record';
import { formatIsoMillis, unixMillis } from '@/lib/domain/units';
import type { SourcePage } from '@/lib/server/explorer/log-source';

/** A row that can be read, and its keeper. */
export type ListedRecord = RequestRecord & { keeper: string };

/** `RowsFound` with whole rows. */
export type FoundRecords = Omit<RowsFound, 'rows'> & { rows: readonly ListedRecord[] };

export function recordsOf(rows: readonly ListedRow[]): ListedRecord[] {
  return rows.filter((row): row is ListedRecord => row.kind === 'record');
}

/** Whether the row came whole from a log: evidence keeps rows as they came. */
export function isListedRecord(row: LoggedRow): row is ListedRecord {
  return 'rawJson' in row;
}

/** The total of a page, as a number; 0 when the service gave none. */
export function totalOf({ total }: Pick<SourcePage, 'total'>): number {
  return Number(total ?? '0');
}

/** The rows of a page that began at the beginning of its list. */
export function foundOn(page: SourcePage): FoundRecords {
  const rows = recordsOf(page.rows);
  return {
    rows,
    missing: Math.max(0, totalOf(page) - page.rows.length),
    unreadable: page.rows.length - rows.length,
  };
}

/** The time as the service takes it. */
export function isoOf(ms: number): string {
  return formatIsoMillis(unixMillis(ms));
}
