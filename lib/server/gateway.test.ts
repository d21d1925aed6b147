import { describe, expect, it } from 'vitest';
import { ask, configure, problemAt, withFakeService } from './gateway-harness';
import { currentHealth } from './service-report';

const FEED = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const UPDATE = '{"binary":{"encoding":"hex","data":[]},"parsed":[],"later":18446744073709551615}';

const service = withFakeService();

describe('routes', () => {
  it.each([
    [
      '/api/logs/v1/logs?limit=0&state=Odd&query=anything&x=1',
      '/c/v1/logs?limit=0&state=Odd&query=anything&x=1',
      'hush-logs',
    ],
    ['/api/logs/v1/logs?a=1&keeper=test&b=%2F', '/t/v1/logs?a=1&b=%2F', 'hush-logs'],
    ['/api/logs/v1/logs?%6beeper=test', '/t/v1/logs', 'hush-logs'],
    [
      `/api/updates/v2/updates/price/latest?ids%5B%5D=0x${FEED}&ids[]=${FEED}`,
      `/v2/updates/price/latest?ids%5B%5D=0x${FEED}&ids[]=${FEED}`,
      'hush-updates',
    ],
    [
      `/api/updates/v2/updates/price/1690576635?ids[]=${FEED}`,
      `/v2/updates/price/1690576635?ids[]=${FEED}`,
      'hush-updates',
    ],
    [
      `/api/upgraded/v2/updates/price/latest?ids[]=${FEED}`,
      `/hermes/v2/updates/price/latest?ids[]=${FEED}`,
      'hush-updates',
    ],
  ])('GET %s goes to %s with our key', async (path, url, key) => {
    const response = await ask(path, {
      headers: { authorization: 'Bearer theirs', cookie: 'a=b', 'x-other': '1' },
    });
    expect(response.status).toBe(200);
    expect(service.calls.map((call) => call.url)).toEqual([url]);
    expect(service.calls[0]?.headers.authorization).toBe(`Bearer ${key}`);
    expect(JSON.stringify(service.calls[0]?.headers)).not.toMatch(/theirs|cookie|x-other/);
  });

  it('keep the answer to the letter', async () => {
    const response = await ask(`/api/updates/v2/updates/price/latest?ids[]=${FEED}`);
    expect(await response.text()).toBe(UPDATE);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('write network_id and gas_limit of a log row as text', async () => {
    const row =
      '{"chain_id":"a","network_id":8453,"created_at":"2026-11-20T08:00:00Z","gas_limit":500000,"sequence":18446744073709551615,"state":{"state":"pending"}}';
    service.answer = (res) => res.end(`{"requests":[${row},{"odd":true}],"total_results":2}`);
    const text = await (await ask('/api/logs/v1/logs')).text();
    expect(text).toContain('"network_id":"8453"');
    expect(text).toContain('"gas_limit":"500000"');
    expect(text).toContain('"sequence":18446744073709551615');
    expect(text).toContain('{"odd":true}');
  });

  it('pass a router body on as it came', async () => {
    service.answer = (res) => res.end('{"parsed":{}}');
    const body = '{"channel":"real_time", "timestamp":1690576635000000}';
    const response = await ask('/api/router/v1/price', { method: 'POST', body });
    expect(await response.text()).toBe('{"parsed":{}}');
    expect(service.calls[0]).toMatchObject({ method: 'POST', url: '/router/v1/price', body });
    expect(service.calls[0]?.headers['content-type']).toBe('application/json');
  });

  it('take nothing but JSON from a page', async () => {
    service.answer = (res) => res.end('{"parsed":{}}');
    const body = '{"channel":"real_time"}';
    const post = (type: string) => {
      const headers = { 'content-type': type, 'sec-fetch-site': 'same-origin' };
      return ask('/api/router/v1/latest_price', { method: 'POST', body, headers });
    };
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      expect(await (await post(type)).json()).toMatchObject({ status: 400, kind: 'bad-request' });
    }
    expect(service.calls).toEqual([]);
    expect((await post('application/json; charset=utf-8')).status).toBe(200);
  });

  it('reach the remaining ones', async () => {
    service.answer = (res, { url }) => {
      if (url.includes('get_price_feed')) res.end(`{"id":"${FEED}","price":{}}`);
      else if (url.includes('latest_price')) res.end('{"parsed":{}}');
      else res.end('[]');
    };
    for (const path of [
      `/api/upgraded/api/get_price_feed?id=${FEED}&publish_time=1`,
      '/api/updates/v2/price_feeds?query=btc&asset_type=crypto',
      '/api/router/v1/symbols',
    ]) {
      expect((await ask(path)).status).toBe(200);
    }
    expect((await ask('/api/router/v1/latest_price', { method: 'POST', body: '{}' })).status).toBe(200);
    expect(service.calls.map(({ url }) => url.split('?')[0])).toEqual([
      '/hermes/api/get_price_feed',
      '/v2/price_feeds',
      '/router/v1/symbols',
      '/router/v1/latest_price',
    ]);
  });

  it('answer a HEAD without calling the service', async () => {
    const response = await ask('/api/logs/v1/logs', { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
    expect((await ask('/api/logs/v1/logs?limit=x', { method: 'HEAD' })).status).toBe(400);
    expect(service.calls).toEqual([]);
  });

  it('share one call among identical requests', async () => {
    await Promise.all(Array.from({ length: 10 }, () => ask('/api/logs/v1/logs?limit=1')));
    expect(service.calls).toHaveLength(1);
  });
});

describe('what is no route', () => {
  it.each([
    ['/api/logs'],
    ['/api/logs/v1/logs/'],
    ['/api/logs/v1/logs/1'],
    ['/api/logs//v1/logs'],
    ['/api/logs/v1%2Flogs'],
    ['/api/logs/v1/chains'],
    ['/api/LOGS/v1/logs'],
    ['/api/updates/v2/updates/price'],
    ['/api/updates/v2/updates/price/stream'],
    ['/api/updates/v2/updates/price/..%2flatest'],
    ['/api/updates/v2/updates/price/1/2'],
    ['/api/other/v1/logs'],
    ['/api/router/v1/price/1'],
  ])('%s is answered with 404 or 400 and calls nothing', async (path) => {
    const { kind } = await problemAt(path);
    expect(['no-such-route', 'bad-request']).toContain(kind);
    expect(service.calls).toEqual([]);
  });

  it('a path that only decoding or dots would make one', async () => {
    const path = '/api/updates/v2/price_feeds';
    expect(await problemAt(path, {}, ['logs', '..', 'updates', 'v2', 'price_feeds'])).toMatchObject({
      status: 404,
    });
    expect(
      await problemAt('/api/updates/v2/price%5ffeeds', {}, ['updates', 'v2', 'price_feeds']),
    ).toMatchObject({
      kind: 'no-such-route',
    });
    expect((await ask('/api/logs/v1/logs', {}, ['logs', 'v1', 'logs'])).status).toBe(200);
  });

  it('another method is told which would do', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const refused = await problemAt('/api/logs/v1/logs', { method });
      expect(refused).toMatchObject({ kind: 'method', status: 405 });
      expect(refused.headers.get('allow')).toBe('GET, HEAD');
    }
    for (const method of ['GET', 'HEAD']) {
      const response = await ask('/api/router/v1/price', { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    }
    expect(service.calls).toEqual([]);
  });
});

describe('what is refused without a call', () => {
  it.each([
    '/api/logs/v1/logs?min_timestamp=yesterday',
    '/api/logs/v1/logs?max_timestamp=2026-02-30T00:00:00Z',
    '/api/logs/v1/logs?limit=1001',
    '/api/logs/v1/logs?limit=-1',
    '/api/logs/v1/logs?limit=ten',
    '/api/logs/v1/logs?offset=1.5',
    '/api/logs/v1/logs?network_id=base',
    '/api/logs/v1/logs?keeper=nobody',
    '/api/logs/v1/logs?keeper=',
    '/api/logs/v1/logs?limit=1&limit=1',
    '/api/updates/v2/updates/price/latest?ids[]=abc',
    '/api/updates/v2/updates/price/soon',
    '/api/updates/v2/updates/price/-1',
    '/api/updates/v2/updates/price/1.5',
    `/api/updates/api/get_price_feed?id=${FEED}&publish_time=x`,
    '/api/updates/api/get_price_feed?id=abc&publish_time=1',
    '/api/updates/v2/price_feeds?query=a&query=b',
  ])('%s', async (path) => {
    const refused = await problemAt(path);
    expect(refused).toMatchObject({ kind: 'bad-request', status: 400 });
    expect(refused.service).toBeUndefined();
    expect(service.calls).toEqual([]);
  });

  it.each([
    ['a quoted timestamp', '{"timestamp":"1690576635000000"}'],
    ['a missing timestamp', '{}'],
    ['no JSON', 'timestamp=1'],
    ['too much', `{"timestamp":1,"x":"${'x'.repeat(1024 * 1024)}"}`],
  ])('a router body with %s', async (_, body) => {
    expect(await problemAt('/api/router/v1/price', { method: 'POST', body })).toMatchObject({
      kind: 'bad-request',
    });
    expect(service.calls).toEqual([]);
  });

  it('another host name and another site', async () => {
    expect(await problemAt('/api/logs/v1/logs', { headers: { host: 'evil.example' } })).toMatchObject({
      kind: 'misdirected',
      status: 421,
    });
    const post = { method: 'POST', body: '{}', headers: { 'sec-fetch-site': 'cross-site' } };
    expect(await problemAt('/api/router/v1/latest_price', post)).toMatchObject({
      kind: 'forbidden',
      status: 403,
    });
    expect(await problemAt('/api/nowhere', { headers: { host: 'evil.example' } })).toMatchObject({
      status: 421,
    });
    expect(service.calls).toEqual([]);
  });

  it('a service without a URL', async () => {
    await configure({ ROUTER_URL: service.origin });
    for (const [path, name, setting] of [
      ['/api/logs/v1/logs', 'logs', 'LOGS_URL'],
      ['/api/updates/v2/price_feeds', 'updates', 'UPDATES_URL'],
      ['/api/upgraded/v2/updates/price/1', 'upgraded', 'UPGRADED_UPDATES_URL'],
    ]) {
      const refused = await problemAt(path ?? '');
      expect(refused).toMatchObject({ kind: 'unconfigured', status: 503, service: name });
      expect(refused.detail).toContain(setting);
    }
    expect(currentHealth().services).toMatchObject({
      'logs:main': { configured: false, ok: null },
      router: { configured: true, ok: null },
    });
  });
});
