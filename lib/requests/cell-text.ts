import { type RequestRecord, requestDuration, stateWord, type WireTime } from '@/lib/core/request-record';
import { isoTimeInUtc } from '@/lib/core/time';
import type { ListedRecord, ListedRow } from './answers';
import type { ColumnId } from './columns';

/**
 * The full text of a cell, to be copied and compared: times in UTC with every digit, durations in whole ms, the gas
 * share with two decimals. Undefined for an empty cell. @param nowMs needed for the age of an open request
 */
export function cellText(row: ListedRow, id: ColumnId, nowMs?: number): string | undefined {
  return row.kind === 'record' ? TEXTS[id](row, nowMs) : undefined;
}

export function completedOf({ state }: Pick<RequestRecord, 'state'>) {
  return state.kind === 'completed' ? state : undefined;
}

const TEXTS: Record<ColumnId, (record: ListedRecord, nowMs: number | undefined) => string | undefined> = {
  keeper: (record) => record.keeper,
  network: (record) => record.networkId,
  sequence: (record) => record.sequence,
  created: (record) => isoText(record.createdAt),
  updated: (record) => record.updatedAt && isoText(record.updatedAt),
  duration: durationText,
  state: (record) => stateWord(record.state),
  sender: (record) => record.sender,
  provider: (record) => record.provider,
  'request-tx': (record) => record.requestTxHash,
  'reveal-tx': (record) => completedOf(record)?.revealTxHash,
  block: (record) => record.requestBlock,
  'gas-limit': (record) => record.gasLimit,
  'gas-used': (record) => completedOf(record)?.gasUsed,
  'gas-share': (record) => percentOf(completedOf(record)?.gasUsed, record.gasLimit),
  failure: ({ state }) => {
    if (state.kind === 'failed') return state.reason;
    return state.kind === 'completed' && state.callback === 'failed' ? state.callbackReturnValue : undefined;
  },
  'user-random': (record) => record.userRandomNumber,
  'provider-random': ({ state }) =>
    'providerRandomNumber' in state ? (state.providerRandomNumber ?? undefined) : undefined,
  'random-number': (record) => completedOf(record)?.combinedRandomNumber,
};

const isoText = ({ text }: WireTime) => isoTimeInUtc(text) ?? text;

function durationText(record: ListedRecord, nowMs: number | undefined): string | undefined {
  const length = requestDuration(record, nowMs ?? record.createdAt.ms);
  return length === undefined || (length.kind === 'age' && nowMs === undefined)
    ? undefined
    : String(length.ms);
}

/** Parses an amount of gas: a u256 has at most 78 digits. Longer texts would only keep BigInt busy. */
function amount(digits = ''): bigint | undefined {
  return /^\d{1,78}$/.test(digits) ? BigInt(digits) : undefined;
}

/** Percentage with two decimals, rounded down: 100.00 appears only when the limit is reached. */
export function percentOf(part: string | undefined, whole: string | undefined): string | undefined {
  const numerator = amount(part);
  const denominator = amount(whole);
  if (numerator === undefined || !denominator) return undefined;
  const hundredths = (numerator * 10_000n) / denominator;
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')}`;
}
