import { type Control, controlOf } from './control';
import { expect, startDashboard, test } from './dashboard';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const LOGS = '/api/logs/v1/logs';
const LATEST = '/api/updates/v2/updates/price/latest';
const STREAM = '/api/updates/v2/updates/price/stream';

/** The problem that an answer carries, checked for its form. */
async function problemOf(response: Response) {
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  const problem = await response.json();
  expect(problem).toMatchObject({ type: 'about:blank', status: response.status });
  expect(problem.title).toBeTruthy();
  return problem;
}

/** How many upstream streams have this in their query: those that the pages had open before come back when they like. */
async function streamsOf(control: Control, member: string): Promise<number> {
  const { calls } = await control.calls('updates', 'stream');
  return calls.filter(({ query }) => query.includes(member)).length;
}

/** The text of a stream up to its first event: comments may come before it. */
async function untilEvent(response: Response): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (reader && !text.includes('data:')) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
  }
  return text;
}

test.describe('what is refused here never reaches the service', () => {
  const refused = [
    `${LOGS}?min_timestamp=yesterday`,
    `${LOGS}?max_timestamp=2026-02-30T00:00:00Z`,
    `${LOGS}?network_id=8453.5`,
    `${LOGS}?network_id=-1`,
    `${LOGS}?limit=1001`,
    `${LOGS}?offset=abc`,
    `${LOGS}?keeper=nobody`,
    `${LOGS}?limit=1&limit=2`,
    `${LATEST}?ids[]=xyz`,
    `${LATEST}?ids[]=${BTC}&encoding=hex&encoding=base64`,
    `${STREAM}?ids[]=12`,
    `/api/updates/v2/updates/price/soon?ids[]=${BTC}`,
    `/api/updates/v2/updates/price/-5?ids[]=${BTC}`,
    `/api/updates/api/get_price_feed?id=12&publish_time=1`,
    `/api/updates/api/get_price_feed?id=${BTC}&publish_time=1.5`,
  ];
  for (const path of refused) {
    test(path, async ({ dashboard, control }) => {
      await control.forgetCalls();
      const response = await fetch(dashboard.origin + path);
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.status).toBeLessThan(405);
      const problem = await problemOf(response);
      expect(['bad-request', 'no-such-route']).toContain(problem.kind);
      expect((await control.calls('logs:main')).total).toBe(0);
      expect((await control.calls('updates')).total).toBe(0);
    });
  }

  for (const [what, body] of [
    [
      'a quoted timestamp',
      '{"channel":"real_time","priceFeedIds":[1],"properties":["price"],"formats":[],"timestamp":"1700000000000000"}',
    ],
    ['a missing timestamp', '{"channel":"real_time","priceFeedIds":[1],"properties":["price"],"formats":[]}'],
  ]) {
    test(`a router request with ${what}`, async ({ dashboard, control }) => {
      await control.forgetCalls();
      const response = await fetch(`${dashboard.origin}/api/router/v1/price`, { method: 'POST', body });
      expect((await problemOf(response)).kind).toBe('bad-request');
      expect((await control.calls('router', 'price')).total).toBe(0);
    });
  }
});

test.describe('what passes', () => {
  for (const query of ['unknown_parameter=1', 'state=Dreaming', 'limit=0', 'query=hello%20world']) {
    test(`${LOGS}?${query} is for the service to judge`, async ({ dashboard, control }) => {
      await control.forgetCalls();
      await fetch(`${dashboard.origin}${LOGS}?${query}`);
      const { calls } = await control.calls('logs:main');
      expect(calls.map((call) => call.query)).toEqual([query]);
    });
  }

  test('the service’s own words about a refusal are told as plain text', async ({ dashboard }) => {
    const response = await fetch(`${dashboard.origin}${LOGS}?query=hello`);
    const problem = await problemOf(response);
    expect(problem).toMatchObject({ status: 400, kind: 'rejected', service: 'logs' });
    expect(problem.detail).toContain('not parsable');
  });

  test('the caller’s key is dropped and ours is sent', async ({ dashboard, control }) => {
    await control.forgetCalls();
    const response = await fetch(`${dashboard.origin}${LOGS}?limit=1`, {
      headers: { authorization: 'Bearer mine' },
    });
    expect(response.status).toBe(200);
    const { calls } = await control.calls('logs:main');
    expect(calls[0]?.headers.authorization).toBe('Bearer sandbox-key');
    expect(calls[0]?.query).toBe('limit=1');
  });

  test('the keeper picks the service and is not passed on', async ({ dashboard, control }) => {
    await control.forgetCalls();
    await fetch(`${dashboard.origin}${LOGS}?keeper=test&limit=2`);
    expect((await control.calls('logs:main')).total).toBe(0);
    expect((await control.calls('logs:test')).calls[0]?.query).toBe('limit=2');
  });
});

type Fault = [what: string, fault: Record<string, unknown>, status: number, kind: string];

const faults: Fault[] = [
  ['403', { kind: 'status', status: 403 }, 502, 'unauthorized'],
  ['404', { kind: 'status', status: 404 }, 404, 'missing'],
  ['418', { kind: 'status', status: 418 }, 400, 'rejected'],
  ['500', { kind: 'status', status: 500 }, 502, 'failing'],
  ['503', { kind: 'status', status: 503 }, 502, 'failing'],
  ['HTML with 200', { kind: 'html' }, 502, 'malformed'],
  ['a redirect', { kind: 'redirect', to: 'http://127.0.0.1:9/' }, 502, 'malformed'],
  ['a truncated body', { kind: 'truncate' }, 502, 'malformed'],
  ['an empty object', { kind: 'body', body: '{}', contentType: 'application/json' }, 502, 'malformed'],
  ['null', { kind: 'body', body: 'null', contentType: 'application/json' }, 502, 'malformed'],
  ['a dropped connection', { kind: 'drop' }, 502, 'unreachable'],
];

/** After these nobody calls the service for a while, so each gets a dashboard of its own. */
const lastingFaults: Fault[] = [
  ['401', { kind: 'status', status: 401 }, 502, 'unauthorized'],
  ['429', { kind: 'status', status: 429, retryAfter: '7' }, 503, 'rate-limited'],
];

async function expectProblem(origin: string, [, , status, kind]: Fault): Promise<Response> {
  const response = await fetch(`${origin}${LOGS}?limit=3&x=${kind}`);
  expect(response.status).toBe(status);
  const problem = await problemOf(response);
  expect(problem).toMatchObject({ kind, service: 'logs' });
  expect(JSON.stringify(problem)).not.toMatch(/<html|sandbox-key|\bat \w+ \(/i);
  return response;
}

test.describe('what a service does wrong', () => {
  for (const fault of faults) {
    test(`${fault[0]} is answered with ${fault[2]} ${fault[3]}`, async ({ dashboard, control }) => {
      await control.fault({ service: 'logs:main', fault: fault[1] });
      await expectProblem(dashboard.origin, fault);
    });
  }

  for (const fault of lastingFaults) {
    test(`${fault[0]} is answered with ${fault[2]} ${fault[3]}, and then the service is left in peace`, async () => {
      const dashboard = await startDashboard();
      const control = controlOf(dashboard.sandbox);
      await control.fault({ service: 'logs:main', fault: fault[1] });
      for (let n = 0; n < 5; n++) {
        const response = await expectProblem(dashboard.origin, fault);
        if (fault[3] === 'rate-limited')
          expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect((await control.calls('logs:main')).total).toBe(1);
      await dashboard.stop();
    });
  }
});

test.describe('routes', () => {
  for (const path of [
    '/api/nowhere',
    '/api/logs/v1/chains',
    '/api/updates/v2/updates/price/..%2flatest',
    '/api/updates/v2/updates/price/1%2f2',
  ]) {
    test(`${path} is not there`, async ({ dashboard }) => {
      const response = await fetch(dashboard.origin + path);
      expect((await problemOf(response)).kind).toBe('no-such-route');
    });
  }

  test('another method is refused and told which ones there are', async ({ dashboard }) => {
    const response = await fetch(dashboard.origin + LOGS, { method: 'DELETE' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toContain('GET');
    expect((await problemOf(response)).kind).toBe('method');
  });

  test('another host name is misdirected, on pages and routes alike', async ({ dashboard, request }) => {
    for (const path of ['/', '/requests', '/api/health', LOGS, STREAM, '/api/feeds/stream']) {
      const response = await request.get(dashboard.origin + path, { headers: { host: 'evil.example' } });
      expect([path, response.status()]).toEqual([path, 421]);
    }
  });

  test('a page of another site can’t read or post', async ({ dashboard, request }) => {
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const post = await request.post(`${dashboard.origin}/api/router/v1/latest_price`, { headers, data: {} });
    const stream = await request.get(`${dashboard.origin}/api/feeds/stream?ids=${BTC}`, { headers });
    expect([post.status(), stream.status()]).toEqual([403, 403]);
  });

  test('HEAD never opens a stream', async ({ dashboard, control }) => {
    await control.forgetCalls();
    const path = `${STREAM}?ids[]=${BTC}&from=head`;
    for (let n = 0; n < 20; n++) await fetch(dashboard.origin + path, { method: 'HEAD' });
    expect(await streamsOf(control, 'from=head')).toBe(0);
  });

  test('health is told without a call to a service', async ({ dashboard, control }) => {
    await control.forgetCalls();
    const health = await (await fetch(`${dashboard.origin}/api/health`)).json();
    expect(health).toMatchObject({ status: 'ok', source: 'sandbox' });
    expect(Object.keys(health.services).sort()).toEqual([
      'logs:main',
      'logs:test',
      'router',
      'updates',
      'upgraded',
    ]);
    expect((await control.calls('logs:main')).total).toBe(0);
  });

  test('metrics are Prometheus text of our own names', async ({ dashboard }) => {
    const text = await (await fetch(`${dashboard.origin}/api/metrics`)).text();
    expect(text).toContain('# TYPE keeperscope_');
  });
});

test.describe('program streams', () => {
  test('identical queries share one upstream stream, which ends with the last listener', async ({
    dashboard,
    control,
  }) => {
    await control.forgetCalls();
    const open = () => {
      const abort = new AbortController();
      return fetch(`${dashboard.origin}${STREAM}?ids[]=${BTC}&from=three`, { signal: abort.signal }).then(
        (response) => ({ abort, response }),
      );
    };
    const clients = await Promise.all([open(), open(), open()]);
    for (const { response } of clients) {
      expect(await untilEvent(response)).toContain('data:');
    }
    expect(await streamsOf(control, 'from=three')).toBe(1);
    for (const { abort } of clients) abort.abort();
  });

  test('a stream that can’t start answers with a status', async ({ dashboard }) => {
    const response = await fetch(`${dashboard.origin}${STREAM}?ids[]=${'ab'.repeat(32)}`);
    expect(response.status).toBe(404);
    expect((await problemOf(response)).kind).toBe('missing');
  });

  test('a close by the service does not end the client’s stream', async ({ dashboard, control }) => {
    const response = await fetch(`${dashboard.origin}${STREAM}?ids[]=${BTC}&encoding=base64`);
    const reader = response.body?.getReader();
    await reader?.read();
    await control.forgetCalls();
    await control.fault({ service: 'updates', route: 'stream', fault: { kind: 'close-stream' } });
    await expect.poll(async () => (await control.calls('updates', 'stream')).total).toBeGreaterThan(0);
    const next = await reader?.read();
    expect(next?.done).toBe(false);
    await reader?.cancel();
  });
});
