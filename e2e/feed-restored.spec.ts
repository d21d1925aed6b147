import type { Page } from '@playwright/test';
import { expect, test } from './dashboard';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const PATH = `/feeds/${BTC}`;

// Playwright turns the back-forward cache off, and a headless shell has none.
test.use({
  launchOptions: {
    executablePath: process.env.CHROMIUM_WITH_CACHE || process.env.CHROMIUM || undefined,
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  },
});

/** Our pages are not to be stored, and some browsers keep them for Back all the same: so does this one now. */
async function keepForBack(page: Page): Promise<void> {
  await page.route(`**${PATH}*`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), 'cache-control': 'no-cache' } });
  });
  await page.addInitScript(() => {
    window.addEventListener('pageshow', ({ persisted }) => {
      Object.assign(window, { shownFrom: persisted ? 'cache' : 'network' });
    });
  });
}

async function openStreams(origin: string): Promise<number> {
  const text = await (await fetch(`${origin}/api/metrics`)).text();
  return Number(/^keeperscope_open_streams\{stream="feeds"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

/** The seconds of which the table has an update. */
const secondsShown = (page: Page) =>
  page
    .getByRole('table', { name: /Updates of/ })
    .locator('time')
    .evaluateAll((times) => times.map((time) => Date.parse(time.getAttribute('datetime') ?? '') / 1000));

test('Back brings the page out of the browser’s cache? It is live at once, over one stream, and lacks nothing', async ({
  page,
  dashboard,
}) => {
  test.setTimeout(90_000);
  await keepForBack(page);
  await page.goto(`${PATH}?window=1m`);
  const live = page.locator('[data-connection="live"]');
  await expect(live).toBeVisible({ timeout: 30_000 });
  await expect.poll(async () => (await secondsShown(page)).length).toBeGreaterThan(2);

  // Another site: leaving within ours keeps the page as it is.
  await page.goto(`${dashboard.origin.replace('127.0.0.1', 'localhost')}/requests`);
  await expect(page.getByRole('heading', { name: 'Requests', level: 1 })).toBeAttached();
  // The page ends its stream as it leaves. Chromium may freeze the shared worker with the page before it hears of that: then
  // the stream stands still until Back, or until the browser gives the page up, so it is counted only after Back.
  const leftS = Math.ceil(Date.now() / 1000);
  await expect.poll(() => Date.now() / 1000 - leftS, { timeout: 20_000 }).toBeGreaterThan(6);
  await page.goBack({ waitUntil: 'commit' });
  await expect(live).toBeVisible({ timeout: 2_000 });
  expect(await page.evaluate(() => Reflect.get(window, 'shownFrom'))).toBe('cache');
  await expect.poll(() => openStreams(dashboard.origin)).toBe(1);
  const away = [1, 2, 3, 4, 5].map((second) => leftS + second);
  await expect
    .poll(async () => {
      const shown = new Set(await secondsShown(page));
      return away.filter((second) => !shown.has(second));
    })
    .toEqual([]);
});
