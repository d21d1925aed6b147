import 'server-only';
import { hash } from 'node:crypto';
import { decodeFailure, failureGroup } from '@/lib/core/failure';
import { type RequestRecord, stateWord, type WireTime } from '@/lib/core/request-record';

/** Moments within this many microseconds of 1970 (years 1684 to 2255) are exact; others stand at its end. */
const FARTHEST_US = 8_999_999_999_999_999;

/** Networks, states and groups of failures are words; so many characters of one are kept in its column. */
const MOST_OF_WORD = 200;

/** A moment of the service in whole microseconds, as much of it as it sends. */
export function wireMicros({ text, ms }: WireTime): number {
  const fraction = /[.,](\d+)/.exec(text)?.[1] ?? '';
  const micros = ms * 1000 + Number(fraction.slice(3, 6).padEnd(3, '0'));
  return Math.max(-FARTHEST_US, Math.min(FARTHEST_US, micros));
}

/** Digits that a `decimal(38,0)` holds; undefined for longer ones, which stay in the wire row alone. */
export function decimalText(digits: string | undefined): string | null {
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

/** What of a record has columns of its own, in the order of `RECORD_COLUMNS`. */
export type RecordValues = (string | number | bigint | null)[];

export const RECORD_COLUMNS = [
  'id',
  'keeper_id',
  'network_id',
  'chain_name',
  'sequence',
  'sequence64',
  'created_us',
  'updated_us',
  'duration_us',
  'state',
  'provider',
  'sender',
  'request_tx',
  'request_tx64',
  'reveal_tx',
  'reveal_tx64',
  'request_block',
  'reveal_block',
  'gas_limit',
  'gas_used',
  'gas_share',
  'callback_gas_used',
  'callback_return',
  'failure',
  'failure_text',
  'user_random',
  'provider_random',
  'combined_random',
  'wire',
] as const;

export function recordValues(keeperId: number, record: RequestRecord): RecordValues {
  const { state } = record;
  const completed = state.kind === 'completed' ? state : undefined;
  const createdUs = wireMicros(record.createdAt);
  const updatedUs = record.updatedAt === undefined ? null : wireMicros(record.updatedAt);
  const isFinished = completed !== undefined || state.kind === 'failed';
  return [
    requestId(keeperId, record),
    keeperId,
    short(record.networkId),
    record.chainName,
    decimalText(record.sequence),
    sequenceKey(record.sequence),
    createdUs,
    updatedUs,
    isFinished && updatedUs !== null ? Math.max(0, updatedUs - createdUs) : null,
    short(stateWord(state)),
    lower(record.provider),
    lower(record.sender),
    lower(record.requestTxHash),
    hashKey(record.requestTxHash),
    lower(completed?.revealTxHash),
    hashKey(completed?.revealTxHash),
    decimalText(record.requestBlock),
    decimalText(completed?.revealBlock),
    decimalText(record.gasLimit),
    decimalText(completed?.gasUsed),
    gasShare(completed?.gasUsed, record.gasLimit),
    decimalText(completed?.callbackGasUsed),
    completed?.callbackReturnValue ?? null,
    short(failureGroup(record)),
    decodeFailure(record)?.text ?? null,
    record.userRandomNumber ?? null,
    completed?.providerRandomNumber ??
      (state.kind === 'failed' ? (state.providerRandomNumber ?? null) : null),
    completed?.combinedRandomNumber ?? null,
    record.rawJson,
  ];
}

/**
 * 62 bits of a hash: a column of whole numbers is searched a hundred times faster than one of texts. Different hashes may
 * have the same one, so the text is compared as well. Null for what is no hash.
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

/** Of a word, what an index has room for; the row as it came has all of it. */
function short(text: string | undefined): string | null {
  return text?.slice(0, MOST_OF_WORD) ?? null;
}

/** Hex is the same in any case. */
function lower(text: string | undefined): string | null {
  return text?.toLowerCase() ?? null;
}
