import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inventedId } from './feeds';
import { NOON_MS, type PriceHarness, startPriceHarness } from './price-harness';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const UNKNOWN = 'f'.repeat(64);
const [SLOW, NOT_UNIQUE] = [7, 9].map(inventedId);
const NOON_S = NOON_MS / 1000;

type Body = {
  parsed?: { price: { publish_time: number }; metadata: { prev_publish_time: number } }[];
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

it.each([
  ['', 'ids: '],
  ['ids[]=xyz', 'invalid price id'],
  [`ids[]=${BTC}00`, 'invalid price id'],
  [`ids[]=${BTC}&encoding=utf8`, 'encoding: '],
  [`ids[]=${BTC}&parsed=1`, 'parsed'],
  [`ids[]=${BTC}&ignore_invalid_price_ids=yes`, 'ignore_invalid_price_ids'],
  [`ids[]=${BTC}&encoding=hex&encoding=hex`, 'duplicate field `encoding`'],
])('GET /v2/updates/price/latest refuses %j with 400 and plain text', async (query, why) => {
  const { status, text } = await plain(`/v2/updates/price/latest?${query}`);
  expect(status).toBe(400);
  expect(text).toContain(why);
});

describe('GET /v2/updates/price/{publish_time}', () => {
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

it('GET /v2/price_feeds filters by a part of the symbol and by asset type, whatever the case', async () => {
  const symbols = async (query: string) =>
    JSON.parse((await get(`/v2/price_feeds?${query}`)).text).map(
      (feed: { attributes: { symbol: string } }) => feed.attributes.symbol,
    );
  expect(await symbols('query=eUr&asset_type=FX')).toEqual(['FX.EUR/USD']);
  expect(await symbols('asset_type=metal')).toEqual(['Metal.XAG/USD', 'Metal.XAU/USD']);
  expect(await symbols('asset_type=kalshi')).toEqual([]);
  expect((await plain('/v2/price_feeds?asset_type=stone')).status).toBe(400);
});
