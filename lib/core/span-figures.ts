import * as z from 'zod/mini';

/** Figures of the rows of a span. Moments and lengths in unix microseconds; percentiles may lie between two rows. */

const count = z.int().check(z.nonnegative());

/** Rows by state (in our words; what else a service writes counts in `requests` alone), and their time to callback. */
export const spanTotals = z.object({
  requests: count,
  completed: count,
  callbackFailed: count,
  failed: count,
  pending: count,
  /** Rows that have a time to callback; without one its percentiles are null. */
  called: count,
  p50Us: z.nullable(z.number()),
  p95Us: z.nullable(z.number()),
  p99Us: z.nullable(z.number()),
});

/** Requests of one contract, on whatever networks. */
export const senderTotals = z.extend(spanTotals, {
  sender: z.string(),
  networks: count,
  lastUs: z.number(),
  /** Gas used of the gas limit, 1 is all of it; null where no row tells both. */
  p50GasShare: z.nullable(z.number()),
  p95GasShare: z.nullable(z.number()),
});

/** Failed rows, and rows whose callback failed, of one group (`failureGroup`). */
export const failureTotal = z.object({
  group: z.string(),
  rows: count,
  /** Of these rows those that were answered, and whose callback failed. */
  callbacks: count,
  firstUs: z.number(),
  lastUs: z.number(),
  senders: count,
  /** A decoded text of one of them, whole; it may come from a stranger's contract. */
  example: z.string(),
});

export type SpanTotals = z.infer<typeof spanTotals>;

type Finished = Pick<SpanTotals, 'completed' | 'callbackFailed' | 'failed'>;

export const finishedOf = ({ completed, callbackFailed, failed }: Finished) =>
  completed + callbackFailed + failed;

/** Requests whose callback was made, whether or not the contract's own code then failed. */
const answeredOf = ({ completed, callbackFailed }: Finished) => completed + callbackFailed;

/** "Answered": requests for which the keeper did its part, of those that finished. Of 1; null where none finished. */
export function answeredShare(counts: Finished): number | null {
  const finished = finishedOf(counts);
  return finished === 0 ? null : answeredOf(counts) / finished;
}

/** "Callbacks OK": callbacks that did not fail, of all that were made. Of 1; null where none was made. */
export function callbacksOkShare(counts: Finished): number | null {
  const answered = answeredOf(counts);
  return answered === 0 ? null : counts.completed / answered;
}

/** `99.3%`: with one decimal, and never rounded to all or to nothing. @param share of 1 */
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

/** Rows of a network created in the hour that ended `hour` hours ago; 0 is the last one. Hours without rows may be left out. */
export type HourCounts = Pick<SpanTotals, 'requests' | 'failed' | 'callbackFailed'> & {
  hour: number;
  finished: number;
};

/** Times to callback of a network: of the last hour, of this hour of the seven days before, of all of them. */
export type LatencyHistory = {
  nowCalled: number;
  nowP95Us: number | null;
  hourCalled: number;
  hourP95Us: number | null;
  weekCalled: number;
  weekP95Us: number | null;
};
