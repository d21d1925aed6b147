import { type LoadedRequests, type Trouble, viewKeyOf } from '@/lib/client/requests';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { defaultRequestsView, type RequestsView } from '@/lib/contract/codec/requests-url';
import type { Failure } from '@/lib/domain/outcome';

/** A page of these rows, asked for seven seconds before. */
export function loaded(
  rows: ListedRow[],
  nowMs: number,
  change: Partial<RequestsView> = {},
  more: Partial<LoadedRequests> = {},
): LoadedRequests {
  const view = { ...defaultRequestsView(), ...change };
  const asof = new Date(nowMs).toISOString();
  const rest = { asof, offset: '0', cursor: undefined, changed: 0, unserved: [], clocks: [] };
  const page = { rows, total: String(rows.length), ...rest, viewKey: viewKeyOf(view), view };
  return { ...page, atMs: nowMs - 7000, ...more };
}

export const FAILURES: readonly Failure[] = [
  { kind: 'unreachable', service: 'logs', detail: 'The request log service can’t be reached' },
  { kind: 'unauthorized', service: 'logs', detail: 'The request log service rejected our key (401)' },
  {
    kind: 'rate-limited',
    service: 'logs',
    detail: 'The request log service limits our calls',
    retryAfterS: 20,
  },
  { kind: 'rejected', service: 'logs', detail: 'Invalid <b>state</b> \u202Egnirts' },
  { kind: 'timeout', detail: 'No answer within 20 seconds.' },
];

/** The second attempt in a row failed just now. */
export function trouble(failure: Failure, nowMs: number): Trouble {
  return { failure, atMs: nowMs, attempts: 2, retryAtMs: nowMs + 20_000 };
}
