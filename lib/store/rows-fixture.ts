import { readPage } from '@/lib/core/log-row-fixture';
import type { LogRow } from '@/lib/core/request-record';

/** The JSON hardly compresses. */
function rowJson(sequence: number): string {
  const random = () => Array.from({ length: 8 }, () => Math.random().toString(16).slice(2, 10)).join('');
  const createdAt = new Date(1_763_700_000_000 + sequence * 1000).toISOString();
  return `{"chain_id":"base","network_id":"8453","created_at":"${createdAt}","last_updated_at":"${createdAt}",
    "provider":"0xab","sender":"0xcd","request_tx_hash":"0x${random()}","sequence":${sequence},
    "gas_limit":"500000","user_random_number":"${random()}","state":{"state":"completed","provider_random_number":
    "${random()}","combined_random_number":"${random()}","reveal_tx_hash":"0x${random()}"},"more":"${random()}${random()}"}`;
}

/** Rows a second apart, with sequence numbers from `first`. */
export function madeRows(first: number, count: number): LogRow[] {
  return readPage(Array.from({ length: count }, (_, index) => rowJson(first + index))).rows;
}
