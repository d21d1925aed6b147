import 'server-only';
import { FailureError } from '@/lib/core/outcome';
import { type Problem, problem, problemOf } from '@/lib/core/problem';
import { log } from '@/lib/platform/log';
import { callerOfFetch } from './caller';
import { guardRequest } from './guard';
import { enter, type Principal } from './principal';

/** Headers of every answer under /api: fresh, taken for what it says it is, not for other sites, and in no frame. */
const API_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** `no-transform` keeps Next from compressing each piece by itself, `X-Accel-Buffering` nginx from collecting them. */
export const STREAMING_HEADERS = {
  ...API_HEADERS,
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** A text as it stands, such as the answer of a service that is passed on; null after a HEAD. */
export function textReply(text: string | null, contentType = 'application/json'): Response {
  return new Response(text, { headers: { ...API_HEADERS, 'content-type': contentType } });
}

export function jsonReply(value: unknown): Response {
  return textReply(JSON.stringify(value));
}

export function problemReply(problem: Problem, headers: Record<string, string> = {}): Response {
  const { status } = problem;
  return new Response(JSON.stringify(problem), {
    status,
    headers: { ...problemHeaders(problem), ...headers },
  });
}

export function problemHeaders(problem: Problem): Record<string, string> {
  return {
    ...API_HEADERS,
    'content-type': 'application/problem+json',
    ...(problem.retryAfterS === undefined ? {} : { 'retry-after': String(problem.retryAfterS) }),
  };
}

/** Host, site and principal are checked first. A session in use goes on: its new token travels with the answer. */
export async function guarded(
  request: Request,
  answer: (principal: Principal) => Response | Promise<Response>,
): Promise<Response> {
  const caller = callerOfFetch(request);
  const refusal = guardRequest(caller);
  if (refusal) return problemReply(refusal);
  const entry = await enter(caller);
  if (!entry.ok) return problemReply(entry.problem, entry.headers);
  const response = await answered(() => answer(entry.principal));
  if (entry.setCookie !== undefined) response.headers.append('set-cookie', entry.setCookie);
  return response;
}

/** A database that is down is no fault of ours: which one it is, and where, is the answer. */
async function answered(answer: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    log().error({ error }, 'index unavailable');
    return problemReply(problemOf(error.failure));
  }
}

type Handler = (request: Request, principal: Principal) => Response | Promise<Response>;

/** A route that is only read: guarded, HEAD answered like GET. Export it for every method. */
export const ownRoute = (answer: Handler) => (request: Request) =>
  guarded(request, (principal) => withMethod(request, 'GET', () => answer(request, principal)));

/** A route that makes something happen: guarded, POST alone, so that no link and no prefetch sets it off. */
export const ownAction = (act: Handler) => (request: Request) =>
  guarded(request, (principal) => withMethod(request, 'POST', () => act(request, principal)));

/** The same for a route that is read, and answers signed out too or asks for itself who it is. */
export const openRoute = (answer: (request: Request) => Promise<Response>) => async (request: Request) => {
  const refusal = guardRequest(callerOfFetch(request));
  return refusal ? problemReply(refusal) : withMethod(request, 'GET', () => answer(request));
};

async function withMethod(
  { method }: Request,
  wanted: 'GET' | 'POST',
  answer: () => Response | Promise<Response>,
): Promise<Response> {
  if (method === wanted) return answer();
  if (wanted === 'GET' && method === 'HEAD') return new Response(null, await answer());
  return methodReply(wanted);
}

/** @param allow where GET is, HEAD is too */
export function methodReply(allow: string): Response {
  const methods = allow.replace(/^GET$/, 'GET, HEAD');
  return problemReply(problem('method', `Allowed: ${methods}.`), { allow: methods });
}
