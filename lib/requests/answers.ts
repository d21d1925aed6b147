import * as z from 'zod/mini';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import type { BucketCounts } from './histogram';
import { type ListingAnswer, readListing } from './listing';

/** What the index answers about a view beside its rows: one schema for each answer, and the types that follow from it. */

const count = z.int().check(z.nonnegative());
/** Values and how many rows have each, the most frequent first. */
const facet = z.array(z.object({ value: z.string(), count }));
const counts: z.ZodMiniType<BucketCounts> = z.object({
  completed: count,
  'callback-failed': count,
  failed: count,
  pending: count,
  unknown: count,
});

/**
 * Rows by time and state. All times are unix milliseconds; bucket `i` begins at `fromMs + i * bucketMs`, on a round moment
 * in UTC, and ends before the next one begins. The view itself goes from `startMs` to `endMs`, both inclusive, which cuts
 * the first and the last bucket short.
 */
const histogram = z.object({
  fromMs: z.number(),
  /** The end of the last bucket, exclusive. */
  toMs: z.number(),
  startMs: z.number(),
  endMs: z.number(),
  bucketMs: z.number(),
  /** None when the view holds no rows and names no beginning. */
  buckets: z.array(counts),
});

/** The rows of the view in figures; microseconds to the callback, null where no row has any. */
const figures = z.object({
  completed: count,
  callbackFailed: count,
  failed: count,
  pending: count,
  stuck: count,
  p50Us: z.nullable(z.number()),
  p95Us: z.nullable(z.number()),
  failureGroups: count,
});

const summary = z.object({
  /** Of the index, when it was counted. */
  revision: count,
  /** All matches. */
  total: count,
  /** ISO time that the counts are of. */
  asof: z.string(),
  /** Each leaves the view's own filter on it out. */
  facets: z.object({ network: facet, state: facet, keeper: facet }),
  histogram,
  figures,
});

/** The most frequent values of a column; of `more` others only their number is told. */
const columnValues = z.object({
  column: z.enum(['sender', 'provider', 'failure']),
  values: facet,
  more: count,
});

const found = z.object({
  kind: z.string(),
  /** Everything was looked through: what is not here is nowhere. */
  complete: z.boolean(),
  askedService: z.boolean(),
});

export type FacetValue = z.infer<typeof facet>[number];
export type Histogram = z.infer<typeof histogram>;
export type ViewFigures = z.infer<typeof figures>;
export type Summary = z.infer<typeof summary>;
export type ColumnValues = z.infer<typeof columnValues>;
/** What was found of a transaction, a sequence or an address, whatever the view. */
export type Found = Pick<ListingAnswer, 'rows' | 'total'> & z.infer<typeof found>;

function reader<T>(schema: z.ZodMiniType<T>, what: string): (text: string) => Outcome<T> {
  return (text) => {
    try {
      return ok(z.parse(schema, JSON.parse(text)));
    } catch {
      return failed({ kind: 'malformed', detail: `The ${what} cannot be read.` });
    }
  };
}

/** Each reads the text of an answer, whole or not at all: it fails with `malformed`. */
export const readSummary = reader(summary, 'summary');
export const readColumnValues = reader(columnValues, 'list of values');
const readFoundRest = reader(found, 'search result');

/** Reads the answer of `GET /api/view/requests/find`, which is of no moment. Fails with `malformed`. */
export function readFound(text: string): Outcome<Found> {
  const listing = readListing(text.replace(/^\{/, '{"asof":"",'));
  const rest = readFoundRest(text);
  if (!listing.ok) return listing;
  return rest.ok ? ok({ rows: listing.value.rows, total: listing.value.total, ...rest.value }) : rest;
}
