import { afterAll, beforeAll, expect, it } from 'vitest';
import { handleGateway } from './gateway';
import { currentHealth } from './service-report';
import { closeServices, type Services, startServices } from './services';
import { readSettings, replaceSettings } from './settings';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';

let running: Services;
beforeAll(async () => {
  const settings = readSettings({ SANDBOX_PORT: '0', SANDBOX_RECORDS: '2000', LOG_LEVEL: 'silent' });
  replaceSettings(settings);
  running = await startServices(settings);
});
afterAll(async () => {
  await closeServices();
  replaceSettings(undefined);
});

async function ask(path: string, body?: object): Promise<unknown> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const request = new Request(`http://localhost${path}`, { ...init, headers: { host: 'localhost' } });
  const response = await handleGateway(request);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text);
}

it('has two keepers whose rows carry network id and gas limit as text', async () => {
  expect(running.keepers).toEqual(['main', 'test']);
  for (const keeper of running.keepers) {
    const page = await ask(`/api/logs/v1/logs?limit=50&keeper=${keeper}`);
    expect(page).toMatchObject({ total_results: expect.any(Number) });
    const { requests } = page as { requests: { network_id: unknown; gas_limit: unknown }[] };
    expect(requests).toHaveLength(50);
    for (const row of requests)
      expect([typeof row.network_id, typeof row.gas_limit]).toEqual(['string', 'string']);
  }
});

it.each(['updates', 'upgraded'])('answers all routes of %s', async (host) => {
  const now = Math.floor(Date.now() / 1000);
  const update = { parsed: [{ id: BTC }] };
  expect(await ask(`/api/${host}/v2/updates/price/latest?ids[]=0x${BTC}`)).toMatchObject(update);
  expect(await ask(`/api/${host}/v2/updates/price/${now - 60}?ids[]=${BTC}`)).toMatchObject(update);
  expect(await ask(`/api/${host}/api/get_price_feed?id=${BTC}&publish_time=${now - 60}`)).toMatchObject({
    id: BTC,
  });
  expect(await ask(`/api/${host}/v2/price_feeds?query=btc`)).toContainEqual(
    expect.objectContaining({ id: BTC }),
  );
});

it('answers all routes of the router', async () => {
  const symbols = (await ask('/api/router/v1/symbols')) as { pyth_lazer_id: number; hermes_id: string }[];
  const btc = symbols.find(({ hermes_id }) => hermes_id?.endsWith(BTC));
  const body = {
    channel: 'fixed_rate@1000ms',
    priceFeedIds: [btc?.pyth_lazer_id],
    properties: ['price'],
    formats: [],
  };
  const prices = { parsed: { priceFeeds: [{ priceFeedId: btc?.pyth_lazer_id }] } };
  expect(await ask('/api/router/v1/latest_price', body)).toMatchObject(prices);
  const timestamp = Math.floor(Date.now() / 1000 - 60) * 1_000_000;
  expect(await ask('/api/router/v1/price', { ...body, timestamp })).toMatchObject(prices);
});

it('knows from these calls that every service is well', () => {
  const { source, services } = currentHealth();
  expect(source).toBe('sandbox');
  expect(Object.keys(services)).toEqual(['logs:main', 'logs:test', 'updates', 'upgraded', 'router']);
  for (const health of Object.values(services)) {
    expect(health).toEqual({
      configured: true,
      ok: true,
      checkedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      latencyMs: expect.any(Number),
    });
  }
});
