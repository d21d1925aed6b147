import * as z from 'zod/mini';
import { answerReader } from './gateway';
import { FAILURE_KINDS, SERVICES } from './outcome';
import { HOUR_MS, MINUTE_MS } from './time';

export const SERVICES_ADDRESS = '/api/view/services';
/** Calls each service once, by POST. */
export const SERVICE_CHECK_ADDRESS = '/api/view/services/check';

const count = z.int().check(z.nonnegative());
const moment = z.number();
const failureKind = z.enum(FAILURE_KINDS);

/** Facts of a key, never its value. Here and below, times are unix ms. */
const key = z.object({
  /** `unusable`: the key cannot be sent in a header. */
  state: z.enum(['none', 'set', 'unusable']),
  /** Setting to check if the key is refused. */
  setting: z.string(),
  origin: z.optional(
    z.object({
      kind: z.enum(['environment', 'file', 'sandbox']),
      /** Variable that holds the key or names its file; absent for the sandbox. */
      setting: z.optional(z.string()),
      sinceMs: moment,
      writtenAtMs: z.optional(moment),
      /** The file holds no usable secret at the moment; the last good one stays in use. */
      trouble: z.optional(z.literal('file-unusable')),
    }),
  ),
  /** The service's last verdict; absent before the first. */
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

/** `sent` and `lastOkAtMs` count from the start of the server; failures are of the last hour, by kind. */
const calls = z.object({
  sent: count,
  /** Percentiles (nearest rank) of the last 500 answered calls; absent before the first. */
  latency: z.optional(
    z.object({ calls: count, p50Ms: z.number(), p95Ms: z.number(), p99Ms: z.number(), maxMs: z.number() }),
  ),
  lastOkAtMs: z.optional(moment),
  /** Latest first. */
  failures: z.array(trouble),
  /** Calls that our own server held back, latest first. */
  heldBack: z.array(trouble),
});

export const HISTORY_MS = 24 * HOUR_MS;
/** A young server reports minutes, an older one at most `MAX_HISTORY_STEPS` longer steps. */
const HISTORY_STEPS_MS = [MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 10 * MINUTE_MS] as const;
const MAX_HISTORY_STEPS = 144;
/** Shortest history. It may begin before the start of the server; that part has no calls. */
const MIN_HISTORY_MS = 10 * MINUTE_MS;

/** Step length, first step and end, unix ms. */
export function historySteps(startedAtMs: number, nowMs: number) {
  const lengthMs = Math.min(HISTORY_MS, Math.max(MIN_HISTORY_MS, nowMs - startedAtMs));
  const stepMs =
    HISTORY_STEPS_MS.find((ms) => Math.ceil(lengthMs / ms) < MAX_HISTORY_STEPS) ?? 10 * MINUTE_MS;
  const endMs = (Math.floor(nowMs / stepMs) + 1) * stepMs;
  const count = Math.min(MAX_HISTORY_STEPS, Math.ceil(lengthMs / stepMs) + 1);
  return { stepMs, fromMs: endMs - count * stepMs, endMs, count };
}

const outcome = z.enum(['ok', ...FAILURE_KINDS]);

/** One step of `historySteps`. `failed` counts calls after which the service was considered failing. */
const healthSpan = z.object({
  fromMs: moment,
  calls: count,
  failed: count,
  firstFailure: z.optional(z.object({ atMs: moment, kind: failureKind })),
});

const recentCall = z.object({
  atMs: moment,
  /** Pattern, not path. */
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
  /** Labels of other hosts that share the budget. */
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
  /** `none` before the first call. */
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
  /** Reason why no call is sent at the moment. */
  pause: z.optional(
    z.object({
      kind: z.enum(['rate-limited', 'failing', 'unauthorized']),
      upstreamStatus: count,
      untilMs: moment,
    }),
  ),
  calls,
  /** Spans of `HISTORY_MS` with calls, oldest first. */
  history: z.array(healthSpan),
  /** Newest first. */
  recent: z.array(recentCall),
  /** Earliest time; absent while the service works. */
  nextProbeAtMs: z.optional(moment),
  budget,
  streams,
  /** The shared stream of our pages, which uses one host at a time. */
  pagesStream: z.optional(
    z.object({
      state: z.enum(['connecting', 'live', 'quiet', 'reconnecting', 'failed']),
      sinceMs: moment,
      failure: z.optional(
        z.object({ kind: z.string(), detail: z.string(), retryAfterS: z.optional(z.number()) }),
      ),
    }),
  ),
  /** `offByMs`: smallest proven lead of the service's clock, of the least skewed of the last `answers` answers; or 0. */
  clock: z.optional(z.object({ offByMs: z.number(), datedMs: moment, atMs: moment, answers: count })),
});

const service = z.object({
  /** `logs:<keeper>`, `updates`, `upgraded`, `router`; `router:symbols` if it has a host of its own. */
  label: z.string(),
  service: z.enum(SERVICES),
  /** Absent without a URL. */
  host: z.optional(host),
});

const report = z.object({
  /** Time by the server's clock. Ages are relative to it. */
  atMs: moment,
  startedAtMs: moment,
  source: z.enum(['live', 'sandbox']),
  /** `open`: anyone who can reach this server has access. */
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
