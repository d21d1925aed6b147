import 'server-only';
import { callerOfFetch } from '@/lib/access/caller';
import { guardRequest } from '@/lib/access/guard';
import { type Entry, enter, type Principal } from '@/lib/access/principal';
import { type Problem, problem } from '@/lib/core/problem';

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

/** A text as it stands, such as the answer of a service that is passed on; null after a HEAD. */
export function textReply(text: string | null, contentType = 'application/json'): Response {
  return new Response(text, { headers: { ...API_HEADERS, 'content-type': contentType } });
}

/** An answer of our own. */
export function jsonReply(value: unknown): Response {
  return textReply(JSON.stringify(value));
}

/** An error, with `Retry-After` where it says when to come back. */
export function problemReply(problem: Problem, headers: Record<string, string> = {}): Response {
  const { status } = problem;
  return new Response(JSON.stringify(problem), {
    status,
    headers: { ...problemHeaders(problem), ...headers },
  });
}

/** The headers of an error, for handlers that write them by hand. */
export function problemHeaders(problem: Problem): Record<string, string> {
  return {
    ...API_HEADERS,
    'content-type': 'application/problem+json',
    ...(problem.retryAfterS === undefined ? {} : { 'retry-after': String(problem.retryAfterS) }),
  };
}

type Answering = (request: Request) => Response | Promise<Response>;
type AnsweringTo = (request: Request, principal: Principal) => Response | Promise<Response>;

/**
 * A route of our own that is only read: guards it, asks who it is, refuses other methods, and answers a HEAD like a GET
 * without a body. Export the result for every method, so that none falls to the framework's own answers.
 */
export function ownRoute(answer: AnsweringTo) {
  return async function handle(request: Request): Promise<Response> {
    const entry = await entered(request);
    if (!entry.ok) return problemReply(entry.problem, entry.headers);
    return withCookie(await read(request, (asked) => answer(asked, entry.principal)), entry.setCookie);
  };
}

/** The same for a route that answers signed out too, or that asks for itself who it is. */
export function openRoute(answer: Answering) {
  return async function handle(request: Request): Promise<Response> {
    const refusal = guardRequest(guardedHeaders(request));
    return refusal ? problemReply(refusal) : read(request, answer);
  };
}

async function read(request: Request, answer: Answering): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return methodReply('GET, HEAD');
  const response = await answer(request);
  return request.method === 'HEAD' ? new Response(null, response) : response;
}

/**
 * A route of our own that makes something happen: guards it, and takes nothing but POST, so that no link and no prefetch
 * sets it off. Export the result for every method.
 */
export function ownAction(act: AnsweringTo) {
  return async function handle(request: Request): Promise<Response> {
    const entry = await entered(request);
    if (!entry.ok) return problemReply(entry.problem, entry.headers);
    if (request.method !== 'POST') return methodReply('POST');
    return withCookie(await act(request, entry.principal), entry.setCookie);
  };
}

/** The host and the site that a request is for, then whether somebody may come in. */
async function entered(request: Request): Promise<Entry> {
  const refusal = guardRequest(guardedHeaders(request));
  return refusal ? { ok: false, problem: refusal, headers: {} } : enter(callerOfFetch(request));
}

/** A session in use goes on: its new token travels with whatever is answered. */
function withCookie(response: Response, setCookie: string | undefined): Response {
  if (setCookie !== undefined) response.headers.append('set-cookie', setCookie);
  return response;
}

/** What the guard looks at, from a request in the fetch style. */
export function guardedHeaders({ headers }: Request) {
  return {
    host: headers.get('host'),
    origin: headers.get('origin'),
    secFetchSite: headers.get('sec-fetch-site'),
    secPurpose: headers.get('sec-purpose'),
  };
}

/** 405, with the methods that would do. */
export function methodReply(allow: string): Response {
  return problemReply(problem('method', `This route answers ${allow}.`), { allow });
}
