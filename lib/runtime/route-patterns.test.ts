import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { routePatterns } from './route-patterns';

const OTHER_ROUTE = 'other';

/** Paths of all files of this name below a folder, as the framework serves them: `/requests/[network_id]/[sequence]`. */
function served(folder: string, files: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => files.test(file))
    .map((file) => `/${dirname(file)}`.replace('/.', '/'));
}

const routes = [...served('app', /(^|\/)(page\.tsx|route\.ts)$/), '/api/upgraded/v2/updates/price/stream'];
const routePatternOf = routePatterns(routes);

describe('the pattern of a path', () => {
  const pages = served('app', /(^|\/)page\.tsx$/);
  it.each(pages)('exists for %s, and contains no value', (path) => {
    const requested = path.replace(/\[\.{0,3}\w+\]/g, '77');
    const pattern = routePatternOf(requested);
    expect(pattern.split('/').length).toBe(path.split('/').length);
    expect(pattern.replace(/\{\w+\}/g, '77')).toBe(requested);
  });

  it('is the gateway’s route without the publish time', () => {
    expect(routePatternOf('/api/router/v1/price')).toBe('/api/router/v1/price');
    const prices = '/api/upgraded/v2/updates/price';
    expect(routePatternOf(`${prices}/latest`)).toBe(`${prices}/latest`);
    expect(routePatternOf(`${prices}/stream`)).toBe(`${prices}/stream`);
    expect(routePatternOf(`${prices}/1795000000`)).toBe(`${prices}/{publish_time}`);
    expect(routePatternOf(`${prices}/latest/`)).toBe(OTHER_ROUTE);
  });

  it('is one for all files of the build, and one for all unknown paths', () => {
    expect(routePatternOf('/_next/static/chunks/a-1.js')).toBe('/_next/static/{file}');
    const others = ['/wp-admin', '/api/%20', '/api/nothing', '*', '', '/requests/1/2/3', '/_next/image'];
    for (const path of others) expect(routePatternOf(path)).toBe(OTHER_ROUTE);
  });

  it('has few distinct values, whatever is requested', () => {
    const seen = new Set<string>();
    const roots = ['/', '/feeds/', '/requests/1/', '/api/updates/v2/updates/price/', '/_next/static/'];
    const note = (root: string, rest: string) => void seen.add(routePatternOf(root + rest));
    fc.assert(fc.property(fc.constantFrom(...roots), fc.string(), note), { numRuns: 2000 });
    expect(seen.size).toBeLessThan(20);
  });
});
