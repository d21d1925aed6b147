import { describe, expect, test } from 'vitest';
import { createPriceRouterClient } from './price-router';
import { sendError, sendJson, serviceStarter } from './service-fixture';

const start = serviceStarter();

async function clientOf(prices: string, symbols: string) {
  const options = { service: 'router', label: 'router' } as const;
  const router = await start((_, response) => sendJson(response, prices), options);
  const directory = await start((_, response) => sendJson(response, symbols), options);
  return { router, directory, client: createPriceRouterClient(router.http, directory.http) };
}

const PRICES =
  '{"parsed":{"timestampUs":"1790000000000000","priceFeeds":[{"priceFeedId":1,"price":"18446744073709551616"}]}}';
const SYMBOLS =
  '[{"pyth_lazer_id":1,"name":"BTCUSD","symbol":"Crypto.BTC/USD","exponent":-8,"min_channel":"real_time"}]';

describe('the router client', () => {
  test('gives the text as it came and the domain value of it', async () => {
    const { client } = await clientOf(PRICES, SYMBOLS);
    expect(await client.latestPriceText('{}', 'user')).toEqual({ ok: true, value: PRICES });
    expect(await client.price('{}', 'user')).toMatchObject({
      ok: true,
      value: { timestampUs: '1790000000000000' },
    });
    expect(await client.symbols('', 'user')).toMatchObject({
      ok: true,
      value: { symbols: [{ symbol: 'Crypto.BTC/USD' }] },
    });
  });

  test('takes an answer that holds nothing but a signed payload', async () => {
    const body = '{"evm":{"encoding":"hex","data":"00"}}';
    const { client } = await clientOf(body, SYMBOLS);
    expect(await client.latestPriceText('{}', 'user')).toEqual({ ok: true, value: body });
  });

  test('shares a call only with the same body', async () => {
    const { client, router } = await clientOf(PRICES, SYMBOLS);
    await Promise.all(['{"a":1}', '{"a":1}', '{"a":2}'].map((body) => client.latestPriceText(body, 'user')));
    expect(router.server.requests).toHaveLength(2);
  });

  test('still gives symbols while the service rejects our key for prices', async () => {
    const { http, server } = await start(
      (request, response) => {
        if (request.url === '/v1/symbols') sendJson(response, SYMBOLS);
        else sendError(response, 401, 'no');
      },
      { service: 'router', label: 'router' },
    );
    const client = createPriceRouterClient(http, http);
    for (let n = 0; n < 2; n += 1) {
      expect(await client.latestPriceText(`{"n":${n}}`, 'user')).toMatchObject({
        failure: { kind: 'unauthorized' },
      });
      expect(await client.symbolsText('', 'user')).toMatchObject({ ok: true });
    }
    expect(server.requests.filter((request) => request.method === 'POST')).toHaveLength(1);
  });

  test('shows why the service refuses a channel', async () => {
    const fixture = await start((_, response) => sendError(response, 400, 'feed 7 needs fixed_rate@200ms'), {
      service: 'router',
      label: 'router',
    });
    const client = createPriceRouterClient(fixture.http, fixture.http);
    expect(await client.latestPrice('{}', 'user')).toEqual({
      ok: false,
      failure: {
        kind: 'rejected',
        service: 'router',
        upstreamStatus: 400,
        detail: 'feed 7 needs fixed_rate@200ms',
      },
    });
  });

  test.each(['', 'null', '[]', '{}', '{"parsed":null}', '<html>'])(
    'calls the prices %j malformed',
    async (body) => {
      const { client } = await clientOf(body, '{}');
      expect(await client.priceText('{}', 'user')).toMatchObject({
        failure: { kind: 'malformed', service: 'router' },
      });
      expect(await client.symbolsText('', 'user')).toMatchObject({
        failure: { kind: 'malformed', service: 'router' },
      });
    },
  );
});
