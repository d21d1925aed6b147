import type { BucketCounts } from './histogram';
import type { KeeperStatus } from './keeper-status';

/** A value and how many rows have it. */
export type FacetValue = { value: string; count: number };

/**
 * Rows by time and state. All times are unix milliseconds; bucket `i` begins at `fromMs + i * bucketMs`, on a round moment in
 * UTC, and ends before the next one begins. The view itself goes from `startMs` to `endMs`, both inclusive, which cuts the
 * first and the last bucket short.
 */
export type Histogram = {
  fromMs: number;
  /** The end of the last bucket, exclusive. */
  toMs: number;
  startMs: number;
  endMs: number;
  bucketMs: number;
  /** None when the view holds no rows and names no beginning. */
  buckets: BucketCounts[];
};

/** Counts of a view; each facet leaves the view's own filter on it out. Most frequent values first. */
export type RequestsSummary = {
  /** Of the index, when it was counted. */
  revision: number;
  /** All matches. */
  total: number;
  /** ISO time that the counts are of. */
  asof: string;
  facets: { network: FacetValue[]; state: FacetValue[]; keeper: FacetValue[] };
  histogram: Histogram;
  index: KeeperStatus[];
};

/** Where the server answers with a `RequestsSummary`, to the parameters of `/requests` and `buckets` (10 to 120). */
export const SUMMARY_PATH = '/api/view/requests/summary';

/** The most frequent values of a column; of `more` others only their number is told. */
export type ColumnValues = {
  column: 'sender' | 'provider' | 'failure';
  values: FacetValue[];
  more: number;
};

/** Where the server answers with `ColumnValues`, to the parameters of `/requests`, `column` and `find`. */
export const VALUES_PATH = '/api/view/requests/values';

/** Where the server looks for a transaction, a sequence or an address everywhere: `?q=…`, answered like a listing. */
export const FIND_PATH = '/api/view/requests/find';
