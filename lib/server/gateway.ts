import 'server-only';
import { type Failure, failed, type Outcome, ok } from '@/lib/core/outcome';
import { problem, problemOf } from '@/lib/core/problem';
import { askerOfFetch } from './asker';
import { type GatewayRoute, isConfigured, routeOf, unconfigured } from './gateway-routes';
import { type GuardedRequest, guardRequest } from './guard';
import { guardedHeaders, methodText } from './own-route';
import { jsonText, problemText, type Reply, responseOf } from './reply';
import { type Chunks, readBody } from './request-body';
import { services } from './services';
import { type Asker, enter, type Visitor } from './visitor';

/** A request for the gateway, whatever it came through. Of the caller's headers nothing more is looked at. */
export type GatewayRequest = {
  method: string;
  pathname: string;
  /** Without its question mark. */
  rawQuery: string;
  guarded: GuardedRequest;
  asker: Asker;
  /** As its header says; undefined when there is none. */
  contentLength: string | null | undefined;
  contentType: string | null | undefined;
  body: Chunks | undefined;
};

/**
 * Answers a request below /api that belongs to a service: guards it, finds its route, refuses what no service could
 * answer, and passes the service's own text on.
 */
export async function answerGateway(request: GatewayRequest): Promise<Reply> {
  const refusal = guardRequest(request.guarded);
  if (refusal) return problemText(refusal);
  const entry = await enter(request.asker);
  if (!entry.ok) return problemText(entry.problem, entry.headers);
  const route = routeOf(request.pathname);
  if (!route) return noSuchRoute();
  if (!answersMethod(route, request.method))
    return methodText(route.method === 'GET' ? 'GET, HEAD' : route.method);
  const outcome = await callRoute(route, request, entry.visitor);
  return outcome.ok ? jsonText(outcome.value) : problemText(problemOf(outcome.failure));
}

/**
 * The same for a request in the fetch style.
 * @param segments the path below /api as Next decoded it; where decoding changed anything, no route matches
 */
export async function handleGateway(request: Request, segments?: readonly string[]): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const isPlain = segments === undefined || pathname === `/api/${segments.join('/')}`;
  const reply = await answerGateway({
    method: request.method,
    pathname: isPlain ? pathname : '',
    rawQuery: search.slice(1),
    guarded: guardedHeaders(request),
    asker: askerOfFetch(request),
    contentLength: request.headers.get('content-length'),
    contentType: request.headers.get('content-type'),
    body: request.body ?? undefined,
  });
  return responseOf(reply);
}

function noSuchRoute(): Reply {
  return problemText(problem('no-such-route', 'The gateway has no such route.'));
}

function answersMethod({ method }: GatewayRoute, asked: string): boolean {
  return asked === method || (asked === 'HEAD' && method === 'GET');
}

/** A HEAD is checked like its GET and then answered without a call: a flood of them costs the services nothing. */
async function callRoute(
  route: GatewayRoute,
  request: GatewayRequest,
  { keys: [client = ''] }: Visitor,
): Promise<Outcome<string | null>> {
  const { method, rawQuery } = request;
  const all = services();
  if (!isConfigured(all, route.service)) return failed(unconfigured(route.service));
  if (route.method === 'POST' && isFromPage(request.guarded) && !isJson(request.contentType)) {
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
function isFromPage({ origin, secFetchSite }: GuardedRequest): boolean {
  return Boolean(origin) || Boolean(secFetchSite);
}

function isJson(contentType: string | null | undefined): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType ?? '');
}

function badRequest(detail: string): Failure {
  return { kind: 'bad-request', detail };
}
