import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inventedId } from './feeds';
import { NOON_MS, type PriceHarness, startPriceHarness } from './price-harness';
import { CHANNELS, routerFeeds } from './router-feeds';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const EUR_ID = routerId('FX.EUR/USD');
const NOON_US = NOON_MS * 1000;

function routerId(symbol: string): number {
  const routerFeed = routerFeeds.find(({ feed }) => feed.symbol === symbol);
  if (!routerFeed) throw new Error(`no ${symbol}`);
  return routerFeed.routerId;
}

let sandbox: PriceHarness;
beforeAll(async () => {
  sandbox = await startPriceHarness();
});
beforeEach(() => sandbox.clock.set({ ms: NOON_MS }));
afterAll(() => sandbox.close());

async function post(route: string, body: unknown, type = 'application/json') {
  const response = await fetch(`${sandbox.origin}/router/v1/${route}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

const query = {
  channel: 'fixed_rate@200ms',
  priceFeedIds: [1, EUR_ID],
  properties: ['price', 'exponent', 'confidence', 'emaPrice', 'emaConfidence'],
  formats: [] as string[],
};

describe('GET /v1/symbols', () => {
  it('links both kinds of id, with channel and state of each feed', async () => {
    const symbols = await (await fetch(`${sandbox.origin}/router/v1/symbols`)).json();
    const ids = {
      pyth_lazer_id: 1,
      hermes_id: BTC,
      name: 'BTCUSD',
      asset_type: 'crypto',
      quote_currency: 'USD',
    };
    const btc = symbols.find((symbol: { symbol: string }) => symbol.symbol === 'Crypto.BTC/USD');
    expect(btc).toMatchObject({ ...ids, exponent: -8, min_channel: 'real_time', state: 'stable' });
    const of = (member: string) => new Set(symbols.map((symbol: Record<string, unknown>) => symbol[member]));
    for (const channel of ['real_time', 'fixed_rate@50ms', 'fixed_rate@200ms', 'fixed_rate@1000ms']) {
      expect(of('min_channel')).toContain(channel);
    }
    expect(of('state')).toEqual(new Set(['stable', 'coming_soon', 'inactive']));
    expect(of('hermes_id')).toContain(null);
    expect(of('pyth_lazer_id').size).toBe(symbols.length);
  });

  it('needs no key, and filters by parameters', async () => {
    const router = sandbox.services.find(({ name }) => name === 'router');
    const isPublic = Object.entries(router?.routes ?? {}).filter(([, route]) => route.isPublic);
    expect(isPublic.map(([name]) => name)).toEqual(['symbols']);
    const response = await fetch(`${sandbox.origin}/router/v1/symbols?query=EUR&asset_type=fx`);
    expect((await response.json()).map((symbol: { symbol: string }) => symbol.symbol)).toEqual([
      'FX.EUR/USD',
    ]);
  });
});

describe('POST /v1/latest_price', () => {
  it('returns exactly the requested properties, equal to those of the update service', async () => {
    const { status, text } = await post('latest_price', query);
    expect(status).toBe(200);
    const { parsed, ...formats } = JSON.parse(text);
    expect(formats).toEqual({});
    expect(parsed.timestampUs).toBe(String(NOON_US));
    const latest = await fetch(`${sandbox.origin}/updates/v2/updates/price/latest?ids[]=${BTC}`);
    const [btc] = (await latest.json()).parsed;
    const price = { price: btc.price.price, exponent: btc.price.expo, confidence: Number(btc.price.conf) };
    const ema = { emaPrice: btc.ema_price.price, emaConfidence: Number(btc.ema_price.conf) };
    expect(parsed.priceFeeds[0]).toEqual({ priceFeedId: 1, ...price, ...ema });
    expect(parsed.priceFeeds[1].priceFeedId).toBe(EUR_ID);
  });

  it('signs its payloads with the keys of the sandbox', async () => {
    const formats = ['evm', 'solana', 'leEcdsa', 'leUnsigned'];
    const answer = JSON.parse((await post('latest_price', { ...query, formats })).text);
    const bytes = (format: string) => Buffer.from(answer[format].data, 'base64');
    const addresses = new Set<string>();
    for (const format of ['evm', 'leEcdsa']) {
      const message = bytes(format);
      const payload = message.subarray(71);
      const length = format === 'evm' ? message.readUInt16BE(69) : message.readUInt16LE(69);
      expect(payload.length).toBe(length);
      const key = secp256k1.Signature.fromBytes(message.subarray(4, 68), 'compact')
        .addRecoveryBit(message[68] ?? 0)
        .recoverPublicKey(keccak_256(payload))
        .toBytes(false);
      addresses.add(Buffer.from(keccak_256(key.subarray(1)).subarray(12)).toString('hex'));
    }
    expect(addresses.size).toBe(1);
    const solana = bytes('solana');
    const payload = solana.subarray(102);
    expect(ed25519.verify(solana.subarray(4, 68), payload, solana.subarray(68, 100))).toBe(true);
    expect(bytes('leUnsigned').subarray(6)).toEqual(payload);
    expect(payload.readBigUInt64LE(4)).toBe(BigInt(NOON_US));
    // Feed count, then the first feed: its id, five properties, and number 0 (price) with its value.
    expect([payload[13], payload.readUInt32LE(14), payload[18], payload[19]]).toEqual([2, 1, 5, 0]);
    expect(payload.readBigInt64LE(20).toString()).toBe(answer.parsed.priceFeeds[0].price);
  });

  it('serves min_channel and every later channel, and refuses the others', async () => {
    const firsts = { 'Crypto.BTC/USD': 0, 'FX.EUR/USD': 2, 'Crypto.AAVE/USD': 3, 'Sandbox.SLOW/USD': 4 };
    for (const [symbol, first] of Object.entries(firsts)) {
      for (const [place, channel] of CHANNELS.entries()) {
        const priceFeedIds = [routerId(symbol)];
        const { status, text } = await post('latest_price', { ...query, channel, priceFeedIds });
        expect([symbol, channel, status]).toEqual([symbol, channel, place >= first ? 200 : 400]);
        if (place < first) expect(text).toContain(`minimum channel is ${CHANNELS[first]}`);
      }
    }
  });

  it.each([
    [{ channel: 'fixed_rate@7ms' }, 'at channel'],
    [{ channel: undefined }, 'at channel'],
    [{ priceFeedIds: [1, 999_999] }, 'not found: 999999'],
    [{ priceFeedIds: ['1'] }, 'at priceFeedIds[0]'],
    [{ priceFeedIds: [1, 1] }, 'duplicate price feed ids'],
    [{ priceFeedIds: [] }, 'no price feed ids'],
    [{ priceFeedIds: [routerId('Crypto.APE/USD')] }, 'not stable: its state is coming_soon'],
    [{ properties: ['price', 'colour'] }, 'at properties[1]'],
    [{ properties: [] }, 'at properties'],
    [{ formats: ['evm', 'pdf'] }, 'at formats[1]'],
    [{ jsonBinaryEncoding: 'utf8' }, 'at jsonBinaryEncoding'],
  ])('refuses %j and says why', async (change, why) => {
    const { status, text } = await post('latest_price', { ...query, ...change });
    expect(status).toBe(400);
    expect(text).toContain(why);
  });

  it('refuses a body that is not a JSON object, and another content type', async () => {
    for (const body of ['', '{', '[]', 'null', '7'])
      expect((await post('latest_price', body)).status).toBe(400);
    expect((await post('latest_price', query, 'text/plain')).status).toBe(415);
  });
});

describe('POST /v1/price', () => {
  it('returns the answer of latest_price for the time of that answer', async () => {
    sandbox.clock.set({ ms: NOON_MS + 777 });
    const latest = JSON.parse((await post('latest_price', query)).text);
    const timestamp = Number(latest.parsed.timestampUs);
    expect(JSON.parse((await post('price', { ...query, timestamp })).text)).toEqual(latest);
  });

  it.each([
    [`"${NOON_US}"`, 400, 'expected u64 microseconds as an unquoted integer'],
    ['18446744073709551616', 400, 'too large'],
    ['18446744073709551615', 404, 'lies in the future'],
    [String(NOON_US + 1), 404, 'lies in the future'],
    ['0', 404, 'before the history'],
  ])('refuses the timestamp %s', async (timestamp, status, why) => {
    const body = JSON.stringify(query).replace(/}$/, `,"timestamp":${timestamp}}`);
    const answer = await post('price', body);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(why);
  });

  it('knows the feed that only the router has, with its funding rate', async () => {
    const priceFeedIds = [routerId('Sandbox.ROUTER-ONLY/USD')];
    const properties = ['price', 'fundingRate', 'fundingTimestamp', 'fundingRateInterval'];
    const { text } = await post('price', { ...query, priceFeedIds, properties, timestamp: NOON_US });
    expect(JSON.parse(text).parsed.priceFeeds[0]).toMatchObject({ fundingRate: expect.any(Number) });
    const latest = `${sandbox.origin}/updates/v2/updates/price/latest`;
    expect((await fetch(`${latest}?ids[]=${inventedId(0xff)}`)).status).toBe(404);
  });
});
