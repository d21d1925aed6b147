import * as z from 'zod/mini';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { failureMember } from '@/lib/core/problem';
import { readRow } from '@/lib/core/request-record';
import { readWireDocument } from '@/lib/core/wire-json';
import type { KeeperStatus } from './keeper-status';
import type { ListedRow } from './listing';
import type { AskedRequest } from './request-address';

/** What our server says of one request and around it: one schema, and the types that follow from it. */

/** A record of the log and the keeper that logged it. */
export type ListedRecord = ListedRow & { kind: 'record' };

/** A row travels as its own JSON text, so that no digit goes through a float. */
const writtenRow = z.object({ keeper: z.string(), row: z.string(), gone: z.optional(z.literal(true)) });
const records = z.pipe(
  z.array(writtenRow),
  z.transform((rows): ListedRecord[] =>
    rows.flatMap(({ keeper, row, gone }): ListedRecord[] => {
      const document = readWireDocument(row);
      const read = document && readRow(document.value, document.textOf);
      if (read?.kind !== 'record') return [];
      return [{ ...read, keeper, key: `${keeper}/${read.key}`, ...(gone ? { gone } : {}) }];
    }),
  ),
);

/** Some of the requests that share something with another; `total` counts all of them, decimal digits. */
const foundList = z.object({ rows: records, total: z.string() });

/** Latency of the completed requests of a network and keeper, in milliseconds: of the last `days`, or of all. */
const latency = z.object({
  p50Ms: z.number(),
  p95Ms: z.number(),
  count: z.number(),
  days: z.optional(z.number()),
});

/** What the index holds around one request, of its keeper. */
const related = z.object({
  /** Of the same network and provider, nearest first. */
  before: records,
  after: records,
  /** Made or revealed in the transaction of the request, itself included. */
  transaction: foundList,
  /** Newest first, itself included. */
  sender: foundList,
  /** Absent where too few requests were completed to tell. */
  latency: z.optional(latency),
});

/** What is known of the requests of one sequence on one network, at `atMs` (unix ms). */
const oneRequest = z.object({
  atMs: z.number(),
  revision: z.number(),
  /** Of all keepers that were asked for. */
  rows: records,
  /** Of the one request that was asked for; absent while there is none, or several. */
  related: z.optional(related),
  /** Keepers whose history is not read to its end, where nothing was found. */
  uncovered: z.array(z.string()),
  /** The services of `uncovered` that were asked as well, and what failed. What they have is among the rows. */
  asked: z.array(
    z.object({
      keeper: z.string(),
      failure: z.optional(
        z.pipe(
          z.unknown(),
          z.transform((failure) => failureMember(failure)),
        ),
      ),
    }),
  ),
  /** How far the index of each of these keepers reaches. */
  index: z.array(z.custom<KeeperStatus>((value) => typeof value === 'object' && value !== null)),
});

export type FoundList = z.infer<typeof foundList>;
export type TypicalLatency = z.infer<typeof latency>;
export type Related = z.infer<typeof related>;
export type OneRequest = z.infer<typeof oneRequest>;
/** The same as it is written: rows as text. */
export type WrittenRequest = z.input<typeof oneRequest>;

/** Around a request that the index does not hold. */
export const NOTHING_RELATED: Related = {
  before: [],
  after: [],
  transaction: { rows: [], total: '0' },
  sender: { rows: [], total: '0' },
};

const ONE_PATH = '/api/view/requests/one';

/** Where the server answers with a `OneRequest`. */
export function oneAddress({ networkId, sequence, keepers, provider, tx }: AskedRequest): string {
  const query = new URLSearchParams({ network: networkId, sequence });
  for (const keeper of keepers) query.append('keeper', keeper);
  if (provider) query.set('provider', provider);
  if (tx) query.set('tx', tx);
  return `${ONE_PATH}?${query}`;
}

/** A request among those of its sequence. `asked`: several fit the address. `other`: none of those found does. */
export type PickedRequest =
  | { kind: 'one'; row: ListedRecord; others: ListedRecord[] }
  | { kind: 'several'; fit: 'asked' | 'other'; rows: ListedRecord[] }
  | { kind: 'none' };

/** The request that an address asks for. */
export function pickRequest(
  rows: readonly ListedRecord[],
  { keepers, provider, tx }: AskedRequest,
): PickedRequest {
  if (rows.length === 0) return { kind: 'none' };
  const fitting = rows.filter(
    (row) =>
      (keepers.length === 0 || keepers.includes(row.keeper)) &&
      (provider === undefined || isSameHex(row.provider, provider)) &&
      (tx === undefined || isSameHex(row.requestTxHash, tx)),
  );
  const [first] = fitting;
  if (fitting.length === 1 && first !== undefined) {
    return { kind: 'one', row: first, others: rows.filter((row) => row !== first) };
  }
  return { kind: 'several', fit: fitting.length > 0 ? 'asked' : 'other', rows: [...rows] };
}

/** Two texts of hex are the same value, whatever their case. */
export function isSameHex(a: string | undefined, b: string | undefined): boolean {
  return a?.toLowerCase() === b?.toLowerCase();
}

/** Whether two rows are the same request of the same keeper. Keys of rows that a listing repeats end in `#2`. */
export function isSameRequest(a: Pick<ListedRow, 'key'>, b: Pick<ListedRow, 'key'>): boolean {
  const identity = ({ key }: Pick<ListedRow, 'key'>) => key.replace(/#\d+$/, '');
  return identity(a) === identity(b);
}

/** Reads the text of a `OneRequest`. Fails with `malformed`. */
export function readOne(text: string): Outcome<OneRequest> {
  try {
    return ok(z.parse(oneRequest, JSON.parse(text)));
  } catch {
    return failed({ kind: 'malformed', detail: 'The request cannot be read.' });
  }
}
