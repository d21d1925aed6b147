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

/** Answers of the index: one schema for each, from which its types follow. All counts are exact. */

/** A row of the log with its keeper. Its `key` begins with the keeper: `main/8453/0x…/17/0x…`. */
type Listed = {
  keeper: string;
  /** The service no longer has the row; this is its last version. */
  gone?: true;
};
export type ListedRow = LogRow & Listed;
export type ListedRecord = RequestRecord & Listed;

export const listedRow = <T extends LogRow>(row: T, keeper: string): T & { keeper: string } =>
  Object.assign({}, row, { key: `${keeper}/${row.key}`, keeper });

/** A row travels as its own JSON text, so that no digit passes through a float. */
export const listedRowSchema = z.pipe(
  z.object({
    keeper: z.string(),
    row: z.string(),
    gone: z.optional(z.literal(true)),
    /** When it was first seen finished, unix microseconds; present where the row now names another time. */
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
  /** In the order of the view. Unreadable rows come first, on the first page of an unfiltered view. */
  rows: listedRowsSchema,
  /** All matches of the view up to `asof`, decimal digits; absent (0 here) while nothing has been counted. */
  total: z._default(digits, '0'),
  counting: z.optional(z.literal(true)),
  /** ISO time to which this result is pinned, whether or not the view named one. */
  asof: z.string(),
  /** Cursors of the next and the previous page; absent on the last and on the first page. */
  cursor: z.optional(z.string()),
  previous: z.optional(z.string()),
  /** Keepers of the answer whose clocks differ much from ours. */
  clocks,
  revision: count,
  index,
});

/** Values with their number of rows, the most frequent first. */
const facet = z.array(z.object({ value: z.string(), count }));
/** States of a bar from bottom to top, good ones below; `unknown` stands for all states without a word of ours. */
export const HISTOGRAM_STATES = ['completed', 'callback-failed', 'failed', 'pending', 'unknown'] as const;
const counts = z.record(z.enum(HISTOGRAM_STATES), count);

/**
 * Rows by time and state, in unix ms. Bucket `i` begins at `fromMs + i * bucketMs`, a round time in UTC. The view
 * itself reaches from `startMs` to `endMs`, both inclusive, which cuts the outer buckets short.
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

/** Figures of the view's rows; times to callback in microseconds, null where no row has one. */
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
  /** Each facet ignores the view's own filter on it. */
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
  /** Everything was searched: a request that is not here does not exist. */
  complete: z.boolean(),
  queriedService: z.boolean(),
});

/** Some of the requests that share a property with another; `total` counts all of them, decimal digits. */
const sharedList = z.object({ rows: records, total: digits });

/** Latency of the completed requests of a network and keeper, in ms: of the last `days`, or of all. */
const latency = z.object({
  p50Ms: z.number(),
  p95Ms: z.number(),
  count: z.number(),
  days: z.optional(z.number()),
});

const related = z.object({
  /** Requests of the same network and provider, nearest first. */
  before: records,
  after: records,
  /** Requests made or revealed in the transaction of this one, itself included. */
  transaction: sharedList,
  sender: sharedList,
  /** Absent with too few completed requests. */
  latency: z.optional(latency),
  /** Failures of the same keeper with the same reason in the last seven days; absent if the request did not fail. */
  sameFailure: z.optional(z.object({ count, isOneOfThem: z.boolean() })),
  /** The index holds every request of the keeper created from this time on, unix ms; null while that is unknown. */
  coveredFromMs: z._default(z.nullable(z.number()), null),
});

/** The requests of one sequence on one network, as known at `atMs` (unix ms). */
const oneRequest = z.object({
  atMs: z.number(),
  revision: z.number(),
  rows: records,
  /** Related requests of the one that matches; absent without one, or with several. */
  related: z.optional(related),
  /** Keepers of which the index may lack requests, if nothing was found: unread history, or newest rows not read lately. */
  uncovered: z.array(z.string()),
  /** Services of `uncovered` that were queried as well, with their failures. Their rows are among `rows`. */
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
export type OneRequest = z.infer<typeof oneRequest>;
/** Answers as they are written: rows as text. */
export type WrittenSearchResult = z.input<typeof searchResult>;
export type WrittenRequest = z.input<typeof oneRequest>;

/** Readers of the answers; each reads the whole text or fails with `malformed`. */
export const readListing = answerReader(listing, 'listing');
export const readSummary = answerReader(summary, 'summary');
export const readColumnValues = answerReader(columnValues, 'list of values');
export const readSearchResult = answerReader(searchResult, 'search result');
export const readOne = answerReader(oneRequest, 'request');

export type BucketCounts = z.infer<typeof counts>;

export function noCounts(): BucketCounts {
  return { completed: 0, 'callback-failed': 0, failed: 0, pending: 0, unknown: 0 };
}

/** State of a bar for our word or a wire name. */
export const histogramState = (state: string) => (isStateWord(state) ? state : 'unknown');
