/** The services behind the dashboard, by the names our errors, metrics and pages use. */
export const SERVICES = ['logs', 'updates', 'upgraded', 'router'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** What can go wrong with a call that was meant to work. Exceptions are bugs; these are values. */
export const FAILURE_KINDS = [
  /** The service said 4xx (other than the kinds below). */
  'rejected',
  /** The service said 404. */
  'missing',
  /** The service said 401 or 403: our key, not the user. */
  'unauthorized',
  /** The service said 429, or we still wait for an earlier one. */
  'rate-limited',
  /** The service said 5xx. */
  'failing',
  /** No connection. */
  'unreachable',
  /** No headers, or not done, in time. */
  'timeout',
  /** An answer that is not what the contract describes: redirect, not JSON, truncated, over the cap, no envelope. */
  'malformed',
  /** No URL is set for the service. */
  'unconfigured',
  /** Our own limits. */
  'too-many',
  /** Refused here, without a call. */
  'bad-request',
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

export type Outcome<T> = { ok: true; value: T } | { ok: false; failure: Failure };

export function ok<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function failed<T = never>(failure: Failure): Outcome<T> {
  return { ok: false, failure };
}

/** Makes a `switch` over a union exhaustive: the compiler refuses the call while a member is not handled. */
export function assertNever(value: never): never {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}`);
}
