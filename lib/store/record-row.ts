import 'server-only';
import { hash } from 'node:crypto';
import { decodeFailure, failureGroup } from '@/lib/core/request-failure';
import {
  isFinished,
  type RequestRecord,
  type RequestState,
  stateWord,
  type WireTime,
} from '@/lib/core/request-record';
import type { IndexColumn } from '@/lib/requests/column-schema';
import { bulkLine } from './bulk-rows';
import type { SqlParameter } from './sql';

/** Years 1684 to 2255 are stored exactly. Moments beyond are stored as this value. */
export const MAX_MOMENT_US = 8_999_999_999_999_999;

const MAX_WORD_LENGTH = 200;

/** Microseconds are read from the service's text, as far as it has them. */
export function wireMicros({ text, ms }: WireTime): number {
  const fraction = /[.,](\d+)/.exec(text)?.[1] ?? '';
  const micros = ms * 1000 + Number(fraction.slice(3, 6).padEnd(3, '0'));
  return clampedUs(micros);
}

export const clampedUs = (us: number) => Math.max(-MAX_MOMENT_US, Math.min(MAX_MOMENT_US, us));

/** Null for more than 38 digits, which remain only in the wire row. */
function decimalText(digits: string | undefined): string | null {
  return digits === undefined || digits.replace('-', '').length > 38 ? null : digits;
}

/** A uuid of keeper, network, provider, sequence and request transaction. */
export function requestId(keeperId: number, record: Pick<RequestRecord, 'key'>): string {
  return uuidOf(`${keeperId}\n${record.key}`);
}

export function uuidOf(text: string): string {
  const hex = hash('sha256', text, 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

type Row = {
  keeperId: number;
  record: RequestRecord;
  /** Members that exist in the completed state only. */
  completed: Partial<Extract<RequestState, { kind: 'completed' }>>;
  providerRandom: string | null | undefined;
  createdUs: number;
  updatedUs: number | undefined;
};

/** Columns that only search and grouping use. */
type InnerColumn = 'sequence64' | 'request_tx64' | 'reveal_tx64' | 'callback_return' | 'failure';

export type ColumnType = 'bigint' | 'text' | 'decimal(38,0)' | 'double precision' | 'uuid' | 'integer';

type Column = [of: (row: Row) => SqlParameter | undefined, type?: ColumnType];

/** Columns except the first and the last: how each is computed, and its type if it is not text. */
const COLUMNS: Record<IndexColumn | InnerColumn, Column> = {
  keeper_id: [({ keeperId }) => keeperId, 'integer'],
  network_id: [({ record }) => truncated(record.networkId)],
  chain_name: [({ record }) => record.chainName],
  sequence: [({ record }) => decimalText(record.sequence), 'decimal(38,0)'],
  sequence64: [({ record }) => sequenceKey(record.sequence), 'bigint'],
  created_us: [({ createdUs }) => createdUs, 'bigint'],
  updated_us: [({ updatedUs }) => updatedUs, 'bigint'],
  duration_us: [durationUs, 'bigint'],
  state: [({ record }) => truncated(stateWord(record.state))],
  provider: [({ record }) => record.provider?.toLowerCase()],
  sender: [({ record }) => record.sender?.toLowerCase()],
  request_tx: [({ record }) => record.requestTxHash?.toLowerCase()],
  request_tx64: [({ record }) => hashKey(record.requestTxHash), 'bigint'],
  reveal_tx: [({ completed }) => completed.revealTxHash?.toLowerCase()],
  reveal_tx64: [({ completed }) => hashKey(completed.revealTxHash), 'bigint'],
  request_block: [({ record }) => decimalText(record.requestBlock), 'decimal(38,0)'],
  reveal_block: [({ completed }) => decimalText(completed.revealBlock), 'decimal(38,0)'],
  gas_limit: [({ record }) => decimalText(record.gasLimit), 'decimal(38,0)'],
  gas_used: [({ completed }) => decimalText(completed.gasUsed), 'decimal(38,0)'],
  gas_share: [({ record, completed }) => gasShare(completed.gasUsed, record.gasLimit), 'double precision'],
  callback_gas_used: [({ completed }) => decimalText(completed.callbackGasUsed), 'decimal(38,0)'],
  callback_return: [({ completed }) => completed.callbackReturnValue],
  failure: [({ record }) => truncated(failureGroup(record))],
  failure_text: [({ record }) => decodeFailure(record)?.text],
  user_random: [({ record }) => record.userRandomNumber],
  provider_random: [({ providerRandom }) => providerRandom],
  combined_random: [({ completed }) => completed.combinedRandomNumber],
};

/** The first column is the record's id, the last is the row as received. */
export const RECORD_COLUMNS: { name: string; type?: ColumnType | undefined }[] = [
  { name: 'id', type: 'uuid' },
  ...Object.entries(COLUMNS).map(([name, [, type]]) => ({ name, type })),
  { name: 'wire' },
];

export const columnType = (name: IndexColumn): ColumnType => COLUMNS[name][1] ?? 'text';

const VALUES = Object.values(COLUMNS).map(([of]) => of);

/** Bulk text with the columns of `RECORD_COLUMNS`. */
export function recordLine(keeperId: number, id: string, record: RequestRecord): string {
  const { state, createdAt, updatedAt } = record;
  const row: Row = {
    keeperId,
    record,
    completed: state.kind === 'completed' ? state : {},
    providerRandom: 'providerRandomNumber' in state ? state.providerRandomNumber : undefined,
    createdUs: wireMicros(createdAt),
    updatedUs: updatedAt && wireMicros(updatedAt),
  };
  return bulkLine([id, ...VALUES.map((of) => of(row))], record.rawJson);
}

/** Undefined if the service names no end. */
function durationUs({ record, createdUs, updatedUs }: Row): number | undefined {
  return isFinished(record) && updatedUs !== undefined ? Math.max(0, updatedUs - createdUs) : undefined;
}

/** 62 bits: integers are searched a hundred times faster than text. Hashes may collide, so texts are compared too. */
export function hashKey(hash: string | undefined): bigint | null {
  const digits = /^(?:0x)?([0-9a-f]{16})/i.exec(hash ?? '')?.[1];
  return digits === undefined ? null : BigInt(`0x${digits}`) >> 2n;
}

/** 62 bits, for faster search. Null for a sequence longer than 38 digits. */
export function sequenceKey(digits: string): bigint | null {
  return decimalText(digits) === null ? null : BigInt(digits) % (1n << 62n);
}

/** 1 for all of the gas limit; null if the row lacks a figure. */
function gasShare(used: string | undefined, limit: string | undefined): number | null {
  const share = Number(used) / Number(limit);
  return Number.isFinite(share) ? share : null;
}

/** Cut to the longest key of a database index. The row as received keeps the full text. */
function truncated(word: string | undefined): string | undefined {
  return word?.slice(0, MAX_WORD_LENGTH);
}
