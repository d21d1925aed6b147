/** Where a 429 names no time, we wait this long (interface contract: "30 s where it names no time"). */
export const DEFAULT_RETRY_AFTER_S = 30;
/** A day: nobody means more, and a typing slip in a header must not switch a service off until the restart. */
const MAX_RETRY_AFTER_S = 86_400;

/**
 * Seconds to wait named by a `Retry-After` header: a number of seconds or an HTTP date.
 * A date is measured against the answer's own `Date` header where there is one, so that a service whose clock
 * is off still gets the pause it asked for; else against `wallNowMs` (unix milliseconds).
 * Returns undefined when the header is missing or says nothing readable. Never under 1. Sent twice, the first counts.
 */
export function readRetryAfter(
  value: string | string[] | undefined,
  dateHeader: string | undefined,
  wallNowMs: number,
): number | undefined {
  const text = [value].flat()[0]?.trim() ?? '';
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
