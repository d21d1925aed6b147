import { parseIsoTime } from '@/sandbox/clock';
import { choice, malformedQuery, Refusal, single } from '@/sandbox/query-values';
import { STATES, type State } from './log-row';
import { type Keeper, NETWORKS } from './networks';

/** What the free text `query` can be; hex is lower case, without 0x. */
export type Search =
  | { kind: 'transaction'; hash: string }
  | { kind: 'sender'; address: string }
  | { kind: 'sequence'; sequence: number };

/** What a list is asked for. Times in unix milliseconds, both ends included. */
export type LogQuery = {
  network: number | undefined;
  state: State | undefined;
  minMs: number | undefined;
  maxMs: number | undefined;
  search: Search | undefined;
  limit: number;
  offset: number;
};

const MAX_LIMIT = 1000;
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;

const UNPARSABLE_QUERY =
  'The query string is not parsable to a transaction hash, address, or sequence number';
export const UNSUPPORTED_CHAIN = 'The chain id is not supported';

/** Reads the parameters of `GET /v1/logs` as a strict server does; unknown ones are ignored. Throws a Refusal. */
export function readLogQuery(query: URLSearchParams, keeper: Keeper): LogQuery {
  const id = readInteger(query, 'network_id');
  const network =
    id === undefined
      ? undefined
      : NETWORKS.findIndex((one) => one.networkId === String(id) && one.keeper === keeper);
  if (network === -1) throw new Refusal(400, UNSUPPORTED_CHAIN);
  const limit = readInteger(query, 'limit') ?? MAX_LIMIT;
  if (limit < 1 || limit > MAX_LIMIT) throw new Refusal(400, `The limit must be from 1 to ${MAX_LIMIT}`);
  const min = readTime(query, 'min_timestamp');
  return {
    ...{ network, limit },
    state: choice(query, 'state', STATES),
    // Rows have whole milliseconds; a finer lower bound must not let in what came before it.
    minMs: min && min.ms + (min.cut ? 1 : 0),
    maxMs: readTime(query, 'max_timestamp')?.ms,
    search: readSearch(single(query, 'query')),
    offset: readInteger(query, 'offset') ?? 0,
  };
}

function readInteger(query: URLSearchParams, name: string): number | undefined {
  const text = single(query, name);
  if (text === undefined) return undefined;
  if (text === '') throw malformedQuery(`${name}: cannot parse integer from empty string`);
  if (!/^\d+$/.test(text)) throw malformedQuery(`${name}: invalid digit found in string`);
  if (text.length > 40 || BigInt(text) > MAX_INT64) {
    throw malformedQuery(`${name}: number too large to fit in target type`);
  }
  return Number(text);
}

function readTime(query: URLSearchParams, name: string): ReturnType<typeof parseIsoTime> {
  const text = single(query, name);
  const time = text === undefined ? undefined : parseIsoTime(text);
  if (time === undefined && text !== undefined) {
    throw malformedQuery(`${name}: input is not an ISO 8601 time`);
  }
  return time;
}

function readSearch(text: string | undefined): Search | undefined {
  if (text === undefined) return undefined;
  const hex = /^(?:0x)?([0-9a-f]+)$/i.exec(text)?.[1]?.toLowerCase() ?? '';
  if (hex.length === 64) return { kind: 'transaction', hash: hex };
  if (hex.length === 40) return { kind: 'sender', address: hex };
  if (/^\d{1,30}$/.test(text) && BigInt(text) <= MAX_UINT64) {
    return { kind: 'sequence', sequence: Number(text) };
  }
  throw new Refusal(400, UNPARSABLE_QUERY);
}
