import { expect } from 'vitest';
import { type Dashboard, startDashboard } from '@/e2e/dashboard';
import { everyRoute, fetchRaw } from '@/e2e/every-route';
import { test } from './server';

type Line = {
  level: string;
  msg: string;
  requestId?: string;
  route?: string;
  service?: string;
  status?: number;
};

/** Each line has to be printable JSON. */
function linesOf(dashboard: Dashboard): Line[] {
  const whole = dashboard.stdout().split('\n').slice(0, -1);
  return whole.map((line) => {
    expect(line).toMatch(/^\{[\x20-\x7e]*\}$/);
    return JSON.parse(line);
  });
}

const linesAbout = (dashboard: Dashboard, id: string) =>
  linesOf(dashboard).filter(({ requestId }) => requestId === id);

test('every answer carries the id of its request: the received one, or a new one', async ({ dashboard }) => {
  const paths = [...everyRoute(), '/api/logs/v1/logs?limit=x', '/%2e%2e/api/health', '/requests?state=odd'];
  for (const path of paths) {
    const withId = await fetchRaw(dashboard.origin, path, { headers: { 'x-request-id': 'From.proxy-1_2' } });
    expect([path, withId.headers['x-request-id']]).toEqual([path, 'From.proxy-1_2']);
  }
  for (const hostile of ['', 'a b', 'x'.repeat(65), '"}{"level":"fatal', '<b>']) {
    const { headers } = await fetchRaw(dashboard.origin, '/api/health', {
      headers: { 'x-request-id': hostile },
    });
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test('one id links a request to its log line and to every call made for it', async ({ dashboard }) => {
  const routes: Record<string, string> = {
    'id-of-a-page': '/requests?q=98765432101',
    'id-of-a-view': '/api/view/requests?state=pending',
    'id-of-a-call': '/api/logs/v1/logs?limit=3&query=98765432101',
  };
  for (const [id, path] of Object.entries(routes)) {
    await fetchRaw(dashboard.origin, path, { headers: { 'x-request-id': id, cookie: 'private=1' } });
    const route = path.split('?')[0];
    await expect
      .poll(() => linesAbout(dashboard, id))
      .toContainEqual(expect.objectContaining({ msg: 'request', route }));
    // Pages and views come from the index, which makes calls of its own.
    if (id !== 'id-of-a-call') continue;
    const calls = linesAbout(dashboard, id).filter(({ msg }) => msg === 'service call');
    expect([id, calls.map(({ service, route: called }) => `${service} ${called}`)]).toEqual([
      id,
      expect.arrayContaining([expect.stringMatching(/^logs:\w+ \/v1\/logs$/)]),
    ]);
    expect(linesAbout(dashboard, id).filter(({ msg }) => msg === 'request')).toHaveLength(1);
  }
  expect(dashboard.stdout()).not.toMatch(/private|98765432101|query|cookie/);
});

test('hostile input neither breaks a log line nor reaches a terminal', async ({ dashboard }) => {
  const hostile = '%0a%0d%1b%5b2J%1b%5d0;x%07%e2%80%a8%c2%9b31m%ff%ed%a0%80"}{"level":"fatal"}';
  const headers = {
    'user-agent': '\u009b31m',
    referer: '\t"}{"level":"fatal"}',
    cookie: 'ks-session=\u0085',
    'x-request-id': 'last-of-the-hostile',
  };
  for (const path of [
    `/${hostile}`,
    `/requests?q=${hostile}`,
    `/feeds/${hostile}`,
    `/x?${'%0a'.repeat(3000)}`,
  ]) {
    await fetchRaw(dashboard.origin, path, { headers: { ...headers, 'x-request-id': hostile } });
  }
  await fetchRaw(dashboard.origin, `/api/logs/v1/logs?query=${hostile}`, { headers });
  await expect.poll(() => linesAbout(dashboard, 'last-of-the-hostile').length).toBeGreaterThan(0);
  expect(linesOf(dashboard).filter(({ level }) => level === 'fatal')).toEqual([]);
});

test('a stalled reader of the log stops neither the dashboard nor its shutdown', async () => {
  const live = await startDashboard();
  live.process.stdout?.pause();
  // More lines than a pipe and the buffers at both ends hold.
  for (let round = 0; round < 30; round++) {
    await Promise.all(
      Array.from({ length: 50 }, async () => (await fetch(`${live.origin}/api/logs/v1/logs?limit=x`)).text()),
    );
  }
  expect((await fetchRaw(live.origin, '/api/health')).status).toBe(200);
  const startedMs = Date.now();
  await live.stop();
  // A dashboard ends at most eight seconds after the signal.
  expect(Date.now() - startedMs).toBeLessThan(15_000);
});
