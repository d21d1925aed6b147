import * as z from 'zod/mini';

/**
 * Figures about the rows of a time span. Moments and lengths are unix microseconds. Percentiles may be interpolated
 * between two rows.
 */

const count = z.int().check(z.nonnegative());

/** Rows by state, and their time to callback. Rows in a state that has no word of ours count only in `requests`. */
export const spanTotals = z.object({
  requests: count,
  completed: count,
  callbackFailed: count,
  failed: count,
  pending: count,
  /** Rows with a time to callback. The percentiles are null if there are none. */
  called: count,
  p50Us: z.nullable(z.number()),
  p95Us: z.nullable(z.number()),
  p99Us: z.nullable(z.number()),
});

/** Requests of one contract, over all networks. */
export const senderTotals = z.extend(spanTotals, {
  sender: z.string(),
  networks: count,
  lastUs: z.number(),
  /** Gas used as a share of the gas limit, 1 for all of it; null if no row has both figures. */
  p50GasShare: z.nullable(z.number()),
  p95GasShare: z.nullable(z.number()),
});

/** Rows of one failure group (`failureGroup`): failed requests, and requests whose callback failed. */
export const failureTotal = z.object({
  group: z.string(),
  rows: count,
  /** Answered requests whose callback failed. */
  callbacks: count,
  firstUs: z.number(),
  lastUs: z.number(),
  senders: count,
  /** Full decoded text of one of the rows. It may come from a stranger's contract. */
  example: z.string(),
});

export type SpanTotals = z.infer<typeof spanTotals>;

type Finished = Pick<SpanTotals, 'completed' | 'callbackFailed' | 'failed'>;

export const finishedOf = ({ completed, callbackFailed, failed }: Finished) =>
  completed + callbackFailed + failed;

/** Requests whose callback was made, even if the contract's own code failed. */
export const answeredOf = ({ completed, callbackFailed }: Finished) => completed + callbackFailed;

/** "Answered": the share of finished requests for which the keeper did its part, from 0 to 1; null if none finished. */
export function answeredShare(counts: Finished): number | null {
  const finished = finishedOf(counts);
  return finished === 0 ? null : answeredOf(counts) / finished;
}

/** "Callbacks OK": the share of callbacks that did not fail, from 0 to 1; null if none was made. */
export function callbacksOkShare(counts: Finished): number | null {
  const answered = answeredOf(counts);
  return answered === 0 ? null : counts.completed / answered;
}

/**
 * A share as percent with one decimal, such as `99.3%`. Never rounded up to 100% or down to 0%.
 * @param share from 0 to 1
 */
export function shareText(share: number): string {
  const percent = share * 100;
  if (percent <= 0) return '0%';
  if (percent >= 100) return '100%';
  if (percent < 0.1) return '<0.1%';
  if (percent > 99.9) return `${(Math.floor(percent * 10) / 10).toFixed(1)}%`;
  return `${percent.toFixed(1)}%`;
}
export type SenderTotals = z.infer<typeof senderTotals>;
export type FailureTotal = z.infer<typeof failureTotal>;

/**
 * Rows of a network that were created in the hour that ended `hour` hours ago; 0 is the last hour. Hours without rows
 * may be missing.
 */
export type HourCounts = Pick<SpanTotals, 'requests' | 'failed' | 'callbackFailed'> & {
  hour: number;
  finished: number;
};

/**
 * Times to callback on a network: in the last hour, in the same hour of the seven days before, and in all seven days.
 */
export type LatencyHistory = {
  nowCalled: number;
  nowP95Us: number | null;
  hourCalled: number;
  hourP95Us: number | null;
  weekCalled: number;
  weekP95Us: number | null;
};
