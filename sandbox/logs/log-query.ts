import { parseIsoTime } from '@/sandbox/clock';
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

/** A query, or the plain text of the 400 that refuses it. */
type ReadQuery = { ok: true; query: LogQuery } | { ok: false; text: string };

const PARAMETERS = [
  'min_timestamp',
  'max_timestamp',
  'query',
  'network_id',
  'state',
  'limit',
  'offset',
] as const;
type Parameter = (typeof PARAMETERS)[number];

const MAX_LIMIT = 1000;
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;

const STATES: Record<string, State> = {
  Pending: STATE.pending,
  Failed: STATE.failed,
  Completed: STATE.completed,
  CallbackErrored: STATE.callbackFailed,
};

const UNPARSABLE_QUERY =
  'The query string is not parsable to a transaction hash, address, or sequence number';
export const UNSUPPORTED_CHAIN = 'The chain id is not supported';

/** Notes why a query is refused and gives nothing, so that a reader can end with it. */
type Refuse = (text: string) => undefined;

/** Reads the parameters of `GET /v1/logs` as a strict server does; unknown ones are ignored. */
export function readLogQuery(params: URLSearchParams, keeper: Keeper): ReadQuery {
  const problems: string[] = [];
  const refuse: Refuse = (text) => {
    problems.push(text);
    return undefined;
  };
  for (const name of PARAMETERS) {
    if (params.getAll(name).length > 1) refuse(unreadable(`duplicate field \`${name}\``));
  }
  const get = (name: Parameter) => params.get(name) ?? undefined;
  const query: LogQuery = {
    filter: {
      state: readState(get('state'), refuse),
      minMs: readTime('min_timestamp', get('min_timestamp'), 'up', refuse),
      maxMs: readTime('max_timestamp', get('max_timestamp'), 'down', refuse),
      network: readNetwork(readInteger('network_id', get('network_id'), refuse), keeper, refuse),
    },
    search: readSearch(get('query'), refuse),
    limit: readLimit(get('limit'), refuse),
    offset: readInteger('offset', get('offset'), refuse) ?? 0,
  };
  const text = problems[0];
  return text === undefined ? { ok: true, query } : { ok: false, text };
}

function unreadable(what: string): string {
  return `Failed to deserialize query string: ${what}`;
}

function readInteger(name: Parameter, text: string | undefined, refuse: Refuse): number | undefined {
  if (text === undefined) return undefined;
  if (text === '') return refuse(unreadable(`${name}: cannot parse integer from empty string`));
  if (!/^\d+$/.test(text)) return refuse(unreadable(`${name}: invalid digit found in string`));
  if (text.length > 40 || BigInt(text) > MAX_INT64) {
    return refuse(unreadable(`${name}: number too large to fit in target type`));
  }
  return Number(text);
}

function readLimit(text: string | undefined, refuse: Refuse): number {
  const limit = readInteger('limit', text, refuse) ?? MAX_LIMIT;
  if (limit < 1 || limit > MAX_LIMIT) refuse(`The limit must be from 1 to ${MAX_LIMIT}`);
  return limit;
}

function readState(text: string | undefined, refuse: Refuse): State | undefined {
  if (text === undefined) return undefined;
  const state = Object.hasOwn(STATES, text) ? STATES[text] : undefined;
  if (state !== undefined) return state;
  const known = Object.keys(STATES).map((one) => `\`${one}\``);
  return refuse(unreadable(`state: unknown variant \`${text}\`, expected one of ${known.join(', ')}`));
}

/** Rows have whole milliseconds; a finer lower bound must not let in what came before it. */
function readTime(
  name: Parameter,
  text: string | undefined,
  round: 'up' | 'down',
  refuse: Refuse,
): number | undefined {
  if (text === undefined) return undefined;
  const time = parseIsoTime(text);
  if (!time) return refuse(unreadable(`${name}: input is not an ISO 8601 time`));
  return round === 'up' && time.cut ? time.ms + 1 : time.ms;
}

function readNetwork(id: number | undefined, keeper: Keeper, refuse: Refuse): number | undefined {
  if (id === undefined) return undefined;
  const network = NETWORKS.findIndex((one) => one.networkId === String(id) && one.keeper === keeper);
  return network < 0 ? refuse(UNSUPPORTED_CHAIN) : network;
}

function readSearch(text: string | undefined, refuse: Refuse): Search | undefined {
  if (text === undefined) return undefined;
  const hex = /^(?:0x)?([0-9a-f]+)$/i.exec(text)?.[1]?.toLowerCase() ?? '';
  if (hex.length === 64) return { kind: 'transaction', hash: hex };
  if (hex.length === 40) return { kind: 'sender', address: hex };
  if (/^\d{1,30}$/.test(text) && BigInt(text) <= MAX_UINT64) {
    return { kind: 'sequence', sequence: Number(text) };
  }
  return refuse(UNPARSABLE_QUERY);
}
