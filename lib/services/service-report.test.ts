import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type HostReport, readServicesReport, type ServicesReport } from '@/lib/core/service-report';
import { configure, send, withFakeService } from '@/lib/gateway/gateway-harness';
import { replaceSettings } from '@/lib/platform/settings-fixture';
import { checkServices, currentHealth, currentServicesReport, probeFailingServices } from './service-report';
import { services } from './services';

const fake = withFakeService();
beforeEach(() => {
  fake.answer = (res, { url }) => {
    if (url.includes('/logs')) res.end('{"requests":[],"total_results":0}');
    else if (url.includes('symbols')) res.end('[]');
    else if (url.includes('latest_price')) res.end('{"parsed":{"timestampUs":"1","priceFeeds":[]}}');
    else res.end('{"binary":{"encoding":"hex","data":[]},"parsed":[]}');
  };
});
afterEach(() => replaceSettings(undefined));

const hostOf = (label: string, report = currentServicesReport()): HostReport => {
  const host = report.services.find((service) => service.label === label)?.host;
  if (host === undefined) throw new Error(`${label} is not configured`);
  return host;
};

describe('the report on the services', () => {
  test('names every host with its address and key setting, without calling one or showing a key', () => {
    const report = currentServicesReport();
    const labels = ['logs:main', 'logs:test', 'updates', 'upgraded', 'router'];
    expect(report.services.map(({ label }) => label)).toEqual(labels);
    expect(fake.calls).toEqual([]);
    expect(hostOf('upgraded', report).address).toBe(`${fake.origin}/hermes`);
    expect(hostOf('upgraded', report).key).toMatchObject({ state: 'set', setting: 'UPDATES_API_KEY' });
    expect(hostOf('logs:main', report).key.origin).toMatchObject({
      kind: 'environment',
      setting: 'LOGS_API_KEY',
    });
    expect(hostOf('logs:main', report).budget.sharedWith).toEqual(['logs:test']);
    expect(hostOf('logs:main', report).last).toEqual({ state: 'none' });
    expect(JSON.stringify(report)).not.toContain('hush');
  });

  test('reads back as written, with the traces of calls', async () => {
    fake.answer = (res, { url }) => {
      if (url.includes('/c/')) res.end('{"requests":[{"mood":"odd"}],"total_results":1}');
      else res.writeHead(401).end('no');
    };
    await checkServices();
    const report = currentServicesReport();
    const read = readServicesReport(JSON.stringify(report));
    expect(read).toEqual({ ok: true, value: JSON.parse(JSON.stringify(report)) });
    expect(hostOf('logs:main', report)).toMatchObject({
      last: { state: 'ok' },
      key: { verdict: { verdict: 'accepted' } },
      clock: { offByMs: 0, answers: 1 },
    });
    expect(hostOf('updates', report)).toMatchObject({
      last: { state: 'failed', kind: 'unauthorized' },
      key: { verdict: { verdict: 'refused', upstreamStatus: 401 } },
      pause: { kind: 'unauthorized' },
      calls: { sent: 1, failures: [{ kind: 'unauthorized', count: 1, lastStatus: 401 }] },
    });
    expect(JSON.stringify(report)).not.toContain('hush');
  });

  test('is refused as a whole if it has another form', () => {
    const report: ServicesReport = currentServicesReport();
    for (const text of ['', '{}', JSON.stringify({ ...report, services: [{ label: 7 }] })]) {
      expect(readServicesReport(text)).toMatchObject({ ok: false, failure: { kind: 'malformed' } });
    }
  });

  test('lists services without a URL, and hides parts of an address that could be a secret', async () => {
    await configure({ UPDATES_URL: `${fake.origin}/hermes/0123456789abcdef0` });
    const report = currentServicesReport();
    const services = ['logs:main true', 'updates false', 'upgraded true', 'router true'];
    expect(report.services.map(({ label, host }) => `${label} ${host === undefined}`)).toEqual(services);
    expect(hostOf('updates', report).address).toBe(`${fake.origin}/hermes/…`);
    expect(hostOf('updates', report).key).toEqual({ state: 'none', setting: 'UPDATES_API_KEY' });
  });

  test('lists a separate host for symbols', async () => {
    await configure({ ROUTER_URL: `${fake.origin}/router`, SYMBOLS_URL: fake.origin });
    expect(currentServicesReport().services.map(({ label }) => label)).toContain('router:symbols');
  });

  test('omits errors older than an hour', async () => {
    fake.answer = (res) => res.writeHead(500).end();
    await checkServices();
    expect(hostOf('updates').calls.failures).toHaveLength(1);
    const later = currentServicesReport(undefined, Date.now() + 3_600_000);
    expect(hostOf('updates', later).calls).toMatchObject({ sent: 1, failures: [], heldBack: [] });
  });

  test('counts calls of the gateway', async () => {
    await send(`/api/updates/v2/updates/price/latest?ids[]=${'ab'.repeat(32)}`);
    expect(hostOf('updates').calls).toMatchObject({ sent: 1, latency: { calls: 1 }, failures: [] });
  });
});

describe('a check', () => {
  test('makes the cheapest call to each service once', async () => {
    await checkServices();
    expect(fake.calls.map(({ method, url }) => `${method} ${url.split('?')[0]}`).sort()).toEqual([
      'GET /c/v1/logs',
      'GET /hermes/v2/updates/price/latest',
      'GET /t/v1/logs',
      'GET /v2/updates/price/latest',
      'POST /router/v1/latest_price',
    ]);
    expect(fake.calls.find(({ url }) => url.startsWith('/c/'))?.url).toContain('limit=1');
  });

  test('is shared by concurrent callers, and not repeated at once', async () => {
    let now = 1000;
    const check = () => checkServices(services(), () => now);
    await Promise.all([check(), check(), check()]);
    await check();
    expect(fake.calls).toHaveLength(5);
    now += 2000;
    await check();
    expect(fake.calls).toHaveLength(10);
  });

  test('skips a service that requested a pause', async () => {
    fake.answer = (res) => res.writeHead(429, { 'retry-after': '30' }).end();
    let now = 1000;
    await checkServices(services(), () => now);
    now += 5000;
    await checkServices(services(), () => now);
    expect(fake.calls).toHaveLength(5);
    expect(hostOf('updates').calls).toMatchObject({
      failures: [{ kind: 'rate-limited', count: 1 }],
      heldBack: [{ kind: 'rate-limited', count: 1 }],
    });
  });

  test('counts a rejection as an answer', async () => {
    fake.answer = (res) =>
      res.writeHead(404, { 'content-type': 'text/plain' }).end('Price ids not found: ab');
    await checkServices();
    expect(hostOf('updates')).toMatchObject({
      last: { state: 'ok' },
      calls: { failures: [{ lastDetail: expect.stringContaining('Price ids not found') }] },
    });
  });
});

describe('a failing service', () => {
  const paths = () => fake.calls.map(({ url }) => url.split('?')[0]).sort();
  const later = (ms: number) => probeFailingServices(services(), () => Date.now() + ms);

  test('is probed every half minute until it works, and no other service is', async () => {
    const works = fake.answer;
    fake.answer = (res, request) =>
      request.url.startsWith('/router') ? res.writeHead(500).end() : works(res, request);
    await checkServices();
    fake.calls.length = 0;
    await later(29_000);
    expect(paths()).toEqual([]);
    await later(31_000);
    expect(paths()).toEqual(['/router/v1/latest_price']);
    expect(currentHealth().services?.router?.ok).toBe(false);
    fake.answer = works;
    await later(31_000);
    expect(currentHealth().services?.router).toMatchObject({ ok: true });
    expect(currentHealth().services?.router?.failingSince).toBeUndefined();
    fake.calls.length = 0;
    await later(600_000);
    expect(paths()).toEqual([]);
  });

  test('is not probed during a pause, and at most once a minute if it rejects our key', async () => {
    fake.answer = (res, { url }) => {
      if (url.startsWith('/router')) res.writeHead(429, { 'retry-after': '3600' }).end();
      else if (url.startsWith('/hermes')) res.writeHead(401).end();
      else res.writeHead(403).end();
    };
    await checkServices();
    fake.calls.length = 0;
    await later(59_000);
    expect(paths()).toEqual([]);
    // Pauses after 401 and 429 use the process's clock, which has not moved.
    await later(61_000);
    expect(paths()).toEqual(['/c/v1/logs', '/t/v1/logs', '/v2/updates/price/latest']);
    expect(hostOf('router').calls.heldBack).toEqual([]);
  });

  test('is reported since its first failure, not since its last success', async () => {
    await checkServices();
    fake.answer = (res) => res.writeHead(500).end();
    const path = `/api/updates/v2/updates/price/latest?ids[]=${'ab'.repeat(32)}`;
    await send(path);
    const first = hostOf('updates').last.failingSinceMs ?? 0;
    expect(first).toBe(hostOf('updates').last.atMs);
    expect(first).toBeGreaterThanOrEqual(hostOf('updates').calls.lastOkAtMs ?? 0);
    await send(path);
    await send(path);
    expect(hostOf('updates').last.failingSinceMs).toBe(first);
    expect(currentHealth().services?.updates?.failingSince).toBe(new Date(first).toISOString());
  });
});
