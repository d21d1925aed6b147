import * as z from 'zod/mini';
import { answerReader } from './gateway';
import { FAILURE_KINDS, SERVICES } from './outcome';

/** Where the services are told about; `POST` below it asks each of them now. */
export const SERVICES_ADDRESS = '/api/view/services';
export const SERVICE_CHECK_ADDRESS = '/api/view/services/check';

const count = z.int().check(z.nonnegative());
const moment = z.number();
const failureKind = z.enum(FAILURE_KINDS);

/** The key of a host, and nothing of its value. Times are unix ms, here and below. */
const key = z.object({
  /** `unusable`: it can't stand in a header. */
  state: z.enum(['none', 'set', 'unusable']),
  /** The setting to look at when it is refused. */
  setting: z.string(),
  origin: z.optional(
    z.object({
      kind: z.enum(['environment', 'file', 'sandbox']),
      /** The variable that holds the key, or names its file; absent for the sandbox's own. */
      setting: z.optional(z.string()),
      sinceMs: moment,
      writtenAtMs: z.optional(moment),
      /** The file holds no usable secret now: the last good one stays in use. */
      trouble: z.optional(z.literal('file-unusable')),
    }),
  ),
  /** What the service last said of this very key; absent before it said anything. */
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

/** Calls since the server started; trouble only of kinds that were met within the last hour. */
const calls = z.object({
  sent: count,
  /** Of the latest calls, 500 at most, by nearest rank; absent before the first that was answered. */
  latency: z.optional(
    z.object({ calls: count, p50Ms: z.number(), p95Ms: z.number(), p99Ms: z.number(), maxMs: z.number() }),
  ),
  lastOkAtMs: z.optional(moment),
  /** The latest first. */
  failures: z.array(trouble),
  /** Calls that our own server did not make. The latest first. */
  heldBack: z.array(trouble),
});

const budget = z.object({
  callsPerSecond: z.number(),
  burst: z.number(),
  used: count,
  waiting: z.object({ user: count, background: count }),
  granted: count,
  refused: count,
  /** Labels of other hosts of this report that take from the same budget. */
  sharedWith: z.array(z.string()),
});

const end = z.enum(['closed-here', 'ended-by-service', 'broken']);

const streams = z.object({
  /** The oldest first. */
  open: z.array(z.object({ openedAtMs: moment, feeds: count, lastByteAtMs: z.optional(moment) })),
  opened: count,
  ends: z.object({ 'closed-here': count, 'ended-by-service': count, broken: count }),
  lastEnd: z.optional(z.object({ end, atMs: moment, lastedMs: z.number() })),
});

const host = z.object({
  /** Host, port and the short parts of its path prefix. */
  address: z.string(),
  key,
  /** The last call that went out; `none` before the first. */
  last: z.object({
    state: z.enum(['none', 'ok', 'failed']),
    kind: z.optional(failureKind),
    atMs: z.optional(moment),
    latencyMs: z.optional(z.number()),
    /** Of the first failure of those in a row. */
    failingSinceMs: z.optional(moment),
  }),
  /** Why no call goes out now. `untilMs`: when the next one may. */
  pause: z.optional(
    z.object({
      kind: z.enum(['rate-limited', 'failing', 'unauthorized']),
      upstreamStatus: count,
      untilMs: moment,
    }),
  ),
  calls,
  budget,
  streams,
  /** How the stream of our own pages is; it stands on one host at a time. */
  pagesStream: z.optional(
    z.object({
      state: z.enum(['connecting', 'live', 'quiet', 'reconnecting', 'failed']),
      sinceMs: moment,
      failure: z.optional(
        z.object({ kind: z.string(), detail: z.string(), retryAfterS: z.optional(z.number()) }),
      ),
    }),
  ),
  /** `offByMs`: ahead of our clock at least, 0 unless proved; by the answer of `answers` that is off by least. */
  clock: z.optional(z.object({ offByMs: z.number(), datedMs: moment, atMs: moment, answers: count })),
});

const service = z.object({
  /** `logs:<keeper>`, `updates`, `upgraded`, `router`, `router:symbols` where that has a host of its own. */
  label: z.string(),
  service: z.enum(SERVICES),
  /** Absent: no URL is set for it. */
  host: z.optional(host),
});

/** Answer of `GET /api/view/services`. */
const report = z.object({
  /** When it was written, by the server's clock: ages are to be counted from it. */
  atMs: moment,
  startedAtMs: moment,
  source: z.enum(['live', 'sandbox']),
  /** Who may look: `open` means anyone who can reach this server. */
  access: z.enum(['local', 'password', 'proxy', 'open']),
  services: z.array(service),
});

export type TroubleReport = z.infer<typeof trouble>;
export type StreamsReport = z.infer<typeof streams>;
export type HostReport = z.infer<typeof host>;
export type ServiceReport = z.infer<typeof service>;
export type ServicesReport = z.infer<typeof report>;

export const readServicesReport = answerReader(report, 'report on the services');
