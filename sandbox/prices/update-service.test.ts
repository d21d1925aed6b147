import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inventedId, sandboxFeeds } from './feeds';
import { NOON_MS, type PriceHarness, startPriceHarness } from './price-harness';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const EUR = 'a995d00bb36a63cef7fd2c287dc105fc8f3d93779f062f09551b0af3e81ec30b';
const UNKNOWN = 'f'.repeat(64);
const [SLOW, NOT_UNIQUE] = [7, 9].map(inventedId);
const NOON_S = NOON_MS / 1000;

type Body = {
  binary: { encoding: 'hex' | 'base64'; data: string[] };
  parsed?: {
    id: string;
    price: { price: string; conf: string; expo: number; publish_time: number };
    ema_price: { price: string; conf: string; expo: number; publish_time: number };
    metadata: { slot: number; proof_available_time: number; prev_publish_time: number };
  }[];
};

let sandbox: PriceHarness;
beforeAll(async () => {
  sandbox = await startPriceHarness();
});
beforeEach(() => {
  sandbox.clock.set({ ms: NOON_MS });
});
afterAll(() => sandbox.close());

async function get(path: string) {
  const response = await fetch(`${sandbox.origin}/updates${path}`);
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

async function body(path: string): Promise<Body> {
  const { status, text } = await get(path);
  expect(text.slice(0, 100) && status).toBe(200);
  return JSON.parse(text);
}

async function plain(path: string) {
  const { status, type, text } = await get(path);
  expect(type).toMatch(/^text\/plain/);
  return { status, text };
}

describe('GET /v2/updates/price/latest', () => {
  it('gives the update that is current now, parsed and binary, in the order asked', async () => {
    const { binary, parsed } = await body(`/v2/updates/price/latest?ids[]=${EUR}&ids[]=${BTC}`);
    expect(parsed?.map(({ id }) => id)).toEqual([EUR, BTC]);
    expect(parsed?.[1]).toMatchObject({
      price: { expo: -8, publish_time: NOON_S },
      ema_price: { expo: -8, publish_time: NOON_S },
      metadata: { prev_publish_time: NOON_S - 1, proof_available_time: NOON_S },
    });
    expect(parsed?.[1]?.price.price).toMatch(/^\d+$/);
    expect(binary.encoding).toBe('hex');
    expect(binary.data).toHaveLength(1);
  });

  it('takes ids in upper case, with 0x, repeated, and with encoded brackets', async () => {
    const { parsed } = await body(
      `/v2/updates/price/latest?ids%5B%5D=0x${BTC.toUpperCase()}&ids[]=${EUR}&ids%5b%5d=${BTC}`,
    );
    expect(parsed?.map(({ id }) => id)).toEqual([BTC, EUR]);
  });

  it('says which ids it does not know, or ignores them when asked to', async () => {
    const other = 'e'.repeat(64);
    const query = `ids[]=${UNKNOWN}&ids[]=${BTC}&ids[]=0x${other}`;
    expect(await plain(`/v2/updates/price/latest?${query}`)).toEqual({
      status: 404,
      text: `Price ids not found: ${UNKNOWN}, ${other}`,
    });
    const { parsed } = await body(`/v2/updates/price/latest?${query}&ignore_invalid_price_ids=true`);
    expect(parsed?.map(({ id }) => id)).toEqual([BTC]);
    const none = await body(`/v2/updates/price/latest?ids[]=${UNKNOWN}&ignore_invalid_price_ids=true`);
    expect(none).toEqual({ binary: { encoding: 'hex', data: [] }, parsed: [] });
  });

  it.each([
    ['', 'missing field `ids`'],
    ['ids[]=xyz', 'invalid price id'],
    [`ids[]=${BTC}00`, 'invalid price id'],
    [`ids[]=${BTC}&encoding=utf8`, 'encoding: unknown variant'],
    [`ids[]=${BTC}&parsed=1`, 'parsed'],
    [`ids[]=${BTC}&ignore_invalid_price_ids=yes`, 'ignore_invalid_price_ids'],
    [`ids[]=${BTC}&encoding=hex&encoding=hex`, 'duplicate field `encoding`'],
  ])('refuses %j with 400 and plain text', async (query, why) => {
    const { status, text } = await plain(`/v2/updates/price/latest?${query}`);
    expect(status).toBe(400);
    expect(text).toContain(why);
  });
});

describe('GET /v2/updates/price/{publish_time}', () => {
  it('gives the first update at or after the second, and agrees with what was latest then', async () => {
    const latest = await body(`/v2/updates/price/latest?ids[]=${BTC}&ids[]=${EUR}`);
    sandbox.clock.set({ ms: NOON_MS + 3_600_000 });
    const later = await body(`/v2/updates/price/${NOON_S}?ids[]=${BTC}&ids[]=${EUR}`);
    expect(later.parsed).toEqual(latest.parsed);
    expect(later.binary).toEqual(latest.binary);
    expect(later.parsed?.[0]?.metadata.prev_publish_time).toBe(NOON_S - 1);
  });

  it('waits for the next update of a slow feed', async () => {
    sandbox.clock.set({ ms: NOON_MS + 60_000 });
    const { parsed } = await body(`/v2/updates/price/${NOON_S + 1}?ids[]=${SLOW}`);
    expect(parsed?.[0]?.price.publish_time).toBe(NOON_S + 20);
    expect(parsed?.[0]?.metadata.prev_publish_time).toBe(NOON_S);
  });

  it.each([NOON_S + 1, 4_102_444_800, 9_223_372_036_854_775_000n, 1, 0, -1])(
    'has no update at %s: not yet, or before the history',
    async (time) => {
      expect(await plain(`/v2/updates/price/${time}?ids[]=${BTC}`)).toEqual({
        status: 404,
        text: 'Update data not found',
      });
    },
  );

  it.each(['abc', '1.5', '1e9', '9223372036854775808', '%31x', '..%2flatest'])(
    'refuses the time %s',
    async (time) => {
      expect((await plain(`/v2/updates/price/${time}?ids[]=${BTC}`)).status).toBe(400);
    },
  );
});

describe('GET /api/get_price_feed', () => {
  it('gives the same digits as the v2 route, without metadata and binary unless asked', async () => {
    const path = `/api/get_price_feed?id=0x${BTC}&publish_time=${NOON_S}`;
    const v2 = await body(`/v2/updates/price/${NOON_S}?ids[]=${BTC}&encoding=base64`);
    const expected = v2.parsed?.[0];
    const bare = JSON.parse((await get(path)).text);
    expect(bare).toEqual({ id: BTC, price: expected?.price, ema_price: expected?.ema_price });
    const full = JSON.parse((await get(`${path}&verbose=true&binary=true`)).text);
    expect(full.vaa).toBe(v2.binary.data[0]);
    expect(full.metadata).toEqual({
      emitter_chain: 26,
      prev_publish_time: NOON_S - 1,
      price_service_receive_time: NOON_S,
      slot: expected?.metadata.slot,
    });
  });

  it('refuses an update that is not unique at its second', async () => {
    expect(await plain(`/api/get_price_feed?id=${NOT_UNIQUE}&publish_time=${NOON_S - 1}`)).toEqual({
      status: 404,
      text: 'Benchmark price is not unique',
    });
  });

  it.each([
    [`id=${BTC}`, 400],
    [`publish_time=${NOON_S}`, 400],
    [`id=xyz&publish_time=${NOON_S}`, 400],
    [`id=${BTC}&publish_time=noon`, 400],
    [`id=${BTC}&publish_time=${NOON_S}&verbose=maybe`, 400],
    [`id=${UNKNOWN}&publish_time=${NOON_S}`, 404],
    [`id=${BTC}&publish_time=${NOON_S + 5}`, 404],
  ])('refuses %s with %s', async (query, status) => {
    expect((await plain(`/api/get_price_feed?${query}`)).status).toBe(status);
  });
});

describe('GET /v2/price_feeds', () => {
  it('lists every feed with its names', async () => {
    const all = JSON.parse((await get('/v2/price_feeds')).text);
    expect(all).toHaveLength(sandboxFeeds.length);
    expect(all.find((one: { id: string }) => one.id === BTC).attributes).toMatchObject({
      symbol: 'Crypto.BTC/USD',
      asset_type: 'crypto',
      base: 'BTC',
      quote_currency: 'USD',
      description: 'BITCOIN / US DOLLAR',
    });
  });

  it('filters by a part of the symbol and by asset type, whatever the case', async () => {
    const symbols = async (query: string) =>
      JSON.parse((await get(`/v2/price_feeds?${query}`)).text).map(
        (one: { attributes: { symbol: string } }) => one.attributes.symbol,
      );
    expect(await symbols('query=eUr&asset_type=FX')).toEqual(['FX.EUR/USD']);
    expect(await symbols('asset_type=metal')).toEqual(['Metal.XAG/USD', 'Metal.XAU/USD']);
    expect(await symbols('asset_type=kalshi')).toEqual([]);
    expect((await plain('/v2/price_feeds?asset_type=stone')).status).toBe(400);
  });
});
