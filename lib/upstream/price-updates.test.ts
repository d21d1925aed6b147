import { describe, expect, test } from 'vitest';
import { createPriceUpdatesClient } from './price-updates';
import { sendJson, serviceStarter } from './service-fixture';

const start = serviceStarter();

async function clientOf(body: string) {
  const fixture = await start((_, response) => sendJson(response, body), {
    service: 'upgraded',
    label: 'upgraded',
  });
  return { ...fixture, client: createPriceUpdatesClient(fixture.http) };
}

const ID = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const PRICE =
  '{"price":"9223372036854775807","conf":"18446744073709551615","expo":-18,"publish_time":1790000000}';
const FEED = `{"id":"${ID}","price":${PRICE},"ema_price":${PRICE}}`;
const UPDATE = `{"binary":{"encoding":"hex","data":["00"]},"parsed":[${FEED}],"odd":12345678901234567890}`;

describe('the price update client', () => {
  test('gives the text as it came and the domain value of it', async () => {
    const { client } = await clientOf(UPDATE);
    expect(await client.latestText('', 'user')).toEqual({ ok: true, value: UPDATE });
    expect(await client.atTime('1', '', 'user')).toMatchObject({
      ok: true,
      value: { updates: [{ id: ID, price: { mantissa: 9223372036854775807n, expo: -18 } }] },
    });
  });

  test('takes an update without parsed feeds', async () => {
    const { client } = await clientOf('{"binary":{"encoding":"hex","data":["00"]}}');
    expect(await client.latest('', 'user')).toMatchObject({ ok: true, value: { parsedPresent: false } });
  });

  test('reads the deprecated answer and the directory', async () => {
    const deprecated = await clientOf(`{"id":"${ID}","price":${PRICE},"ema_price":${PRICE},"vaa":"AAAA"}`);
    expect(await deprecated.client.deprecated('', 'user')).toMatchObject({
      ok: true,
      value: { vaa: 'AAAA' },
    });
    const directory = await clientOf(`[{"id":"${ID}","attributes":{"symbol":"Crypto.BTC/USD"}},{"id":"?"}]`);
    expect(await directory.client.directory('', 'user')).toMatchObject({
      ok: true,
      value: { entries: [{ id: ID, symbol: 'Crypto.BTC/USD' }], unreadable: [{}] },
    });
  });

  test.each(['../../admin', '12/34', '-1', '1e3', '', '%2e%2e', '9'.repeat(20)])(
    'makes no path of the publish time %j',
    async (publishTime) => {
      const { client, server } = await clientOf(UPDATE);
      expect(await client.atTimeText(publishTime, '', 'user')).toMatchObject({
        failure: { kind: 'bad-request' },
      });
      expect(server.requests).toHaveLength(0);
    },
  );

  test.each([
    '',
    'null',
    '[]',
    '{}',
    '{"binary":{}}',
    '{"binary":null,"parsed":null}',
    'Benchmark',
    '<html>',
  ])('calls the body %j malformed for updates, in the name of its host', async (body) => {
    const { client } = await clientOf(body);
    expect(await client.latestText('', 'user')).toMatchObject({
      failure: { kind: 'malformed', service: 'upgraded' },
    });
    expect(await client.deprecatedText('', 'user')).toMatchObject({ failure: { kind: 'malformed' } });
  });

  test('calls a directory malformed that is no list', async () => {
    const { client } = await clientOf('{}');
    expect(await client.directoryText('', 'user')).toMatchObject({
      failure: { kind: 'malformed', service: 'upgraded' },
    });
  });

  test('names its host when a body has the form but no content', async () => {
    const { client } = await clientOf(`{"id":"${ID}","price":{}}`);
    expect(await client.deprecated('', 'user')).toMatchObject({
      failure: { kind: 'malformed', service: 'upgraded' },
    });
  });

  test('says what a plain text at the time-based route is, and hides our key in it', async () => {
    const said = async (body: string) => {
      const { client } = await clientOf(body);
      const answer = await client.atTimeText('1', '', 'user');
      return answer.ok ? '' : `${answer.failure.kind}: ${answer.failure.detail}`;
    };
    const begin = 'malformed: The upgraded price update service sent an unreadable answer: it is';
    expect(await said('Update data not found')).toBe(`${begin} a plain text, “Update data not found”.`);
    expect(await said('"No update\\nyet"')).toBe(`${begin} a plain text, “No update yet”.`);
    expect(await said('{"binary":')).toMatch(/JSON is damaged/);
    expect(await said('<p>hello</p>')).toMatch(/web page/);
    expect(await said('')).toMatch(/it is empty/);
    expect(await said('Bad key test-key-1')).toMatch(/“Bad key \[key\]”/);
  });
});
