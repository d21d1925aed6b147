import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { controlOf } from '@/e2e/control';
import { type Dashboard, startDashboard } from '@/e2e/dashboard';
import { fetchRaw } from '@/e2e/every-route';
import { type RecordingService, startRecordingService, type WireCall } from './recording-service';
import { test, withDashboard } from './server';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const ETH = 'ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace';
const LOGS = '/api/logs/v1/logs';
const LATEST = '/api/updates/v2/updates/price/latest';
const STREAM = '/api/updates/v2/updates/price/stream';

/** Checks the form of the problem. */
async function problemOf(response: Response) {
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  const problem = await response.json();
  expect(problem).toMatchObject({ type: 'about:blank', status: response.status });
  expect(problem.title).toBeTruthy();
  return problem;
}

describe('refused queries never reach the service', () => {
  test.for([
    `${LOGS}?min_timestamp=yesterday`,
    `${LOGS}?keeper=nobody`,
    `${LATEST}?ids[]=xyz`,
    `${STREAM}?ids[]=12`,
    `/api/updates/v2/updates/price/soon?ids[]=${BTC}`,
    `/api/updates/api/get_price_feed?id=${BTC}&publish_time=1.5`,
  ])('%s', async (path, { dashboard, control }) => {
    const response = await fetch(dashboard.origin + path);
    expect([400, 404]).toContain(response.status);
    expect(['bad-request', 'no-such-route']).toContain((await problemOf(response)).kind);
    for (const service of ['logs:main', 'updates']) expect((await control.calls(service)).total).toBe(0);
  });

  test.for([
    ['a quoted timestamp', ',"timestamp":"1700000000000000"'],
    ['no timestamp', ''],
  ] as const)('a router request with %s', async ([, more], { dashboard, control }) => {
    const body = `{"channel":"real_time","priceFeedIds":[1],"properties":["price"],"formats":[]${more}}`;
    const response = await fetch(`${dashboard.origin}/api/router/v1/price`, { method: 'POST', body });
    expect((await problemOf(response)).kind).toBe('bad-request');
    expect((await control.calls('router', 'price')).total).toBe(0);
  });
});

describe('accepted queries', () => {
  test.for(['unknown_parameter=1', 'state=Dreaming', 'limit=0', 'query=hello%20world'])(
    '%s is for the service to judge',
    async (query, { dashboard, control }) => {
      await fetch(`${dashboard.origin}${LOGS}?${query}`);
      const { calls } = await control.calls('logs:main');
      expect(calls.map((call) => call.query)).toEqual([query]);
    },
  );

  test('the service’s own words about a refusal are reported as plain text', async ({ dashboard }) => {
    const problem = await problemOf(await fetch(`${dashboard.origin}${LOGS}?query=hello`));
    expect(problem).toMatchObject({ status: 400, kind: 'rejected', service: 'logs' });
    expect(problem.detail).toContain('not parsable');
  });

  test('the keeper picks the service and is not passed on', async ({ dashboard, control }) => {
    await fetch(`${dashboard.origin}${LOGS}?keeper=test&limit=2`);
    expect((await control.calls('logs:main')).total).toBe(0);
    expect((await control.calls('logs:test')).calls[0]?.query).toBe('limit=2');
  });
});

type Fault = [what: string, fault: Record<string, unknown>, status: number, kind: string];

const json = (body: string) => ({ kind: 'body', body, contentType: 'application/json' });

async function expectProblem(origin: string, [what, , status, kind]: Fault, keeper = 'main') {
  const path = `${LOGS}?keeper=${keeper}&limit=3&x=${encodeURIComponent(what)}`;
  const response = await fetch(origin + path);
  expect(response.status).toBe(status);
  const problem = await problemOf(response);
  expect(problem).toMatchObject({ kind, service: 'logs' });
  expect(JSON.stringify(problem)).not.toMatch(/<html|sandbox-key|\bat \w+ \(/i);
  return response;
}

describe('faults of a service', () => {
  test.for<Fault>([
    ['403', { kind: 'status', status: 403 }, 502, 'unauthorized'],
    ['404', { kind: 'status', status: 404 }, 404, 'missing'],
    ['418', { kind: 'status', status: 418 }, 400, 'rejected'],
    ['500', { kind: 'status', status: 500 }, 502, 'failing'],
    ['503', { kind: 'status', status: 503 }, 502, 'failing'],
    ['HTML with 200', { kind: 'html' }, 502, 'malformed'],
    ['a redirect', { kind: 'redirect', to: 'http://127.0.0.1:9/' }, 502, 'malformed'],
    ['a truncated body', { kind: 'truncate' }, 502, 'malformed'],
    ['an empty object', json('{}'), 502, 'malformed'],
    ['null', json('null'), 502, 'malformed'],
    ['a dropped connection', { kind: 'drop' }, 502, 'unreachable'],
  ])('%s is answered as a problem of its kind', async (fault, { dashboard, control }) => {
    await control.fault({ service: 'logs:main', fault: fault[1] });
    await expectProblem(dashboard.origin, fault);
  });

  test('401 and 429 are passed on, and no calls are made until the pause ends', () =>
    withDashboard({}, async ({ origin, sandbox }) => {
      const control = controlOf(sandbox);
      for (const [keeper, fault] of [
        ['main', ['401', { kind: 'status', status: 401 }, 502, 'unauthorized']],
        ['test', ['429', { kind: 'status', status: 429, retryAfter: '7' }, 503, 'rate-limited']],
      ] satisfies [string, Fault][]) {
        await control.fault({ service: `logs:${keeper}`, fault: fault[1] });
        for (let n = 0; n < 5; n++) {
          const response = await expectProblem(origin, fault, keeper);
          if (keeper === 'test') expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
        }
        // The index may have met the fault first.
        expect((await control.calls(`logs:${keeper}`)).total).toBeLessThan(2);
      }
    }));
});

describe('routes', () => {
  test.for([
    '/api/nowhere',
    '/api/logs/v1/chains',
    '/api/updates/v2/updates/price/..%2flatest',
    '/api/updates/v2/updates/price/1%2f2',
  ])('%s is not there', async (path, { dashboard }) => {
    expect((await problemOf(await fetch(dashboard.origin + path))).kind).toBe('no-such-route');
  });

  test('another method is refused with the allowed ones', async ({ dashboard }) => {
    const response = await fetch(dashboard.origin + LOGS, { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, expect.stringContaining('GET')]);
    expect((await problemOf(response)).kind).toBe('method');
  });

  test('another host name is misdirected, on pages and routes alike', async ({ dashboard }) => {
    for (const path of ['/', '/requests', '/api/health', LOGS, STREAM, '/api/feeds/stream']) {
      const { status } = await fetchRaw(dashboard.origin, path, { headers: { host: 'evil.example' } });
      expect([path, status]).toEqual([path, 421]);
    }
  });

  test('a page of another site can’t read or post', async ({ dashboard }) => {
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const init = { method: 'POST', headers, body: '{}' };
    const post = await fetchRaw(dashboard.origin, '/api/router/v1/latest_price', init);
    const stream = await fetchRaw(dashboard.origin, `/api/feeds/stream?ids=${BTC}`, { headers });
    expect([post.status, stream.status]).toEqual([403, 403]);
  });

  test('every page carries a strict policy with a nonce of its own', async ({ dashboard }) => {
    for (const path of ['/', '/requests', '/pending', '/feeds', '/prices', '/services']) {
      const policyOf = async () =>
        (await fetch(dashboard.origin + path)).headers.get('content-security-policy') ?? '';
      const first = await policyOf();
      const second = await policyOf();
      expect(first).toMatch(/script-src [^;]*'nonce-[^']+'/);
      expect(first).not.toMatch(/script-src[^;]*'unsafe-(inline|eval)'/);
      expect(first).toMatch(/frame-ancestors 'none'/);
      expect(first).not.toBe(second);
    }
  });

  test('health is reported without a call to a service', async ({ dashboard, control }) => {
    const health = await (await fetch(`${dashboard.origin}/api/health`)).json();
    expect(health).toMatchObject({ status: 'ok', source: 'sandbox' });
    const node = `rpc:${new URL(dashboard.sandbox).host}`;
    const names = ['logs:main', 'logs:test', 'router', node, 'updates', 'upgraded'];
    expect(Object.keys(health.services).sort()).toEqual(names);
    expect((await control.calls('logs:main')).total).toBe(0);
  });
});

test('scripts and styles come compressed and for good, with the same text as without', async ({
  dashboard,
}) => {
  const page = await (await fetch(`${dashboard.origin}/sign-in`)).text();
  const files = [...new Set(page.match(/\/_next\/static\/[^"\\]+\.(?:js|css)/g))];
  expect(files.length).toBeGreaterThan(4);
  for (const path of files) {
    const fetched = (encoding: string) =>
      fetch(dashboard.origin + path, { headers: { 'accept-encoding': encoding } });
    const small = await fetched('gzip');
    const plain = await fetched('identity');
    expect(small.headers.get('content-encoding')).toBe('gzip');
    for (const name of ['content-type', 'cache-control', 'vary', 'x-content-type-options'])
      expect([path, name, small.headers.get(name)]).toEqual([path, name, plain.headers.get(name)]);
    expect(await small.text()).toBe(await plain.text());
  }
});

test('streams are never compressed or buffered, even for a client that accepts gzip', async ({
  dashboard,
}) => {
  for (const path of [`/api/feeds/stream?ids=${BTC}`, `${STREAM}?ids[]=${BTC}`]) {
    const headers = { 'accept-encoding': 'gzip, br' };
    const stream = await fetchRaw(dashboard.origin, path, { headers });
    expect(stream.headers['content-encoding']).toBeUndefined();
    expect(stream.headers['cache-control']).toContain('no-transform');
    expect(stream.body).not.toBe('');
  }
});

test('heartbeats keep streams open through a proxy that cuts idle connections after a minute', () =>
  withDashboard({}, async ({ origin, sandbox }) => {
    const left = new AbortController();
    const lengths = await Promise.all(
      [`/api/feeds/stream?ids=${BTC}`, `${STREAM}?ids[]=${BTC}`].map(async (path) => {
        const { body } = await fetch(origin + path, { signal: left.signal });
        let length = 0;
        const read = async () => {
          for await (const bytes of body ?? []) length += bytes.length;
        };
        read().catch(() => undefined);
        return () => length;
      }),
    );
    await controlOf(sandbox).clock({ stopped: true });
    const says = async (length: () => number) => {
      let lastLength = -1;
      const isStill = () => {
        const isUnchanged = lastLength === length();
        lastLength = length();
        return isUnchanged;
      };
      await expect.poll(isStill, { interval: 2_000 }).toBe(true);
      await expect.poll(() => length() > lastLength, { timeout: 25_000 }).toBe(true);
    };
    await Promise.all(lengths.map(says));
    left.abort();
  }));

/** Feed ids in either spelling, and parameters that all routes of updates share. */
const IDS = `ids[]=0x${BTC}&ids[]=${ETH}`;
const SHARED = `${IDS}&encoding=base64&parsed=false&ignore_invalid_price_ids=true`;
const EVENTS = '&allow_unordered=true&benchmarks_only=true';
const ROWS =
  'min_timestamp=2026-11-20T08:00:00Z&max_timestamp=2026-11-20T09:00:00.123Z&query=0xabcd&network_id=8453&state=Pending&limit=1000&offset=0';

/** Routes of ours, and those of the service with the prefix `base`. */
const updateRoutes = (host: string, base: string): [ours: string, theirs: string, key: string][] =>
  [
    [`/v2/updates/price/latest?${SHARED}`],
    [`/v2/updates/price/1790000000?${SHARED}`],
    // One canonical spelling, so that programs share a stream whether they encode brackets or not.
    [SHARED + EVENTS, new URLSearchParams(SHARED + EVENTS)].map(
      (query) => `/v2/updates/price/stream?${query}`,
    ),
    [`/api/get_price_feed?id=${BTC}&publish_time=1790000000&verbose=true&binary=true`],
    ['/v2/price_feeds?query=btc&asset_type=crypto'],
    // Encoded characters stay encoded, and unknown parameters are passed on.
    [`/v2/updates/price/latest?ids%5B%5D=${BTC}&ids%5B%5D=0x${ETH}&later=%2F%20x`],
  ].map(([ours = '', theirs = ours]) => [`/api/${host}${ours}`, base + theirs, `key-of-${host}`]);

const SYMBOLS = 'symbols?query=btc&asset_type=crypto';
const ROUTES = [
  [`${LOGS}?${ROWS}`, `/logs/v1/logs?${ROWS}`, 'key-of-logs'],
  ...updateRoutes('updates', ''),
  ...updateRoutes('upgraded', '/hermes'),
  [`/api/router/v1/${SYMBOLS}`, `/names/v1/${SYMBOLS}`, 'key-of-router'],
] as const;

/** Unusual spelling, which has to arrive byte for byte. */
const routerBody = (channel: string, more = '') =>
  `{"channel": "${channel}","priceFeedIds":[1, 2],"properties":["price","bestBidPrice"],"formats":["evm","solana"]${more}}`;

describe.for(['', '/'])('on the wire, with base URLs that end in “%s”', (slash) => {
  let service: RecordingService;
  let dashboard: Dashboard;

  beforeAll(async () => {
    service = await startRecordingService();
    const { origin } = service;
    dashboard = await startDashboard({
      LOGS_URL: `${origin}/logs${slash}`,
      LOGS_API_KEY: 'key-of-logs',
      UPDATES_URL: `${origin}${slash}`,
      UPDATES_API_KEY: 'key-of-updates',
      UPGRADED_UPDATES_URL: `${origin}/hermes${slash}`,
      UPGRADED_UPDATES_API_KEY: 'key-of-upgraded',
      ROUTER_URL: `${origin}/router${slash}`,
      ROUTER_API_KEY: 'key-of-router',
      SYMBOLS_URL: `${origin}/names${slash}`,
    });
  });
  afterAll(async () => {
    await dashboard.stop();
    await service.stop();
  });
  beforeEach(() => service.forget());

  /** Calls like a careless client, with its own key and cookie. Reads the beginning of the answer. */
  async function read(path: string, body?: string): Promise<void> {
    const key = 'of-the-caller';
    const headers = { authorization: `Bearer ${key}`, cookie: 'session=1', 'x-api-key': key };
    const method = body === undefined ? 'GET' : 'POST';
    const response = await fetch(dashboard.origin + path, { method, headers, body });
    const reader = response.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    await reader?.cancel();
    expect([response.status, first]).toEqual([200, expect.stringMatching(/[[{]/)]);
  }

  function expectCall(call: WireCall | undefined, method: string, key: string): void {
    expect([call?.method, call?.headers.authorization]).toEqual([method, `Bearer ${key}`]);
    expect(JSON.stringify(call?.headers)).not.toMatch(/of-the-caller|session=1/);
    expect(call?.url).not.toContain(key);
  }

  test.for(ROUTES)('%s carries every parameter as written, and our key', async ([ours, theirs, key]) => {
    await read(ours);
    const calls = service.calls(theirs).filter(({ url }) => url === theirs);
    expect(calls).toHaveLength(1);
    expectCall(calls[0], 'GET', key);
  });

  test('the router gets the body byte for byte, with every digit of a u64', async () => {
    const channels = ['real_time', ...['1ms', '50ms', '200ms', '1000ms'].map((rate) => `fixed_rate@${rate}`)];
    const bodies = channels.map((channel) => routerBody(channel));
    const times = ['1790000000123456', '18446744073709551615'];
    const timed = times.map((time) => routerBody('real_time', `,"timestamp": ${time}`));
    for (const body of bodies) await read('/api/router/v1/latest_price', body);
    for (const body of timed) await read('/api/router/v1/price', body);
    expect(service.calls('/router/v1/latest_price').map(({ body }) => body)).toEqual(bodies);
    expect(service.calls('/router/v1/price').map(({ body }) => body)).toEqual(timed);
    for (const call of service.calls('/router/v1/')) {
      expectCall(call, 'POST', 'key-of-router');
      expect(call.headers['content-type']).toBe('application/json');
    }
  });
});
