import 'server-only';
import { problem } from '@/lib/core/problem';
import { askerOfFetch } from './asker';
import { guardRequest } from './guard';
import { problemReply, problemText, type Reply, responseOf } from './reply';
import { type Entry, enter, type Visitor } from './visitor';

type Answering = (request: Request) => Response | Promise<Response>;
type AnsweringTo = (request: Request, visitor: Visitor) => Response | Promise<Response>;

/**
 * A route of our own that is only read: guards it, asks who it is, refuses other methods, and answers a HEAD like a GET
 * without a body. Export the result for every method, so that none falls to the framework's own answers.
 */
export function ownRoute(answer: AnsweringTo) {
  return async function handle(request: Request): Promise<Response> {
    const entry = await entered(request);
    if (!entry.ok) return problemReply(entry.problem, entry.headers);
    return withCookie(await read(request, (asked) => answer(asked, entry.visitor)), entry.setCookie);
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
  if (request.method !== 'GET' && request.method !== 'HEAD') return responseOf(methodText('GET, HEAD'));
  const response = await answer(request);
  return request.method === 'HEAD' ? new Response(null, response) : response;
}

/**
 * A route of our own that makes something happen: guards it, and takes nothing but POST, so that no link and no prefetch
 * sets it off. Export the result for every method.
 */
export function ownAction(act: Answering) {
  return async function handle(request: Request): Promise<Response> {
    const entry = await entered(request);
    if (!entry.ok) return problemReply(entry.problem, entry.headers);
    if (request.method !== 'POST') return responseOf(methodText('POST'));
    return withCookie(await act(request), entry.setCookie);
  };
}

/** The host and the site that a request is for, then whether somebody may come in. */
async function entered(request: Request): Promise<Entry> {
  const refusal = guardRequest(guardedHeaders(request));
  return refusal ? { ok: false, problem: refusal, headers: {} } : enter(askerOfFetch(request));
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
export function methodText(allow: string): Reply {
  return problemText(problem('method', `This route answers ${allow}.`), { allow });
}
