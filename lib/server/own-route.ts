import 'server-only';
import { problem } from '@/lib/domain/problem';
import { guardRequest } from './guard';
import { problemReply, problemText, type Reply, responseOf } from './reply';

/**
 * A route of our own that is only read: guards it, refuses other methods, and answers a HEAD like a GET without a body.
 * Export the result for every method, so that none falls to the framework's own answers.
 */
export function ownRoute(answer: (request: Request) => Response | Promise<Response>) {
  return async function handle(request: Request): Promise<Response> {
    const refusal = guardRequest(guardedHeaders(request));
    if (refusal) return problemReply(refusal);
    if (request.method !== 'GET' && request.method !== 'HEAD') return responseOf(methodText('GET, HEAD'));
    const response = await answer(request);
    return request.method === 'HEAD' ? new Response(null, response) : response;
  };
}

/** What the guard looks at, from a request in the fetch style. */
export function guardedHeaders({ headers }: Request) {
  return {
    host: headers.get('host'),
    origin: headers.get('origin'),
    secFetchSite: headers.get('sec-fetch-site'),
  };
}

/** 405, with the methods that would do. */
export function methodText(allow: string): Reply {
  return problemText(problem('method', `This route answers ${allow}.`), { allow });
}
