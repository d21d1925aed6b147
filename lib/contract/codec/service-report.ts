import { type FailureKind, failed, type Outcome, ok } from '@/lib/domain/outcome';
import { count, finite, list, oneOf, optional, type Read, readAnswer, shape, text } from './triage-members';

/** Where the services are told about; `POST` below it asks each of them now. */
export const SERVICES_ADDRESS = '/api/view/services';
export const SERVICE_CHECK_ADDRESS = '/api/view/services/check';

const ACCESS_KINDS = ['local', 'password', 'proxy', 'open'] as const;

const SERVICES = ['logs', 'updates', 'upgraded', 'router'] as const;

/** The key of a host, and nothing of its value. Times are unix ms. */
export type KeyReport = {
  /** `unusable`: it can't stand in a header. */
  state: 'none' | 'set' | 'unusable';
  /** The setting to look at when it is refused. */
  setting: string;
  origin?: {
    kind: 'environment' | 'file' | 'sandbox';
    /** The variable that holds the key, or names its file. */
    setting?: string;
    sinceMs: number;
    writtenAtMs?: number;
    trouble?: 'file-unusable';
  };
  /** What the service last said of this very key; absent before it said anything. */
  verdict?: { verdict: 'accepted' | 'refused'; upstreamStatus: number; atMs: number };
};

export type TroubleReport = {
  kind: FailureKind;
  count: number;
  lastAtMs: number;
  lastDetail: string;
  lastStatus?: number;
};

/** Calls since the server started. */
export type CallsReport = {
  sent: number;
  /** Of the latest calls, 500 at most. */
  latency?: { calls: number; p50Ms: number; p95Ms: number; p99Ms: number; maxMs: number };
  lastOkAtMs?: number;
  /** The latest first. */
  failures: TroubleReport[];
  /** Calls that our own server did not make. The latest first. */
  heldBack: TroubleReport[];
};

export type BudgetReport = {
  callsPerSecond: number;
  burst: number;
  /** Of the burst. */
  used: number;
  waiting: { user: number; background: number };
  granted: number;
  refused: number;
  /** Labels of other hosts of this report that take from the same budget. */
  sharedWith: string[];
};

export type StreamsReport = {
  /** The oldest first. */
  standing: { openedAtMs: number; feeds: number; lastByteAtMs?: number }[];
  opened: number;
  ends: { 'closed-here': number; 'ended-by-service': number; broken: number };
  lastEnd?: { end: 'closed-here' | 'ended-by-service' | 'broken'; atMs: number; lastedMs: number };
};

/** What the dates of a host's answers say of its clock. */
export type ClockReport = {
  /** Ahead of our server's at least; behind where negative; 0 where no difference is proved. */
  offByMs: number;
  /** What the answer that says so is dated, and when it was here by our server's clock. */
  datedMs: number;
  atMs: number;
  /** Of so many of the latest answers it is the one that is off by least. */
  answers: number;
};

/** How the stream of our own pages is; it stands on one host at a time. */
export type PagesStreamReport = {
  state: 'connecting' | 'live' | 'quiet' | 'reconnecting' | 'failed';
  sinceMs: number;
  failure?: { kind: string; detail: string; retryAfterS?: number };
};

/** The answer to the last press of "Check now". `held-back`: our own server did not make the call. */
export type CheckReport = {
  atMs: number;
  outcome: 'ok' | FailureKind;
  detail?: string;
  call: 'made' | 'held-back';
};

/** One host that has an address. */
export type HostReport = {
  /** Host, port and the short parts of its path prefix. */
  address: string;
  key: KeyReport;
  /** The last call that went out; `none` before the first. */
  last: { state: 'none' | 'ok' | 'failed'; kind?: FailureKind; atMs?: number; latencyMs?: number };
  /** Why no call goes out now. `untilMs`: when the next one may. */
  pause?: { kind: 'rate-limited' | 'failing' | 'unauthorized'; upstreamStatus: number; untilMs: number };
  calls: CallsReport;
  budget: BudgetReport;
  streams: StreamsReport;
  pagesStream?: PagesStreamReport;
  /** Absent: no answer has said yet when it was made. */
  clock?: ClockReport;
  check?: CheckReport;
};

export type ServiceReport = {
  /** `logs:<keeper>`, `updates`, `upgraded`, `router`, `router:symbols` where that has a host of its own. */
  label: string;
  service: (typeof SERVICES)[number];
  /** Absent: no URL is set for it. */
  host?: HostReport;
};

/** Answer of `GET /api/view/services`. */
export type ServicesReport = {
  /** When it was written, by the server's clock: ages are to be counted from it. */
  atMs: number;
  /** Since when everything is counted. */
  startedAtMs: number;
  source: 'live' | 'sandbox';
  /** Who may look: `open` means anyone who can reach this server. */
  access: (typeof ACCESS_KINDS)[number];
  services: ServiceReport[];
};

const failureKind = oneOf([
  'rejected',
  'missing',
  'unauthorized',
  'rate-limited',
  'failing',
  'unreachable',
  'timeout',
  'malformed',
  'unconfigured',
  'too-many',
  'bad-request',
] as const satisfies readonly FailureKind[]);

const outcomeMember: Read<'ok' | FailureKind> = (value) => (value === 'ok' ? value : failureKind(value));

const keyMember = shape<KeyReport>({
  state: oneOf(['none', 'set', 'unusable']),
  setting: text,
  origin: optional(
    shape<NonNullable<KeyReport['origin']>>({
      kind: oneOf(['environment', 'file', 'sandbox']),
      setting: optional(text),
      sinceMs: finite,
      writtenAtMs: optional(finite),
      trouble: optional(oneOf(['file-unusable'])),
    }),
  ),
  verdict: optional(
    shape<NonNullable<KeyReport['verdict']>>({
      verdict: oneOf(['accepted', 'refused']),
      upstreamStatus: count,
      atMs: finite,
    }),
  ),
});

const troubleMember = shape<TroubleReport>({
  kind: failureKind,
  count,
  lastAtMs: finite,
  lastDetail: text,
  lastStatus: optional(count),
});

const callsMember = shape<CallsReport>({
  sent: count,
  latency: optional(
    shape<NonNullable<CallsReport['latency']>>({
      calls: count,
      p50Ms: finite,
      p95Ms: finite,
      p99Ms: finite,
      maxMs: finite,
    }),
  ),
  lastOkAtMs: optional(finite),
  failures: list(troubleMember),
  heldBack: list(troubleMember),
});

const budgetMember = shape<BudgetReport>({
  callsPerSecond: finite,
  burst: finite,
  used: count,
  waiting: shape<BudgetReport['waiting']>({ user: count, background: count }),
  granted: count,
  refused: count,
  sharedWith: list(text),
});

const endMember = oneOf(['closed-here', 'ended-by-service', 'broken']);

const streamsMember = shape<StreamsReport>({
  standing: list(
    shape<StreamsReport['standing'][number]>({
      openedAtMs: finite,
      feeds: count,
      lastByteAtMs: optional(finite),
    }),
  ),
  opened: count,
  ends: shape<StreamsReport['ends']>({ 'closed-here': count, 'ended-by-service': count, broken: count }),
  lastEnd: optional(
    shape<NonNullable<StreamsReport['lastEnd']>>({ end: endMember, atMs: finite, lastedMs: finite }),
  ),
});

const hostMember = shape<HostReport>({
  address: text,
  key: keyMember,
  last: shape<HostReport['last']>({
    state: oneOf(['none', 'ok', 'failed']),
    kind: optional(failureKind),
    atMs: optional(finite),
    latencyMs: optional(finite),
  }),
  pause: optional(
    shape<NonNullable<HostReport['pause']>>({
      kind: oneOf(['rate-limited', 'failing', 'unauthorized']),
      upstreamStatus: count,
      untilMs: finite,
    }),
  ),
  calls: callsMember,
  budget: budgetMember,
  streams: streamsMember,
  pagesStream: optional(
    shape<PagesStreamReport>({
      state: oneOf(['connecting', 'live', 'quiet', 'reconnecting', 'failed']),
      sinceMs: finite,
      failure: optional(
        shape<NonNullable<PagesStreamReport['failure']>>({
          kind: text,
          detail: text,
          retryAfterS: optional(finite),
        }),
      ),
    }),
  ),
  clock: optional(shape<ClockReport>({ offByMs: finite, datedMs: finite, atMs: finite, answers: count })),
  check: optional(
    shape<CheckReport>({
      atMs: finite,
      outcome: outcomeMember,
      detail: optional(text),
      call: oneOf(['made', 'held-back']),
    }),
  ),
});

const reportMember = shape<ServicesReport>({
  atMs: finite,
  startedAtMs: finite,
  source: oneOf(['live', 'sandbox']),
  access: oneOf(ACCESS_KINDS),
  services: list(shape<ServiceReport>({ label: text, service: oneOf(SERVICES), host: optional(hostMember) })),
});

/** Reads the answer's text. Fails with `malformed` when it is none of ours. */
export function readServicesReport(answer: string): Outcome<ServicesReport> {
  const report = readAnswer(answer, reportMember);
  return report === undefined
    ? failed({ kind: 'malformed', detail: 'The report on the services cannot be read.' })
    : ok(report);
}
