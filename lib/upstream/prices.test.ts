import { describe, expect, test } from 'vitest';
import { createPriceRouterClient, createPriceUpdatesClient } from './prices';
import { sendError, sendJson, serviceStarter } from './service-fixture';

const start = serviceStarter();
const malformedOf = (service: string) => ({ failure: { kind: 'malformed', service } });

async function updatesClientOf(body: string) {
  const options = { service: 'upgraded', label: 'upgraded' } as const;
  const fixture = await start((_, response) => sendJson(response, body), options);
  return { ...fixture, client: createPriceUpdatesClient(fixture.http) };
}

const ID = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const PRICE =
  '{"price":"9223372036854775807","conf":"18446744073709551615","expo":-18,"publish_time":1790000000}';
const FEED = `{"id":"${ID}","price":${PRICE},"ema_price":${PRICE}}`;
const UPDATE = `{"binary":{"encoding":"hex","data":["00"]},"parsed":[${FEED}],"odd":12345678901234567890}`;

describe('the price update client', () => {
  test('returns the text as sent, and its value', async () => {
    const { client } = await updatesClientOf(UPDATE);
    expect(await client.latestText('', 'user')).toEqual({ ok: true, value: UPDATE });
    expect(await client.atTime('1', '', 'user')).toMatchObject({
      ok: true,
      value: { updates: [{ id: ID, price: { mantissa: 9223372036854775807n, expo: -18 } }] },
    });
  });

  test('reads an update without parsed feeds', async () => {
    const { client } = await updatesClientOf('{"binary":{"encoding":"hex","data":["00"]}}');
    expect(await client.latest('', 'user')).toMatchObject({ ok: true, value: { parsedPresent: false } });
  });

  test('reads the deprecated response and the directory', async () => {
    const deprecated = await updatesClientOf(
      `{"id":"${ID}","price":${PRICE},"ema_price":${PRICE},"vaa":"AAAA"}`,
    );
    expect(await deprecated.client.deprecated('', 'user')).toMatchObject({ value: { vaa: 'AAAA' } });
    const directory = await updatesClientOf(
      `[{"id":"${ID}","attributes":{"symbol":"Crypto.BTC/USD"}},{"id":"?"}]`,
    );
    expect(await directory.client.directory('', 'user')).toMatchObject({
      ok: true,
      value: { rows: [{ id: ID, symbol: 'Crypto.BTC/USD' }], unreadable: [{}] },
    });
  });

  test.each(['../../admin', '12/34', '-1', '1e3', '', '%2e%2e', '9'.repeat(20)])(
    'refuses the publish time %j as part of a path',
    async (publishTime) => {
      const { client, server } = await updatesClientOf(UPDATE);
      expect(await client.atTimeText(publishTime, '', 'user')).toMatchObject({
        failure: { kind: 'bad-request' },
      });
      expect(server.requests).toHaveLength(0);
    },
  );

  const nothing = [
    '',
    'null',
    '[]',
    '{}',
    '{"binary":{}}',
    '{"binary":null,"parsed":null}',
    'Benchmark',
    '<html>',
  ];
  test.each(nothing)('calls the body %j malformed for updates, in the name of its host', async (body) => {
    const { client } = await updatesClientOf(body);
    expect(await client.latestText('', 'user')).toMatchObject(malformedOf('upgraded'));
    expect(await client.deprecatedText('', 'user')).toMatchObject({ failure: { kind: 'malformed' } });
  });

  test('calls a directory malformed that is not a list', async () => {
    const { client } = await updatesClientOf('{}');
    expect(await client.directoryText('', 'user')).toMatchObject(malformedOf('upgraded'));
  });

  test('names its host for a well-formed body without content', async () => {
    const { client } = await updatesClientOf(`{"id":"${ID}","price":{}}`);
    expect(await client.deprecated('', 'user')).toMatchObject(malformedOf('upgraded'));
  });

  test('quotes a plain-text answer of the time-based route, with our key hidden', async () => {
    const problemOfBody = async (body: string) => {
      const { client } = await updatesClientOf(body);
      const answer = await client.atTimeText('1', '', 'user');
      return answer.ok ? '' : `${answer.failure.kind}: ${answer.failure.detail}`;
    };
    const begin = 'malformed: The upgraded price update service sent an unreadable answer: it is';
    expect(await problemOfBody('Update data not found')).toBe(
      `${begin} a plain text, “Update data not found”.`,
    );
    expect(await problemOfBody('"No update\\nyet"')).toBe(`${begin} a plain text, “No update yet”.`);
    expect(await problemOfBody('{"binary":')).toMatch(/JSON is damaged/);
    expect(await problemOfBody('<p>hello</p>')).toMatch(/web page/);
    expect(await problemOfBody('')).toMatch(/it is empty/);
    expect(await problemOfBody('Bad key test-key-1')).toMatch(/“Bad key \[key\]”/);
  });
});

async function routerClientOf(prices: string, symbols: string) {
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
  test('returns the text as sent, and its value', async () => {
    const { client } = await routerClientOf(PRICES, SYMBOLS);
    expect(await client.latestPriceText('{}', 'user')).toEqual({ ok: true, value: PRICES });
    const price = await client.price('{}', 'user');
    const symbols = await client.symbols('', 'user');
    expect(price).toMatchObject({ value: { timestampUs: '1790000000000000' } });
    expect(symbols).toMatchObject({ value: { rows: [{ symbol: 'Crypto.BTC/USD' }] } });
  });

  test('accepts an answer with nothing but a signed payload', async () => {
    const body = '{"evm":{"encoding":"hex","data":"00"}}';
    const { client } = await routerClientOf(body, SYMBOLS);
    expect(await client.latestPriceText('{}', 'user')).toEqual({ ok: true, value: body });
  });

  test('shares a call only with the same body', async () => {
    const { client, router } = await routerClientOf(PRICES, SYMBOLS);
    await Promise.all(['{"a":1}', '{"a":1}', '{"a":2}'].map((body) => client.latestPriceText(body, 'user')));
    expect(router.server.requests).toHaveLength(2);
  });

  test('returns symbols while the service rejects our key for prices', async () => {
    const { http, server } = await start(
      (request, response) => {
        if (request.url === '/v1/symbols') sendJson(response, SYMBOLS);
        else sendError(response, 401, 'no');
      },
      { service: 'router', label: 'router' },
    );
    const client = createPriceRouterClient(http, http);
    for (let n = 0; n < 2; n += 1) {
      const prices = await client.latestPriceText(`{"n":${n}}`, 'user');
      expect(prices).toMatchObject({ failure: { kind: 'unauthorized' } });
      expect(await client.symbolsText('', 'user')).toMatchObject({ ok: true });
    }
    expect(server.requests.filter((request) => request.method === 'POST')).toHaveLength(1);
  });

  test('quotes the reason why the service rejects a channel', async () => {
    const detail = 'feed 7 needs fixed_rate@200ms';
    const options = { service: 'router', label: 'router' } as const;
    const { http } = await start((_, response) => sendError(response, 400, detail), options);
    const answer = await createPriceRouterClient(http, http).latestPrice('{}', 'user');
    const failure = { kind: 'rejected', service: 'router', upstreamStatus: 400, detail };
    expect(answer).toEqual({ ok: false, failure });
  });

  test.each(['', 'null', '[]', '{}', '{"parsed":null}', '<html>'])(
    'calls the prices %j malformed',
    async (body) => {
      const { client } = await routerClientOf(body, '{}');
      expect(await client.priceText('{}', 'user')).toMatchObject(malformedOf('router'));
      expect(await client.symbolsText('', 'user')).toMatchObject(malformedOf('router'));
    },
  );
});
