import 'server-only';
import { plainGatewayPaths } from './gateway-routes';
import { streamAnswerOf } from './streams';

/** Stands for every path that is none of ours: strangers choose those, so they are never told apart. */
export const OTHER_ROUTE = 'other';

/** Pages and routes without a value in their path. */
const PLAIN: ReadonlySet<string> = new Set([
  ...['/', '/requests', '/pending', '/feeds', '/prices', '/services', '/sign-in', '/icon.svg'],
  ...['/api/health', '/api/metrics', '/api/session'],
  ...['/api/view/feeds', '/api/view/feeds/history', '/api/view/feeds/samples'],
  '/api/view/overview',
  ...['/api/view/networks', '/api/view/services', '/api/view/services/check', '/api/view/symbols'],
  ...['/api/view/pending', '/api/view/pending/diagnosis', '/api/view/pending/incident'],
  ...['/api/view/requests', '/api/view/requests/export'],
  ...['/api/view/requests/summary', '/api/view/requests/values'],
  ...['/api/view/requests/find', '/api/view/requests/one'],
]);

const GATEWAY: ReadonlySet<string> = new Set(plainGatewayPaths());

const WITH_VALUES: readonly (readonly [RegExp, string])[] = [
  [/^\/api\/(updates|upgraded)\/v2\/updates\/price\/[^/]+$/, '/v2/updates/price/{publish_time}'],
  [/^\/requests\/[^/]+\/[^/]+$/, '/requests/{network_id}/{sequence}'],
  [/^\/feeds\/.+$/, '/feeds/{id}'],
  [/^\/_next\/static\/.+$/, '/_next/static/{file}'],
];

/**
 * The pattern of a path, for metrics and logs: one of a few dozen texts of our own, whatever was asked for.
 * @param pathname as the request line has it, without its query
 */
export function routePatternOf(pathname: string): string {
  if (PLAIN.has(pathname) || GATEWAY.has(pathname) || streamAnswerOf(pathname) !== undefined) return pathname;
  for (const [form, pattern] of WITH_VALUES) {
    const [whole, host] = form.exec(pathname) ?? [];
    if (whole !== undefined) return host === undefined ? pattern : `/api/${host}${pattern}`;
  }
  return OTHER_ROUTE;
}

/** Whether this is the pattern of a stream. */
export function isStreamRoute(route: string): boolean {
  return streamAnswerOf(route) !== undefined;
}
