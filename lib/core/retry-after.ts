type HeaderValue = string | string[] | null | undefined;

/** Where a 429 names no time, we wait this long (interface contract: "30 s where it names no time"). */
const DEFAULT_RETRY_AFTER_S = 30;
/** A day: nobody means more, and a typing slip in a header must not switch a service off until the restart. */
const MAX_RETRY_AFTER_S = 86_400;

/** Seconds that a `Retry-After` names, at least 1; a date counts from the answer's own, as its clock may be off. */
export function readRetryAfter(
  value: HeaderValue,
  dateHeader: string | null | undefined,
  wallNowMs: number,
): number | undefined {
  const text = (Array.isArray(value) ? value[0] : value)?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return bounded(Number(text));
  // Names of days and months, not just digits: Date.parse would take "5-1" for a date in 2001.
  if (!/^[A-Za-z]{3,9},? /.test(text)) return undefined;
  const until = Date.parse(text);
  if (Number.isNaN(until)) return undefined;
  const serviceNow = Date.parse(dateHeader ?? '');
  return bounded((until - (Number.isNaN(serviceNow) ? wallNowMs : serviceNow)) / 1000);
}

function bounded(seconds: number): number {
  return Math.min(MAX_RETRY_AFTER_S, Math.max(1, Math.ceil(seconds)));
}

/**
 * Seconds that an answer asks every caller to wait; undefined where it asks for none. A refusal of one request (400, 404, 422 …)
 * speaks of that request alone, so it never holds the others back.
 */
export function retryAfterSeconds(
  status: number,
  headers: { retryAfter: HeaderValue; date: string | null | undefined },
  wallNowMs: number,
): number | undefined {
  const isAboutAll = status >= 300 && (status < 400 || status >= 500 || [401, 403, 429].includes(status));
  const named = isAboutAll ? readRetryAfter(headers.retryAfter, headers.date, wallNowMs) : undefined;
  return named ?? (status === 429 ? DEFAULT_RETRY_AFTER_S : undefined);
}
