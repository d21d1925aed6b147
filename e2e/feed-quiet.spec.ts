import type { Page } from '@playwright/test';
import { expect, startDashboard, test } from './dashboard';
import { test as ownDashboard } from './fresh-dashboard';

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
const status = (page: Page) => page.locator('[data-connection]');
const price = (page: Page) =>
  page.getByRole('region', { name: 'Crypto.BTC/USD' }).locator('[data-figure="price"]');

test.beforeEach(() => test.setTimeout(200_000));

async function openLive(page: Page): Promise<void> {
  await page.goto(`/feeds?ids=${BTC}`);
  await expect(status(page)).toHaveAttribute('data-connection', 'live', { timeout: 30_000 });
}

test('the service sends signs of life and no prices? It reads connected, no updates, since when, and not live', async ({
  control,
  page,
}) => {
  await openLive(page);
  const stream = { service: 'updates', route: 'stream' };
  await control.fault({ ...stream, fault: { kind: 'silence' }, forMs: 60_000 });
  // Comments go on, as those of a service whose feeds are all silent.
  await expect(async () => {
    await control.fault({ ...stream, fault: { kind: 'event', text: ':\n\n' } });
    await expect(page.getByText('Connected, no updates')).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 40_000 });
  await expect(status(page)).toHaveAttribute('data-connection', 'quiet');
  await expect(status(page)).toContainText(/No update has come since \d\d:\d\d:\d\d/);
  await expect(price(page)).toHaveText(/\d/);
});

test('the connection to the service is dead without a word? It is not called live, and replaced within 45 s', async ({
  control,
  page,
}) => {
  await openLive(page);
  let since = 0;
  // It strikes the streams that stand; one that is just being replaced, as the test before may have left it, it misses.
  await expect(async () => {
    await control.forgetCalls();
    since = Date.now();
    await control.fault({
      service: 'updates',
      route: 'stream',
      fault: { kind: 'silence' },
      forMs: 120_000,
    });
    await expect(page.getByText('No updates', { exact: true })).toBeVisible({ timeout: 28_000 });
  }).toPass({ timeout: 90_000 });
  await expect(status(page)).toContainText(/No update has come since \d\d:\d\d:\d\d/);
  await expect(price(page)).toHaveText(/\d/);
  await expect
    .poll(async () => (await control.calls('updates', 'stream')).total, { timeout: 45_000 })
    .toBe(1);
  expect(Date.now() - since).toBeLessThan(60_000);
  await expect(status(page)).toHaveAttribute('data-connection', 'live', { timeout: 30_000 });
});

const withoutPrices = ownDashboard.extend({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the wanted fixtures from this pattern
  dashboard: async ({}, use) => {
    const dashboard = await startDashboard({ LOGS_URL: 'http://127.0.0.1:9' });
    await use(dashboard);
    await dashboard.stop();
  },
});

withoutPrices('no price service is configured? The page says so, and what to set', async ({ page }) => {
  await page.goto('/feeds');
  await expect(page.getByText('No service configured')).toBeVisible();
  await expect(page.getByText(/Set UPDATES_URL and UPDATES_API_KEY/)).toBeVisible();
  await expect(page.getByText(/Prices shown are the last received/)).toHaveCount(0);
});
