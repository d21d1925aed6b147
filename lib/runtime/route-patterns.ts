import 'server-only';
import { readdirSync, readFileSync } from 'node:fs';
import { gatewayPatternOf } from '@/lib/gateway/gateway';

/** Pattern for all paths that no route serves. Strangers choose such paths, so they are counted together. */
const OTHER_ROUTE = 'other';
const BUILT_FILE = /^\/_next\/static\/.+$/;

/** Returns the pattern of a path, such as `/requests/{network_id}/{sequence}`, for metrics and log lines. */
export type PatternOf = (pathname: string) => string;

/**
 * Makes patterns from routes. There are only a few dozen patterns, whatever is requested, because a pattern contains no
 * part of the address.
 * @param routes as Next names them: `/requests/[network_id]/[sequence]`
 */
export function routePatterns(routes: readonly string[]): PatternOf {
  const routeSet = new Set(routes);
  const withValues = routes.flatMap((route) => {
    if (!route.includes('[') || route.startsWith('/api/')) return [];
    const form = route.replace(/\[\.\.\.\w+\]/g, '.+').replace(/\[\w+\]/g, '[^/]+');
    return [{ form: new RegExp(`^${form}$`), pattern: route.replace(/\[(?:\.{3})?(\w+)\]/g, '{$1}') }];
  });
  return (pathname) => {
    if (routeSet.has(pathname)) return pathname;
    if (BUILT_FILE.test(pathname)) return '/_next/static/{file}';
    const ofPage = withValues.find(({ form }) => form.test(pathname));
    return ofPage?.pattern ?? gatewayPatternOf(pathname) ?? OTHER_ROUTE;
  };
}

/** The routes of the build and the files of `public`; empty in development, where all requests count as `other`. */
export function builtRoutes(): string[] {
  if (process.env.NODE_ENV !== 'production') return [];
  const manifest: { staticRoutes: { page: string }[]; dynamicRoutes: { page: string }[] } = JSON.parse(
    readFileSync('.next/routes-manifest.json', 'utf8'),
  );
  const files = readdirSync('public').filter((name) => name.includes('.'));
  const routes = [...manifest.staticRoutes, ...manifest.dynamicRoutes].map(({ page }) => page);
  return [...routes, ...files.map((name) => `/${name}`)];
}
