import * as z from 'zod/mini';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { type ListingAnswer, readListing } from './listing';
import type { ColumnValues, RequestsSummary } from './summary';

/** What the index answers about a view beside its rows, as pages read it. */

/** What was found of a transaction, a sequence or an address, whatever the view. */
export type Found = Pick<ListingAnswer, 'rows' | 'total'> & {
  kind: string;
  /** Everything was looked through: what is not here is nowhere. */
  complete: boolean;
  askedService: boolean;
};

const count = z.int().check(z.nonnegative());
const facet = z.array(z.object({ value: z.string(), count }));
const counts = z.object({
  completed: count,
  'callback-failed': count,
  failed: count,
  pending: count,
  unknown: count,
});
const summary = z.object({
  revision: count,
  total: count,
  asof: z.string(),
  facets: z.object({ network: facet, state: facet, keeper: facet }),
  histogram: z.object({
    fromMs: z.number(),
    toMs: z.number(),
    startMs: z.number(),
    endMs: z.number(),
    bucketMs: z.number(),
    buckets: z.array(counts),
  }),
});
const values = z.object({ column: z.enum(['sender', 'provider', 'failure']), values: facet, more: count });
const found = z.object({ kind: z.string(), complete: z.boolean(), askedService: z.boolean() });

/** The counts of a view; how far the index reaches stands elsewhere. */
export type Summary = Omit<RequestsSummary, 'index'>;

function read<T>(schema: z.ZodMiniType<T>, text: string, what: string): Outcome<T> {
  try {
    return ok(z.parse(schema, JSON.parse(text)));
  } catch {
    return failed({ kind: 'malformed', detail: `The ${what} cannot be read.` });
  }
}

/** Reads the answer of `GET /api/view/requests/summary`. Fails with `malformed`. */
export function readSummary(text: string): Outcome<Summary> {
  return read(summary, text, 'summary');
}

/** Reads the answer of `GET /api/view/requests/values`. Fails with `malformed`. */
export function readColumnValues(text: string): Outcome<ColumnValues> {
  return read(values, text, 'list of values');
}

/** Reads the answer of `GET /api/view/requests/find`, which is of no moment. Fails with `malformed`. */
export function readFound(text: string): Outcome<Found> {
  const listing = readListing(text.replace(/^\{/, '{"asof":"",'));
  const rest = read(found, text, 'search result');
  if (!listing.ok) return listing;
  return rest.ok ? ok({ rows: listing.value.rows, total: listing.value.total, ...rest.value }) : rest;
}
