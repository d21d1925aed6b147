import 'server-only';
import { decodeFailure } from '@/lib/core/failure';
import { type RequestRecord, type RequestState, requestDuration, stateWord } from '@/lib/core/request-record';
import { COLUMN_IDS, type ColumnId } from '@/lib/requests/columns';

/** A column of the CSV: its header, and its cell, empty where the service wrote nothing. */
type CsvColumn = { header: string; cell: (record: RequestRecord, networkName: string) => string | undefined };

type Completed = Extract<RequestState, { kind: 'completed' }>;

function ofCompleted(read: (state: Completed) => string | undefined) {
  return ({ state }: RequestRecord) => (state.kind === 'completed' ? read(state) : undefined);
}

function durationMs(record: RequestRecord): string | undefined {
  const length = requestDuration(record, record.createdAt.ms);
  return length?.kind === 'duration' ? String(length.ms) : undefined;
}

function providerRandom({ state }: RequestRecord): string | undefined {
  if (state.kind !== 'completed' && state.kind !== 'failed') return undefined;
  return state.providerRandomNumber ?? undefined;
}

/** More digits than any amount of gas has. */
const MOST_GAS_DIGITS = 60;

function percentBelow(used = '', limit = ''): string | undefined {
  const isAmount = (digits: string) => /^\d+$/.test(digits) && digits.length <= MOST_GAS_DIGITS;
  if (!isAmount(used) || !isAmount(limit) || BigInt(limit) === 0n) return undefined;
  const hundredths = (BigInt(used) * 10_000n) / BigInt(limit);
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')}`;
}

/**
 * What stands for each column of the table. Times, hex and figures are the service's own text, every digit of it;
 * `duration_ms` is whole milliseconds from creation to the last update of finished requests, `gas_share_percent` the
 * gas used in percent of the gas limit, two decimals, rounded down as in the table.
 */
const COLUMNS: Record<ColumnId, CsvColumn[]> = {
  keeper: [],
  network: [
    { header: 'network', cell: (_record, networkName) => networkName },
    { header: 'network_id', cell: (record) => record.networkId },
    { header: 'chain_id', cell: (record) => record.chainName },
  ],
  sequence: [{ header: 'sequence', cell: (record) => record.sequence }],
  created: [{ header: 'created_at', cell: (record) => record.createdAt.text }],
  updated: [{ header: 'last_updated_at', cell: (record) => record.updatedAt?.text }],
  duration: [{ header: 'duration_ms', cell: durationMs }],
  state: [{ header: 'state', cell: (record) => stateWord(record.state) }],
  sender: [{ header: 'sender', cell: (record) => record.sender }],
  provider: [{ header: 'provider', cell: (record) => record.provider }],
  'request-tx': [{ header: 'request_tx_hash', cell: (record) => record.requestTxHash }],
  'reveal-tx': [
    { header: 'reveal_tx_hash', cell: ofCompleted((state) => state.revealTxHash) },
    { header: 'reveal_block_number', cell: ofCompleted((state) => state.revealBlock) },
  ],
  block: [{ header: 'request_block_number', cell: (record) => record.requestBlock }],
  'gas-limit': [{ header: 'gas_limit', cell: (record) => record.gasLimit }],
  'gas-used': [
    { header: 'gas_used', cell: ofCompleted((state) => state.gasUsed) },
    { header: 'callback_gas_used', cell: ofCompleted((state) => state.callbackGasUsed) },
  ],
  'gas-share': [
    {
      header: 'gas_share_percent',
      cell: (record) => ofCompleted((state) => percentBelow(state.gasUsed, record.gasLimit))(record),
    },
  ],
  failure: [
    { header: 'failure', cell: (record) => decodeFailure(record)?.text },
    { header: 'failure_raw', cell: (record) => decodeFailure(record)?.raw },
  ],
  'user-random': [{ header: 'user_random_number', cell: (record) => record.userRandomNumber }],
  'provider-random': [{ header: 'provider_random_number', cell: providerRandom }],
  'random-number': [
    { header: 'combined_random_number', cell: ofCompleted((state) => state.combinedRandomNumber) },
  ],
};

/** One row of the CSV, its header too: always the keeper first, and what could not be read last. */
export type CsvCells = {
  header: string[];
  record: (keeper: string, record: RequestRecord, networkName: string) => string[];
  unreadable: (keeper: string, problem: string, rawJson: string) => string[];
};

/** @param columns in the order wanted; undefined for all */
export function csvCells(columns: readonly ColumnId[] = COLUMN_IDS): CsvCells {
  const chosen = columns.flatMap((id) => COLUMNS[id]);
  return {
    header: ['keeper', ...chosen.map(({ header }) => header), 'problem', 'raw'],
    record: (keeper, record, networkName) => [
      keeper,
      ...chosen.map(({ cell }) => cell(record, networkName) ?? ''),
      '',
      '',
    ],
    unreadable: (keeper, problem, rawJson) => [keeper, ...chosen.map(() => ''), problem, rawJson],
  };
}
