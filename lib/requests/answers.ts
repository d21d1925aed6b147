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
import type { KeeperStatus } from './keeper-status';

/** What the index answers: one schema for each answer, and the types that follow from it. All counts are exact. */

/** A row of the log and the keeper that logged it. Its `key` begins with the keeper: `main/8453/0x…/17/0x…`. */
type Listed = {
  keeper: string;
  /** The service has it no more: what stands here is what it said last. */
  gone?: true;
};
export type ListedRow = LogRow & Listed;
export type ListedRecord = RequestRecord & Listed;

export const listedRow = <T extends LogRow>(row: T, keeper: string): T & { keeper: string } =>
  Object.assign({}, row, { key: `${keeper}/${row.key}`, keeper });

/** A row travels as its own JSON text, so that no digit goes through a float. */
export const oneRow = z.pipe(
  z.object({
    keeper: z.string(),
    row: z.string(),
    gone: z.optional(z.literal(true)),
    /** When it was first seen finished, unix microseconds, where the row says another moment by now. */
    finishedUs: z.optional(z.number()),
  }),
  z.transform(
    ({ keeper, row, gone, finishedUs }): ListedRow => ({
      ...listedRow(withFirstFinish(readRowText(row), finishedUs), keeper),
      ...(gone ? { gone } : {}),
    }),
  ),
);
/** The same as it is written. */
export type WrittenRow = z.input<typeof oneRow>;
export const listedRows = z.array(oneRow);
const records = z.pipe(
  listedRows,
  z.transform((rows) => rows.filter((row): row is ListedRecord => row.kind === 'record')),
);

const count = z.int().check(z.nonnegative());
const digits = z.string().check(z.regex(/^\d+$/));
const index = z.array(z.custom<KeeperStatus>((value) => typeof value === 'object' && value !== null));

const listing = z.object({
  /** In the order that the view asks for; unreadable ones first, on the first page of an unfiltered view. */
  rows: listedRows,
  /** All matches of the view up to `asof`, decimal digits; left out, and 0 here, while nothing is counted. */
  total: z._default(digits, '0'),
  counting: z.optional(z.literal(true)),
  /** ISO time: the moment that this result is pinned to, whether or not the view named one. */
  asof: z.string(),
  /** Name the places after the last row and before the first one; absent on the last and on the first page. */
  cursor: z.optional(z.string()),
  previous: z.optional(z.string()),
  /** Clocks of the keepers that were asked, where they are far off ours. */
  clocks: z.array(z.object({ keeper: z.string(), offByMs: z.number() })),
  revision: count,
  index,
});

/** Values and how many rows have each, the most frequent first. */
const facet = z.array(z.object({ value: z.string(), count }));
/** Our words from the bottom of a bar to its top, `unknown` for all other states: what went well carries what did not. */
export const HISTOGRAM_STATES = ['completed', 'callback-failed', 'failed', 'pending', 'unknown'] as const;
const counts = z.record(z.enum(HISTOGRAM_STATES), count);

/**
 * Rows by time and state, in unix ms. Bucket `i` begins at `fromMs + i * bucketMs`, on a round moment in UTC; the view itself
 * goes from `startMs` to `endMs`, both inclusive, which cuts the outer buckets short.
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
  /** As of a listing. */
  total: z._default(count, 0),
  counting: z.optional(z.literal(true)),
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

/** What was found of a transaction, a sequence or an address, whatever the view. */
const found = z.object({
  kind: z.string(),
  rows: listedRows,
  total: digits,
  /** Everything was looked through: what is not here is nowhere. */
  complete: z.boolean(),
  askedService: z.boolean(),
});

/** Some of the requests that share something with another; `total` counts all of them, decimal digits. */
const foundList = z.object({ rows: records, total: digits });

/** Latency of the completed requests of a network and keeper, in milliseconds: of the last `days`, or of all. */
const latency = z.object({
  p50Ms: z.number(),
  p95Ms: z.number(),
  count: z.number(),
  days: z.optional(z.number()),
});

const related = z.object({
  /** Of the same network and provider, nearest first. */
  before: records,
  after: records,
  /** Made or revealed in the transaction of the request, itself included. */
  transaction: foundList,
  sender: foundList,
  /** Absent where too few requests were completed to tell. */
  latency: z.optional(latency),
});

/** What is known of the requests of one sequence on one network, at `atMs` (unix ms). */
const oneRequest = z.object({
  atMs: z.number(),
  revision: z.number(),
  rows: records,
  /** Of the one request that was asked for; absent while there is none, or several. */
  related: z.optional(related),
  /** Keepers whose history is not read to its end, where nothing was found. */
  uncovered: z.array(z.string()),
  /** The services of `uncovered` that were asked as well, and what failed. What they have is among the rows. */
  asked: z.array(
    z.object({
      keeper: z.string(),
      failure: z.optional(z.pipe(z.unknown(), z.transform(failureMember))),
    }),
  ),
  index,
});

export type Listing = z.infer<typeof listing>;
export type FacetValue = z.infer<typeof facet>[number];
export type Histogram = z.infer<typeof histogram>;
export type Summary = z.infer<typeof summary>;
export type ColumnValues = z.infer<typeof columnValues>;
export type Found = z.infer<typeof found>;
export type FoundList = z.infer<typeof foundList>;
export type TypicalLatency = z.infer<typeof latency>;
export type Related = z.infer<typeof related>;
export type OneRequest = z.infer<typeof oneRequest>;
/** The same as they are written: rows as text. */
export type WrittenFound = z.input<typeof found>;
export type WrittenRequest = z.input<typeof oneRequest>;

/** Each reads the text of an answer, whole or not at all: it fails with `malformed`. */
export const readListing = answerReader(listing, 'listing');
export const readSummary = answerReader(summary, 'summary');
export const readColumnValues = answerReader(columnValues, 'list of values');
export const readFound = answerReader(found, 'search result');
export const readOne = answerReader(oneRequest, 'request');

export type BucketCounts = z.infer<typeof counts>;

export function noCounts(): BucketCounts {
  return { completed: 0, 'callback-failed': 0, failed: 0, pending: 0, unknown: 0 };
}

/** Of our word for a state, or a wire name. */
export const histogramState = (state: string) => (isStateWord(state) ? state : 'unknown');
