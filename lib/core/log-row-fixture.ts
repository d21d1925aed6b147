import { type LogPage, openLogPage, type RequestRecord, type RequestState } from './request-record';

export const HASH = `0x${'Ab'.repeat(32)}`;
export const PROVIDER = `0x${'Cd'.repeat(20)}`;

/** JSON text by member. */
export const FULL: Record<string, string> = {
  chain_id: '"arbitrum"',
  network_id: '"42161"',
  created_at: '"2026-11-20T08:05:03.123456789Z"',
  last_updated_at: '"2026-11-20T08:05:05"',
  gas_limit: '"500000"',
  provider: JSON.stringify(PROVIDER),
  sender: JSON.stringify(`0x${'11'.repeat(20)}`),
  request_block_number: '123456',
  request_tx_hash: JSON.stringify(HASH),
  sequence: '18446744073709551615',
  state: '{"state":"pending"}',
  user_random_number: '"00ff"',
};

export function rowText(change: Record<string, string | undefined> = {}): string {
  const members = Object.entries({ ...FULL, ...change }).filter(([, json]) => json !== undefined);
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
}

export function readPage(rows: string[], total = String(rows.length)): LogPage {
  const page = openLogPage(`{"requests":[${rows.join(',')}],"total_results":${total}}`);
  if (!page.ok) throw new Error(page.failure.detail);
  return { rows: rows.map((_, index) => page.value.row(index)), total: page.value.total };
}

export function recordWith(change: Record<string, string | undefined> = {}): RequestRecord {
  const [row] = readPage([rowText(change)]).rows;
  if (row?.kind !== 'record') throw new Error(`unreadable: ${row?.problem}`);
  return row;
}

export const stateOf = (json: string): RequestState => recordWith({ state: json }).state;
