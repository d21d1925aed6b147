import type { Failure, FailureKind, ServiceName } from './outcome';

/** Every kind of error our own routes answer with: what goes wrong behind us, and what is refused at the door. */
export type ProblemKind =
  | FailureKind
  | 'not-signed-in'
  | 'forbidden'
  | 'no-such-route'
  | 'method'
  | 'misdirected'
  | 'starting';

/** The body of every error of ours, `application/problem+json` (RFC 9457). */
export type Problem = {
  type: 'about:blank';
  title: string;
  status: number;
  kind: ProblemKind;
  /** Absent where the fault is not a service's. */
  service?: ServiceName;
  detail: string;
  /** Whole seconds; also sent as `Retry-After`. */
  retryAfterS?: number;
};

export const PROBLEM_STATUS: Record<ProblemKind, number> = {
  'bad-request': 400,
  'not-signed-in': 401,
  forbidden: 403,
  'no-such-route': 404,
  method: 405,
  misdirected: 421,
  'too-many': 429,
  starting: 503,
  unconfigured: 503,
  rejected: 400,
  missing: 404,
  unauthorized: 502,
  'rate-limited': 503,
  failing: 502,
  unreachable: 502,
  timeout: 504,
  malformed: 502,
};

/** One short line per kind: what failed and whose fault it is. */
export const PROBLEM_TITLE: Record<ProblemKind, string> = {
  'bad-request': 'The request is not valid',
  'not-signed-in': 'Sign in first',
  forbidden: 'Not allowed',
  'no-such-route': 'No such route',
  method: 'Method not allowed',
  misdirected: 'This host name is not served here',
  'too-many': 'Too many requests to this dashboard',
  starting: 'The dashboard is starting',
  unconfigured: 'The service is not configured',
  rejected: 'The service rejected the request',
  missing: 'The service found nothing',
  unauthorized: 'The service rejected our key',
  'rate-limited': 'The service limits our calls',
  failing: 'The service failed',
  unreachable: 'The service cannot be reached',
  timeout: 'The service did not answer in time',
  malformed: 'The service gave an unreadable answer',
};

/** A problem of ours, without a service to blame. */
export function problem(kind: ProblemKind, detail: string): Problem {
  return { type: 'about:blank', title: PROBLEM_TITLE[kind], status: PROBLEM_STATUS[kind], kind, detail };
}

/** The answer for a failure: the status by its kind, the upstream status never shown as ours. */
export function problemOf(failure: Failure): Problem {
  return {
    ...problem(failure.kind, failure.detail),
    ...(failure.service === undefined ? {} : { service: failure.service }),
    ...(failure.retryAfterS === undefined ? {} : { retryAfterS: failure.retryAfterS }),
  };
}

export function isProblemKind(value: unknown): value is ProblemKind {
  return typeof value === 'string' && Object.hasOwn(PROBLEM_STATUS, value);
}

const SERVICES = ['logs', 'updates', 'upgraded', 'router'] as const;

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads an error answer of our own routes. Always gives a problem: where the text is none (the page of a proxy in
 * between, an empty body), one that says so, without showing that text.
 * @param status the HTTP status of the answer, when known.
 */
export function readProblem(text: string, status?: number): Problem {
  const body = readObject(text);
  if (body === undefined || !isProblemKind(body.kind) || typeof body.detail !== 'string') {
    return unexplained(status);
  }
  const service = SERVICES.find((name) => name === body.service);
  const known = problem(body.kind, body.detail);
  return {
    ...known,
    ...(typeof body.title === 'string' ? { title: body.title } : {}),
    ...(typeof body.status === 'number' ? { status: body.status } : {}),
    ...(service === undefined ? {} : { service }),
    ...(typeof body.retryAfterS === 'number' ? { retryAfterS: body.retryAfterS } : {}),
  };
}

function unexplained(status: number | undefined): Problem {
  const said = status === undefined ? 'something' : `HTTP ${status} with something`;
  const reply = problem(
    'malformed',
    `The dashboard, or a proxy before it, answered ${said} that is not ours.`,
  );
  return { ...reply, title: 'Unreadable answer', ...(status === undefined ? {} : { status }) };
}

/** An error answer of ours as a failure. What was refused at our own door is all one to a page: a bad question. */
export function failureOfProblem({ kind, service, detail, retryAfterS }: Problem): Failure {
  return {
    kind: failureKind(kind),
    detail,
    ...(service === undefined ? {} : { service }),
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
  };
}

function failureKind(kind: Problem['kind']): Failure['kind'] {
  switch (kind) {
    // Without a service it is our own door that stays shut.
    case 'not-signed-in':
      return 'unauthorized';
    case 'forbidden':
    case 'no-such-route':
    case 'method':
    case 'misdirected':
      return 'bad-request';
    case 'starting':
      return 'unreachable';
    default:
      return kind;
  }
}

/** What a line of ours says of a failure: as our problems do, it keeps the service's own status to itself. */
export function problemMember({ kind, service, detail, retryAfterS }: Failure) {
  return { kind, detail, service, retryAfterS };
}

/** A failure as a line of ours carries it: `{kind, detail}`, and the service and the wait where they are known. */
export function failureMember(value: unknown): Failure | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, detail } = value as Record<string, unknown>;
  if (!isProblemKind(kind) || typeof detail !== 'string') return undefined;
  return failureOfProblem(readProblem(JSON.stringify(value)));
}
