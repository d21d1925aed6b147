import { decodeFailure } from '@/lib/core/request-failure';
import { type RequestRecord, requestDuration, stateWord, type WireTime } from '@/lib/core/request-record';
import { isoTimeInUtc } from '@/lib/core/time';
import type { ColumnId } from './columns';
import type { ListedRecord, ListedRow } from './requests-response';

/** Columns of the index that tables and exports show. `record-row.ts` defines them. */
export type IndexColumn =
  | 'keeper_id'
  | 'network_id'
  | 'chain_name'
  | 'sequence'
  | 'created_us'
  | 'updated_us'
  | 'duration_us'
  | 'state'
  | 'provider'
  | 'sender'
  | 'request_tx'
  | 'reveal_tx'
  | 'request_block'
  | 'reveal_block'
  | 'gas_limit'
  | 'gas_used'
  | 'gas_share'
  | 'callback_gas_used'
  | 'failure_text'
  | 'user_random'
  | 'provider_random'
  | 'combined_random';

/**
 * Headers, cells, exports, sort order and SQL of filters derive from it. A new column needs its id in `columns.ts`.
 */
export type ColumnSchema = {
  label: string;
  /** Default width, CSS pixels. */
  px: number;
  /** Direction of the sort after the first click on the header. */
  initialDirection: 'asc' | 'desc';
  /** `figure` and `digits` are right-aligned; `hash` has a copy button and grows on a wide screen. */
  kind: 'text' | 'time' | 'figure' | 'digits' | 'hash';
  /** `name` is for assistive technology, `explorer` the page of the block explorer. */
  hash?: { name: string; explorer?: 'address' | 'tx' };
  /**
   * Text for copying and comparing; undefined for an empty cell.
   * @param nowMs for the age of an open request
   */
  text: (record: ListedRecord, nowMs?: number) => string | undefined;
  /** Sorts and filters the table. */
  indexColumn: IndexColumn;
  /** Export columns by header, in the service's own text with every digit. */
  exports: Record<string, ExportColumn>;
};

type ExportColumn = {
  /** Text in CSV, by default that of the column. */
  text?: (record: ListedRecord, networkName: string) => string | undefined;
  /** Typed column of Parquet, by default that of the column. */
  indexColumn?: IndexColumn;
};

type Text = ColumnSchema['text'];

const hash = (label: string, name: string, explorer?: 'address' | 'tx') =>
  ({
    label,
    px: 134,
    initialDirection: 'asc',
    kind: 'hash',
    hash: explorer === undefined ? { name } : { name, explorer },
  }) as const;

/** @param header name in exports */
const digits = (
  label: string,
  px: number,
  indexColumn: IndexColumn,
  header: string,
  text: Text,
): ColumnSchema => ({
  label,
  px,
  initialDirection: 'desc',
  kind: 'digits',
  text,
  indexColumn,
  exports: { [header]: {} },
});

export const COLUMN_SCHEMA: Readonly<Record<ColumnId, ColumnSchema>> = {
  // Every exported row has its keeper anyway.
  keeper: {
    label: 'Keeper',
    px: 88,
    initialDirection: 'asc',
    kind: 'text',
    text: ({ keeper }) => keeper,
    indexColumn: 'keeper_id',
    exports: {},
  },
  network: {
    label: 'Network',
    px: 140,
    initialDirection: 'asc',
    kind: 'text',
    text: ({ networkId }) => networkId,
    indexColumn: 'network_id',
    exports: {
      network: { text: (_record, networkName) => networkName },
      network_id: {},
      chain_id: { text: ({ chainName }) => chainName, indexColumn: 'chain_name' },
    },
  },
  sequence: {
    label: 'Sequence',
    px: 84,
    initialDirection: 'desc',
    kind: 'text',
    text: ({ sequence }) => sequence,
    indexColumn: 'sequence',
    exports: { sequence: {} },
  },
  created: {
    label: 'Created',
    px: 172,
    initialDirection: 'desc',
    kind: 'time',
    text: ({ createdAt }) => isoText(createdAt),
    indexColumn: 'created_us',
    exports: { created_at: { text: ({ createdAt }) => createdAt.text } },
  },
  updated: {
    label: 'Updated',
    px: 172,
    initialDirection: 'desc',
    kind: 'time',
    text: ({ updatedAt }) => updatedAt && isoText(updatedAt),
    indexColumn: 'updated_us',
    exports: { last_updated_at: { text: ({ updatedAt }) => updatedAt?.text } },
  },
  duration: {
    label: 'Logged after',
    px: 108,
    initialDirection: 'desc',
    kind: 'figure',
    text: durationText,
    indexColumn: 'duration_us',
    exports: { duration_ms: {} },
  },
  state: {
    label: 'State',
    px: 150,
    initialDirection: 'asc',
    kind: 'text',
    text: ({ state }) => stateWord(state),
    indexColumn: 'state',
    exports: { state: {} },
  },
  sender: {
    ...hash('Sender', 'sender', 'address'),
    text: ({ sender }) => sender,
    indexColumn: 'sender',
    exports: { sender: {} },
  },
  provider: {
    ...hash('Provider', 'provider', 'address'),
    text: ({ provider }) => provider,
    indexColumn: 'provider',
    exports: { provider: {} },
  },
  'request-tx': {
    ...hash('Request tx', 'request transaction', 'tx'),
    text: ({ requestTxHash }) => requestTxHash,
    indexColumn: 'request_tx',
    exports: { request_tx_hash: {} },
  },
  'reveal-tx': {
    ...hash('Callback tx', 'callback transaction', 'tx'),
    text: (record) => completion(record)?.revealTxHash,
    indexColumn: 'reveal_tx',
    exports: {
      reveal_tx_hash: {},
      reveal_block_number: {
        text: (record) => completion(record)?.revealBlock,
        indexColumn: 'reveal_block',
      },
    },
  },
  block: digits(
    'Request block',
    116,
    'request_block',
    'request_block_number',
    ({ requestBlock }) => requestBlock,
  ),
  'gas-limit': digits('Gas limit', 100, 'gas_limit', 'gas_limit', ({ gasLimit }) => gasLimit),
  'gas-used': {
    ...digits('Gas used', 100, 'gas_used', 'gas_used', (record) => completion(record)?.gasUsed),
    exports: {
      gas_used: {},
      callback_gas_used: {
        text: (record) => completion(record)?.callbackGasUsed,
        indexColumn: 'callback_gas_used',
      },
    },
  },
  'gas-share': {
    label: 'Gas share',
    px: 96,
    initialDirection: 'desc',
    kind: 'figure',
    text: (record) => percentOf(completion(record)?.gasUsed, record.gasLimit),
    indexColumn: 'gas_share',
    exports: { gas_share_percent: {} },
  },
  failure: {
    label: 'Failure',
    px: 236,
    initialDirection: 'asc',
    kind: 'text',
    text: ({ state }) => {
      if (state.kind === 'failed') return state.reason;
      return state.kind === 'completed' && state.callback === 'failed'
        ? state.callbackReturnValue
        : undefined;
    },
    indexColumn: 'failure_text',
    exports: {
      failure: { text: (record) => decodeFailure(record)?.text },
      failure_raw: { text: (record) => decodeFailure(record)?.raw },
    },
  },
  'user-random': {
    ...hash('User random', 'random number of the user'),
    text: ({ userRandomNumber }) => userRandomNumber,
    indexColumn: 'user_random',
    exports: { user_random_number: {} },
  },
  'provider-random': {
    ...hash('Provider random', 'random number of the provider'),
    text: ({ state }) =>
      'providerRandomNumber' in state ? (state.providerRandomNumber ?? undefined) : undefined,
    indexColumn: 'provider_random',
    exports: { provider_random_number: {} },
  },
  'random-number': {
    ...hash('Random number', 'random number'),
    text: (record) => completion(record)?.combinedRandomNumber,
    indexColumn: 'combined_random',
    exports: { combined_random_number: {} },
  },
};

/**
 * Times in UTC with every digit, durations in whole ms, the gas share with two decimals; undefined for an empty cell.
 * @param nowMs for the age of an open request
 */
export function cellText(row: ListedRow, id: ColumnId, nowMs?: number): string | undefined {
  return row.kind === 'record' ? COLUMN_SCHEMA[id].text(row, nowMs) : undefined;
}

export function completion({ state }: Pick<RequestRecord, 'state'>) {
  return state.kind === 'completed' ? state : undefined;
}

const isoText = ({ text }: WireTime) => isoTimeInUtc(text) ?? text;

function durationText(record: ListedRecord, nowMs?: number): string | undefined {
  const length = requestDuration(record, nowMs ?? record.createdAt.ms);
  return length === undefined || (length.kind === 'age' && nowMs === undefined)
    ? undefined
    : String(length.ms);
}

/** A u256 has at most 78 digits; BigInt would waste time on longer texts. */
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
