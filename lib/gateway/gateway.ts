import 'server-only';
import { QUERY_HEADER } from '@/lib/access/caller';
import { guarded, methodReply, problemReply, textReply } from '@/lib/access/reply';
import { isJson, readBody } from '@/lib/access/request-body';
import { RECEIVED_HEADER } from '@/lib/core/gateway';
import { unconfigured } from '@/lib/core/health';
import { badRequest, failed, type Outcome, ok, type ServiceName, type UpdateHost } from '@/lib/core/outcome';
import { failureProblem, problemDetails } from '@/lib/core/problem';
import { type Services, services } from '@/lib/services/services';
import {
  type Checks,
  checkQuery,
  checkTimestamp,
  DEPRECATED_QUERY,
  logsChecks,
  PUBLISH_TIME,
  UPDATES_QUERY,
} from './gateway-query';

/** `rawQuery` has no question mark. */
type Call = { query: URLSearchParams; rawQuery: string; body: string };

type Route = {
  service: ServiceName;
  method?: 'POST';
  /** The reason for a refusal: only if no service that follows the contract could answer the call. */
  check(call: Call, keepers: readonly string[]): string | undefined;
  /** Undefined if the service has no URL. */
  call(services: Services, call: Call): Promise<Outcome<string>> | undefined;
};

const ROUTES: Readonly<Record<string, Route>> = {
  '/api/logs/v1/logs': {
    service: 'logs',
    check: ({ query }, keepers) => checkQuery(query, logsChecks(keepers)),
    call: ({ logs, keepers }, { query, rawQuery }) =>
      logs.get(query.get('keeper') ?? keepers[0] ?? '')?.logsText(withoutKeeper(query, rawQuery), 'user'),
  },
  ...updateRoutes('updates'),
  ...updateRoutes('upgraded'),
  '/api/router/v1/latest_price': {
    service: 'router',
    method: 'POST',
    check: () => undefined,
    call: ({ router }, { body }) => router?.latestPriceText(body, 'user'),
  },
  '/api/router/v1/price': {
    service: 'router',
    method: 'POST',
    check: ({ body }) => checkTimestamp(body),
    call: ({ router }, { body }) => router?.priceText(body, 'user'),
  },
  '/api/router/v1/symbols': {
    service: 'router',
    check: ({ query }) => checkQuery(query),
    call: ({ router }, { rawQuery }) => router?.symbolsText(rawQuery, 'user'),
  },
};

const AT_TIME = /^\/api\/(updates|upgraded)\/v2\/updates\/price\/([^/]+)$/;

/** Streams are served in streams.ts. */
function routeOf(pathname: string): Route | undefined {
  if (Object.hasOwn(ROUTES, pathname)) return ROUTES[pathname];
  const [, host, publishTime] = AT_TIME.exec(pathname) ?? [];
  if (publishTime === undefined || publishTime === 'stream') return undefined;
  const service = host === 'upgraded' ? 'upgraded' : 'updates';
  const ofPath = new URLSearchParams({ publish_time: publishTime });
  return {
    service,
    check: ({ query }) => checkQuery(ofPath, PUBLISH_TIME) ?? checkQuery(query, UPDATES_QUERY),
    call: (all, { rawQuery }) => all[service]?.atTimeText(publishTime, rawQuery, 'user'),
  };
}

/** The path has a placeholder for the publish time; undefined for a path of no route. */
export function gatewayPatternOf(pathname: string): string | undefined {
  if (Object.hasOwn(ROUTES, pathname)) return pathname;
  const [, host] = AT_TIME.exec(pathname) ?? [];
  return host === undefined ? undefined : `/api/${host}/v2/updates/price/{publish_time}`;
}

/** The other parameters stay as they are, in their order. */
function withoutKeeper(query: URLSearchParams, rawQuery: string): string {
  if (!query.has('keeper')) return rawQuery;
  const parts = rawQuery.split('&');
  return parts.filter((part) => !new URLSearchParams(part).has('keeper')).join('&');
}

function updateRoutes(service: UpdateHost): Record<string, Route> {
  const route = (checks: Checks, text: 'latestText' | 'deprecatedText' | 'directoryText'): Route => ({
    service,
    check: ({ query }) => checkQuery(query, checks),
    call: (all, { rawQuery }) => all[service]?.[text](rawQuery, 'user'),
  });
  return {
    [`/api/${service}/v2/updates/price/latest`]: route(UPDATES_QUERY, 'latestText'),
    [`/api/${service}/api/get_price_feed`]: route(DEPRECATED_QUERY, 'deprecatedText'),
    [`/api/${service}/v2/price_feeds`]: route({}, 'directoryText'),
  };
}

/** @param isPlain false if decoding changed the path, which then matches no route */
export function handleGateway(request: Request, isPlain = true): Promise<Response> {
  return guarded(request, async ({ keys: [client = ''] }) => {
    const { pathname, search } = new URL(request.url);
    const route = isPlain ? routeOf(pathname) : undefined;
    if (!route) return problemReply(problemDetails('no-such-route', 'No such route.'));
    const { method = 'GET' } = route;
    const isAnswered = request.method === method || (request.method === 'HEAD' && method === 'GET');
    if (!isAnswered) return methodReply(method);
    const rawQuery = request.headers.get(QUERY_HEADER) ?? search.slice(1);
    const outcome = await callRoute(route, request, rawQuery, client);
    const response = outcome.ok ? textReply(outcome.value) : problemReply(failureProblem(outcome.failure));
    response.headers.set(RECEIVED_HEADER, String(Date.now()));
    return response;
  });
}

/** A HEAD is checked like a GET but makes no call, so a flood of HEADs costs the services nothing. */
async function callRoute(
  { service, method, check, call }: Route,
  request: Request,
  rawQuery: string,
  client: string,
): Promise<Outcome<string | null>> {
  const { headers } = request;
  const all = services();
  const isConfigured = service === 'logs' ? all.keepers.length > 0 : all[service] !== undefined;
  if (!isConfigured) return failed(unconfigured(service));
  // A form on any site can post every content type except JSON without a preflight.
  const isFromPage = Boolean(headers.get('origin')) || Boolean(headers.get('sec-fetch-site'));
  if (method === 'POST' && isFromPage && !isJson(headers))
    return badRequest('The body must be JSON, sent with Content-Type: application/json.');
  const read = method === 'POST' ? await readBody('gateway', client, request) : ok('');
  if (!read.ok) return read;
  const clientRequest = { query: new URLSearchParams(rawQuery), rawQuery, body: read.value };
  const refusal = check(clientRequest, all.keepers);
  if (refusal !== undefined) return badRequest(refusal);
  if (request.method === 'HEAD') return { ok: true, value: null };
  return call(all, clientRequest) ?? failed(unconfigured(service));
}
