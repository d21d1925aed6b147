import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { expectToFit, isAccessible, looksWell } from './looks';

async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  await expect(page.getByRole('main')).toBeVisible();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
}

for (const path of ['/', '/requests?size=20', '/pending', '/feeds', '/prices', '/services']) {
  test(`${path} is accessible, fits, skips the navigation, logs nothing, and is marked as simulated`, async ({
    page,
  }) => {
    const browserMessages: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') browserMessages.push(message.text());
    });
    page.on('pageerror', (error) => browserMessages.push(error.message));
    await page.goto(path);
    await settle(page);
    expect(browserMessages).toEqual([]);
    await page.keyboard.press('Tab');
    await expect(page.locator(':focus')).toHaveText('Skip to content');
    await page.locator(':focus').blur();
    await expect(page.getByRole('status', { name: 'Sandbox' })).toBeInViewport({ ratio: 1 });
    await looksWell(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(page.getByRole('status', { name: 'Sandbox' })).toBeInViewport({ ratio: 1 });
    await expect(page.getByRole('link', { name: 'Keeperscope', exact: true })).toBeVisible();
  });
}

test('the navigation fits on one line at every width, and on a phone on two', async ({ page }) => {
  await page.goto('/');
  await settle(page);
  const opener = page.getByRole('button', { name: 'Command palette' });
  for (const width of [769, 993, 1024, 1199, 1200]) {
    await expectToFit(page, width);
    expect((await opener.boundingBox())?.height).toBeLessThan(32);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  const nav = page.getByRole('navigation', { name: 'Main' });
  await expect.poll(async () => (await nav.boundingBox())?.height).toBeLessThan(90);
  for (const name of ['Overview', 'Services']) {
    await expect(nav.getByRole('link', { name, exact: true })).toBeInViewport({ ratio: 1 });
  }
  const times = page.getByRole('group', { name: 'Times' });
  await expect(times.getByRole('button', { name: 'Local' })).toBeHidden();
  await page.getByRole('button', { name: 'Times and theme' }).click();
  await times.getByRole('button', { name: 'Relative' }).click();
  await expect(page.getByText(/^Updated/).first()).toHaveText(/ago$/);
  await page.keyboard.press('Escape');
  await expect(times.getByRole('button', { name: 'Local' })).toBeHidden();
  await isAccessible(page);
});

test('the theme can be light, dark, or the system’s, and is remembered', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto('/');
  const root = page.locator('html');
  await page
    .getByRole('radio', { name: /dark/i })
    .or(page.getByRole('button', { name: /dark/i }))
    .first()
    .click({ force: true });
  await expect(root).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await page.reload();
  await expect(root).toHaveAttribute('data-mantine-color-scheme', 'dark');
});
