/** The services behind the dashboard, by the names our errors, metrics and pages use. */
export const SERVICES = ['logs', 'updates', 'upgraded', 'router'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** The two hosts of the price update service; one never answers for the other. */
export type UpdateHost = 'updates' | 'upgraded';

/** What can go wrong with a call that was meant to work; see `PROBLEMS` (problem.ts). Exceptions are bugs. */
export const FAILURE_KINDS = [
  ...(['rejected', 'missing', 'unauthorized', 'rate-limited', 'failing', 'unreachable', 'timeout'] as const),
  ...(['malformed', 'unconfigured', 'too-many', 'bad-request', 'index-unavailable'] as const),
] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

export type Failure = {
  kind: FailureKind;
  service?: ServiceName;
  /** Plain text for people: never a key, a stack or HTML. */
  detail: string;
  upstreamStatus?: number;
  /** Whole seconds until a call may succeed again. */
  retryAfterS?: number;
};

/** An error that people are told of as it stands, such as a database that is down. */
export abstract class FailureError extends Error {
  abstract readonly failure: Failure;
}

export type Outcome<T> = { ok: true; value: T } | { ok: false; failure: Failure };

export const ok = <T>(value: T): Outcome<T> => ({ ok: true, value });
export const failed = <T = never>(failure: Failure): Outcome<T> => ({ ok: false, failure });
/** What is refused here, without a call. */
export const badRequest = (detail: string): Outcome<never> => failed({ kind: 'bad-request', detail });
