import 'server-only';
import type { DiagnosisAsked } from '@/lib/contract/codec/triage-detail';
import type { LoggedRow, Piece, RowsFound } from '@/lib/domain/diagnosis/evidence';
import { isSameHex } from '@/lib/domain/diagnosis/logged-row';
import { type FoundRecords, isListedRecord, type ListedRecord } from './log-rows';

/** Which row it is that was asked for. */
export type FoundRequest =
  | { kind: 'one'; row: ListedRecord }
  | { kind: 'several' }
  | { kind: 'none' }
  | { kind: 'not-known' };

/** @param sameNumber E4 @param pending E1, where a row may be known before E4 has come */
export function foundRequest(
  asked: DiagnosisAsked,
  sameNumber: Piece<FoundRecords>,
  pending: () => Piece<RowsFound>,
): FoundRequest {
  if (sameNumber.kind === 'missing') return foundAmongPending(asked, pending());
  const rows = sameNumber.value.rows.filter((row) => isAsked(row, asked));
  const [row, ...others] = newestOfEach(rows);
  if (row !== undefined) return others.length === 0 ? { kind: 'one', row } : { kind: 'several' };
  return { kind: sameNumber.value.missing + sameNumber.value.unreadable > 0 ? 'not-known' : 'none' };
}

function foundAmongPending(asked: DiagnosisAsked, pending: Piece<RowsFound>): FoundRequest {
  const rows = pending.kind === 'known' ? pending.value.rows.filter(isListedRecord) : [];
  const row = rows.find((one) => isAsked(one, asked));
  return row === undefined ? { kind: 'not-known' } : { kind: 'one', row };
}

function isAsked(row: LoggedRow, { networkId, sequence, provider, tx }: DiagnosisAsked): boolean {
  return (
    row.networkId === networkId &&
    row.sequence === sequence &&
    (provider === undefined || isSameHex(row.provider, provider)) &&
    (tx === undefined || isSameHex(row.requestTxHash, tx))
  );
}

/** The same request may be listed several times while it changes: the last version of each. */
function newestOfEach(rows: readonly ListedRecord[]): ListedRecord[] {
  const byKey = new Map<string, ListedRecord>();
  for (const row of rows) {
    const known = byKey.get(row.key);
    const isNewer = known === undefined || (row.updatedAt?.ms ?? 0) > (known.updatedAt?.ms ?? 0);
    if (isNewer) byKey.set(row.key, row);
  }
  return [...byKey.values()];
}
