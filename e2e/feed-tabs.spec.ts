import type { BrowserContext, Page } from '@playwright/test';
import { cuttableWay } from './cuttable-way';
import { expect, test } from './dashboard';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const ETH = 'ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace';
const BOTH = `${BTC},${ETH}`;

/**
 * A page that wakes, or is online again, is fresh at once: within 2 s where the machine is its own. So much is left to one
 * that is shared; a page that waited for its next try would take longer.
 */
const FRESH_WITHIN_MS = 10_000;

/** How many streams of browsers the dashboard has open. */
async function openStreams(origin: string): Promise<number> {
  const text = await (await fetch(`${origin}/api/metrics`)).text();
  const [, count = '0'] = /^keeperscope_open_streams\{stream="feeds"\} (\d+)$/m.exec(text) ?? [];
  return Number(count);
}

const price = (page: Page, symbol = 'Crypto.BTC/USD') =>
  page.getByRole('region', { name: symbol }).locator('[data-figure="price"]');
const live = (page: Page) => page.locator('[data-connection="live"]');

async function openTab(context: BrowserContext, origin: string, ids = BTC): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${origin}/feeds?ids=${ids}`, { waitUntil: 'commit' });
  return page;
}

/** The price of every tab changes from what is on screen now. */
async function move(tabs: readonly Page[], timeout = 30_000): Promise<void> {
  const shown = () => Promise.all(tabs.map((tab) => price(tab).textContent()));
  const before = await shown();
  const moved = new Set<number>();
  const look = async () => {
    for (const [at, text] of (await shown()).entries()) if (text !== before[at]) moved.add(at);
    return moved.size;
  };
  await expect.poll(look, { timeout }).toBe(tabs.length);
}

async function allLive(tabs: readonly Page[], timeout = 30_000): Promise<void> {
  await Promise.all(tabs.map((tab) => expect(live(tab)).toBeVisible({ timeout })));
}

/** Stops every process of the browser, as sleep does, for so long. */
async function sleep(context: BrowserContext, ms: number): Promise<void> {
  const session = await context.browser()?.newBrowserCDPSession();
  const { processInfo = [] } = (await session?.send('SystemInfo.getProcessInfo')) ?? {};
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const { id } of processInfo) process.kill(id, name);
  };
  const since = Date.now();
  signal('SIGSTOP');
  try {
    await expect.poll(() => Date.now() - since, { timeout: ms + 10_000 }).toBeGreaterThan(ms);
  } finally {
    signal('SIGCONT');
  }
}

/** What a page sees when another tab is in front of it, which a browser without a window never has. */
async function show(page: Page, visible: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate((state) => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: state === 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'));
  }, visible);
}

test.beforeEach(() => {
  // Several pages at once on whatever machine this is.
  test.setTimeout(120_000);
});

test.afterEach(async ({ context, dashboard }) => {
  await context.close();
  await expect.poll(() => openStreams(dashboard.origin)).toBe(0);
});

test('can I watch prices in seven tabs? All are live, over one stream', async ({ context, dashboard }) => {
  const ids = [BOTH, BTC, BOTH, BTC, BTC, BTC, BTC];
  const tabs: Page[] = [];
  for (const some of ids) tabs.push(await openTab(context, dashboard.origin, some));
  await allLive(tabs, 60_000);
  await move(tabs);
  await expect.poll(() => openStreams(dashboard.origin)).toBe(1);
  for (const [at, tab] of tabs.entries()) {
    await expect(price(tab, 'Crypto.ETH/USD')).toHaveCount(ids[at] === BOTH ? 1 : 0);
  }
});

test('I close the tab that I opened first? The others go on', async ({ context, dashboard }) => {
  const first = await openTab(context, dashboard.origin, BOTH);
  await allLive([first]);
  const others = [await openTab(context, dashboard.origin), await openTab(context, dashboard.origin)];
  await allLive(others);
  await first.close();
  await move(others);
  await expect.poll(() => openStreams(dashboard.origin)).toBe(1);
});

test('a tab crashes? The others go on, with one stream', async ({ context, dashboard }) => {
  const first = await openTab(context, dashboard.origin);
  await allLive([first]);
  const others = [await openTab(context, dashboard.origin), await openTab(context, dashboard.origin)];
  await allLive(others);
  const crashed = first.waitForEvent('crash');
  const session = await context.newCDPSession(first);
  session.send('Page.crash').catch(() => {});
  await crashed;
  await move(others);
  await expect.poll(() => openStreams(dashboard.origin)).toBe(1);
});

test('my computer slept? The tabs are fresh when it wakes, over one stream', async ({
  context,
  dashboard,
}) => {
  const tabs = [await openTab(context, dashboard.origin), await openTab(context, dashboard.origin)];
  await allLive(tabs);
  await sleep(context, 15_000);
  await allLive(tabs);
  await move(tabs);
  await expect.poll(() => openStreams(dashboard.origin)).toBe(1);
});

test('I looked elsewhere for an hour? The stream is given back, and the tab is fresh when I return', async ({
  context,
  dashboard,
}) => {
  await context.clock.install();
  const page = await openTab(context, dashboard.origin);
  await allLive([page]);
  await show(page, 'hidden');
  await context.clock.fastForward('01:00:00');
  await expect.poll(() => openStreams(dashboard.origin)).toBe(0);
  await show(page, 'visible');
  await allLive([page], FRESH_WITHIN_MS);
  await move([page]);
  expect(await openStreams(dashboard.origin)).toBe(1);
});

test('the browser froze my tab? It gives its stream back, and is fresh when it wakes', async ({
  context,
  dashboard,
}) => {
  const page = await openTab(context, dashboard.origin);
  await allLive([page]);
  await page.evaluate(() => document.dispatchEvent(new Event('freeze')));
  await expect.poll(() => openStreams(dashboard.origin)).toBe(0);
  await page.evaluate(() => document.dispatchEvent(new Event('resume')));
  await allLive([page], FRESH_WITHIN_MS);
  await move([page]);
  expect(await openStreams(dashboard.origin)).toBe(1);
});

test('I was offline? All tabs say so, keep their prices, and are fresh when I am back', async ({
  context,
  dashboard,
}) => {
  const way = await cuttableWay(dashboard.origin);
  const tabs = [await openTab(context, way.origin), await openTab(context, way.origin)];
  await allLive(tabs);
  way.cut();
  for (const tab of tabs) await expect(tab.locator('[data-connection="reconnecting"]')).toBeVisible();
  for (const tab of tabs) await expect(price(tab)).toHaveText(/\d/);
  way.restore();
  // What a browser says when its network is back.
  for (const tab of tabs) await tab.evaluate(() => window.dispatchEvent(new Event('online')));
  await allLive(tabs, FRESH_WITHIN_MS);
  await move(tabs);
  expect(await openStreams(dashboard.origin)).toBe(1);
  way.close();
});

test('I leave the prices and come back? They are live again, over one stream', async ({
  context,
  dashboard,
}) => {
  const page = await openTab(context, dashboard.origin);
  await allLive([page]);
  await page.goto(`${dashboard.origin}/requests`);
  await expect.poll(() => openStreams(dashboard.origin)).toBe(0);
  await page.goBack({ waitUntil: 'commit' });
  await allLive([page]);
  await move([page]);
  expect(await openStreams(dashboard.origin)).toBe(1);
});

test('my browser knows no shared workers? Prices are live all the same', async ({ context, dashboard }) => {
  await context.addInitScript(() => Reflect.deleteProperty(window, 'SharedWorker'));
  const tabs = [await openTab(context, dashboard.origin), await openTab(context, dashboard.origin)];
  await allLive(tabs);
  await move(tabs);
  expect(await openStreams(dashboard.origin)).toBe(2);
});
