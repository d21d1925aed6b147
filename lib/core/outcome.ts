export const SERVICES = ['logs', 'updates', 'upgraded', 'router', 'rpc'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** Neither host ever answers for the other. */
export type UpdateHost = 'updates' | 'upgraded';

/** Expected failures of a call. Unexpected exceptions are bugs. */
export const FAILURE_KINDS = [
  'rejected',
  'missing',
  'unauthorized',
  'rate-limited',
  'failing',
  'unreachable',
  'timeout',
  'malformed',
  'wrong-chain',
  'unconfigured',
  'too-many',
  'bad-request',
  'index-unavailable',
] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

export type Failure = {
  kind: FailureKind;
  service?: ServiceName;
  /** Plain text for people, without a key, a stack or HTML. */
  detail: string;
  upstreamStatus?: number;
  /** Whole seconds. */
  retryAfterS?: number;
};

/** An error whose text is shown to people as it is, such as a database that is down. */
export abstract class FailureError extends Error {
  abstract readonly failure: Failure;
}

export type Outcome<T> = { ok: true; value: T } | { ok: false; failure: Failure };

export const ok = <T>(value: T): Outcome<T> => ({ ok: true, value });
export const failed = <T = never>(failure: Failure): Outcome<T> => ({ ok: false, failure });
/** Refuses without calling a service. */
export const badRequest = (detail: string): Outcome<never> => failed({ kind: 'bad-request', detail });
