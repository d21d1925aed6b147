import 'server-only';
import type { LoggedRow } from '@/lib/domain/diagnosis/evidence';
import { readRow } from '@/lib/domain/log-row';
import type { RequestRecord, RequestState, WireTime } from '@/lib/domain/request-record';
import { formatIsoMillis, unixMillis } from '@/lib/domain/units';
import { readWireDocument } from '@/lib/domain/wire-json';
import type { EvidenceRow } from '@/lib/store/queries/evidence';

/** A whole row and the keeper that logged it; its key begins with the keeper. */
export type ListedRecord = RequestRecord & { keeper: string };

/** Rows of the index as the rules take them. One whose sequence can't be counted with is left out. */
export function loggedRows(keeper: string, rows: readonly EvidenceRow[]): LoggedRow[] {
  return rows.flatMap((row) => (row.sequence === null ? [] : loggedRow(keeper, row, row.sequence)));
}

function loggedRow(keeper: string, row: EvidenceRow, sequence: string): LoggedRow {
  const { networkId, provider, sender, requestTx, requestBlock, gasLimit } = row;
  return {
    keeper,
    key: `${keeper}/${networkId}/${provider ?? ''}/${sequence}/${requestTx ?? ''}`,
    networkId,
    sequence,
    createdAt: timeOf(row.createdUs),
    state: stateOf(row.state),
    ...(row.updatedUs === null ? {} : { updatedAt: timeOf(row.updatedUs) }),
    ...(provider === null ? {} : { provider }),
    ...(sender === null ? {} : { sender }),
    ...(requestTx === null ? {} : { requestTxHash: requestTx }),
    ...(requestBlock === null ? {} : { requestBlock }),
    ...(gasLimit === null ? {} : { gasLimit }),
  };
}

/** The record that the service wrote; undefined for text that is none. */
export function recordOfWire(keeper: string, wire: string): ListedRecord | undefined {
  const document = readWireDocument(wire);
  const row = document && readRow(document.value, document.textOf);
  return row?.kind === 'record' ? { ...row, keeper, key: `${keeper}/${row.key}` } : undefined;
}

function timeOf(micros: number): WireTime {
  const ms = Math.floor(micros / 1000);
  return { ms, text: isoOf(ms) };
}

function stateOf(word: string): RequestState {
  switch (word) {
    case 'pending':
      return { kind: 'pending' };
    case 'failed':
      return { kind: 'failed' };
    case 'completed':
      return { kind: 'completed', callback: 'ok' };
    case 'callback-failed':
      return { kind: 'completed', callback: 'failed' };
    default:
      return { kind: 'unknown', wireName: word };
  }
}

/** The time as the service takes it. @param ms unix milliseconds */
export function isoOf(ms: number): string {
  return formatIsoMillis(unixMillis(ms));
}
