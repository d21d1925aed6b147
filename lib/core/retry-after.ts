type HeaderValue = string | string[] | null | undefined;

/** Pause after a 429 that names no time; required by the interface contract. */
const DEFAULT_RETRY_AFTER_S = 30;
/** One day. A typo in a header must not switch a service off until the next restart. */
const MAX_RETRY_AFTER_S = 86_400;

/** Seconds, at least 1. A date is compared with the answer's own `Date`, because the service's clock may be off. */
function readRetryAfter(
  value: HeaderValue,
  dateHeader: string | null | undefined,
  wallNowMs: number,
): number | undefined {
  const text = (Array.isArray(value) ? value[0] : value)?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return bounded(Number(text));
  // Date.parse alone would read "5-1" as a date in 2001.
  if (!/^(?:[A-Za-z]{3,9},? |\d{4}-\d\d-\d\dT)/.test(text)) return undefined;
  const until = Date.parse(text);
  if (Number.isNaN(until)) return undefined;
  const serviceNow = Date.parse(dateHeader ?? '');
  return bounded((until - (Number.isNaN(serviceNow) ? wallNowMs : serviceNow)) / 1000);
}

/** Bounds of a `RateLimit-Reset`: from the first on it is a unix time in seconds; from the second on, in ms. */
const MIN_UNIX_S = 1e9;
const MIN_UNIX_MS = 1e12;

/** Seconds. */
function readReset(value: HeaderValue, wallNowMs: number): number | undefined {
  const text = (Array.isArray(value) ? value[0] : value)?.trim() ?? '';
  if (!/^\d{1,15}(\.\d+)?$/.test(text)) return undefined;
  const number = Number(text);
  if (number < MIN_UNIX_S) return bounded(number);
  return bounded((number < MIN_UNIX_MS ? number * 1000 - wallNowMs : number - wallNowMs) / 1000);
}

function bounded(seconds: number): number {
  return Math.min(MAX_RETRY_AFTER_S, Math.max(1, Math.ceil(seconds)));
}

/**
 * Seconds that all callers must wait; undefined if none. The refusal of one request (400, 404, 422 …) delays no other.
 * A rate-limit reset counts only with a 429, because successful answers have the header too.
 */
export function retryAfterSeconds(
  status: number,
  headers: { retryAfter: HeaderValue; date: string | null | undefined; reset?: HeaderValue },
  wallNowMs: number,
): number | undefined {
  const isAboutAll = status >= 300 && (status < 400 || status >= 500 || [401, 403, 429].includes(status));
  const named = isAboutAll ? readRetryAfter(headers.retryAfter, headers.date, wallNowMs) : undefined;
  if (named !== undefined || status !== 429) return named;
  return readReset(headers.reset, wallNowMs) ?? DEFAULT_RETRY_AFTER_S;
}
