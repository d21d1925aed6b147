import type { BrowserContext, Page } from '@playwright/test';
import type { Dashboard } from './dashboard';
import { firstOfSeconds, missingSlots, shownTicks } from './feed-witness';
import { expect, test } from './fixtures';
import { startTcpProxy } from './tcp-proxy';
import { BACK, DOWN, openChart, published, state, wholeSeconds, test as witnessed } from './witnessed-chart';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const ETH = 'ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace';

async function openStreams({ origin }: Dashboard): Promise<number> {
  const text = await (await fetch(`${origin}/api/metrics`)).text();
  return Number(/^keeperscope_open_streams\{stream="feeds"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

const price = (page: Page) =>
  page.getByRole('region', { name: 'Crypto.BTC/USD' }).locator('[data-figure="price"]');
const live = (page: Page) =>
  expect(page.locator('[data-connection="live"]')).toBeVisible({ timeout: 60_000 });

async function moves(page: Page): Promise<void> {
  const before = String(await price(page).textContent());
  await expect(price(page)).not.toHaveText(before, { timeout: 30_000 });
}

/** Hides the document like a tab behind another one. A headless browser never does that itself. */
const hide = () => Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });

async function show(page: Page, visibility: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate((isHidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, visibility === 'hidden');
}

async function openTab(context: BrowserContext, origin: string, visibility: 'hidden' | 'visible', ids = BTC) {
  const page = await context.newPage();
  if (visibility === 'hidden') await page.addInitScript(hide);
  await page.goto(`${origin}/feeds?ids=${ids}`);
  return page;
}

test.describe('the tabs of a browser', () => {
  test.beforeEach(() => test.setTimeout(180_000));
  test.afterEach(async ({ context, dashboard }) => {
    await context.close();
    await expect.poll(() => openStreams(dashboard)).toBe(0);
  });

  test('of seven tabs only the visible one has a stream, and it is answered at once', async ({
    context,
    dashboard,
  }) => {
    const hidden = await Promise.all(
      Array.from({ length: 6 }, () => openTab(context, dashboard.origin, 'hidden')),
    );
    const seen = await openTab(context, dashboard.origin, 'visible');
    await live(seen);
    await moves(seen);
    expect(await openStreams(dashboard)).toBe(1);
    const answered = () =>
      seen.evaluate(async () => {
        const since = performance.now();
        await fetch('/api/health', { cache: 'no-store' });
        return performance.now() - since;
      });
    await expect.poll(answered).toBeLessThan(1_000);
    const [other] = hidden;
    if (other === undefined) throw new Error('no tab');
    await show(other, 'visible');
    await live(other);
    await moves(other);
  });

  test('a hidden tab gives up its stream after some seconds, and is fresh on return', async ({
    context,
    dashboard,
  }) => {
    await context.clock.install();
    const page = await openTab(context, dashboard.origin, 'visible');
    await live(page);
    await show(page, 'hidden');
    await context.clock.fastForward('01:00:00');
    await expect.poll(() => openStreams(dashboard)).toBe(0);
    await show(page, 'visible');
    await live(page);
    await moves(page);
    expect(await openStreams(dashboard)).toBe(1);
  });

  test('with an alert one hidden tab keeps a stream for its feed, and another tab takes over', async ({
    context,
    dashboard,
  }) => {
    await context.addInitScript((feed) => {
      // A new tab begins at about:blank, which has no storage.
      if (location.protocol === 'about:') return;
      const alert = { id: 'a', feed, symbol: 'Crypto.ETH/USD', k: 'above', v: '0.5' };
      localStorage.setItem('ks-watchlist', JSON.stringify({ alerts: [alert], watched: [] }));
    }, ETH);
    const tabs = [
      await openTab(context, dashboard.origin, 'hidden'),
      await openTab(context, dashboard.origin, 'hidden'),
    ];
    const raised = (page: Page) => page.getByRole('button', { name: 'Alerts: 1 raised' }).count();
    const watching = async () => Promise.all(tabs.map(raised));
    await expect.poll(async () => (await watching()).reduce((sum, count) => sum + count), BACK).toBe(1);
    expect(await openStreams(dashboard)).toBe(1);
    const keeper = (await watching()).indexOf(1);
    await tabs[keeper]?.close();
    tabs.splice(keeper, 1);
    await expect.poll(async () => (await watching())[0], BACK).toBe(1);
    await expect.poll(() => openStreams(dashboard)).toBe(1);
  });

  test('a page that was offline or frozen says so, keeps its price, and is fresh at once afterwards', async ({
    context,
    dashboard,
  }) => {
    let targets = [dashboard.origin];
    const way = await startTcpProxy(() => targets);
    const page = await openTab(context, way.origin, 'visible');
    await live(page);
    targets = [];
    way.cut();
    await expect(page.locator('[data-connection="reconnecting"]')).toBeVisible();
    await expect(price(page)).toHaveText(/\d/);
    targets = [dashboard.origin];
    // The event that a browser sends when its network is back.
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    await live(page);
    await moves(page);
    await page.evaluate(() => document.dispatchEvent(new Event('freeze')));
    await expect.poll(() => openStreams(dashboard)).toBe(0);
    await page.evaluate(() => document.dispatchEvent(new Event('resume')));
    await live(page);
    await moves(page);
    expect(await openStreams(dashboard)).toBe(1);
    way.close();
  });

  test('a page from the back-forward cache is live again, over one stream', async ({ page, dashboard }) => {
    // Some browsers keep pages for Back in spite of no-store. Removing the header has that effect here.
    await page.route(`**/feeds?ids=*`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), 'cache-control': 'no-cache' } });
    });
    await page.addInitScript(() => {
      window.addEventListener('pageshow', ({ persisted }) => {
        Object.assign(window, { shownFrom: persisted ? 'cache' : 'network' });
      });
    });
    await page.goto(`${dashboard.origin}/feeds?ids=${BTC}`);
    await live(page);
    // Navigation within our site would keep the page.
    await page.goto(`${dashboard.origin.replace('127.0.0.1', 'localhost')}/requests`);
    await expect.poll(() => openStreams(dashboard)).toBe(0);
    await page.goBack({ waitUntil: 'commit' });
    await live(page);
    await moves(page);
    expect(await page.evaluate(() => Reflect.get(window, 'shownFrom'))).toBe('cache');
    expect(await openStreams(dashboard)).toBe(1);
  });
});

witnessed(
  'the price service goes down? The chart says so, keeps its prices, goes on when it is back, and counts what we missed',
  async ({ page, control, witness }) => {
    witnessed.setTimeout(180_000);
    await openChart(page, witness);
    const fromS = witness.ticks().at(-1)?.publishS ?? 0;
    await published(witness, 6);
    const cutS = Math.floor(Date.now() / 1000);
    await control.fault({ service: 'updates', fault: { kind: 'drop' } });
    await control.fault({ service: 'updates', route: 'stream', fault: { kind: 'reset-stream' } });
    await expect(state(page)).toHaveAttribute('data-connection', DOWN);
    await expect(page.locator('[data-figure="price"]')).toHaveText(/\d/);
    await published(witness, 8);
    await control.noFaults();
    await expect(state(page)).toHaveAttribute('data-connection', 'live', BACK);
    await published(witness, 4);
    const before = wholeSeconds(witness, fromS).filter(({ publishS }) => publishS < cutS);
    const lost = async () =>
      missingSlots(firstOfSeconds(wholeSeconds(witness, cutS - 1)), await shownTicks(page)).length;
    await expect.poll(async () => missingSlots(before, await shownTicks(page)), BACK).toEqual([]);
    expect(await lost()).toBeGreaterThan(1);
    await expect(page.locator('.shade-missed').first()).toBeAttached();
    await expect(page.locator('[data-gaps~="missed"]')).toContainText(/Missed updates: \d+/);
    const row = page.getByRole('table', { name: /Updates of/ }).locator('[data-gap="missed"]');
    await expect(row.first()).toContainText('Missed updates for');
  },
);

test.describe('without a price service', () => {
  test.use({ settings: { LOGS_URL: 'http://127.0.0.1:9' } });

  test('without a configured price service the page names the setting', async ({ page }) => {
    await page.goto('/feeds');
    await expect(page.getByText('No service configured')).toBeVisible();
    await expect(page.getByText(/Set UPDATES_URL and UPDATES_API_KEY/)).toBeVisible();
    await expect(page.getByText(/Prices shown are the last received/)).toHaveCount(0);
  });
});
