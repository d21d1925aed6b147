import 'server-only';
import type { Problem } from '@/lib/core/problem';

/** Headers of every answer under /api: fresh, taken for what it says it is, not for other sites, and in no frame. */
const API_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/**
 * Those of an answer that comes piece by piece. `no-transform` keeps Next from compressing each piece by itself (two and a
 * half times the CPU of a stream), and `X-Accel-Buffering` keeps nginx from collecting pieces before it passes them on.
 */
export const PIECEWISE_HEADERS = {
  ...API_HEADERS,
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** An answer before it takes the form of the fetch API or of Node. The text is null after a HEAD. */
export type Reply = { status: number; headers: Record<string, string>; text: string | null };

/** JSON text as it stands: an answer of a service that is passed on. */
export function jsonText(text: string | null): Reply {
  return { status: 200, headers: { ...API_HEADERS, 'content-type': 'application/json' }, text };
}

/** An error, with `Retry-After` where it says when to come back. */
export function problemText(problem: Problem, headers: Record<string, string> = {}): Reply {
  const { status } = problem;
  return { status, headers: { ...problemHeaders(problem), ...headers }, text: JSON.stringify(problem) };
}

export function responseOf({ status, headers, text }: Reply): Response {
  return new Response(text, { status, headers });
}

/** An answer of our own. */
export function jsonReply(value: unknown): Response {
  return responseOf(jsonText(JSON.stringify(value)));
}

/** Any other text of our own, such as metrics. */
export function textReply(text: string, contentType: string): Response {
  return new Response(text, { headers: { ...API_HEADERS, 'content-type': contentType } });
}

export function problemReply(problem: Problem, headers: Record<string, string> = {}): Response {
  return responseOf(problemText(problem, headers));
}

/** The headers of an error, for handlers that write them by hand. */
export function problemHeaders(problem: Problem): Record<string, string> {
  return {
    ...API_HEADERS,
    'content-type': 'application/problem+json',
    ...(problem.retryAfterS === undefined ? {} : { 'retry-after': String(problem.retryAfterS) }),
  };
}
