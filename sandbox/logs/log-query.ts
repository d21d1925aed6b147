import { z } from 'zod';
import { isoTime, Refusal, readQuery } from '@/sandbox/service';
import { hasSender, hasTransaction, type LogRow, STATES, type State } from './log-row';
import { type Keeper, NETWORKS } from './networks';
import type { Mixer } from './random';

type RowTest = (row: LogRow, state: State) => boolean;

/** Times are unix ms, both ends inclusive. */
export type LogQuery = {
  network: number | undefined;
  minMs: number | undefined;
  maxMs: number | undefined;
  isFound: RowTest | undefined;
  limit: number;
  offset: number;
};

const MAX_LIMIT = 1000;
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;

export const UNSUPPORTED_CHAIN = 'The chain id is not supported';

const integer = z
  .string()
  .regex(/^\d{1,40}$/, { error: 'invalid digit found in string', abort: true })
  .refine((digits) => BigInt(digits) <= MAX_INT64, 'number too large to fit in target type')
  .transform(Number);

const parameters = {
  network_id: integer.optional(),
  state: z.enum(STATES).optional(),
  query: z.string().optional(),
  min_timestamp: isoTime.optional(),
  max_timestamp: isoTime.optional(),
  limit: integer.default(MAX_LIMIT),
  offset: integer.default(0),
};

/** `world` is the mixer of addresses. Throws a Refusal. */
export function readLogQuery(query: URLSearchParams, keeper: Keeper, world: Mixer): LogQuery {
  const { network_id: id, state, query: text, ...page } = readQuery(parameters, query);
  const network =
    id === undefined
      ? undefined
      : NETWORKS.findIndex((network) => network.networkId === String(id) && network.keeper === keeper);
  if (network === -1) throw new Refusal(400, UNSUPPORTED_CHAIN);
  const { limit, offset, min_timestamp: min, max_timestamp: max } = page;
  if (limit < 1 || limit > MAX_LIMIT) throw new Refusal(400, `The limit must be from 1 to ${MAX_LIMIT}`);
  const tests: RowTest[] = [];
  if (network !== undefined) tests.push((row) => row.network === network);
  if (state !== undefined) tests.push((_, rowState) => rowState === state);
  if (text !== undefined) tests.push(searchFor(text, world));
  return {
    network,
    limit,
    offset,
    // Rows have whole milliseconds. Rounding a finer lower bound down would admit an earlier row.
    minMs: min && min.ms + (min.isCut ? 1 : 0),
    maxMs: max?.ms,
    isFound: tests.length > 0 ? (row, rowState) => tests.every((holds) => holds(row, rowState)) : undefined,
  };
}

function searchFor(text: string, world: Mixer): RowTest {
  const hex = /^(?:0x)?([0-9a-f]+)$/i.exec(text)?.[1]?.toLowerCase() ?? '';
  if (hex.length === 64) return hasTransaction(hex);
  if (hex.length === 40) return hasSender(world, hex);
  if (/^\d{1,30}$/.test(text) && BigInt(text) <= MAX_UINT64)
    return ({ sequence }) => sequence === Number(text);
  throw new Refusal(
    400,
    'The query string is not parsable to a transaction hash, address, or sequence number',
  );
}
