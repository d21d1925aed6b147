import { expect, it } from 'vitest';
import { RECEIVED_HEADER } from '@/lib/core/gateway';
import { currentHealth } from '@/lib/services/service-report';
import { configure, problemAt, send, withFakeService } from './gateway-harness';

const service = withFakeService();

it('POST routes accept only JSON from a page', async () => {
  service.answer = (res) => res.end('{"parsed":{}}');
  const body = '{"channel":"real_time"}';
  const post = (type: string) => {
    const headers = { 'content-type': type, 'sec-fetch-site': 'same-origin' };
    return send('/api/router/v1/latest_price', { method: 'POST', body, headers });
  };
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    expect(await (await post(type)).json()).toMatchObject({ status: 400, kind: 'bad-request' });
  }
  expect(service.calls).toEqual([]);
  expect((await post('application/json; charset=utf-8')).status).toBe(200);
});

it('a service without a URL is refused without a call', async () => {
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

it('dates an answer by this server’s clock', async () => {
  const fromMs = Date.now();
  const { headers } = await send('/api/updates/v2/price_feeds');
  const receivedMs = Number(headers.get(RECEIVED_HEADER));
  expect(receivedMs).toBeGreaterThanOrEqual(fromMs);
  expect(receivedMs).toBeLessThanOrEqual(Date.now());
  service.answer = (res) => res.writeHead(404).end();
  expect((await problemAt('/api/updates/v2/price_feeds')).headers.has(RECEIVED_HEADER)).toBe(true);
});
