import * as z from 'zod/mini';
import { answerReader } from '@/lib/core/gateway';
import { failureTotal, type SenderTotals, senderTotals, spanTotals } from '@/lib/core/span-figures';
import { INSIGHT_RANGES } from './view';

/** Times and durations are microseconds (percentiles may lie between two), ids and hex are text. */

const count = z.int().check(z.nonnegative());
const micros = z.number();
const perBucket = z.array(count);

/** Pending requests, whenever created, that the services still serve. */
const pending = z.object({ pending: count, stuck: count, oldestUs: z.nullable(micros) });

const figures = z.object({
  now: spanTotals,
  /** Previous span; null if the index does not have all of it. */
  before: z.nullable(spanTotals),
  pending,
  /** Pending requests at the start of the span; null if the index does not have all of the previous one. */
  pendingAtStart: z.nullable(count),
  overTime: z.array(spanTotals),
  /** Pending requests at the end of each bucket. */
  pendingOverTime: perBucket,
});

/** Compared with the last hour (`baseline.ts`). */
const baseline = z.object({
  /** Finished requests in the last hour, which is compared. */
  hourFinished: count,
  /** Basis of the comparison of failures. `week`: seven days; `none`: too little data. */
  basis: z.enum(['week', 'none']),
  /** `hour`: this hour of the day on the seven days before. */
  p95Basis: z.enum(['hour', 'week', 'none']),
  /** Days with data for this hour, 0 to 7. */
  days: count,
  /** Requests in such an hour, the median of the days; null if unknown. */
  requests: z.nullable(z.number()),
  /** Callbacks behind the p95. */
  called: count,
  p95Us: z.nullable(micros),
  /** Finished requests in the seven days before the last day. */
  finished: count,
  failed: count,
  callbackFailed: count,
});

export const anomalySchema = z.object({
  kind: z.enum(['silent', 'failing', 'callbacks-failing', 'slow', 'busy']),
  level: z.enum(['bad', 'warning', 'notice']),
  /** Requests, a share (1 for all) or microseconds, depending on the kind. */
  value: z.number(),
  usual: z.number(),
  /** Requests behind a share: its part and the whole. */
  rows: z.optional(z.object({ part: count, of: count })),
  /** The last request of a silent network, otherwise the first request that shows the problem. */
  sinceUs: z.nullable(micros),
  /** The contract with most of the failures. */
  sender: z.nullable(z.string()),
  /** `sinceUs` and `sender` were not computed, because many networks are worse or the index was too slow. */
  undated: z.optional(z.literal(true)),
  /** Set if the keeper was last read long ago: end of the hour compared, by our clock. Otherwise it is the last hour. */
  hourEndUs: z.optional(micros),
});

const network = z.object({
  keeper: z.string(),
  networkId: z.string(),
  now: spanTotals,
  before: z.nullable(spanTotals),
  pending,
  /** First and last request of all time. */
  firstUs: micros,
  lastUs: micros,
  /** Silent for longer than `RULE.networkQuiet` allows. */
  isQuiet: z.boolean(),
  usual: baseline,
  unusual: z.array(anomalySchema),
  /** p95 of the seven days before the last hour; null if there are too few callbacks. For `isSlow`. */
  weekP95Us: z.nullable(micros),
  overTime: perBucket,
});

/** First and last are creation times within the span. */
const failure = z.extend(failureTotal, {
  /** Cause from `groupCause`; without `side` if none is certain. */
  cause: z.object({ side: z.optional(z.enum(['keeper', 'contract', 'chain'])), step: z.string() }),
  /** The most rows first. */
  networks: z.array(z.object({ networkId: z.string(), rows: count })),
  overTime: perBucket,
  /**
   * Whether there was no such failure in the seven days before the span; null if the index lacks a part of these days,
   * or the log began in them.
   */
  isNew: z.nullable(z.boolean()),
});

const failures = z.object({
  /** Groups, most frequent first. */
  groups: z.array(failure),
  /** All failures, and those in groups that are not listed. */
  rows: count,
  others: z.object({ groups: count, rows: count }),
});

const senders = z.object({
  /** Senders with requests. */
  count,
  byRequests: z.array(senderTotals),
  byFailures: z.array(senderTotals),
});

/** Each panel is a member of the answer and can be requested alone. */
export const PANELS = ['figures', 'networks', 'failures', 'senders'] as const;
export type PanelName = (typeof PANELS)[number];

const insights = z.object({
  /** Null for a span in the past. */
  range: z.nullable(z.enum(INSIGHT_RANGES)),
  revision: count,
  /** ISO time; rows seen later are left out. A link with it and `startMs` leads to the counted rows. */
  asof: z.string(),
  /** No keeper has been read and the index has no row, so there are no figures yet. */
  counting: z.optional(z.literal(true)),
  /** A keeper's pending requests have not been queried yet, so older ones may be missing. */
  pendingUnread: z.optional(z.literal(true)),
  /** Unix ms. The first and the last bucket may begin before `startMs` and end after `endMs`. */
  startMs: z.number(),
  endMs: z.number(),
  buckets: z.object({ fromMs: z.number(), bucketMs: z.number(), count }),
  /** The index has every row of the span; of it and the previous one of the same length; of the seven days before. */
  covered: z.object({ span: z.boolean(), before: z.boolean(), week: z.boolean() }),
  /** Start of the youngest log, unix ms; null if unknown. Spans that begin earlier can't be compared with. */
  logBeginsMs: z.nullable(z.number()),
  figures: z.optional(figures),
  networks: z.optional(z.array(network)),
  failures: z.optional(failures),
  senders: z.optional(senders),
});

export type PendingNow = z.infer<typeof pending>;
export type SpanFigures = z.infer<typeof figures>;
export type NetworkBaseline = z.infer<typeof baseline>;
export type Anomaly = z.infer<typeof anomalySchema>;
export type NetworkInsight = z.infer<typeof network>;
export type FailureInsight = z.infer<typeof failure>;
export type FailureInsights = z.infer<typeof failures>;
export type SenderInsight = SenderTotals;
export type SenderInsights = z.infer<typeof senders>;
export type Insights = z.infer<typeof insights>;

export const readInsights = answerReader(insights, 'answer with the figures');
