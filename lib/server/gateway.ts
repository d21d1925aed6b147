import 'server-only';
import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import { problem, problemOf } from '@/lib/core/problem';
import { askerOfFetch } from './asker';
import { type GatewayRoute, isConfigured, routeOf, unconfigured } from './gateway-routes';
import { guardRequest } from './guard';
import { guardedHeaders, methodText } from './own-route';
import { jsonText, problemText, type Reply, responseOf } from './reply';
import { readBody } from './request-body';
import { QUERY_HEADER } from './request-gate';
import { services } from './services';
import { enter, type Visitor } from './visitor';

/**
 * Answers a request below /api that belongs to a service: guards it, finds its route, refuses what no service could
 * answer, and passes the service's own text on. Of the caller's headers nothing goes on.
 * @param segments the path below /api as Next decoded it; where decoding changed anything, no route matches
 */
export async function handleGateway(request: Request, segments?: readonly string[]): Promise<Response> {
  return responseOf(await answer(request, segments));
}

async function answer(request: Request, segments: readonly string[] | undefined): Promise<Reply> {
  const refusal = guardRequest(guardedHeaders(request));
  if (refusal) return problemText(refusal);
  const entry = await enter(askerOfFetch(request));
  if (!entry.ok) return problemText(entry.problem, entry.headers);
  const { pathname, search } = new URL(request.url);
  const isPlain = segments === undefined || pathname === `/api/${segments.join('/')}`;
  const route = isPlain ? routeOf(pathname) : undefined;
  if (!route) return problemText(problem('no-such-route', 'The gateway has no such route.'));
  if (!answersMethod(route, request.method))
    return methodText(route.method === 'GET' ? 'GET, HEAD' : route.method);
  const rawQuery = request.headers.get(QUERY_HEADER) ?? search.slice(1);
  const outcome = await callRoute(route, request, rawQuery, entry.visitor);
  return outcome.ok ? jsonText(outcome.value) : problemText(problemOf(outcome.failure));
}

function answersMethod({ method }: GatewayRoute, asked: string): boolean {
  return asked === method || (asked === 'HEAD' && method === 'GET');
}

/** A HEAD is checked like its GET and then answered without a call: a flood of them costs the services nothing. */
async function callRoute(
  route: GatewayRoute,
  request: Request,
  rawQuery: string,
  { keys: [client = ''] }: Visitor,
): Promise<Outcome<string | null>> {
  const { method, headers } = request;
  const all = services();
  if (!isConfigured(all, route.service)) return failed(unconfigured(route.service));
  if (route.method === 'POST' && isFromPage(headers) && !isJson(headers.get('content-type'))) {
    return failed(badRequest('The body must be JSON, sent with Content-Type: application/json.'));
  }
  const read = route.method === 'POST' ? await readBody('gateway', client, request) : ok('');
  if (!read.ok) return read;
  const body = read.value;
  const query = new URLSearchParams(rawQuery);
  const refusal = route.check({ query, body, keepers: all.keepers });
  if (refusal) return failed(badRequest(refusal.detail));
  if (method === 'HEAD') return { ok: true, value: null };
  return route.call(all, { query, rawQuery, body });
}

/** Whether a browser sent it: a form of any site can post every type but JSON without being asked first. */
function isFromPage(headers: Headers): boolean {
  return Boolean(headers.get('origin')) || Boolean(headers.get('sec-fetch-site'));
}

function isJson(contentType: string | null): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType ?? '');
}

function badRequest(detail: string): Failure {
  return { kind: 'bad-request', detail };
}
