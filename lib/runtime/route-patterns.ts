import 'server-only';
import { readdirSync, readFileSync } from 'node:fs';
import { gatewayPatternOf } from '@/lib/gateway/gateway';

/** Strangers choose paths that no route serves, so they are counted together. */
const OTHER_ROUTE = 'other';
const BUILT_FILE = /^\/_next\/static\/.+$/;

/** The pattern of a path for metrics and log lines: `/requests/{network_id}/{sequence}`. */
export type PatternOf = (pathname: string) => string;

/** A few dozen patterns, without parts of addresses. @param routes as Next names them: `/requests/[network_id]` */
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

/** Includes the files of `public`. Empty in development, where all requests count as `other`. */
export function builtRoutes(): string[] {
  if (process.env.NODE_ENV !== 'production') return [];
  const manifest: { staticRoutes: { page: string }[]; dynamicRoutes: { page: string }[] } = JSON.parse(
    readFileSync('.next/routes-manifest.json', 'utf8'),
  );
  const files = readdirSync('public').filter((name) => name.includes('.'));
  const routes = [...manifest.staticRoutes, ...manifest.dynamicRoutes].map(({ page }) => page);
  return [...routes, ...files.map((name) => `/${name}`)];
}
