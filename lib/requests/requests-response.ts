import * as z from 'zod/mini';
import { answerReader } from '@/lib/core/gateway';
import { failureMember } from '@/lib/core/problem';
import {
  isStateWord,
  type LogRow,
  type RequestRecord,
  readRowText,
  withFirstFinish,
} from '@/lib/core/request-record';
import { spanTotals } from '@/lib/core/span-figures';
import { VALUE_COLUMNS } from './columns';
import type { KeeperStatus } from './keeper-status';

/** Answers of the index, each with one schema, from which its types are derived. All counts are exact. */

/** A row of the log with its keeper. Its `key` begins with the keeper: `main/8453/0x…/17/0x…`. */
type Listed = {
  keeper: string;
  /** The service no longer serves the row; this is its last version. */
  gone?: true;
};
export type ListedRow = LogRow & Listed;
export type ListedRecord = RequestRecord & Listed;

export const listedRow = <T extends LogRow>(row: T, keeper: string): T & { keeper: string } =>
  Object.assign({}, row, { key: `${keeper}/${row.key}`, keeper });

/** A row is sent as its own JSON text, so that no digit passes through a float. */
export const listedRowSchema = z.pipe(
  z.object({
    keeper: z.string(),
    row: z.string(),
    gone: z.optional(z.literal(true)),
    /** Time at which the row was first seen finished, unix microseconds. Present if the row now names another time. */
    finishedUs: z.optional(z.number()),
  }),
  z.transform(
    ({ keeper, row, gone, finishedUs }): ListedRow => ({
      ...listedRow(withFirstFinish(readRowText(row), finishedUs), keeper),
      ...(gone ? { gone } : {}),
    }),
  ),
);
/** A row as it is written to the answer. */
export type WrittenRow = z.input<typeof listedRowSchema>;
export const listedRowsSchema = z.array(listedRowSchema);
const records = z.pipe(
  listedRowsSchema,
  z.transform((rows) => rows.filter((row): row is ListedRecord => row.kind === 'record')),
);

const count = z.int().check(z.nonnegative());
const digits = z.string().check(z.regex(/^\d+$/));
const index = z.array(z.custom<KeeperStatus>((value) => typeof value === 'object' && value !== null));

const clocks = z.array(z.object({ keeper: z.string(), offByMs: z.number() }));

const listing = z.object({
  /** Rows in the order of the view. Unreadable rows come first, on the first page of an unfiltered view. */
  rows: listedRowsSchema,
  /** Number of matches of the view up to `asof`, decimal digits. Absent (0 here) while nothing has been counted. */
  total: z._default(digits, '0'),
  counting: z.optional(z.literal(true)),
  /** ISO time to which this result is pinned, even if the view named none. */
  asof: z.string(),
  /** Cursors of the next and the previous page; absent on the last and the first page respectively. */
  cursor: z.optional(z.string()),
  previous: z.optional(z.string()),
  /** Keepers in the answer whose clocks differ much from ours. */
  clocks,
  revision: count,
  index,
});

/** Values with their number of rows, the most frequent first. */
const facet = z.array(z.object({ value: z.string(), count }));
/**
 * States of a bar from bottom to top, good ones at the bottom. `unknown` stands for all states that have no word of
 * ours.
 */
export const HISTOGRAM_STATES = ['completed', 'callback-failed', 'failed', 'pending', 'unknown'] as const;
const counts = z.record(z.enum(HISTOGRAM_STATES), count);

/**
 * Rows by time and state, in unix ms. Bucket `i` begins at `fromMs + i * bucketMs`, a round time in UTC. The view
 * itself spans `startMs` to `endMs`, both inclusive, so the outer buckets may be covered in part.
 */
const histogram = z.object({
  fromMs: z.number(),
  /** End of the last bucket, exclusive. */
  toMs: z.number(),
  startMs: z.number(),
  endMs: z.number(),
  bucketMs: z.number(),
  /** Empty when the view has no rows and no start. */
  buckets: z.array(counts),
});

/** Figures about the view's rows. Times to callback are microseconds, null if no row has one. */
const { completed, callbackFailed, failed, pending, p50Us, p95Us } = spanTotals.shape;
const figures = z.object({
  completed,
  callbackFailed,
  failed,
  pending,
  p50Us,
  p95Us,
  stuck: count,
  failureGroups: count,
});

const summary = z.object({
  revision: count,
  /** Number of all rows of the view, as in a listing. */
  total: z._default(count, 0),
  counting: z.optional(z.literal(true)),
  asof: z.string(),
  /** Counts by value. Each facet ignores the view's own filter on that facet. */
  facets: z.object({ network: facet, state: facet, keeper: facet }),
  histogram,
  figures,
});

/** The most frequent values of a column; `more` counts the other values. */
const columnValues = z.object({
  column: z.enum(VALUE_COLUMNS),
  values: facet,
  more: count,
});

/** Result of a search for a transaction, a sequence or an address, independent of the view. */
const searchResult = z.object({
  kind: z.string(),
  rows: listedRowsSchema,
  total: digits,
  /** Whether everything was searched: then a request that was not found does not exist. */
  complete: z.boolean(),
  queriedService: z.boolean(),
});

/** Some of the requests that share a property with another request. `total` counts all of them, decimal digits. */
const sharedList = z.object({ rows: records, total: digits });

/** Latency of the completed requests of a network and keeper, in ms: over the last `days` days, or over all time. */
const latency = z.object({
  p50Ms: z.number(),
  p95Ms: z.number(),
  count: z.number(),
  days: z.optional(z.number()),
});

const related = z.object({
  /** Requests of the same network and provider that were made before, nearest first. */
  before: records,
  after: records,
  /** Requests made or revealed in the transaction of this one, including this one. */
  transaction: sharedList,
  sender: sharedList,
  /** Absent if too few requests were completed. */
  latency: z.optional(latency),
  /**
   * Number of requests of the same keeper that failed for the same reason in the last seven days; absent if this
   * request did not fail.
   */
  sameFailure: z.optional(z.object({ count, isOneOfThem: z.boolean() })),
  /** The index holds every request of the keeper created from this time on, unix ms; null while that is unknown. */
  coveredFromMs: z._default(z.nullable(z.number()), null),
});

/** The requests of one sequence on one network, as known at `atMs` (unix ms). */
const requestAnswer = z.object({
  atMs: z.number(),
  revision: z.number(),
  rows: records,
  /** Related requests, if exactly one request matches. */
  related: z.optional(related),
  /**
   * Keepers of which the index may lack requests, if nothing was found. Their history is not read to the end, or their
   * newest rows were not read for a while.
   */
  uncovered: z.array(z.string()),
  /**
   * Services of `uncovered` keepers that were queried as well, with their failures. Their rows are included in `rows`.
   */
  queried: z.array(
    z.object({
      keeper: z.string(),
      failure: z.optional(z.pipe(z.unknown(), z.transform(failureMember))),
    }),
  ),
  index,
  /** Keepers of the rows whose clocks differ much from ours. */
  clocks: z._default(clocks, []),
});

export type Listing = z.infer<typeof listing>;
export type FacetValue = z.infer<typeof facet>[number];
export type Histogram = z.infer<typeof histogram>;
export type Summary = z.infer<typeof summary>;
export type ColumnValues = z.infer<typeof columnValues>;
export type SearchResult = z.infer<typeof searchResult>;
export type SharedList = z.infer<typeof sharedList>;
export type TypicalLatency = z.infer<typeof latency>;
export type Related = z.infer<typeof related>;
export type RequestAnswer = z.infer<typeof requestAnswer>;
/** Answers in the form in which they are sent: rows as text. */
export type WrittenSearchResult = z.input<typeof searchResult>;
export type WrittenRequest = z.input<typeof requestAnswer>;

/** Readers of the answers. Each reads the whole text or fails with `malformed`. */
export const readListing = answerReader(listing, 'listing');
export const readSummary = answerReader(summary, 'summary');
export const readColumnValues = answerReader(columnValues, 'list of values');
export const readSearchResult = answerReader(searchResult, 'search result');
export const readRequestAnswer = answerReader(requestAnswer, 'request');

export type BucketCounts = z.infer<typeof counts>;

export function noCounts(): BucketCounts {
  return { completed: 0, 'callback-failed': 0, failed: 0, pending: 0, unknown: 0 };
}

/** State in the histogram for our word or a wire name. */
export const histogramState = (state: string) => (isStateWord(state) ? state : 'unknown');
