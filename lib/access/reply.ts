import 'server-only';
import { FailureError } from '@/lib/core/outcome';
import { failureProblem, type ProblemDetails, problemDetails } from '@/lib/core/problem';
import { log } from '@/lib/platform/log';
import { callerOfFetch } from './caller';
import { guardRequest } from './guard';
import { admitWithLimits, type Principal } from './principal';

/** Headers of answers under /api: not cached, not sniffed, not for other sites, not in frames. */
const API_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** `no-transform` keeps Next from compressing each piece, `X-Accel-Buffering` keeps nginx from buffering. */
export const STREAMING_HEADERS = {
  ...API_HEADERS,
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** @param text null in the reply to a HEAD request */
export function textReply(text: string | null, contentType = 'application/json'): Response {
  return new Response(text, { headers: { ...API_HEADERS, 'content-type': contentType } });
}

export function jsonReply(value: unknown): Response {
  return textReply(JSON.stringify(value));
}

export function problemReply(problem: ProblemDetails, headers: Record<string, string> = {}): Response {
  const { status } = problem;
  return new Response(JSON.stringify(problem), {
    status,
    headers: { ...problemHeaders(problem), ...headers },
  });
}

export function problemHeaders(problem: ProblemDetails): Record<string, string> {
  return {
    ...API_HEADERS,
    'content-type': 'application/problem+json',
    ...(problem.retryAfterS === undefined ? {} : { 'retry-after': String(problem.retryAfterS) }),
  };
}

/** Checks host, site and principal first. A session in use is renewed: the answer carries its new token. */
export async function guarded(
  request: Request,
  answer: (principal: Principal) => Response | Promise<Response>,
): Promise<Response> {
  const caller = callerOfFetch(request);
  const refusal = guardRequest(caller);
  if (refusal) return problemReply(refusal);
  const entry = await admitWithLimits(caller);
  if (!entry.ok) return problemReply(entry.problem, entry.headers);
  const response = await answered(() => answer(entry.principal));
  if (entry.setCookie !== undefined) response.headers.append('set-cookie', entry.setCookie);
  return response;
}

/** A database failure becomes a problem. Other exceptions propagate. */
async function answered(answer: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    log().error({ error }, 'index unavailable');
    return problemReply(failureProblem(error.failure));
  }
}

type Handler = (request: Request, principal: Principal) => Response | Promise<Response>;

type RouteHandler<Context> = (request: Request, context: Context) => Promise<Response>;

/** Exports of a `route.ts`, for every method, so that the framework's own answers never appear. */
export function everyMethod<Context = unknown>(handle: RouteHandler<Context>) {
  return {
    DELETE: handle,
    GET: handle,
    HEAD: handle,
    OPTIONS: handle,
    PATCH: handle,
    POST: handle,
    PUT: handle,
  };
}

/** A read-only, guarded route. HEAD is answered like GET. */
export const ownRoute = (answer: Handler) => (request: Request) =>
  guarded(request, (principal) => withMethod(request, 'GET', () => answer(request, principal)));

/** A route with side effects: guarded, and POST only, so that no link or prefetch triggers it. */
export const ownAction = (act: Handler) => (request: Request) =>
  guarded(request, (principal) => withMethod(request, 'POST', () => act(request, principal)));

/** A read-only route, also for callers who are signed out; `answer` may check the principal. */
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

/** GET implies HEAD. */
export function methodReply(allow: string): Response {
  const methods = allow.replace(/^GET$/, 'GET, HEAD');
  return problemReply(problemDetails('method', `Allowed: ${methods}.`), { allow: methods });
}
