import { expect, test } from '@playwright/test';
import { type Dashboard, startDashboard } from './dashboard';
import { type RecordingService, startRecordingService, type WireCall } from './recording-service';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const ETH = 'ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace';

/** Feed ids once for each feed, in either spelling, and the parameters that all routes of updates share. */
const IDS = `ids[]=0x${BTC}&ids[]=${ETH}`;
const SHARED = `${IDS}&encoding=base64&parsed=false&ignore_invalid_price_ids=true`;
const EVENTS = '&allow_unordered=true&benchmarks_only=true';
const LOGS =
  'min_timestamp=2026-11-20T08:00:00Z&max_timestamp=2026-11-20T09:00:00.123Z&query=0xabcd&network_id=8453&state=Pending&limit=1000&offset=0';

type Route = [ours: string, theirs: string];

/** The five routes of a host of the price update service; `base` is what stands before each path on the wire. */
const updateRoutes = (host: string, base: string): Route[] => [
  [`/api/${host}/v2/updates/price/latest?${SHARED}`, `${base}/v2/updates/price/latest?${SHARED}`],
  [`/api/${host}/v2/updates/price/1790000000?${SHARED}`, `${base}/v2/updates/price/1790000000?${SHARED}`],
  [
    `/api/${host}/v2/updates/price/stream?${SHARED}${EVENTS}`,
    // In one spelling, so that programs which encode the brackets and those which don't share a stream.
    `${base}/v2/updates/price/stream?${new URLSearchParams(SHARED + EVENTS)}`,
  ],
  [
    `/api/${host}/api/get_price_feed?id=${BTC}&publish_time=1790000000&verbose=true&binary=true`,
    `${base}/api/get_price_feed?id=${BTC}&publish_time=1790000000&verbose=true&binary=true`,
  ],
  [
    `/api/${host}/v2/price_feeds?query=btc&asset_type=crypto`,
    `${base}/v2/price_feeds?query=btc&asset_type=crypto`,
  ],
];

const CHANNELS = ['real_time', 'fixed_rate@1ms', 'fixed_rate@50ms', 'fixed_rate@200ms', 'fixed_rate@1000ms'];

/** A body of the router in a spelling of its own: what arrives has to be the same bytes. */
const routerBody = (channel: string, more = '') =>
  `{"channel": "${channel}","priceFeedIds":[1, 2],"properties":["price","bestBidPrice"],"formats":["evm","solana"]${more}}`;

let service: RecordingService;
let dashboard: Dashboard;

/** @param slash what stands at the end of every base URL */
async function start(slash: '' | '/'): Promise<void> {
  service = await startRecordingService();
  const { origin } = service;
  dashboard = await startDashboard({
    LOGS_URL: `${origin}/logs${slash}`,
    LOGS_API_KEY: 'key-of-logs',
    UPDATES_URL: `${origin}${slash}`,
    UPDATES_API_KEY: 'key-of-updates',
    UPGRADED_UPDATES_URL: `${origin}/hermes${slash}`,
    UPGRADED_UPDATES_API_KEY: 'key-of-upgraded',
    ROUTER_URL: `${origin}/router${slash}`,
    ROUTER_API_KEY: 'key-of-router',
    SYMBOLS_URL: `${origin}/names${slash}`,
  });
}

async function stop(): Promise<void> {
  await dashboard.stop();
  await service.stop();
}

/** Asks our gateway as a careless client would, with a key and a cookie of its own, and reads the beginning of the answer. */
async function ask(path: string, body?: string): Promise<void> {
  const response = await fetch(dashboard.origin + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: 'Bearer of-the-caller', cookie: 'session=1', 'x-api-key': 'of-the-caller' },
    body,
  });
  const reader = response.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  expect([response.status, new TextDecoder().decode(first?.value)]).toEqual([
    200,
    expect.stringMatching(/[[{]/),
  ]);
}

/** The one call that had exactly this address. */
function only(url: string): WireCall {
  const calls = service.calls(url).filter((call) => call.url === url);
  expect(calls.length, `calls of ${url}`).toBe(1);
  return calls[0] as WireCall;
}

function expectCall(call: WireCall, method: string, key: string): void {
  expect([call.method, call.headers.authorization]).toEqual([method, `Bearer ${key}`]);
  expect(JSON.stringify(call.headers)).not.toMatch(/of-the-caller|session=1/);
  expect(call.url).not.toContain(key);
}

for (const slash of ['', '/'] as const) {
  test.describe(`base URLs that end ${slash === '' ? 'without' : 'with'} a slash: on the wire`, () => {
    test.beforeAll(() => start(slash));
    test.afterAll(stop);
    test.beforeEach(() => service.forget());

    test('a query of logs carries every parameter as it was written, and the key as bearer', async () => {
      await ask(`/api/logs/v1/logs?${LOGS}`);
      expectCall(only(`/logs/v1/logs?${LOGS}`), 'GET', 'key-of-logs');
    });

    for (const [host, base] of [
      ['updates', ''],
      ['upgraded', '/hermes'],
    ] as const) {
      for (const [ours, theirs] of updateRoutes(host, base)) {
        test(`${ours.split('?')[0]} carries every parameter, and ids[] once for each feed`, async () => {
          await ask(ours);
          expectCall(only(theirs), 'GET', `key-of-${host}`);
        });
      }
    }

    test('ids[] may be written with its brackets encoded, and stay so', async () => {
      const query = `ids%5B%5D=${BTC}&ids%5B%5D=0x${ETH}`;
      await ask(`/api/upgraded/v2/updates/price/latest?${query}`);
      only(`/hermes/v2/updates/price/latest?${query}`);
    });

    test('the latest price of the router is asked for on every channel by the body that came, byte by byte', async () => {
      for (const channel of CHANNELS) await ask('/api/router/v1/latest_price', routerBody(channel));
      const calls = service.calls('/router/v1/latest_price');
      expect(calls.map(({ body }) => body)).toEqual(CHANNELS.map((channel) => routerBody(channel)));
      for (const call of calls) {
        expectCall(call, 'POST', 'key-of-router');
        expect(call.headers['content-type']).toBe('application/json');
      }
    });

    test('the timestamp of the router is a bare integer of microseconds, with every digit of a u64', async () => {
      const times = ['1790000000123456', '18446744073709551615'];
      for (const time of times)
        await ask('/api/router/v1/price', routerBody('real_time', `,"timestamp": ${time}`));
      const bodies = service.calls('/router/v1/price').map(({ body }) => body);
      expect(bodies).toEqual(times.map((time) => routerBody('real_time', `,"timestamp": ${time}`)));
    });

    test('symbols are asked for at their own host, with the key and every parameter', async () => {
      await ask('/api/router/v1/symbols?query=btc&asset_type=crypto');
      expectCall(only('/names/v1/symbols?query=btc&asset_type=crypto'), 'GET', 'key-of-router');
    });

    test('a parameter that nobody knows yet goes on as well', async () => {
      await ask(`/api/updates/v2/updates/price/latest?${IDS}&later=%2F%20x`);
      only(`/v2/updates/price/latest?${IDS}&later=%2F%20x`);
    });
  });
}
