import { describe, expect, it } from 'vitest';
import { ask, configure, problemAt, withFakeService } from './gateway-harness';
import { currentHealth } from './service-report';

const FEED = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';

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
});

describe('what is refused without a call', () => {
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
