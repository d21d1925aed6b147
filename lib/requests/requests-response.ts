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

/** `key` begins with the keeper: `main/8453/0x…/17/0x…`. */
type Listed = {
  keeper: string;
  /** True if the row is no longer served; this is the last version. */
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
    /** When the row was first seen finished, unix µs, if the row now names another time. */
    finishedUs: z.optional(z.number()),
  }),
  z.transform(
    ({ keeper, row, gone, finishedUs }): ListedRow => ({
      ...listedRow(withFirstFinish(readRowText(row), finishedUs), keeper),
      ...(gone ? { gone } : {}),
    }),
  ),
);
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
  /** Matches up to `asof`, decimal digits. Absent (0 here) while nothing has been counted. */
  total: z._default(digits, '0'),
  counting: z.optional(z.literal(true)),
  /** Pins this result, even if the view named no moment. */
  asof: z.string(),
  /**
   * Requests created before the moment of a pinned view that could only be read later, and are therefore not listed.
   */
  late: z.optional(count),
  /** Absent on the last and the first page respectively. */
  cursor: z.optional(z.string()),
  previous: z.optional(z.string()),
  /** Keepers in the answer whose clocks differ much from ours. */
  clocks,
  revision: count,
  index,
});

/** The most frequent value first. `gone`: pending rows among them that their keeper no longer serves, which pages count apart. */
const facet = z.array(z.object({ value: z.string(), count, gone: z.optional(count) }));
/** States from bottom to top. `unknown` stands for all states that have no word of ours. */
export const HISTOGRAM_STATES = ['completed', 'callback-failed', 'failed', 'pending', 'unknown'] as const;
const counts = z.record(z.enum(HISTOGRAM_STATES), count);

/**
 * Unix ms. Bucket `i` begins at `fromMs + i * bucketMs`, a round time in UTC. The view spans `startMs` to `endMs`,
 * both inclusive, so the outer buckets may be covered in part.
 */
const histogram = z.object({
  fromMs: z.number(),
  /** End of the histogram, exclusive. */
  toMs: z.number(),
  startMs: z.number(),
  endMs: z.number(),
  bucketMs: z.number(),
  /** Empty when the view has no rows and no start. */
  buckets: z.array(counts),
  /** Rows of `pending` in each bucket that their keeper no longer serves, as `gone` of a facet. */
  gone: z._default(z.array(count), []),
});

/** Times to callback are microseconds, null if no row has one. */
const { completed, callbackFailed, failed, pending, pendingGone, p50Us, p95Us } = spanTotals.shape;
const figures = z.object({
  completed,
  callbackFailed,
  failed,
  pending,
  /** Only in the view's own states, unlike `gone` of the facet. */
  pendingGone,
  p50Us,
  p95Us,
  stuck: count,
  failureGroups: count,
});

const summary = z.object({
  revision: count,
  total: z._default(count, 0),
  counting: z.optional(z.literal(true)),
  asof: z.string(),
  /** Each facet ignores the view's own filter on that facet. */
  facets: z.object({ network: facet, state: facet, keeper: facet }),
  histogram,
  figures,
});

/** The most frequent values; `more` counts the others. */
const columnValues = z.object({
  column: z.enum(VALUE_COLUMNS),
  values: facet,
  more: count,
});

/** Independent of the view. */
const searchResult = z.object({
  kind: z.string(),
  rows: listedRowsSchema,
  total: digits,
  /** Everything was searched: a request that was not found does not exist. */
  complete: z.boolean(),
  queriedService: z.boolean(),
});

/** Some requests that share a property with another one; `total` counts all, decimal digits. */
const sharedList = z.object({ rows: records, total: digits });

/** Latency of the completed requests of a network and keeper, over the last `days` days or all time. */
const latency = z.object({
  p50Ms: z.number(),
  p95Ms: z.number(),
  count: z.number(),
  days: z.optional(z.number()),
});

const related = z.object({
  /** Same network and provider, nearest first. */
  before: records,
  after: records,
  /** Made or revealed in the transaction of this request, which is included. */
  transaction: sharedList,
  sender: sharedList,
  /** Absent if too few requests were completed. */
  latency: z.optional(latency),
  /** Requests of the keeper with this failure in the last seven days; absent if this one did not fail. */
  sameFailure: z.optional(z.object({ count, isOneOfThem: z.boolean() })),
  /** All requests of the keeper since then are in the index, unix ms; null while unknown. */
  coveredFromMs: z._default(z.nullable(z.number()), null),
});

/** A request as known at `atMs` (unix ms). */
const requestAnswer = z.object({
  atMs: z.number(),
  revision: z.number(),
  rows: records,
  /** Set if exactly one request matches. */
  related: z.optional(related),
  /** Keepers with unread history, or whose newest rows were not read for a while; only if nothing was found. */
  uncovered: z.array(z.string()),
  /** Services of `uncovered` keepers that were queried, with their failures. Their rows are in `rows`. */
  queried: z.array(
    z.object({
      keeper: z.string(),
      failure: z.optional(z.pipe(z.unknown(), z.transform(failureMember))),
      /** The request may be among the rows that the service did not return. */
      isPartial: z.optional(z.boolean()),
    }),
  ),
  index,
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
/** A search result as it is sent, with rows as text. */
export type WrittenSearchResult = z.input<typeof searchResult>;
export type WrittenRequest = z.input<typeof requestAnswer>;

/** Each reads the whole text or fails with `malformed`. */
export const readListing = answerReader(listing, 'listing');
export const readSummary = answerReader(summary, 'summary');
export const readColumnValues = answerReader(columnValues, 'list of values');
export const readSearchResult = answerReader(searchResult, 'search result');
export const readRequestAnswer = answerReader(requestAnswer, 'request');

export type BucketCounts = z.infer<typeof counts>;

export function noCounts(): BucketCounts {
  return { completed: 0, 'callback-failed': 0, failed: 0, pending: 0, unknown: 0 };
}

/** @param state our word or a wire name */
export const histogramState = (state: string) => (isStateWord(state) ? state : 'unknown');
