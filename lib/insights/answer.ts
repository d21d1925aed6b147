import * as z from 'zod/mini';
import { answerReader } from '@/lib/core/gateway';
import { failureTotal, type SenderTotals, senderTotals, spanTotals } from '@/lib/core/span-figures';
import { INSIGHT_RANGES } from './view';

/**
 * The answer of `GET /api/view/insights`. Figures are as the index has them, derived ones are worked out where they are
 * shown: moments and lengths are in microseconds (percentiles may lie between two of them), ids and hex are text.
 */

const count = z.int().check(z.nonnegative());
const micros = z.number();
const perBucket = z.array(count);

/** Pending now, whenever they were created, as far as the service still serves them. */
const pending = z.object({ pending: count, stuck: count, oldestUs: z.nullable(micros) });

const figures = z.object({
  now: spanTotals,
  /** Of the span before; null while the index does not hold all of it. */
  before: z.nullable(spanTotals),
  pending,
  /** Pending when the span began; null as above. */
  pendingAtStart: z.nullable(count),
  overTime: z.array(spanTotals),
  /** How many were pending at the end of each bucket. */
  pendingOverTime: perBucket,
});

/** `hour`: this hour of the day on the last seven days; `week`: all hours of them; `none`: too little is known. */
const basis = z.enum(['hour', 'week', 'none']);

/** Of the last hour and of what it is judged by (`usual.ts`). */
const usual = z.object({
  basis,
  /** Of the p95, which wants more rows. */
  p95Basis: basis,
  /** Days that are behind it, 0 to 7. */
  days: count,
  /** Requests in such an hour, the median of the days; null where that is not known. */
  requests: z.nullable(z.number()),
  /** Those that the p95 is made of. */
  called: count,
  p95Us: z.nullable(micros),
  finished: count,
  failed: count,
  callbackFailed: count,
});

const unusual = z.object({
  kind: z.enum(['silent', 'failing', 'callbacks-failing', 'slow', 'busy']),
  level: z.enum(['bad', 'warning', 'notice']),
  /** What is, and what is usual: requests, failures of 1, or microseconds, by the kind. */
  value: z.number(),
  usual: z.number(),
  /** Since when, where that is known: the last request of a silent network, else to ten minutes. */
  sinceUs: z.nullable(micros),
  /** The contract that most of the failures are of, where there is one. */
  sender: z.nullable(z.string()),
  /** Neither of the two was looked for: there are many worse networks, or the index was too slow. */
  undated: z.optional(z.literal(true)),
});

const network = z.object({
  keeper: z.string(),
  networkId: z.string(),
  now: spanTotals,
  before: z.nullable(spanTotals),
  pending,
  /** Created first and last, of all time. */
  firstUs: micros,
  lastUs: micros,
  usual,
  unusual: z.array(unusual),
  /** The p95 of the seven days before the last hour; null where too few callbacks tell it. `isSlow` compares. */
  weekP95Us: z.nullable(micros),
  overTime: perBucket,
});

/** Created first and last within the span. */
const failure = z.extend(failureTotal, {
  /** Those with most first. */
  networks: z.array(z.object({ networkId: z.string(), rows: count })),
  overTime: perBucket,
  /** None in the seven days before the span; null while the index does not hold all of these days. */
  isNew: z.nullable(z.boolean()),
});

const failures = z.object({
  /** Most frequent first. */
  groups: z.array(failure),
  /** All failures, and those of groups that are not told singly. */
  rows: count,
  others: z.object({ groups: count, rows: count }),
});

const senders = z.object({
  /** Of all that have requests. */
  count,
  byRequests: z.array(senderTotals),
  byFailures: z.array(senderTotals),
});

/** The panels of the overview: each is a member of the answer, and may be asked for alone. */
export const PANELS = ['figures', 'networks', 'failures', 'senders'] as const;
export type Panel = (typeof PANELS)[number];

const insights = z.object({
  /** Null for a span of the past. */
  range: z.nullable(z.enum(INSIGHT_RANGES)),
  /** Of the index, when it was asked. */
  revision: count,
  /** ISO time: rows seen later are left out. A link with it and `startMs` leads to the rows that are counted. */
  asof: z.string(),
  /** Nothing has been read of any keeper, and no row is held: there are no figures yet. */
  counting: z.optional(z.literal(true)),
  /** All times are unix milliseconds; the span goes from `startMs` to `endMs`, which cuts the first and the last bucket short. */
  startMs: z.number(),
  endMs: z.number(),
  buckets: z.object({ fromMs: z.number(), bucketMs: z.number(), count }),
  /** Whether the index holds every row of the span, of as long a span before, and of the seven days before the span. */
  covered: z.object({ span: z.boolean(), before: z.boolean(), week: z.boolean() }),
  figures: z.optional(figures),
  networks: z.optional(z.array(network)),
  failures: z.optional(failures),
  senders: z.optional(senders),
});

export type PendingNow = z.infer<typeof pending>;
export type SpanFigures = z.infer<typeof figures>;
export type NetworkUsual = z.infer<typeof usual>;
export type Unusual = z.infer<typeof unusual>;
export type NetworkInsight = z.infer<typeof network>;
export type FailureInsight = z.infer<typeof failure>;
export type FailureInsights = z.infer<typeof failures>;
export type SenderInsight = SenderTotals;
export type SenderInsights = z.infer<typeof senders>;
export type Insights = z.infer<typeof insights>;

export const readInsights = answerReader(insights, 'answer with the figures');
