import 'server-only';
import { callerOfFetch, QUERY_HEADER } from '@/lib/access/caller';
import { guardRequest } from '@/lib/access/guard';
import { enter, type Principal } from '@/lib/access/principal';
import { SERVICE_TERMS } from '@/lib/core/health';
import { type Failure, failed, type Outcome, ok, type ServiceName } from '@/lib/core/outcome';
import { problem, problemOf } from '@/lib/core/problem';
import {
  checkAtTime,
  checkDeprecated,
  checkLogsQuery,
  checkQuery,
  checkRouterBody,
  checkUpdatesQuery,
  type Refusal,
} from './gateway-query';
import { methodReply, problemReply, textReply } from './reply';
import { readBody } from './request-body';
import { type Services, services } from './services';

/** What a caller sent, as far as a route looks at it. `rawQuery` is without its question mark. */
export type GatewayCall = { query: URLSearchParams; rawQuery: string; body: string };

export type GatewayRoute = {
  service: ServiceName;
  method: 'GET' | 'POST';
  check(call: { query: URLSearchParams; body: string; keepers: readonly string[] }): Refusal | undefined;
  /** The service's answer as its text; undefined where the service has no URL. */
  call(services: Services, call: GatewayCall): Promise<Outcome<string>> | undefined;
};

const ROUTES: Readonly<Record<string, GatewayRoute>> = {
  '/api/logs/v1/logs': {
    service: 'logs',
    method: 'GET',
    check: ({ query, keepers }) => checkLogsQuery(query, keepers),
    call: ({ logs, keepers }, { query, rawQuery }) =>
      logs.get(query.get('keeper') ?? keepers[0] ?? '')?.logsText(withoutKeeper(query, rawQuery), 'user'),
  },
  ...updateRoutes('updates'),
  ...updateRoutes('upgraded'),
  '/api/router/v1/latest_price': {
    service: 'router',
    method: 'POST',
    check: ({ body }) => checkRouterBody(body, false),
    call: ({ router }, { body }) => router?.latestPriceText(body, 'user'),
  },
  '/api/router/v1/price': {
    service: 'router',
    method: 'POST',
    check: ({ body }) => checkRouterBody(body, true),
    call: ({ router }, { body }) => router?.priceText(body, 'user'),
  },
  '/api/router/v1/symbols': {
    service: 'router',
    method: 'GET',
    check: ({ query }) => checkQuery(query),
    call: ({ router }, { rawQuery }) => router?.symbolsText(rawQuery, 'user'),
  },
};

const AT_TIME = /^\/api\/(updates|upgraded)\/v2\/updates\/price\/([^/]+)$/;

/** The route of a path, which must stand there to the letter. The streams are served elsewhere (streams.ts). */
function routeOf(pathname: string): GatewayRoute | undefined {
  if (Object.hasOwn(ROUTES, pathname)) return ROUTES[pathname];
  const [, host, publishTime] = AT_TIME.exec(pathname) ?? [];
  if (publishTime === undefined || publishTime === 'stream') return undefined;
  const service = host === 'upgraded' ? 'upgraded' : 'updates';
  return {
    service,
    method: 'GET',
    check: ({ query }) => checkAtTime(publishTime, query),
    call: (all, { rawQuery }) => all[service]?.atTimeText(publishTime, rawQuery, 'user'),
  };
}

export const plainGatewayPaths = () => Object.keys(ROUTES);

/** `keeper` is our own parameter. All others go on as they came, in their order. */
function withoutKeeper(query: URLSearchParams, rawQuery: string): string {
  if (!query.has('keeper')) return rawQuery;
  return rawQuery
    .split('&')
    .filter((part) => !new URLSearchParams(part).has('keeper'))
    .join('&');
}

/** The two hosts of the price update service; one never answers for the other. */
export type UpdateHost = 'updates' | 'upgraded';

function updateRoutes(service: UpdateHost): Record<string, GatewayRoute> {
  const get = { service, method: 'GET' } as const;
  return {
    [`/api/${service}/v2/updates/price/latest`]: {
      ...get,
      check: ({ query }) => checkUpdatesQuery(query),
      call: (all, { rawQuery }) => all[service]?.latestText(rawQuery, 'user'),
    },
    [`/api/${service}/api/get_price_feed`]: {
      ...get,
      check: ({ query }) => checkDeprecated(query),
      call: (all, { rawQuery }) => all[service]?.deprecatedText(rawQuery, 'user'),
    },
    [`/api/${service}/v2/price_feeds`]: {
      ...get,
      check: ({ query }) => checkQuery(query),
      call: (all, { rawQuery }) => all[service]?.directoryText(rawQuery, 'user'),
    },
  };
}

export function unconfigured(service: ServiceName): Failure {
  return {
    kind: 'unconfigured',
    service,
    detail: `The service is not configured. Set ${SERVICE_TERMS[service].url}.`,
  };
}

/** Answers a request that belongs to a service, with its own text. @param isPlain else no route matches the path */
export async function handleGateway(request: Request, isPlain = true): Promise<Response> {
  const caller = callerOfFetch(request);
  const refusal = guardRequest(caller);
  if (refusal) return problemReply(refusal);
  const entry = await enter(caller);
  if (!entry.ok) return problemReply(entry.problem, entry.headers);
  const { pathname, search } = new URL(request.url);
  const route = isPlain ? routeOf(pathname) : undefined;
  if (!route) return problemReply(problem('no-such-route', 'No such route.'));
  const isAnswered = request.method === route.method || (request.method === 'HEAD' && route.method === 'GET');
  if (!isAnswered) return methodReply(route.method === 'GET' ? 'GET, HEAD' : route.method);
  const rawQuery = request.headers.get(QUERY_HEADER) ?? search.slice(1);
  const outcome = await callRoute(route, request, rawQuery, entry.principal);
  return outcome.ok ? textReply(outcome.value) : problemReply(problemOf(outcome.failure));
}

/** A HEAD is checked like its GET and then answered without a call: a flood of them costs the services nothing. */
async function callRoute(
  route: GatewayRoute,
  request: Request,
  rawQuery: string,
  { keys: [client = ''] }: Principal,
): Promise<Outcome<string | null>> {
  const { method, headers } = request;
  const all = services();
  const { service } = route;
  const isConfigured = service === 'logs' ? all.keepers.length > 0 : all[service] !== undefined;
  if (!isConfigured) return failed(unconfigured(service));
  // A form of any site can post every type but JSON without being asked first.
  const isFromPage = Boolean(headers.get('origin')) || Boolean(headers.get('sec-fetch-site'));
  const isJson = /^application\/json\s*(;|$)/i.test(headers.get('content-type') ?? '');
  if (route.method === 'POST' && isFromPage && !isJson)
    return failed(badRequest('The body must be JSON, sent with Content-Type: application/json.'));
  const read = route.method === 'POST' ? await readBody('gateway', client, request) : ok('');
  if (!read.ok) return read;
  const body = read.value;
  const query = new URLSearchParams(rawQuery);
  const refusal = route.check({ query, body, keepers: all.keepers });
  if (refusal) return failed(badRequest(refusal.detail));
  if (method === 'HEAD') return { ok: true, value: null };
  return route.call(all, { query, rawQuery, body }) ?? failed(unconfigured(service));
}

function badRequest(detail: string): Failure {
  return { kind: 'bad-request', detail };
}
