import { parseIsoTime } from '@/sandbox/clock';
import { choice, malformedQuery, Refusal, single } from '@/sandbox/query-values';
import { STATE, type State } from './log-row';
import { type Keeper, NETWORKS } from './networks';

/** What the free text `query` can be; hex is lower case, without 0x. */
export type Search =
  | { kind: 'transaction'; hash: string }
  | { kind: 'sender'; address: string }
  | { kind: 'sequence'; sequence: number };

/** What a list is asked for; everything optional. Times in unix milliseconds, both ends included. */
type RowFilter = {
  /** Number of the network, see `NETWORKS`. */
  network?: number;
  state?: State;
  minMs?: number;
  maxMs?: number;
};

export type LogQuery = { filter: RowFilter; search?: Search; limit: number; offset: number };

const NAMES = ['min_timestamp', 'max_timestamp', 'query', 'network_id', 'state', 'limit', 'offset'] as const;
type Name = (typeof NAMES)[number];

const MAX_LIMIT = 1000;
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;

const STATES = {
  Pending: STATE.pending,
  Failed: STATE.failed,
  Completed: STATE.completed,
  CallbackErrored: STATE.callbackFailed,
} as const;
const STATE_NAMES = Object.keys(STATES) as (keyof typeof STATES)[];

const UNPARSABLE_QUERY =
  'The query string is not parsable to a transaction hash, address, or sequence number';
export const UNSUPPORTED_CHAIN = 'The chain id is not supported';

/** Reads the parameters of `GET /v1/logs` as a strict server does; unknown ones are ignored. Throws a Refusal. */
export function readLogQuery(query: URLSearchParams, keeper: Keeper): LogQuery {
  const texts = new Map(NAMES.map((name) => [name, single(query, name)]));
  const get = (name: Name) => texts.get(name);
  const state = choice(query, 'state', STATE_NAMES, undefined);
  return {
    filter: {
      state: state && STATES[state],
      minMs: readTime('min_timestamp', get('min_timestamp'), 'up'),
      maxMs: readTime('max_timestamp', get('max_timestamp'), 'down'),
      network: readNetwork(readInteger('network_id', get('network_id')), keeper),
    },
    search: readSearch(get('query')),
    limit: readLimit(get('limit')),
    offset: readInteger('offset', get('offset')) ?? 0,
  };
}

function readInteger(name: Name, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (text === '') throw malformedQuery(`${name}: cannot parse integer from empty string`);
  if (!/^\d+$/.test(text)) throw malformedQuery(`${name}: invalid digit found in string`);
  if (text.length > 40 || BigInt(text) > MAX_INT64) {
    throw malformedQuery(`${name}: number too large to fit in target type`);
  }
  return Number(text);
}

function readLimit(text: string | undefined): number {
  const limit = readInteger('limit', text) ?? MAX_LIMIT;
  if (limit < 1 || limit > MAX_LIMIT) throw new Refusal(400, `The limit must be from 1 to ${MAX_LIMIT}`);
  return limit;
}

/** Rows have whole milliseconds; a finer lower bound must not let in what came before it. */
function readTime(name: Name, text: string | undefined, round: 'up' | 'down'): number | undefined {
  if (text === undefined) return undefined;
  const time = parseIsoTime(text);
  if (!time) throw malformedQuery(`${name}: input is not an ISO 8601 time`);
  return round === 'up' && time.cut ? time.ms + 1 : time.ms;
}

function readNetwork(id: number | undefined, keeper: Keeper): number | undefined {
  if (id === undefined) return undefined;
  const network = NETWORKS.findIndex((one) => one.networkId === String(id) && one.keeper === keeper);
  if (network < 0) throw new Refusal(400, UNSUPPORTED_CHAIN);
  return network;
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
