import type { ListedRecord } from '@/lib/client/related-requests';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { readPage, rowText } from '@/lib/domain/log-row-fixture';
import type { Network } from '@/lib/domain/network';

/** The networks of the rows; the row of any other id shows the id. */
export const NETWORKS: readonly Network[] = [
  {
    networkId: '42161',
    name: 'Arbitrum One',
    testnet: false,
    explorerTx: 'https://explorer.example/tx/{hash}',
    explorerAddress: 'https://explorer.example/address/{address}',
    known: true,
  },
  { networkId: '8453', name: 'Base', testnet: false, known: true },
];

const RANDOM = 'c4'.repeat(32);
const REVEAL = `"reveal_block_number":123460,"reveal_tx_hash":"0x${'5a'.repeat(32)}","provider_random_number":"${RANDOM}","gas_used":"212345","combined_random_number":"${'d1'.repeat(32)}"`;

const text = (value: string) => JSON.stringify(value);
const at = (ms: number) => text(new Date(ms).toISOString());

/** JSON text of a row for every state that a row can be in, newest first. */
function rowTexts(nowMs: number): string[] {
  const times = (ageS: number, tookS: number) => ({
    created_at: at(nowMs - ageS * 1000),
    last_updated_at: at(nowMs - (ageS - tookS) * 1000),
  });
  const completed = (failed: boolean, more = '') =>
    `{"state":"completed","callback_failed":${failed},${REVEAL}${more}}`;
  return [
    rowText({ sequence: '101', ...times(4, 0) }),
    rowText({ sequence: '100', ...times(900, 0), network_id: '"8453"' }),
    rowText({ sequence: '99', ...times(930, 2), state: completed(false) }),
    rowText({
      sequence: '98',
      ...times(960, 3),
      state: completed(true, ',"callback_return_value":"0x08c379a0"'),
    }),
    rowText({
      sequence: '97',
      ...times(990, 9),
      state: '{"state":"failed","reason":"Reverted: 0x1c26714c"}',
    }),
    rowText({
      sequence: '96',
      ...times(995, 9),
      state: `{"state":"failed","reason":${text(`<b>not bold</b> \u202Egnirts${' and on'.repeat(80)}`)}}`,
    }),
    rowText({
      sequence: '95',
      ...times(1000, 1),
      state: '{"state":"queued","position":18446744073709551615}',
    }),
    rowText({ ...times(1100, 1), network_id: '"777000777"', chain_id: text('a chain that nobody named') }),
    '{"sequence":"93","created_at":"yesterday","state":{"state":"pending"}}',
    rowText({
      sequence: '92',
      ...times(90_000, 1),
      sender: undefined,
      gas_limit: undefined,
      state: completed(false),
    }),
    rowText({
      sequence: '91',
      ...times(400_000, 100_000),
      state: completed(false),
      gas_limit: text('9'.repeat(30)),
    }),
  ];
}

/** One row of every kind. `nowMs`: unix milliseconds; the rows are of the minutes before. */
export function galleryRows(nowMs: number): ListedRow[] {
  return readPage(rowTexts(nowMs)).rows.map((row) => ({ ...row, keeper: 'main', key: `main/${row.key}` }));
}

type Wanted = {
  sequence?: string;
  ageS: number;
  /** Seconds until it was completed; pending without. */
  tookS?: number;
  /** A byte of the request's transaction, two hex digits. */
  tx?: string;
};

/** One readable row: pending, or completed when `tookS` says so. */
export function galleryRecord(
  nowMs: number,
  { sequence = '1234567', ageS, tookS, tx = 'ab' }: Wanted,
): ListedRecord {
  const state =
    tookS === undefined ? {} : { state: `{"state":"completed","callback_failed":false,${REVEAL}}` };
  const text = rowText({
    sequence,
    created_at: at(nowMs - ageS * 1000),
    last_updated_at: at(nowMs - (ageS - (tookS ?? 0)) * 1000),
    request_tx_hash: JSON.stringify(`0x${tx.repeat(32)}`),
    ...state,
  });
  const [row] = readPage([text]).rows;
  if (row?.kind !== 'record') throw new Error('a row of the gallery can’t be read');
  return { ...row, keeper: 'main', key: `main/${row.key}` };
}
