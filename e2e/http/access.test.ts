import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { type Control, controlOf } from '@/e2e/control';
import { type Dashboard, startDashboard } from '@/e2e/dashboard';
import { type Answer, buildId, everyRoute, fetchRaw } from '@/e2e/every-route';
import { test } from './server';

const PASSWORD = 'correct-horse-battery';
const SECRET = 'not-for-anybody-else-0123456789abcdef';
const BASIC = { authorization: `Basic ${Buffer.from(`anyone:${PASSWORD}`).toString('base64')}` };
const JSON_BODY = { 'content-type': 'application/json' };
const LOGS = '/api/logs/v1/logs?limit=1';

/** A client may try to look trusted by these. */
const FORGED_HEADERS: Record<string, string>[] = [
  {},
  { rsc: '1', 'next-router-prefetch': '1' },
  { 'x-middleware-subrequest': 'proxy:proxy:proxy:proxy:proxy', 'x-middleware-next': '1' },
  { 'x-middleware-prefetch': '1' },
  { 'x-original-url': '/services', 'x-rewrite-url': '/services', 'x-http-method-override': 'GET' },
  { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1', 'x-forwarded-host': 'localhost' },
  { 'x-keeperscope-peer': 'local', 'x-keeperscope-address': '127.0.0.1' },
  { 'x-forwarded-user': 'admin', 'x-proxy-secret': SECRET, authorization: 'Bearer sandbox-key' },
  { cookie: 'ks-session=eyJhbGciOiJub25lIn0.eyJqdGkiOiIxIn0.', 'sec-fetch-site': 'same-origin' },
  { host: 'dash.evil.example' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'content-type': 'application/json' },
];

const spellingsOf = (path: string) => [
  path,
  `/${path}`,
  path.replace('/api/', '/api/./'),
  path.replace('/api/', '/api/x/..%2f'),
  path.replace('/api/', '/%61pi/'),
  path.replace('/', '/_next/static/../../'),
  `/sign-in/..${path}`,
  `/sign-in%2f..${path}`,
  path.replace(/(\?|$)/, '/..%2f$1'),
  `/sign-in?next=${encodeURIComponent(path)}`,
  `/_next/data/${buildId()}${path.replace(/(\?|$)/, '.json$1')}`,
  path.replace(/(\?|$)/, '.rsc$1'),
];

/**
 * Sign-in required, not found, or method not allowed. The sign-in page, the icon, and metrics for this machine are
 * public.
 */
function hasNoData({ status, headers, body, path }: Answer): boolean {
  const { location = '/', 'content-type': type = '' } = headers;
  if (status === 200 && type.startsWith('image/svg')) return true;
  if (path === '/sign-in' || body.includes('<title>Sign in')) return !body.includes('logs:main');
  if (/^\/api\/(session|health|metrics)$/.test(path)) return true;
  if (status === 307 || status === 308) return /^\/(?!\/)/.test(location) && body.length < 200;
  return [400, 401, 403, 404, 405, 421].includes(status) && !body.includes('total_results');
}

/** A rate limit would hide the actual answer. */
async function withRetries(...args: Parameters<typeof fetchRaw>): Promise<Answer> {
  const answer = await fetchRaw(...args);
  if (answer.status !== 429) return answer;
  await sleep(1000);
  return withRetries(...args);
}

describe('with a password', () => {
  let dashboard: Dashboard;
  let control: Control;
  beforeAll(async () => {
    dashboard = await startDashboard({
      ACCESS: 'password',
      DASHBOARD_PASSWORD: PASSWORD,
      SESSION_SECRET: SECRET,
    });
    control = controlOf(dashboard.sandbox);
  });
  afterAll(() => dashboard.stop());
  beforeEach(() => control.forgetCalls());

  const session = (method: string, headers: Record<string, string>, password = PASSWORD) => {
    const body = method === 'POST' ? JSON.stringify({ password }) : undefined;
    return fetchRaw(dashboard.origin, '/api/session', { method, headers, body });
  };

  test('no route of the build returns data or calls a service without a sign-in', async () => {
    const routes = everyRoute();
    expect(routes.length).toBeGreaterThan(30);
    const leaks: string[] = [];
    for (const [at, path] of routes.entries()) {
      // Each route is tried with a different third of the spellings, because all are normalised in one place.
      const inTurn = (_: unknown, nth: number) => nth % 3 === at % 3;
      const tries = [
        ...FORGED_HEADERS.map((headers) => ({ path, method: 'GET', headers })),
        ...spellingsOf(path)
          .filter(inTurn)
          .map((disguised) => ({ path: disguised, method: 'GET', headers: {} })),
        ...['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'].map((method) => ({ path, method, headers: {} })),
        ...FORGED_HEADERS.filter(inTurn).map((headers) => ({ path, method: 'POST', headers })),
      ];
      const answers = await Promise.all(
        tries.map(({ headers, method, ...route }) =>
          withRetries(dashboard.origin, route.path, { method, headers }),
        ),
      );
      const withData = answers.filter((answer) => !hasNoData(answer));
      leaks.push(...withData.map(({ method, path, status }) => `${method} ${path} ${status}`));
    }
    expect(leaks).toEqual([]);
    for (const service of ['logs:main', 'logs:test', 'updates', 'upgraded', 'router']) {
      const { calls } = await control.calls(service);
      // Reading metrics from this machine starts background calls for lists of names.
      const upstream = calls.filter(({ headers }) => headers['user-agent'] === 'keeperscope');
      expect([service, upstream]).toEqual([service, []]);
    }
  });

  test('metrics refuse clients that claim to be this machine', async () => {
    // A client behind a proxy on this machine is not this machine.
    const headers = { 'x-forwarded-for': '192.0.2.7', 'x-keeperscope-peer': 'local' };
    for (const path of ['/api/metrics', `/_next/data/${buildId()}/api/metrics.json`]) {
      const { status, body } = await fetchRaw(dashboard.origin, path, { headers });
      expect([path, status, body.includes('keeperscope_')]).toEqual([path, 401, false]);
    }
  });

  test('health says only that we are up', async () => {
    const { status, body } = await fetchRaw(dashboard.origin, '/api/health');
    expect([status, Object.keys(JSON.parse(body)).sort()]).toEqual([200, ['source', 'status', 'version']]);
  });

  test('signing out ends an export that is under way, and it does not look complete', async () => {
    const signedIn = await session('POST', JSON_BODY);
    const headers = { cookie: signedIn.headers['set-cookie']?.[0]?.split(';')[0] ?? '' };
    await control.fault({ service: 'logs:main', fault: { kind: 'delay', ms: 3000 }, forMs: 60_000 });
    try {
      const path = '/api/view/requests/export?range=all&format=ndjson&keeper=main';
      const response = await fetch(`${dashboard.origin}${path}`, { headers });
      expect(Number(response.headers.get('x-export-expected'))).toBeGreaterThan(1000);
      expect((await session('DELETE', headers)).status).toBe(200);
      const lines = (await response.text()).trimEnd().split('\n');
      const { meta } = JSON.parse(lines.at(-1) ?? '');
      expect(meta).toMatchObject({ complete: false, written: lines.length - 1 });
      expect(meta.problem).toContain('signed out');
    } finally {
      await control.noFaults();
    }
  });

  test('a program signs in with HTTP Basic', async () => {
    expect(await fetchRaw(dashboard.origin, LOGS)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': expect.stringContaining('Basic') },
    });
    const { status, body } = await fetchRaw(dashboard.origin, LOGS, { headers: BASIC });
    expect([status, JSON.parse(body).requests.length]).toEqual([200, 1]);
  });

  test('another site can’t sign a browser in or out, and a form can’t either', async () => {
    const evil = { origin: 'https://evil.example' };
    const crossSite = { ...JSON_BODY, ...evil, 'sec-fetch-site': 'cross-site' };
    expect((await session('POST', crossSite)).status).toBe(403);
    expect((await session('DELETE', evil)).status).toBe(403);
    expect((await session('POST', { 'content-type': 'text/plain' })).status).toBe(400);
    expect((await session('POST', { ...JSON_BODY, host: 'evil.example' })).status).toBe(421);
    expect((await session('POST', JSON_BODY)).status).toBe(200);
  });

  test('a page that another site embeds, loads or posts to costs no call to a service', async () => {
    const site = { ...BASIC, 'sec-fetch-site': 'cross-site' };
    const statusOf = async (method: string, headers: Record<string, string>) =>
      (await fetchRaw(dashboard.origin, '/requests?size=20', { method, headers: { ...site, ...headers } }))
        .status;
    const opened = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect(await statusOf('GET', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' })).toBe(403);
    expect(await statusOf('GET', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' })).toBe(403);
    expect(await statusOf('POST', opened)).toBe(403);
    // A prefetch by a browser is marked as such, not as a user's navigation.
    const inAdvance = { ...opened, 'sec-fetch-site': 'none', 'sec-purpose': 'prefetch' };
    expect(await statusOf('GET', inAdvance)).toBe(403);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expect([method, await statusOf(method, { 'sec-fetch-site': 'same-origin' })]).toEqual([method, 405]);
    expect((await control.calls('logs:main')).total).toBe(0);
    expect(await statusOf('GET', opened)).toBe(200);
  });

  test('behind TLS the cookie has a __Host- name, and HSTS is sent', async () => {
    const headers = { ...JSON_BODY, 'x-forwarded-proto': 'https' };
    const [cookie = ''] = (await session('POST', headers)).headers['set-cookie'] ?? [];
    expect(cookie).toMatch(
      /^__Host-ks-session=\S+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/,
    );
    const sent = { ...headers, cookie: cookie.split(';')[0] ?? '' };
    expect((await fetchRaw(dashboard.origin, '/services', { headers: sent })).status).toBe(200);
    // Refusals and redirects of the framework may be the first answer to a browser.
    for (const path of [
      '/services',
      '/api/health',
      '/api/logs/v1/logs',
      '/services/',
      '/_next/static/x.js',
    ]) {
      const hstsHeader = async (how: Record<string, string>) =>
        (await fetchRaw(dashboard.origin, path, { headers: how })).headers['strict-transport-security'];
      expect([path, await hstsHeader(headers), await hstsHeader({})]).toEqual([
        path,
        'max-age=15552000',
        undefined,
      ]);
    }
  });
});
