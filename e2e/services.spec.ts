import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { startDashboard } from './dashboard';
import { expect, test } from './fixtures';
import { isAccessible } from './looks';

const HOSTS = ['Logs main', 'Logs test', 'Prices', 'Upgraded prices', 'Router'];

const row = (page: Page, name: string) =>
  page.locator('tr').filter({ has: page.getByRole('rowheader', { name: new RegExp(`^${name}`) }) });
const fact = (page: Page, name: string, of: string) => row(page, name).locator(`[data-fact="${of}"]`);

async function open(page: Page, origin = ''): Promise<void> {
  await page.goto(`${origin}/services`);
  await expect(page.getByRole('button', { name: 'Check now' })).toBeEnabled();
}

async function check(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Check now' }).click();
  await expect(page.getByRole('button', { name: 'Check now' })).toBeEnabled({ timeout: 30_000 });
}

test.describe('an unused dashboard', () => {
  // A service remembers the faults of a day.
  test.use({ fresh: true });

  test('each service is shown with its state, key and coverage, and one click calls them all', async ({
    page,
    control,
  }) => {
    // Differing counts are compared again after half a minute.
    test.setTimeout(150_000);
    await open(page);
    await check(page);
    await expect(page.locator('[data-verdict]')).toHaveText(/^ ?All \d services healthy$/);
    for (const name of HOSTS) {
      const strip = fact(page, name, 'history').getByRole('img');
      await expect(strip).toHaveAttribute(
        'aria-label',
        /^Since \d\d:\d\d:\d\d UTC, when this server started: [\d,]+ calls?, 0 failed$/,
      );
      await expect(fact(page, name, 'health')).toContainText('Healthy');
      await expect(fact(page, name, 'health')).toContainText(/Last call \d+ s ago/);
      await expect(fact(page, name, 'key')).toContainText('Sandbox key');
      await expect(fact(page, name, 'key')).toContainText('OK');
      await expect(fact(page, name, 'latency')).toContainText(
        /^(p50.+ · p95.+max.+last \d+ calls|max [\d.]+ m?s\d calls?$)/,
      );
      await expect(fact(page, name, 'errors')).toHaveText('0');
      await expect(fact(page, name, 'limit').getByRole('meter', { name: 'Call budget left' })).toBeVisible();
    }
    await expect(fact(page, 'main', 'coverage')).toHaveText(/^All since \d{4}-\d\d-\d\d UTC$/);
    await expect(fact(page, 'main', 'rows')).toHaveText(/^[\d,]{3,}$/);
    await expect(fact(page, 'test', 'last-sync')).toHaveText(/\d\d:\d\d:\d\d/);
    await expect(fact(page, 'test', 'storage')).toContainText('Memory');
    await expect(fact(page, 'main', 'audit')).toHaveText(/^Counts matchas of .*\d\d:\d\d:\d\d/, {
      timeout: 90_000,
    });
    await expect(fact(page, 'main', 'sync')).toContainText('Live');
    expect(await page.content()).not.toContain('sandbox-key');
    await isAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(page.locator('[data-brief="router"]')).toHaveText(
      /^(p95|max) .+ · 0 errors, since start, \d+ min$/,
    );
    await expect(fact(page, 'Router', 'health').getByRole('img')).toBeVisible();
    await control.forgetCalls();
    await page.reload();
    await expect(row(page, 'Router')).toBeVisible();
    expect((await control.calls('router')).total).toBe(0);
  });
});

test('streams are shown with age and planned close, with the dashboard’s own', async ({ page, context }) => {
  const feeds = await context.newPage();
  await feeds.goto('/feeds');
  await expect(feeds.getByRole('region', { name: 'Crypto.BTC/USD' })).toBeVisible();
  await open(page);
  await page.getByRole('button', { name: 'Details of Prices' }).click();
  const details = page.locator('[data-details="updates"]');
  await expect(details.getByText(/Dashboard stream: Live for/)).toBeVisible({ timeout: 30_000 });
  const stream = details.getByText(/\d+ feeds?, open .+, last heartbeat .+ ago, reconnects in 23 h/);
  await expect(stream.first()).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  const calls = page.getByRole('region', { name: 'Latest calls to Prices, scrollable' });
  await expect(calls.getByRole('row').nth(1)).toBeVisible();
  expect(await calls.evaluate((part) => part.scrollWidth - part.clientWidth)).toBe(0);
});

test('a rate limit, a rejected key and an unreachable host are distinguished, each with the next step', async ({
  page,
  control,
  dashboard: { sandbox },
}) => {
  const keyFile = join(mkdtempSync(join(tmpdir(), 'keeperscope-')), 'key');
  writeFileSync(keyFile, 'not-the-key\n');
  // Answers of the service would affect the shared dashboard for a while.
  const live = await startDashboard({
    LOGS_URL: 'http://127.0.0.1:9',
    UPDATES_URL: `${sandbox}/updates`,
    UPDATES_API_KEY_FILE: keyFile,
    ROUTER_URL: `${sandbox}/router`,
    ROUTER_API_KEY: 'sandbox-key',
  });
  try {
    await control.fault({ service: 'router', fault: { kind: 'status', status: 429, retryAfter: '600' } });
    await open(page, live.origin);
    await check(page);
    // The rate limit has a countdown, and no call is made before it ends.
    await expect(fact(page, 'Router', 'limit')).toContainText(/Rate-limited \(429\), retry in \d+ min/);
    await expect(row(page, 'Router')).toHaveAttribute('data-health', 'failing');
    await expect(fact(page, 'Router', 'health')).toContainText('Reachable, rate-limited');
    await expect(fact(page, 'Router', 'key')).toContainText('ROUTER_API_KEY');
    await expect(fact(page, 'Logs main', 'health')).toContainText('Unreachable');
    await expect(page.locator('[data-verdict]')).toHaveText(/^ ?Failing: Logs main, .*Router/);
    await expect(row(page, 'Upgraded prices')).toContainText('Set UPGRADED_UPDATES_URL');
    await expect(fact(page, 'Prices', 'key')).toContainText('API key rejected (401)');
    await expect(fact(page, 'Prices', 'key')).toContainText('UPDATES_API_KEY_FILE');
    const remedy = page.getByRole('alert').filter({ hasText: 'web portal' });
    await expect(remedy).toContainText('Prices: API key rejected');
    await expect(remedy.getByRole('button', { name: /^Try again/ })).toBeVisible();
    expect(await page.content()).not.toContain('not-the-key');
    const calls = (await control.calls('router')).total;
    writeFileSync(keyFile, 'sandbox-key\n');
    await expect(async () => {
      await check(page);
      await expect(fact(page, 'Prices', 'key')).toContainText('OK', { timeout: 2000 });
    }).toPass();
    await expect(remedy).toHaveCount(0);
    expect((await control.calls('router')).total).toBe(calls);
  } finally {
    await live.stop();
  }
});
