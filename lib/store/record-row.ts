import 'server-only';
import { hash } from 'node:crypto';
import { decodeFailure, failureGroup } from '@/lib/core/failure';
import { type RequestRecord, type RequestState, stateWord, type WireTime } from '@/lib/core/request-record';
import { bulkLine } from './bulk-rows';
import type { SqlParameter } from './sql';

/** Moments within this many microseconds of 1970 (years 1684 to 2255) are exact; others stand at its end. */
export const MAX_MOMENT_US = 8_999_999_999_999_999;

/** Characters. */
const MAX_WORD_LENGTH = 200;

/** A moment of the service in whole microseconds, as much of it as it sends. */
export function wireMicros({ text, ms }: WireTime): number {
  const fraction = /[.,](\d+)/.exec(text)?.[1] ?? '';
  const micros = ms * 1000 + Number(fraction.slice(3, 6).padEnd(3, '0'));
  return boundedUs(micros);
}

export const boundedUs = (us: number) => Math.max(-MAX_MOMENT_US, Math.min(MAX_MOMENT_US, us));

/** Digits that a `decimal(38,0)` holds; undefined for longer ones, which stay in the wire row alone. */
function decimalText(digits: string | undefined): string | null {
  return digits === undefined || digits.replace('-', '').length > 38 ? null : digits;
}

/** The identity of a request, as a uuid: keeper, network, provider, sequence, request transaction. */
export function requestId(keeperId: number, record: Pick<RequestRecord, 'key'>): string {
  return uuidOf(`${keeperId}\n${record.key}`);
}

/** A uuid made of a text: the same for the same text. */
export function uuidOf(text: string): string {
  const hex = hash('sha256', text, 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

type Row = {
  keeperId: number;
  record: RequestRecord;
  /** What only some states have. */
  completed: Partial<Extract<RequestState, { kind: 'completed' }>>;
  providerRandom: string | null | undefined;
  createdUs: number;
  updatedUs: number | undefined;
};

/** The columns of a record but its first and last, what they hold of it, and their types where these are not text. */
const COLUMNS: Record<string, [of: (row: Row) => SqlParameter | undefined, type?: string]> = {
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

/** All columns of a record: the first is its identity, the last the row as it came. */
export const RECORD_COLUMNS = [
  { name: 'id', type: 'uuid' },
  ...Object.entries(COLUMNS).map(([name, [, type]]) => ({ name, type })),
  { name: 'wire' },
];
const VALUES = Object.values(COLUMNS).map(([of]) => of);

/** A record as a line of bulk text with `RECORD_COLUMNS`. */
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

/** Of finished requests, as far as the service tells when they ended. */
function durationUs({ record: { state }, createdUs, updatedUs }: Row): number | undefined {
  const isFinished = state.kind === 'completed' || state.kind === 'failed';
  return isFinished && updatedUs !== undefined ? Math.max(0, updatedUs - createdUs) : undefined;
}

/**
 * 62 bits of a hash: whole numbers are searched a hundred times faster than texts. Different hashes may have the same, so
 * the text is compared as well. Null for what is no hash.
 */
export function hashKey(hash: string | undefined): bigint | null {
  const digits = /^(?:0x)?([0-9a-f]{16})/i.exec(hash ?? '')?.[1];
  return digits === undefined ? null : BigInt(`0x${digits}`) >> 2n;
}

/** 62 bits of a sequence, for the same reason. Null for a longer one than the index can count with. */
export function sequenceKey(digits: string): bigint | null {
  return decimalText(digits) === null ? null : BigInt(digits) % (1n << 62n);
}

/** Gas used of the gas limit, 1 is all of it; null where a row does not tell both. */
function gasShare(used: string | undefined, limit: string | undefined): number | null {
  const share = Number(used) / Number(limit);
  return Number.isFinite(share) ? share : null;
}

/** Of a network, a state or a group of failures, what an index has room for; the row as it came has all of it. */
function truncated(word: string | undefined): string | undefined {
  return word?.slice(0, MAX_WORD_LENGTH);
}
