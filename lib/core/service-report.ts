import * as z from 'zod/mini';
import { answerReader } from './gateway';
import { FAILURE_KINDS, SERVICES } from './outcome';
import { HOUR_MS, MINUTE_MS } from './time';

/** Route of the services report. */
export const SERVICES_ADDRESS = '/api/view/services';
/** Route that calls each service once, by POST. */
export const SERVICE_CHECK_ADDRESS = '/api/view/services/check';

const count = z.int().check(z.nonnegative());
const moment = z.number();
const failureKind = z.enum(FAILURE_KINDS);

/** State of a host's key; never its value. Here and below, times are unix ms. */
const key = z.object({
  /** `unusable`: it cannot be sent in a header. */
  state: z.enum(['none', 'set', 'unusable']),
  /** The setting to check if the key is refused. */
  setting: z.string(),
  origin: z.optional(
    z.object({
      kind: z.enum(['environment', 'file', 'sandbox']),
      /** The variable that holds the key or names its file; absent for the sandbox's own key. */
      setting: z.optional(z.string()),
      sinceMs: moment,
      writtenAtMs: z.optional(moment),
      /** `file-unusable`: the file holds no usable secret at the moment. The last good one stays in use. */
      trouble: z.optional(z.literal('file-unusable')),
    }),
  ),
  /** The service's last verdict on this key; absent before the first. */
  verdict: z.optional(
    z.object({ verdict: z.enum(['accepted', 'refused']), upstreamStatus: count, atMs: moment }),
  ),
});

const trouble = z.object({
  kind: failureKind,
  count,
  lastAtMs: moment,
  lastDetail: z.string(),
  lastStatus: z.optional(count),
});

/** `sent` and `lastOkAtMs` count from the start of the server. Failures are those of the last hour, by kind. */
const calls = z.object({
  sent: count,
  /** Latency percentiles (nearest rank) of the last 500 answered calls; absent before the first. */
  latency: z.optional(
    z.object({ calls: count, p50Ms: z.number(), p95Ms: z.number(), p99Ms: z.number(), maxMs: z.number() }),
  ),
  lastOkAtMs: z.optional(moment),
  /** Latest first. */
  failures: z.array(trouble),
  /** Calls that our own server held back, latest first. */
  heldBack: z.array(trouble),
});

/** Length of the reported history of a host's calls. */
export const HISTORY_MS = 24 * HOUR_MS;
/**
 * Possible lengths of a step of the history. A young server reports minutes, an older one at most `MAX_HISTORY_STEPS`
 * longer steps.
 */
const HISTORY_STEPS_MS = [MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 10 * MINUTE_MS] as const;
const MAX_HISTORY_STEPS = 144;
/** Shortest reported history. It may begin before the start of the server; that part has no calls. */
const MIN_HISTORY_MS = 10 * MINUTE_MS;

/** Steps of the history of a server that started at `startedAtMs`: step length, first step and end, unix ms. */
export function historySteps(startedAtMs: number, nowMs: number) {
  const lengthMs = Math.min(HISTORY_MS, Math.max(MIN_HISTORY_MS, nowMs - startedAtMs));
  const stepMs =
    HISTORY_STEPS_MS.find((ms) => Math.ceil(lengthMs / ms) < MAX_HISTORY_STEPS) ?? 10 * MINUTE_MS;
  const endMs = (Math.floor(nowMs / stepMs) + 1) * stepMs;
  const count = Math.min(MAX_HISTORY_STEPS, Math.ceil(lengthMs / stepMs) + 1);
  return { stepMs, fromMs: endMs - count * stepMs, endMs, count };
}

const outcome = z.enum(['ok', ...FAILURE_KINDS]);

/** The calls of one step of `historySteps`. `failed` counts those after which the service was considered failing. */
const healthSpan = z.object({
  fromMs: moment,
  calls: count,
  failed: count,
  firstFailure: z.optional(z.object({ atMs: moment, kind: failureKind })),
});

const recentCall = z.object({
  atMs: moment,
  /** The pattern of the route, not the path. */
  route: z.string(),
  status: z.optional(count),
  outcome,
  ms: z.number(),
  bytes: count,
});

const budget = z.object({
  callsPerSecond: z.number(),
  burst: z.number(),
  used: count,
  waiting: z.object({ user: count, background: count }),
  granted: count,
  refused: count,
  /** Labels of other hosts in this report that share the budget. */
  sharedWith: z.array(z.string()),
});

const end = z.enum(['closed-here', 'ended-by-service', 'broken']);

const streams = z.object({
  /** Oldest first. */
  open: z.array(z.object({ openedAtMs: moment, feeds: count, lastByteAtMs: z.optional(moment) })),
  opened: count,
  ends: z.object({ 'closed-here': count, 'ended-by-service': count, broken: count }),
  lastEnd: z.optional(z.object({ end, atMs: moment, lastedMs: z.number() })),
});

const host = z.object({
  /** Host, port, and the short segments of the path prefix. Long segments may be keys. */
  address: z.string(),
  key,
  /** The last call that was sent; `none` before the first. */
  last: z.object({
    state: z.enum(['none', 'ok', 'failed']),
    kind: z.optional(failureKind),
    atMs: z.optional(moment),
    latencyMs: z.optional(z.number()),
    /** Time of the first failure of the current run. */
    failingSinceMs: z.optional(moment),
    /** Set if the opening of a stream fails; other calls may succeed. */
    isStream: z.optional(z.literal(true)),
  }),
  /** The reason why no call is sent at the moment. `untilMs`: end of the pause. */
  pause: z.optional(
    z.object({
      kind: z.enum(['rate-limited', 'failing', 'unauthorized']),
      upstreamStatus: count,
      untilMs: moment,
    }),
  ),
  calls,
  /** Spans of the last 24 h in which this server made calls, oldest first. */
  history: z.array(healthSpan),
  /** The latest calls, the newest first. */
  recent: z.array(recentCall),
  /** The earliest time of the next probe; absent while the service works. */
  nextProbeAtMs: z.optional(moment),
  budget,
  streams,
  /** State of the shared stream for our own pages. It uses one host at a time. */
  pagesStream: z.optional(
    z.object({
      state: z.enum(['connecting', 'live', 'quiet', 'reconnecting', 'failed']),
      sinceMs: moment,
      failure: z.optional(
        z.object({ kind: z.string(), detail: z.string(), retryAfterS: z.optional(z.number()) }),
      ),
    }),
  ),
  /**
   * Clock difference. `offByMs` is the smallest proven time by which the service's clock is ahead of ours, 0 if none is
   * proven. It is that of the least skewed of the last `answers` answers.
   */
  clock: z.optional(z.object({ offByMs: z.number(), datedMs: moment, atMs: moment, answers: count })),
});

const service = z.object({
  /** `logs:<keeper>`, `updates`, `upgraded`, `router`; `router:symbols` if it has a host of its own. */
  label: z.string(),
  service: z.enum(SERVICES),
  /** Absent if the service has no URL. */
  host: z.optional(host),
});

/** Answer of `GET /api/view/services`. */
const report = z.object({
  /** Time of the report by the server's clock. Ages are relative to it. */
  atMs: moment,
  startedAtMs: moment,
  source: z.enum(['live', 'sandbox']),
  /** Access mode: `open` means anyone who can reach this server. */
  access: z.enum(['local', 'password', 'proxy', 'open']),
  services: z.array(service),
});

export type HealthSpan = z.infer<typeof healthSpan>;
export type RecentCall = z.infer<typeof recentCall>;
export type TroubleReport = z.infer<typeof trouble>;
export type StreamsReport = z.infer<typeof streams>;
export type HostReport = z.infer<typeof host>;
export type ServiceReport = z.infer<typeof service>;
export type ServicesReport = z.infer<typeof report>;

export const readServicesReport = answerReader(report, 'report on the services');
