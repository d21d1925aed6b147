import * as z from 'zod/mini';
import { groupDigits } from './numbers';

/** Moments and lengths are unix microseconds. Percentiles may be interpolated between two rows. */

const count = z.int().check(z.nonnegative());

/** Rows in a state that has no word of ours count only in `requests`. */
export const spanTotals = z.object({
  requests: count,
  completed: count,
  callbackFailed: count,
  failed: count,
  pending: count,
  /** Rows of `pending` that their keeper no longer serves, which pages count apart. */
  pendingGone: z._default(count, 0),
  /** Rows with a time to callback; without any, the percentiles are null. */
  called: count,
  p50Us: z.nullable(z.number()),
  p95Us: z.nullable(z.number()),
  p99Us: z.nullable(z.number()),
});

/** Totals of a sender over all networks. */
export const senderTotals = z.extend(spanTotals, {
  sender: z.string(),
  networks: count,
  lastUs: z.number(),
  /** Share of the gas limit, 1 for all of it; null if no row has both figures. */
  p50GasShare: z.nullable(z.number()),
  p95GasShare: z.nullable(z.number()),
});

/** Totals of a `failureGroup`: failed requests, and requests whose callback failed. */
export const failureTotal = z.object({
  group: z.string(),
  rows: count,
  /** Answered requests whose callback failed. */
  callbacks: count,
  firstUs: z.number(),
  lastUs: z.number(),
  senders: count,
  /** Full text of one of the rows. It may come from a stranger's contract. */
  example: z.string(),
});

export type SpanTotals = z.infer<typeof spanTotals>;

type Finished = Pick<SpanTotals, 'completed' | 'callbackFailed' | 'failed'>;

export const finishedOf = ({ completed, callbackFailed, failed }: Finished) =>
  completed + callbackFailed + failed;

/** The callback was made, even if the contract's own code failed. */
export const answeredOf = ({ completed, callbackFailed }: Finished) => completed + callbackFailed;

/** "Answered": share of finished requests for which the keeper did its part; null if none finished. */
export function answeredShare(counts: Finished): number | null {
  const finished = finishedOf(counts);
  return finished === 0 ? null : answeredOf(counts) / finished;
}

/** "Callbacks OK": share of callbacks that did not fail; null if none was made. */
export function callbacksOkShare(counts: Finished): number | null {
  const answered = answeredOf(counts);
  return answered === 0 ? null : counts.completed / answered;
}

/** `99.3%`, never rounded up to 100% or down to 0%. @param share from 0 to 1 */
export function shareText(share: number): string {
  const percent = share * 100;
  if (percent <= 0) return '0%';
  if (percent >= 100) return '100%';
  if (percent < 0.1) return '<0.1%';
  if (percent > 99.9) return `${(Math.floor(percent * 10) / 10).toFixed(1)}%`;
  return `${percent.toFixed(1)}%`;
}

/** Below this number of rows, one row more or less moves the share by over a percent. */
const MIN_FOR_DECIMAL = 100;

/** A part with its whole: `10 of 22 callbacks (45%)`. The percentage of few rows has no decimal. */
export function partText(part: number, of: number, noun: string): string {
  const whole = Math.min(Math.max(Math.round((100 * part) / of), 1), 99);
  const percent = of >= MIN_FOR_DECIMAL || part === 0 || part === of ? shareText(part / of) : `${whole}%`;
  return `${groupDigits(part)} of ${groupDigits(of)} ${noun} (${percent})`;
}

export type SenderTotals = z.infer<typeof senderTotals>;
export type FailureTotal = z.infer<typeof failureTotal>;

/** Created in the hour that ended `hour` hours ago. Hours without rows may be missing. */
export type HourCounts = Pick<SpanTotals, 'requests' | 'failed' | 'callbackFailed'> & {
  hour: number;
  finished: number;
};

/** The last hour, the same hour of the seven days before, and all seven days. */
export type LatencyHistory = {
  nowCalled: number;
  nowP95Us: number | null;
  hourCalled: number;
  hourP95Us: number | null;
  weekCalled: number;
  weekP95Us: number | null;
};
