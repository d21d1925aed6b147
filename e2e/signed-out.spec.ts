import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@playwright/test';
import { type Answer, ask, buildId, everyRoute } from './every-route';
import { SECRET, test } from './password-dashboard';

/** What people send who hope that something believes it. */
const TRICKS: Record<string, string>[] = [
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

/** The same path in disguise. */
const disguises = (path: string) => [
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
 * Answered with nothing but that one has to sign in, that there is nothing here, or that it is not asked for like this.
 * The page for signing in and the icon are for everybody, and so are metrics for this machine itself.
 */
function holdsNoData({ status, headers, body, path }: Answer): boolean {
  const { location = '/', 'content-type': type = '' } = headers;
  if (status === 200 && type.startsWith('image/svg')) return true;
  if (path === '/sign-in' || body.includes('<title>Sign in')) return !body.includes('logs:main');
  if (/^\/api\/(session|health|metrics)$/.test(path)) return true;
  if (status === 307 || status === 308) return /^\/(?!\/)/.test(location) && body.length < 200;
  return [400, 401, 403, 404, 405, 421].includes(status) && !body.includes('total_results');
}

/** Asks again when so many questions are too many at once: that would hide what the answer is. */
async function patiently(...question: Parameters<typeof ask>): Promise<Answer> {
  const answer = await ask(...question);
  if (answer.status !== 429) return answer;
  await sleep(1000);
  return patiently(...question);
}

test.describe('signed out', () => {
  test('no route of the build gives data or calls a service, whatever is tried', async ({
    dashboard,
    control,
  }) => {
    // Who asks so much is told to wait, again and again.
    test.slow();
    await control.forgetCalls();
    const routes = everyRoute();
    expect(routes.length).toBeGreaterThan(30);
    const leaks: string[] = [];
    for (const path of routes) {
      const tries = [
        ...TRICKS.map((headers) => ({ path, method: 'GET', headers })),
        ...disguises(path).map((disguised) => ({ path: disguised, method: 'GET', headers: {} })),
        ...['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'].map((method) => ({ path, method, headers: {} })),
        ...TRICKS.map((headers) => ({ path, method: 'POST', headers })),
      ];
      const answers = await Promise.all(
        tries.map(({ headers, method, ...one }) =>
          patiently(dashboard.origin, one.path, { method, headers }),
        ),
      );
      leaks.push(
        ...answers
          .filter((one) => !holdsNoData(one))
          .map(({ method, path: at, status }) => `${method} ${at} ${status}`),
      );
    }
    expect(leaks).toEqual([]);
    for (const service of ['logs:main', 'logs:test', 'updates', 'upgraded', 'router']) {
      const { calls } = await control.calls(service);
      // Whoever reads the metrics on this machine has lists of names fetched in the background.
      const asked = calls.filter(({ headers }) => headers['user-agent'] === 'keeperscope');
      expect([service, asked]).toEqual([service, []]);
    }
  });

  test('metrics are told to nobody who claims to be this machine, by no address of theirs', async ({
    dashboard,
  }) => {
    // Whoever comes through a proxy on this machine is not this machine.
    const claimed = { 'x-forwarded-for': '192.0.2.7', 'x-keeperscope-peer': 'local' };
    for (const path of ['/api/metrics', `/_next/data/${buildId()}/api/metrics.json`]) {
      const { status, body } = await ask(dashboard.origin, path, { headers: claimed });
      expect([path, status, body.includes('keeperscope_')]).toEqual([path, 401, false]);
    }
  });

  test('health says that we are up, and no more', async ({ dashboard }) => {
    const { status, body } = await ask(dashboard.origin, '/api/health');
    expect([status, Object.keys(JSON.parse(body)).sort()]).toEqual([200, ['source', 'status', 'version']]);
  });
});
